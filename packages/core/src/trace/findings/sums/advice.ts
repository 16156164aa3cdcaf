import type { AdviceRow, TraceFinding } from '../../model.ts';
import { plainCallName } from '../../calls.ts';
import type { TraceLimits } from '../../thresholds.rows.ts';
import { askFor } from '../asks.ts';
import { against, shareText, timeText, unclear, waste } from '../detector.ts';
import { median } from '../../median.ts';
import type { SumsView } from './view.ts';
import { quotesOf } from './view.ts';

/*
 * What the rules of `nsys analyze` list. Each lists its longest rows only, so the time that they take between the first and
 * the last of them is the least there is. A rule that finds nothing says nothing beyond itself. Nsight Systems user guide,
 * expert systems.
 */

/** The stretch from the first to the last of some rows, ns. */
function stretch(rows: readonly AdviceRow[]): number {
  let [from, to] = [Infinity, -Infinity];
  for (const { startNs, durationNs } of rows) {
    from = Math.min(from, startNs);
    to = Math.max(to, startNs + durationNs);
  }
  return Math.max(0, to - from);
}

function time(rows: readonly AdviceRow[]): number {
  return rows.reduce((sum, { durationNs }) => sum + durationNs, 0);
}

/** What is listed of copies that block, and of waits. */
export function adviceOfSums(view: SumsView, limits: TraceLimits): readonly TraceFinding[] {
  const rows = view.sums.advice ?? [];
  return [...blocking(view, rows, limits), ...waits(view, rows, limits)];
}

function blocking(view: SumsView, rows: readonly AdviceRow[], limits: TraceLimits): readonly TraceFinding[] {
  const found: TraceFinding[] = [];
  for (const isAsync of [true, false]) {
    const own = rows.filter(
      ({ rule, call, from, to }) =>
        rule === 'copy' &&
        /Async/.test(call) === isAsync &&
        // Copies inside a device or a host cross no link.
        (from === 'device') !== (to === 'device'),
    );
    const [ns, span] = [time(own), stretch(own)];
    const share = (100 * ns) / Math.max(1, span);
    if (own.length < 2 * limits['repeats']! || share < limits['waste-share']!) continue;
    const pageable = own.filter(({ from, to }) => from === 'pageable' || to === 'pageable');
    const sized = pageable.filter(({ bytes }) => bytes !== null && bytes >= 512 * 1024);
    const rate =
      sized.length === 0 ? null : sized.reduce((sum, { bytes }) => sum + bytes!, 0) / Math.max(1, time(sized));
    const isPageable = 2 * time(pageable) >= ns;
    if (isAsync && !isPageable) continue;
    const cause = isAsync
      ? 'pageable-copies-synchronous'
      : isPageable && rate !== null && rate < limits['slow-link']!
        ? 'pageable-copies-slow'
        : 'copies-not-overlapped';
    const [lead] = own.toSorted((a, b) => b.durationNs - a.durationNs);
    // Nothing else happens between them: so weights are loaded, once.
    if (share >= 90 && own.every(({ to }) => to === 'device')) {
      found.push(
        unclear(
          cause,
          `${own.length} copies to the GPU by ${plainCallName(lead!.call)} follow each other for ${timeText(span)}, as nsys analyze lists them: so a program loads its data once`,
          { fact: 'whether they come again', ask: askFor({ format: 'nsys-stats' }, 'steps') },
          quotesOf(view, own.slice(0, 4)),
        ),
      );
      continue;
    }
    found.push(
      waste({
        cause,
        certainty: isAsync ? 'proved' : 'likely',
        message: `${own.length} ${isPageable ? 'copies of pageable memory' : 'copies'} by ${plainCallName(lead!.call)}${rate === null ? '' : ` at ${rate.toFixed(1)} GB/s`} block the CPU for ${timeText(ns)} of ${timeText(span)} (${shareText(share / 100)}), as nsys analyze lists them`,
        measured: [against('copies that block', share, '>=', limits, 'waste-share', '% of the span')],
        saving: null,
        costNs: ns,
        ...(isAsync ? { explains: ['pageable-copies-slow', 'copies-not-overlapped'] } : {}),
        quotes: quotesOf(view, own.slice(0, 4)),
        ...(isAsync
          ? {}
          : { missing: { fact: 'what the GPU computes meanwhile', ask: askFor({ format: 'nsys-stats' }, 'steps') } }),
      }),
    );
  }
  return found;
}

/** Waits that follow each other so closely that a step has many of them, while the GPU is little used. */
function waits(view: SumsView, rows: readonly AdviceRow[], limits: TraceLimits): readonly TraceFinding[] {
  const own = rows.filter(({ rule }) => rule === 'wait').toSorted((a, b) => a.startNs - b.startNs);
  const low = rows.filter(({ rule, usePercent }) => rule === 'use' && usePercent !== null && usePercent < 50);
  if (own.length < limits['waits']!) return [];
  const pauses = own.slice(1).map(({ startNs }, at) => startNs - own[at]!.startNs);
  const every = median(Float64Array.from(pauses));
  const length = median(Float64Array.from(own, ({ durationNs }) => durationNs));
  // The longest are listed: where these are short, all are.
  if (length > 5 * limits['short-kernel']! * 1000 || every > 10 * limits['short-kernel']! * 1000) return [];
  const [from, to] = [own[0]!.startNs, own.at(-1)!.startNs];
  const within = low.filter((row) => row.startNs <= to && row.startNs + row.durationNs >= from);
  const [use] = within;
  return [
    waste({
      cause: 'sync-after-each-kernel',
      certainty: use === undefined ? 'possible' : 'likely',
      message: `the CPU waits every ${timeText(every)} (${own.length} waits of ${plainCallName(own[0]!.call)} listed, ${timeText(length)} each)${use === undefined ? '' : `, and the GPU works ${use.usePercent} % of that time`}`,
      measured: [
        against(
          'time between waits',
          every / 1000,
          '<=',
          { ...limits, between: 10 * limits['short-kernel']! },
          'between',
          'µs',
        ),
      ],
      saving: null,
      costNs: use?.durationNs ?? time(own),
      quotes: quotesOf(view, [...own.slice(0, 3), ...within.slice(0, 2)]),
      missing: {
        fact: 'how many kernels run for each wait',
        ask: 'nsys stats --report cuda_api_sum,cuda_gpu_kern_sum FILE',
      },
    }),
  ];
}

/** What the lists leave open, in words; null where they hold no pause. */
export function openOfAdvice({ sums }: SumsView): string | null {
  const rows = sums.advice ?? [];
  const gaps = rows.filter(({ rule }) => rule === 'gap');
  const low = rows.filter(({ rule, usePercent }) => rule === 'use' && usePercent !== null);
  const idle =
    gaps.length === 0
      ? null
      : `the GPU stands idle ${gaps.length} time${gaps.length === 1 ? '' : 's'} for ${timeText(Math.min(...gaps.map((gap) => gap.durationNs)))} and more, ${timeText(time(gaps))} of ${timeText(stretch(gaps))}`;
  const little =
    low.length === 0
      ? null
      : `the GPU works ${Math.min(...low.map(({ usePercent }) => usePercent!))} % and more in ${low.length} stretch${low.length === 1 ? '' : 'es'} of ${timeText(time(low))} in all`;
  const words = [idle, little].filter((each) => each !== null);
  return words.length === 0 ? null : `${words.join('; ')}, and the rules do not say what the CPU does then`;
}
