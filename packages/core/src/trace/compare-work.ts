import type { Scene } from './findings/scene.ts';
import type { Units } from './compare-units.ts';

/** How much of the work of two traces is the same, by the names and numbers of their kernels; those of NCCL aside. */
export interface WorkInCommon {
  /**
   * `same`: the same kernels in the same numbers; `amount`: the same kernels in other numbers, all by one factor;
   * `cannot-tell`: too few in common, or in numbers that differ in many ways.
   */
  readonly state: 'same' | 'amount' | 'cannot-tell';
  /** Why, in words; null for `same`. */
  readonly reason: string | null;
  /** Part of the kernels' time, before and after, in kernels of names that both traces have; null without kernels. */
  readonly timeInCommon: { readonly before: number; readonly after: number } | null;
  /** Kernels of the names in common, for each step where steps are compared. */
  readonly kernels: { readonly before: number; readonly after: number } | null;
  /** Numbers of kernels after over before, the one that most of the time has. */
  readonly factor: number;
  /** True where `cannot-tell` is for what the traces do not show, not for what differs. */
  readonly isUnseen: boolean;
  readonly doubts: readonly string[];
}

interface Tally {
  count: number;
  totalNs: number;
  /** Null where a launch does not tell its grid. */
  blocks: number | null;
}

/** Kernels of as much of the time in both traces are the same program. */
const enough = 0.5;
/** Numbers of kernels that differ by less are the same: a profiler starts and ends within a step. */
const alike = 0.1;
/** Factors of as much of the time in common are one. */
const uniform = 0.8;
const fewestNames = 3;
/** As many kernels, not one more or less, are no chance where there are so many, and some of the time is in common. */
const fewestKernels = 50;
const someTime = 0.05;

/** Compares the kernels of two GPUs. @param units what is compared; null for the whole traces */
export function workInCommon(
  before: Scene,
  after: Scene,
  units: { readonly before: Units; readonly after: Units } | null,
): WorkInCommon {
  const [old, now] = [tallies(before, units?.before ?? null), tallies(after, units?.after ?? null)];
  const [oldNs, nowNs] = [timeOf(old), timeOf(now)];
  const hidden = before.graphRows.length + after.graphRows.length > 0;
  const open = {
    timeInCommon: null,
    kernels: null,
    factor: 1,
    doubts: [] as string[],
    isUnseen: false,
  };
  if (hidden) {
    const reason = 'kernels within CUDA graphs were not recorded';
    if (units !== null) return { ...open, state: 'same', reason: null, doubts: [reason] };
    return {
      ...open,
      state: 'cannot-tell',
      isUnseen: true,
      reason: `${reason} (nsys profile --cuda-graph-trace=node)`,
    };
  }
  if (oldNs === 0 && nowNs === 0)
    return { ...open, state: 'same', reason: null, doubts: ['no kernels tell whether both do the same work'] };
  const names = [...old.keys()].filter((name) => now.has(name));
  const share = (all: ReadonlyMap<string, Tally>, sum: number): number =>
    sum === 0 ? 0 : names.reduce((total, name) => total + all.get(name)!.totalNs, 0) / sum;
  const timeInCommon = { before: share(old, oldNs), after: share(now, nowNs) };
  const [low, high] = [timeInCommon.before, timeInCommon.after].toSorted((a, b) => a - b) as [number, number];
  const [oldUnits, nowUnits] = [units?.before.starts.length ?? 1, units?.after.starts.length ?? 1];
  const each = names.map((name) => {
    const [first, second] = [old.get(name)!, now.get(name)!];
    return {
      weight: first.totalNs / (oldNs || 1) + second.totalNs / (nowNs || 1),
      count: second.count / nowUnits / (first.count / oldUnits),
      blocks:
        first.blocks === null || second.blocks === null || first.blocks === 0
          ? null
          : second.blocks / nowUnits / (first.blocks / oldUnits),
    };
  });
  const counts = factorOf(each.map(({ weight, count }) => ({ weight, factor: count })));
  const sum = (all: ReadonlyMap<string, Tally>, count: number): number =>
    names.reduce((total, name) => total + all.get(name)!.count, 0) / count;
  const kernels = { before: sum(old, oldUnits), after: sum(now, nowUnits) };
  const found = { timeInCommon, kernels, factor: counts.factor, isUnseen: false };
  const isOne = (factor: number): boolean => Math.abs(factor - 1) <= alike;
  const sameCounts = isOne(counts.factor) && counts.agree >= enough;
  const isSame =
    low >= enough || (high >= enough && sameCounts && counts.agree >= uniform && names.length >= fewestNames);
  const [oldCount, nowCount] = [countOf(old) / oldUnits, countOf(now) / nowUnits];
  // A change of the number format replaces kernels one by one.
  if (!isSame && low >= someTime && oldCount === nowCount && oldCount >= fewestKernels) {
    const doubts = [`as many kernels, but ${percent(1 - low)} of the time is in kernels of other names`];
    return { ...found, factor: 1, state: 'same', reason: null, doubts };
  }
  if (!isSame) {
    const part = `${percent(timeInCommon.before)} of the kernels' time before and ${percent(timeInCommon.after)} after`;
    const reason =
      names.length === 0 ? 'no kernel is in both traces' : `kernels that both traces have take only ${part}`;
    return { ...found, state: 'cannot-tell', reason, doubts: [] };
  }
  const known = each.flatMap(({ weight, blocks }) => (blocks === null ? [] : [{ weight, factor: blocks }]));
  const blocks = known.length === each.length ? factorOf(known) : null;
  if (sameCounts) {
    const grows = blocks !== null && blocks.agree >= uniform && (blocks.factor >= 1.5 || blocks.factor <= 1 / 1.5);
    const doubts = grows
      ? [`the kernels have ×${Number(blocks.factor.toPrecision(3))} blocks: other sizes or batches, or another launch`]
      : [];
    return { ...found, factor: 1, state: 'same', reason: null, doubts };
  }
  const amounts = `${plain(kernels.before)} against ${plain(kernels.after)} kernels of the same names${units === null ? '' : ' in a step'}`;
  // The same blocks in fewer launches, or more: the launches are what changed.
  if (blocks !== null && isOne(blocks.factor) && blocks.agree >= uniform)
    return { ...found, factor: 1, state: 'same', reason: null, doubts: [`${amounts}, of as many blocks together`] };
  if (counts.agree >= uniform) return { ...found, state: 'amount', reason: amounts, doubts: [] };
  return { ...found, state: 'cannot-tell', reason: `${amounts}, some more often and others less`, doubts: [] };
}

const percent = (share: number): string => `${(100 * share).toFixed(share < 0.1 ? 1 : 0)} %`;
const countOf = (all: ReadonlyMap<string, Tally>): number =>
  [...all.values()].reduce((total, { count }) => total + count, 0);
const plain = (count: number): string => String(Number(count.toPrecision(4)));
const timeOf = (all: ReadonlyMap<string, Tally>): number =>
  [...all.values()].reduce((total, { totalNs }) => total + totalNs, 0);

/** The median of factors by weight, and the part of the weight that has about the same. */
function factorOf(all: readonly { readonly weight: number; readonly factor: number }[]): {
  readonly factor: number;
  readonly agree: number;
} {
  const sorted = all.toSorted((a, b) => a.factor - b.factor);
  const total = sorted.reduce((sum, { weight }) => sum + weight, 0);
  if (total === 0) return { factor: 1, agree: 0 };
  let sum = 0;
  const factor = sorted.find(({ weight }) => (sum += weight) >= total / 2)?.factor ?? 1;
  const agreeing = sorted.filter((each) => Math.abs(each.factor / factor - 1) <= alike);
  return { factor, agree: agreeing.reduce((part, { weight }) => part + weight, 0) / total };
}

/** Kernels by name, those that a unit gave to the GPU where units are known. */
function tallies(scene: Scene, units: Units | null): ReadonlyMap<string, Tally> {
  const { trace, ofNccl, kernelRows: rows } = scene;
  const { work, shapes, names } = trace;
  const all: (Tally | undefined)[] = [];
  for (let at = 0; at < rows.length; at++) {
    const row = rows[at]!;
    const name = work.name[row]!;
    if (ofNccl[name] === 1 || (units !== null && units.unitOf(row) < 0)) continue;
    const tally = (all[name] ??= { count: 0, totalNs: 0, blocks: 0 });
    tally.count++;
    tally.totalNs += work.end[row]! - work.start[row]!;
    const grid = work.detail[row]! < 0 ? undefined : shapes[work.detail[row]!]?.grid;
    tally.blocks = grid === undefined || tally.blocks === null ? null : tally.blocks + grid[0] * grid[1] * grid[2];
  }
  return new Map(all.flatMap((tally, name) => (tally === undefined ? [] : [[names[name]!, tally] as const])));
}
