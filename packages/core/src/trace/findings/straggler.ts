import type { TraceFinding } from '../model.ts';
import type { TraceLimits } from '../thresholds.rows.ts';
import { askFor } from './asks.ts';
import { against, shareText, timeText, waste } from './detector.ts';
import type { RankComparison, RankUse } from './ranks.ts';
import { computedBy, doesTheSame, nameOf, slowerPairByPair, whyLate } from './ranks.ts';
import type { Scene } from './scene.ts';

/** What a pause of a late rank is, in words. */
const pauses: Readonly<Record<string, string>> = {
  loader: 'its input is late',
  host: 'its program does something that the trace does not show before it launches',
  launch: 'its launches come late',
  sync: 'it waits for its GPU more than the others',
  copy: 'it waits for copies more than the others',
  alloc: 'it allocates memory more than the others',
  compile: 'it compiles kernels more than the others',
  capture: 'it captures graphs more than the others',
  queued: 'its GPU starts work late that was launched in time',
  unknown: 'its GPU stands idle more than the others',
};

/** Clocks this far apart are worth a word, ns. */
const apart = 1e6;

/**
 * One rank for which all others wait. The time counted is that between it and the last but one; a rank that is last by
 * chance now and then has little of it.
 */
export function straggler(comparison: RankComparison, limits: TraceLimits): readonly TraceFinding[] {
  const { ranks, matched, delayNs, spreadNs, missing } = comparison;
  const place = ranks.reduce((most, rank, at) => (rank.delayNs > ranks[most]!.delayNs ? at : most), 0);
  const late = ranks[place]!;
  const span = Math.max(...ranks.map(({ spanNs }) => spanNs));
  const cost = late.delayNs;
  if (span <= 0 || cost * 100 < limits['straggler-share']! * span) return [];
  // Of few collectives it comes last to all.
  const isFew = matched < limits['repeats']!;
  const least = isFew ? matched : limits['repeats']!;
  if (cost * 100 < limits['straggler-last']! * delayNs || late.last < least) return [];
  // Ranks that wait for input come last by turns: only what one is late more often than another counts.
  const next = Math.max(0, ...ranks.filter((_, at) => at !== place).map((rank) => rank.delayNs));
  if ((cost - next) * 100 < 0.7 * limits['straggler-share']! * span) return [];
  // A rank that starts late, or pauses once, is no straggler: it keeps up from then on.
  if (late.steadyDelayNs * 200 < limits['straggler-share']! * span) return [];
  const why = whyLate(comparison, place);
  const skewed = ranks.filter(({ offsetNs }) => Math.abs(offsetNs) >= apart);
  const absent = missing ?? [];
  return [
    waste({
      cause: 'nccl-straggler-rank',
      certainty: absent.length > 0 || isFew ? 'likely' : 'proved',
      message: [
        `${late.called} comes last to ${late.last} of ${matched} collectives, and the others wait ${timeText(cost)} for it (${shareText(cost / span)} of the time)`,
        reason(comparison, place, why?.kind ?? null),
        skewed.length === 0
          ? ''
          : `; the clocks of the ranks are up to ${timeText(Math.max(...skewed.map(({ offsetNs }) => Math.abs(offsetNs))))} apart, which is taken out`,
        absent.length === 0
          ? ''
          : `; traces of ${absent.length} more rank${absent.length === 1 ? ' are' : 's are'} not here`,
      ].join(''),
      measured: [
        against('waiting for the late rank', (100 * cost) / span, '>=', limits, 'straggler-share', '% of the span'),
        against('of all such waiting', (100 * cost) / delayNs, '>=', limits, 'straggler-last', '% of the waiting'),
        ...(why?.kind === 'compute' && isSlowGpu(comparison, place)
          ? [against('waiting for a slower GPU', (100 * cost) / span, '>=', limits, 'straggler-share', '% of the span')]
          : []),
        ...(why?.kind === 'loader'
          ? [against('waiting for late input', (100 * cost) / span, '>=', limits, 'straggler-share', '% of the span')]
          : []),
      ],
      saving: { upperBoundNs: spreadNs, how: 'time from the first to the last arrival, all collectives together' },
      costNs: cost,
      explains: ['nccl-exposed-communication', ...consequences(comparison, place, limits)],
      quotes: [late, ranks[place === 0 ? 1 : 0]!].flatMap(quoteOf),
      marks: marksOf(comparison, place),
      ...(absent.length > 0
        ? {
            missing: {
              fact: `the traces of the other ranks (${absent.slice(0, 8).join(', ')})`,
              ask: askFor(late.scene.trace, 'other-ranks'),
            },
          }
        : {}),
    }),
  ];
}

function reason(comparison: RankComparison, place: number, why: string | null): string {
  if (why === null) return '';
  if (why !== 'compute') return `: ${pauses[why] ?? ''}`;
  const { ranks } = comparison;
  const late = ranks[place]!;
  const others = ranks.filter((_, at) => at !== place).map(({ computeNs }) => computeNs);
  const usual = others.sort((a, b) => a - b)[others.length >> 1]!;
  const times = usual > 0 ? `${(late.computeNs / usual).toFixed(2)} times as long as those of the others` : 'longer';
  const pair = pairOf(comparison, place);
  if (isSlowGpu(comparison, place))
    return pair === null
      ? `: its kernels take ${times}, and are as many and as large, so its GPU is slower${clocksOf(comparison, place)}`
      : `: its kernels take ${times}, and three of four kinds of them ${pair.times.toFixed(2)} times or more with the same grid, so its GPU is slower${clocksOf(comparison, place)}`;
  return hasMore(comparison, place)
    ? `: it has more to compute, its kernels take ${times}`
    : `: its kernels take ${times}`;
}

/** Blocks beyond those of the others that make more work, as a factor. */
const moreBlocks = 1.05;

/** True where the late rank computes the same and takes longer for it. */
function isSlowGpu(comparison: RankComparison, place: number): boolean {
  const pair = pairOf(comparison, place);
  return pair === null ? doesTheSame(comparison, place) : pair.times >= slower && pair.blocks < moreBlocks;
}

/** True where it launches more kernels or more blocks than the others. */
function hasMore({ ranks }: RankComparison, place: number): boolean {
  const usual = (of: (rank: RankUse) => number): number =>
    ranks
      .filter((_, at) => at !== place)
      .map(of)
      .sort((a, b) => a - b)[(ranks.length - 1) >> 1]!;
  const late = ranks[place]!;
  return (
    late.blocks > moreBlocks * usual(({ blocks }) => blocks) ||
    late.kernels > moreBlocks * usual(({ kernels }) => kernels)
  );
}

function pairOf({ ranks }: RankComparison, place: number): ReturnType<typeof slowerPairByPair> {
  return slowerPairByPair(
    ranks[place]!.scene,
    ranks.filter((_, at) => at !== place).map(({ scene }) => scene),
  );
}

/** What the devices state of their clocks, where it differs. */
function clocksOf({ ranks }: RankComparison, place: number): string {
  const clock = ({ scene }: RankUse): number | null => scene.trace.devices[scene.device]?.clockHz ?? null;
  const [own, other] = [clock(ranks[place]!), clock(ranks[place === 0 ? 1 : 0]!)];
  if (own === null || other === null || own >= 0.95 * other) return '';
  return ` (${Math.round(own / 1e6)} MHz against ${Math.round(other / 1e6)} MHz)`;
}

/** Findings that only say why the late rank is late: the others do not have them. */
function consequences({ ranks }: RankComparison, place: number, limits: TraceLimits): readonly string[] {
  const others = ranks.filter((_, at) => at !== place);
  const isWaiting = ({ scene }: RankUse): boolean => {
    const { loader, host } = scene.gapCauses.totals;
    return (loader.ns + host.ns) * 100 >= limits['waste-share']! * scene.spanNs;
  };
  return others.some(isWaiting) ? [] : ['input-pipeline-bound'];
}

function quoteOf({ scene }: RankUse): TraceFinding['quotes'] {
  const first = scene.kernels.find(({ name }) => scene.ofNccl[name] === 1)?.firstRow;
  return first === undefined ? [] : [scene.quote(first)];
}

/** The waits for the late rank, in the time of the first trace. */
function marksOf({ late, ranks }: RankComparison, place: number): TraceFinding['marks'] {
  return late
    .filter(({ rank, from, to }) => rank === place && to > from)
    .map(({ from, to }) => ({ from, to, streams: [], label: `waits for ${ranks[place]!.called}` }));
}

/** Kernels of one rank that last this much longer than the others' are those of a slower GPU. */
const slower = 1.25;

/**
 * One rank of at least three whose kernels are as many and as large as the others' and take far longer, in a trace with too
 * few collectives to tell who comes last.
 */
export function slowRank(scenes: readonly Scene[], limits: TraceLimits): readonly TraceFinding[] {
  if (scenes.length < 3) return [];
  const uses = scenes.map((scene) => ({ scene, ...computedBy(scene) }));
  uses.sort((a, b) => a.computeNs - b.computeNs);
  const [least, late, next] = [uses[0]!, uses.at(-1)!, uses.at(-2)!];
  const usual = uses[uses.length >> 1]!;
  const alike = (a: number, b: number): boolean => Math.abs(a - b) <= 0.01 * Math.max(a, b);
  if (uses.some((use) => !alike(use.kernels, usual.kernels) || !alike(use.blocks, usual.blocks))) return [];
  if (usual.kernels < limits['kernels']! || late.computeNs < slower * next.computeNs) return [];
  if (next.computeNs > slower * least.computeNs) return [];
  const more = late.computeNs - next.computeNs;
  const share = late.scene.percent(more);
  if (share < limits['straggler-share']!) return [];
  return [
    waste({
      cause: 'nccl-straggler-rank',
      certainty: 'likely',
      message: `the kernels of ${nameOf(late.scene, scenes)} take ${(late.computeNs / next.computeNs).toFixed(2)} times as long as those of the others, and are as many and as large, so its GPU is slower: the others wait ${timeText(more)} for it (${shareText(share / 100)} of the time)`,
      measured: [against('waiting for a slower GPU', share, '>=', limits, 'straggler-share', '% of the span')],
      saving: {
        upperBoundNs: late.computeNs - least.computeNs,
        how: 'time of its kernels beyond those of the quickest rank',
      },
      explains: ['nccl-exposed-communication'],
      quotes: [late.scene, usual.scene].flatMap((scene) => scene.anyQuote),
    }),
  ];
}
