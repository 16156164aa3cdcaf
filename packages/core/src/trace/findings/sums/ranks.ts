import type { RankSums, SumRow, TraceFinding } from '../../model.ts';
import { median } from '../../median.ts';
import type { TraceLimits } from '../../thresholds.rows.ts';
import { against, shareText, timeText, waste } from '../detector.ts';
import type { SumsView } from './view.ts';
import { countOf, isNcclKernel, quotesOf, steady, total } from './view.ts';

interface Rank {
  readonly rank: number;
  readonly nccl: readonly SumRow[];
  readonly ncclNs: number;
  readonly compute: readonly SumRow[];
  readonly computeNs: number;
}

/**
 * Sums of several ranks side by side. All ranks leave a collective together, so the one whose kernels of NCCL are the shortest
 * comes last to it, and the others wait. Where its kernels take longer than the same ones of the others, its GPU is slow.
 */
export function ranksOfSums(view: SumsView, limits: TraceLimits): readonly TraceFinding[] {
  const ranks = (view.sums.ranks ?? []).map(rankOf);
  if (ranks.length < 2 || ranks.some(({ nccl, compute }) => nccl.length === 0 || compute.length === 0)) return [];
  const counts = ranks.map(({ nccl }) => countOf(nccl));
  if (Math.min(...counts) < limits['sums-repeats']! || Math.max(...counts) > 1.1 * Math.min(...counts)) return [];
  const late = ranks.reduce((least, rank) => (rank.ncclNs < least.ncclNs ? rank : least));
  const others = ranks.filter((rank) => rank !== late);
  const waiting = middle(others.map(({ ncclNs }) => ncclNs)) - late.ncclNs;
  const nearest = Math.min(...others.map(({ ncclNs }) => ncclNs)) - late.ncclNs;
  const span = middle(ranks.map(({ ncclNs, computeNs }) => ncclNs + computeNs));
  const share = (100 * waiting) / span;
  if (share < limits['straggler-share']! || nearest < 0.5 * waiting) return [];
  const slower = slownessOf(late, others);
  const isSlow = slower !== null && (slower - 1) * 100 >= limits['slow-rank']!;
  const own = late.compute[0]!;
  const same = others[0]!.compute.find(({ name }) => name === own.name);
  return [
    waste({
      cause: isSlow ? 'straggler-gpu' : 'nccl-straggler-rank',
      certainty: 'likely',
      message: `rank ${late.rank} is the last in the collectives: its kernels of NCCL take ${timeText(late.ncclNs)}, those of the others ${timeText(waiting + late.ncclNs)}, ${shareText(share / 100)} of the time of their GPUs${
        isSlow
          ? `; the same kernels take ${slower.toFixed(1)} times as long there`
          : `; its other kernels take ${timeText(late.computeNs)}, those of the others ${timeText(middle(others.map(({ computeNs }) => computeNs)))}`
      }`,
      measured: [
        against('waiting for the late rank', share, '>=', limits, 'straggler-share', '% of the span'),
        ...(isSlow
          ? [against('time of the same kernels', 100 * (slower - 1), '>=', limits, 'slow-rank', '% longer')]
          : []),
      ],
      saving: {
        upperBoundNs: Math.ceil(Math.max(...others.map(({ ncclNs }) => ncclNs))),
        how: 'all waiting in the collectives',
      },
      explains: ['nccl-exposed-communication'],
      quotes: quotesOf(view, [late.nccl[0], others[0]!.nccl[0], own, same]),
      missing: isSlow
        ? { fact: 'why its GPU is slow', ask: 'nvidia-smi -q -d CLOCK,PERFORMANCE,TEMPERATURE,POWER' }
        : {
            fact: 'what it does before the collectives',
            ask: 'nsys profile -t cuda,nvtx -o rank%q{RANK} …; culprit trace rank0.sqlite rank1.sqlite',
          },
    }),
  ];
}

/** All wait for all in these; the root of a broadcast waits for nobody, and stages of a pipeline for their neighbours. */
const isMutual = /All_?Reduce|All_?Gather|Reduce_?Scatter/i;

function rankOf({ rank, kernels }: RankSums): Rank {
  const nccl = kernels.filter((row) => isNcclKernel(row) && isMutual.test(row.name));
  const compute = kernels.filter((row) => !isNcclKernel(row)).toSorted((a, b) => b.totalNs - a.totalNs);
  return { rank, nccl, ncclNs: steady(nccl), compute, computeNs: total(compute) };
}

/** How many times as long the same kernels take on one rank, by their means; null where most of its time is in others. */
function slownessOf(late: Rank, others: readonly Rank[]): number | null {
  let [own, usual] = [0, 0];
  for (const { name, count, totalNs } of late.compute) {
    const means = others.flatMap(({ compute }) => {
      const same = compute.find((row) => row.name === name);
      return same === undefined || same.count === 0 ? [] : [same.totalNs / same.count];
    });
    if (means.length < Math.ceil(others.length / 2)) continue;
    own += totalNs;
    usual += middle(means) * count;
  }
  return own < 0.5 * late.computeNs || usual <= 0 ? null : own / usual;
}

function middle(values: readonly number[]): number {
  return median(Float64Array.from(values));
}
