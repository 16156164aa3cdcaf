import type { SumRow, TraceFinding } from '../../model.ts';
import type { TraceLimits } from '../../thresholds.rows.ts';
import { askFor } from '../asks.ts';
import { against, healthy, shareText, timeText, unclear, waste } from '../detector.ts';
import { productUnitOf } from '../tensor.ts';
import { rangeText } from './copies.ts';
import type { SumsView } from './view.ts';
import { countOf, isLoading, plainRange, quotesOf, steady, steadyNs, total } from './view.ts';

/*
 * What the ranges of the program tell beside the sums of the GPU: the GPU cannot work longer than its kernels and copies
 * take, so the rest of a range in which input is loaded is idle; and kernels of NCCL that take longer than all others are
 * beside nothing for the difference at least.
 */

/** A range of loading that takes much of the steps, while the GPU has little to do in all. */
export function loadingOfSums(view: SumsView, limits: TraceLimits): readonly TraceFinding[] {
  const { sums, kernelNs, copyNs, kernelCount } = view;
  const ranges = sums.ranges ?? [];
  const [load] = ranges
    .filter(({ name, count }) => isLoading(name) && count >= 2 * limits['repeats']!)
    .toSorted((a, b) => b.totalNs - a.totalNs);
  if (load === undefined || kernelCount < limits['kernels']!) return [];
  // Whatever holds it, or stands beside it as often; what is longer is the measure.
  const alike = ranges.filter(({ count }) => count >= 0.5 * load.count && count <= 2 * load.count);
  const others = alike.filter((row) => row !== load);
  const holder = others.filter(({ totalNs }) => totalNs >= load.totalNs).toSorted((a, b) => b.totalNs - a.totalNs)[0];
  const loadNs = steadyNs(load);
  const steps = (holder?.totalNs ?? total(alike)) - (load.totalNs - loadNs);
  // The whole work of the GPU may lie inside the loading.
  const idle = loadNs - kernelNs - copyNs;
  const share = (100 * idle) / steps;
  if (share < limits['starved']!) return [];
  // More than the whole run takes is the work of several threads, which nobody need wait for.
  if (ranges.some((row) => row.count <= 2 && isWhole(row) && row.totalNs < load.totalNs)) return [];
  if (holder === undefined && isOfWorkers.test(plainRange(load.name)))
    return [
      unclear(
        'input-pipeline-bound',
        `${rangeText(load.name)} takes ${timeText(loadNs)} in all, beside ${timeText(kernelNs + copyNs)} of kernels and copies, and the text does not say whether the steps wait for it: workers do it beside them`,
        { fact: 'which threads load the input', ask: askFor({ format: 'nsys-stats' }, 'host') },
        quotesOf(view, [load, view.kernels[0]]),
      ),
    ];
  return [
    waste({
      cause: 'input-pipeline-bound',
      certainty: 'likely',
      message: `${rangeText(load.name)} takes ${timeText(loadNs)} of ${timeText(steps)} (${shareText(loadNs / steps)}), and all kernels and copies of the GPU ${timeText(kernelNs + copyNs)}: it stands idle for ${timeText(idle)} of it at least`,
      measured: [against('idle while input is loaded', share, '>=', limits, 'starved', '% of the steps')],
      saving: { upperBoundNs: Math.ceil(load.totalNs), how: 'all time of the range' },
      quotes: quotesOf(view, [load, holder, view.kernels[0]]),
      missing: {
        fact: 'whether the loading is what the steps wait for',
        ask: askFor({ format: 'nsys-stats' }, 'host'),
      },
    }),
  ];
}

/** What workers do with single samples, while the steps run. */
const isOfWorkers = /decod|augment|pre_?process|toke?ni[sz]e|collat|read_?(?:file|disk|shard|record)|sample|image/;

/** A range of the whole run. */
function isWhole({ name }: SumRow): boolean {
  return /epoch|main|total|train|run|solve|loop/.test(plainRange(name));
}

/** Communication that the rest of the kernels cannot hide. */
export function ncclOfSums(view: SumsView, limits: TraceLimits): readonly TraceFinding[] {
  const { computeNs, wall } = view;
  // Kernels that send and receive wait for other stages of a pipeline as well.
  const nccl = view.nccl.filter(({ name }) => !/SendRecv|_Send|_Recv/i.test(name));
  const ncclNs = steady(nccl);
  const [lead] = nccl;
  if (lead === undefined || countOf(nccl) < limits['sums-repeats']! || computeNs * 20 < ncclNs + computeNs) return [];
  const both = ncclNs + computeNs;
  const span = wall !== null && wall.ns >= 0.9 * Math.max(ncclNs, computeNs) ? wall.ns : null;
  const addsUp = span !== null && Math.abs(both - span) * 100 <= limits['adds-up']! * span;
  const bare = addsUp ? ncclNs : ncclNs - computeNs;
  const share = (100 * bare) / (span ?? both);
  if (share < (addsUp ? limits['nccl-exposed']! : 2 * limits['nccl-exposed']!)) return [];
  return [
    waste({
      cause: 'nccl-exposed-communication',
      certainty: 'likely',
      message: addsUp
        ? `kernels of NCCL take ${timeText(ncclNs)} and the others ${timeText(computeNs)}, together as long as ${wall!.row.count} × ${rangeText(wall!.row.name)} (${timeText(span)}): the communication lies beside nothing`
        : `kernels of NCCL take ${timeText(ncclNs)} and all others ${timeText(computeNs)}: for ${timeText(bare)} at least nothing hides the communication`,
      measured: [
        against(
          'communication that nothing hides',
          share,
          '>=',
          limits,
          'nccl-exposed',
          span === null ? '% of the kernel time' : '% of the range',
        ),
      ],
      saving: { upperBoundNs: Math.ceil(ncclNs), how: 'all time of the communication' },
      quotes: quotesOf(view, [lead, view.kernels.find((row) => !nccl.includes(row)), ...(addsUp ? [wall!.row] : [])]),
      missing: { fact: 'whether it waits for a late rank', ask: askFor({ format: 'nsys-stats' }, 'ranks') },
    }),
  ];
}

/**
 * Kernels that fill a range which covers the whole run. A range for each step proves nothing of what lies between the steps,
 * and kernels of the program's own may leave most SMs idle: those of products of matrices do not.
 */
export function wellOfSums(view: SumsView, limits: TraceLimits): readonly TraceFinding[] {
  const { wall, kernels, computeNs, kernelCount, copyNs, sums } = view;
  if (wall === null || wall.row.count > limits['repeats']! || kernelCount < limits['launches']!) return [];
  if (!isWhole(wall.row)) return [];
  if ((sums.ranges ?? []).some(({ totalNs }) => totalNs > wall.ns)) return [];
  if ((sums.copies ?? []).some(({ name }) => name.startsWith('UVM_')) || copyNs > 0.1 * wall.ns) return [];
  const share = computeNs / wall.ns;
  const products = total(kernels.filter(({ name }) => productUnitOf(name) !== null));
  if (share < 0.95 || share > 1.02 || products < 0.5 * computeNs) return [];
  return [
    healthy(
      'ok-single-stream-saturated',
      `kernels take ${timeText(computeNs)} of the ${timeText(wall.ns)} of ${rangeText(wall.row.name)} (${shareText(share)}), ${shareText(products / computeNs)} of it products of matrices`,
      [against('time without a kernel', 100 * (1 - share), '<', limits, 'waste-share', '% of the range')],
      quotesOf(view, [wall.row, kernels[0]]),
    ),
  ];
}
