import { callKindOf, plainCallName } from '../../calls.ts';
import { callKinds } from '../../model.ts';
import type { TraceFinding } from '../../model.ts';
import type { TraceLimits } from '../../thresholds.rows.ts';
import { against, shareText, timeText, unclear, waste } from '../detector.ts';
import { sizeText } from '../text.ts';
import type { SumsView } from './view.ts';
import { countOf, quotesOf, total } from './view.ts';

/*
 * What sums prove of copies: those that take longer than all kernels cannot lie under them, and where copies and kernels
 * together take as long as the steps, they took turns. How fast they were is bytes by time. CUDA C++ Best Practices Guide,
 * data transfer between host and device; asynchronous and overlapping transfers.
 */

const timeLine = 'nsys stats --report cuda_gpu_trace --format csv FILE > trace.csv; culprit trace trace.csv';

/** Copies between host and device that the kernels cannot hide. */
export function copiesOfSums(view: SumsView, limits: TraceLimits): readonly TraceFinding[] {
  const { copies, copyNs, copyCount, kernelNs, kernelCount, wall, calls } = view;
  const least = limits['sums-repeats']!;
  // Short copies cost their calls: many small ones are another matter.
  if (copyCount < least || kernelCount < least || kernelNs < 1e6 || copyNs / copyCount < 10_000) return [];
  const [up, down] = ['HtoD', 'DtoH'].map((way) => total(copies.filter(({ name }) => name === way))) as [
    number,
    number,
  ];
  const blocking = calls.filter(({ name }) => callKindOf(plainCallName(name)) === callKinds.copy);
  // The call waits for the copy: nothing else is launched by its thread meanwhile.
  const waits = total(blocking) >= 0.8 * copyNs && countOf(blocking) >= 0.5 * copyCount;
  const outside = (waits ? copyNs : Math.max(up, down)) - kernelNs;
  const span = wall !== null && wall.ns >= 0.9 * Math.max(copyNs, kernelNs) ? wall.ns : null;
  const addsUp =
    span !== null &&
    Math.abs(copyNs + kernelNs - span) * 100 <= limits['adds-up']! * span &&
    copyNs * 100 >= limits['first-touch-share']! * span;
  const isLonger = copyNs * 100 >= limits['sums-copies']! * kernelNs && outside * 3 >= copyNs;
  if (!addsUp && !isLonger) return [];
  // Weights are loaded once, by many copies: in steps, or both ways, or one for every few kernels they come again and again.
  const comesAgain =
    span !== null || Math.min(up, down) >= 0.15 * Math.max(up, down) || copyCount >= 0.25 * kernelCount;
  if (!comesAgain || (span !== null && copyNs * 100 < limits['waste-share']! * span)) return [];
  const rate = rateOf(view);
  const isSlow = rate !== null && rate < limits['slow-link']!;
  const speed = rate === null ? '' : ` at ${rate.toFixed(1)} GB/s`;
  const base = `${copyCount.toLocaleString('en')} copies between host and device take ${timeText(copyNs)}${speed}, the kernels ${timeText(kernelNs)}`;
  const measured = [
    addsUp
      ? against(
          'copies and kernels less the range',
          (100 * Math.abs(copyNs + kernelNs - span)) / span,
          '<=',
          limits,
          'adds-up',
          '% of the range',
        )
      : against('time of the copies', (100 * copyNs) / kernelNs, '>=', limits, 'sums-copies', '% of the kernel time'),
  ];
  const quotes = quotesOf(view, [
    ...copies.slice(0, 2),
    ...(addsUp ? [wall!.row] : []),
    ...view.kernels.slice(0, 1),
    ...blocking.slice(0, 1),
    ...(isSlow ? (view.sums.copyBytes ?? []).slice(0, 1) : []),
  ]);
  const saving = { upperBoundNs: Math.ceil(addsUp ? Math.min(copyNs, span) : copyNs), how: 'all time of the copies' };
  if (isSlow)
    return [
      waste({
        cause: 'pageable-copies-slow',
        certainty: 'likely',
        message: `${base}: page-locked memory is copied faster over any link of 16 lanes`,
        measured: [...measured, against('rate of the copies', rate, '<', limits, 'slow-link', 'GB/s')],
        saving,
        explains: ['copies-not-overlapped'],
        quotes,
        missing: {
          fact: 'whether the memory is page-locked, and how wide the link is',
          ask: `${timeLine}; nvidia-smi -q -d PCIE`,
        },
      }),
    ];
  // Calls that only queue copies, with few waits: kernels may all lie under the copies.
  const queued = calls.filter(({ name }) => callKindOf(plainCallName(name)) === callKinds.copyAsync);
  if (!addsUp && countOf(queued) >= 0.9 * copyCount && 4 * countOf(view.waits) < copyCount)
    return [
      unclear(
        'copies-not-overlapped',
        `${base}: the link is what the program waits for, and the text does not say whether the kernels run meanwhile`,
        { fact: 'when the copies and kernels ran', ask: timeLine },
        quotes,
      ),
    ];
  return [
    waste({
      cause: 'copies-not-overlapped',
      certainty: 'likely',
      message: addsUp
        ? `${base}: together ${timeText(copyNs + kernelNs)}, as long as ${wall!.row.count} × ${rangeText(wall!.row.name)} (${timeText(span)}), so they take turns`
        : `${base}${waits ? `; ${blocking.map(({ name }) => plainCallName(name))[0]} waits for each` : `: at least ${shareText(outside / copyNs)} of their time lies beside no kernel`}`,
      measured,
      saving,
      quotes,
      missing: { fact: 'when the copies and kernels ran', ask: timeLine },
    }),
  ];
}

export function rangeText(name: string): string {
  return name.replace(/^:/, '').slice(0, 60);
}

/** GB/s of all copies whose sizes are told; null where they are not, or where most are too small to reach any rate. */
function rateOf({ copies, sums }: SumsView): number | null {
  const sized = copies.flatMap((row) => {
    const size = sums.copyBytes?.find(({ direction }) => direction === row.name);
    return size === undefined ? [] : [{ bytes: size.bytes, count: size.count, ns: row.totalNs, copies: row.count }];
  });
  const [bytes, ns] = [sized.reduce((sum, one) => sum + one.bytes, 0), sized.reduce((sum, one) => sum + one.ns, 0)];
  const count = sized.reduce((sum, one) => sum + one.copies, 0);
  if (ns <= 0 || count === 0 || bytes / count < 512 * 1024) return null;
  // A table of sizes that counts other copies than that of times is of another run.
  if (sized.some((one) => one.count > 0 && Math.abs(one.count - one.copies) > 0.05 * one.copies)) return null;
  return bytes / ns;
}

/** Pages of managed memory that move for a long part of the kernels' time, where the program fetches nothing ahead. */
export function managedOfSums(view: SumsView, limits: TraceLimits): readonly TraceFinding[] {
  const { sums, kernelNs, calls } = view;
  const moved = (sums.copies ?? []).filter(({ name }) => name === 'UVM_HtoD' || name === 'UVM_DtoH');
  const faultNs = sums.faults?.ns ?? 0;
  if (kernelNs < 1e6 || (countOf(moved) < limits['sums-repeats']! && faultNs === 0)) return [];
  if (calls.some(({ name }) => callKindOf(plainCallName(name)) === callKinds.prefetch)) return [];
  // Zero faults of the GPU, counted, are no demand of a kernel.
  if (sums.faults?.gpu === 0) return [];
  const ns = Math.max(total(moved), faultNs);
  const share = (100 * ns) / kernelNs;
  if (share < limits['migrations']!) return [];
  const size = (sums.copyBytes ?? []).filter(({ direction }) => direction.startsWith('UVM_'));
  const bytes = size.reduce((sum, one) => sum + one.bytes, 0);
  const moves = ` (${countOf(moved)} migrations${bytes > 0 ? `, ${sizeText(bytes)}` : ''})`;
  const faults =
    (sums.faults?.gpu ?? 0) > 0 ? `, on ${sums.faults!.gpu!.toLocaleString('en')} page faults of the GPU` : '';
  return [
    waste({
      cause: 'managed-memory-page-faults',
      certainty:
        faultNs * 100 >= limits['migrations']! * kernelNs || (sums.faults?.gpu ?? 0) >= limits['page-faults']!
          ? 'proved'
          : 'likely',
      message:
        faultNs > total(moved)
          ? `the GPU answers page faults of managed memory for ${timeText(faultNs)}, beside ${timeText(kernelNs)} of kernels${moves}`
          : `managed memory moves for ${timeText(ns)}, beside ${timeText(kernelNs)} of kernels${moves}${faults}`,
      measured: [
        against('time of the migrations and faults', share, '>=', limits, 'migrations', '% of the kernel time'),
      ],
      saving: { upperBoundNs: Math.ceil(Math.max(ns, kernelNs)), how: 'all time of the kernels that wait for pages' },
      costNs: ns,
      explains: ['copies-not-overlapped'],
      quotes: quotesOf(view, [...moved.slice(0, 2), ...(sums.faults === null ? [] : [sums.faults]), view.kernels[0]]),
      ...(faultNs > 0 || faults !== ''
        ? {}
        : {
            missing: {
              fact: 'the number of page faults',
              ask: 'nsys profile --cuda-um-gpu-page-faults=true --cuda-um-cpu-page-faults=true -o run ./app',
            },
          }),
    }),
  ];
}
