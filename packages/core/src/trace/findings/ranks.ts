import { collectivesHere } from '../job-numbers.ts';
import type { Occurrence } from '../job-numbers.ts';
import { median } from '../median.ts';
import { lengthOf, unionOfRows } from '../spans.ts';
import type { GapKind } from './gap-causes.ts';
import { gapKinds } from './gap-causes.ts';
import type { Scene } from './scene.ts';

/** One rank, or one GPU of a trace of several, beside the others. Times in ns. */
export interface RankUse {
  readonly scene: Scene;
  /** `rank 3`, `GPU 1`, `rank 3, GPU 1`. */
  readonly called: string;
  /** How far its clock is ahead of the first rank's, by the ends of the collectives; 0 within one trace. */
  readonly offsetNs: number;
  readonly collectives: number;
  /** Median of how much later than the first it comes to a collective, clocks set right. */
  readonly lateNs: number;
  /** In how many collectives it came last, and how long all others waited for it then. */
  readonly last: number;
  readonly delayNs: number;
  /** Of `delayNs`: without the tenth of the run that has most of it, so that one late start or pause counts for little. */
  readonly steadyDelayNs: number;
  /** How long it waited for the last in all collectives together. */
  readonly waitedNs: number;
  readonly spanNs: number;
  readonly idleNs: number;
  /** Kernels other than NCCL's: how long one ran, how many there were, and their blocks. */
  readonly computeNs: number;
  readonly kernels: number;
  readonly blocks: number;
  readonly ncclNs: number;
  readonly exposedNs: number;
}

/** Several ranks, by the collectives that they have in common. */
export interface RankComparison {
  readonly ranks: readonly RankUse[];
  readonly matched: number;
  /** From the first to the last arrival, clocks set right: median, and all collectives together. */
  readonly spreadMedianNs: number;
  readonly spreadNs: number;
  /** Time that all waited for the last one, beyond the one before it. */
  readonly delayNs: number;
  /** Ranks of the job whose traces are not here; null where the traces do not say how many there are. */
  readonly missing: readonly number[] | null;
  /** Collectives for marks: when the last rank came, in the time of each scene. */
  readonly late: readonly { readonly rank: number; readonly from: number; readonly to: number }[];
}

/** A comparison by fewer collectives says nothing. */
const fewest = 3;
/** Traces that begin some collectives apart are matched up to this. */
const mostShift = 16;

type Lists = ReadonlyMap<string, readonly Occurrence[]>;

/**
 * Compares ranks by their collectives: matched by process group, operation and order. Clocks are set right by the ends of
 * the collectives, which all ranks reach together. Null where there are not two ranks with collectives in common.
 */
export function compareRanks(scenes: readonly Scene[]): RankComparison | null {
  const zero = scenes[0]?.trace.zero ?? 0n;
  const each = scenes.map((scene) => ({ scene, lists: collectivesHere(scene, Number(scene.trace.zero - zero)) }));
  const own = each.filter(({ lists }) => lists.size > 0);
  if (own.length < 2) return null;
  const matched = match(own.map(({ lists }) => lists));
  if (matched.length < fewest) return null;
  const offsets = own.map(({ scene }, place) => {
    if (place === 0 || scene.trace === own[0]!.scene.trace) return 0;
    return middle(matched.flatMap((at) => difference(at[place], at[0], (one) => one.end)));
  });
  const tallies = own.map(() => ({
    late: [] as number[],
    last: 0,
    delayNs: 0,
    waitedNs: 0,
    delays: new Float64Array(10),
  }));
  const spreads: number[] = [];
  const late: { rank: number; from: number; to: number }[] = [];
  let delayNs = 0;
  for (const [index, at] of matched.entries()) {
    const starts = at.flatMap((one, place) => (one === null ? [] : [{ place, start: one.start - offsets[place]! }]));
    starts.sort((a, b) => a.start - b.start);
    const [first, before, last] = [starts[0]!, starts.at(-2)!, starts.at(-1)!];
    spreads.push(last.start - first.start);
    delayNs += last.start - before.start;
    tallies[last.place]!.last++;
    tallies[last.place]!.delayNs += last.start - before.start;
    tallies[last.place]!.delays[Math.floor((10 * index) / matched.length)]! += last.start - before.start;
    if (late.length < 500) late.push({ rank: last.place, from: first.start, to: last.start });
    for (const { place, start } of starts) {
      tallies[place]!.late.push(start - first.start);
      tallies[place]!.waitedNs += last.start - start;
    }
  }
  return {
    ranks: own.map(({ scene }, place): RankUse => {
      const { late: lateness, last, delayNs: delay, waitedNs, delays } = tallies[place]!;
      return {
        scene,
        called: nameOf(
          scene,
          own.map((one) => one.scene),
        ),
        offsetNs: offsets[place]!,
        collectives: lateness.length,
        lateNs: middle(lateness),
        last,
        delayNs: delay,
        steadyDelayNs: delay - Math.max(...delays),
        waitedNs,
        spanNs: scene.spanNs,
        idleNs: scene.idleNs,
        ...computedBy(scene),
        ncclNs: scene.number('nccl.total_ns'),
        exposedNs: scene.number('nccl.exposed_ns'),
      };
    }),
    matched: matched.length,
    spreadMedianNs: middle(spreads),
    spreadNs: spreads.reduce((sum, spread) => sum + spread, 0),
    delayNs,
    missing: missingOf(own.map(({ scene }) => scene)),
    late,
  };
}

/** What a rank does more of than the middle of the others: computing, or one kind of pause. Null where nothing stands out. */
export function whyLate(
  comparison: RankComparison,
  place: number,
): { readonly kind: 'compute' | GapKind; readonly moreNs: number } | null {
  const self = comparison.ranks[place]!;
  const others = comparison.ranks.filter((_, at) => at !== place);
  const more = (of: (rank: RankUse) => number): number => of(self) - middle(others.map(of));
  const candidates: { kind: 'compute' | GapKind; moreNs: number }[] = [
    { kind: 'compute', moreNs: more((rank) => rank.computeNs) },
    ...gapKinds.map((kind) => ({ kind, moreNs: more(({ scene }) => scene.gapCauses.totals[kind].ns) })),
  ];
  const most = candidates.reduce((best, one) => (one.moreNs > best.moreNs ? one : best));
  return most.moreNs >= 0.3 * self.delayNs ? most : null;
}

/** True where a rank runs as many kernels with as many blocks as the others, within a hundredth. */
export function doesTheSame(comparison: RankComparison, place: number): boolean {
  const self = comparison.ranks[place]!;
  const others = comparison.ranks.filter((_, at) => at !== place);
  const near = (value: number, other: number): boolean => Math.abs(value - other) <= 0.01 * Math.max(value, other);
  return (
    near(self.kernels, middle(others.map(({ kernels }) => kernels))) &&
    near(self.blocks, middle(others.map(({ blocks }) => blocks)))
  );
}

/** Kernels of one name and grid: how many, and their time. */
interface Pair {
  readonly count: number;
  readonly ns: number;
}

/** A pair that is launched fewer times says little of its usual time. */
const fewestOfPair = 2;
/** Pairs in common that decide take at least this much of the rank's own kernel time. */
const commonShare = 0.5;

/**
 * How much longer three of four kernels of one rank take at least than the same kernel, with the same grid, of the others: a slower
 * GPU slows all of them but those that wait for memory, and more input only those whose work it makes longer. `blocks` are what it launches, as a factor
 * of the others'. Null where the ranks have too little in common, or no grids are recorded.
 */
export function slowerPairByPair(
  scene: Scene,
  others: readonly Scene[],
): { readonly times: number; readonly blocks: number } | null {
  const own = pairsOf(scene);
  const theirs = others.map(pairsOf);
  const ratios: number[] = [];
  let common = 0;
  for (const [key, { count, ns }] of own) {
    const usual = theirs.flatMap((pairs) => {
      const pair = pairs.get(key);
      return pair === undefined || pair.count < fewestOfPair ? [] : [pair.ns / pair.count];
    });
    if (count < fewestOfPair || usual.length * 2 <= others.length || middle(usual) <= 0) continue;
    ratios.push(ns / count / middle(usual));
    common += ns;
  }
  const all = [...own.values()].reduce((sum, { ns }) => sum + ns, 0);
  const usualBlocks = middle(others.map((each) => computedBy(each).blocks));
  if (ratios.length < 2 || common < commonShare * all || usualBlocks <= 0) return null;
  return { times: ratios.sort((a, b) => a - b)[ratios.length >> 2]!, blocks: computedBy(scene).blocks / usualBlocks };
}

/** By the text of the name: its index differs from trace to trace. */
function pairsOf({ trace: { work, shapes, names }, ofNccl, kernelRows }: Scene): ReadonlyMap<string, Pair> {
  const pairs = new Map<string, Pair>();
  for (const row of kernelRows) {
    if (ofNccl[work.name[row]!] !== 0 || work.detail[row]! < 0) continue;
    const grid = shapes[work.detail[row]!]?.grid;
    if (grid === undefined) continue;
    const key = `${grid.join(' ')} ${names[work.name[row]!]!}`;
    const known = pairs.get(key) ?? { count: 0, ns: 0 };
    pairs.set(key, { count: known.count + 1, ns: known.ns + work.end[row]! - work.start[row]! });
  }
  return pairs;
}

function match(each: readonly Lists[]): readonly (readonly (Occurrence | null)[])[] {
  const matched: (Occurrence | null)[][] = [];
  for (const key of new Set(each.flatMap((lists) => [...lists.keys()]))) {
    const lists = each.map((own) => own.get(key) ?? []);
    const reference = lists.find((list) => list.length > 0)!;
    const shifts = lists.map((list) => (list.length === reference.length ? 0 : shiftOf(reference, list)));
    for (let place = 0; place < reference.length; place++) {
      const at = lists.map((list, rank) => list[place + shifts[rank]!] ?? null);
      if (at.filter((one) => one !== null).length > 1) matched.push(at);
    }
  }
  const firstOf = (at: readonly (Occurrence | null)[]): number => at.find((one) => one !== null)!.start;
  return matched.sort((a, b) => firstOf(a) - firstOf(b));
}

/** By how many collectives a list begins before the reference: where their ends then lie most evenly apart. */
function shiftOf(reference: readonly Occurrence[], list: readonly Occurrence[]): number {
  let [best, least] = [0, Infinity];
  for (let shift = -mostShift; shift <= mostShift; shift++) {
    const apart: number[] = [];
    for (let place = Math.max(0, -shift); place < reference.length && place + shift < list.length; place++)
      apart.push(list[place + shift]!.end - reference[place]!.end);
    if (apart.length < fewest) continue;
    const centre = middle(apart);
    const uneven = middle(apart.map((one) => Math.abs(one - centre)));
    if (uneven < least || (uneven === least && Math.abs(shift) < Math.abs(best))) [best, least] = [shift, uneven];
  }
  return best;
}

/** Kernels other than NCCL's: how long one ran, how many there were, and their blocks. */
export function computedBy(scene: Scene): Pick<RankUse, 'computeNs' | 'kernels' | 'blocks'> {
  const { work, shapes } = scene.trace;
  const { ofNccl, kernelRows: rows } = scene;
  const isOwn = (row: number): boolean => ofNccl[work.name[row]!] === 0;
  let [kernels, blocks] = [0, 0];
  for (const row of rows) {
    if (!isOwn(row)) continue;
    kernels++;
    const grid = work.detail[row]! < 0 ? undefined : shapes[work.detail[row]!]?.grid;
    if (grid !== undefined) blocks += grid[0] * grid[1] * grid[2];
  }
  const { start, end } = work;
  return { computeNs: lengthOf(unionOfRows(start, end, rows, isOwn)), kernels, blocks };
}

function missingOf(scenes: readonly Scene[]): readonly number[] | null {
  const world = Math.max(0, ...scenes.map(({ trace }) => trace.ranks ?? 0));
  if (world === 0 || world > 100_000) return null;
  const here = new Set(scenes.map(({ rank }) => rank));
  return Array.from({ length: world }, (_, rank) => rank).filter((rank) => !here.has(rank));
}

/** `rank 3`, `GPU 1`, `rank 3, GPU 1`. */
export function nameOf(scene: Scene, scenes: readonly Scene[]): string {
  const several = scenes.some(({ trace }) => trace !== scene.trace);
  const gpu = scene.shared ? `GPU ${scene.trace.devices[scene.device]!.id}` : '';
  return [several ? `rank ${scene.rank}` : '', gpu].filter((part) => part !== '').join(', ');
}

function difference(
  a: Occurrence | null | undefined,
  b: Occurrence | null | undefined,
  of: (one: Occurrence) => number,
): readonly number[] {
  return a == null || b == null ? [] : [of(a) - of(b)];
}

function middle(values: readonly number[]): number {
  return values.length === 0 ? 0 : median(Float64Array.from(values));
}
