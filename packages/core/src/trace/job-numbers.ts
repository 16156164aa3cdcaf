import type { Collective, Trace } from './model.ts';
import { workKinds } from './model.ts';
import { gapKinds } from './findings/gap-causes.ts';
import type { Scene } from './findings/scene.ts';
import { median } from './median.ts';
import type { NumberOfTrace } from './numbers.ts';
import { hasOnlySums, numbersOfSums } from './numbers.ts';
import { ranked } from './findings/scene.ts';

/**
 * The numbers of all traces by their name: the first device of the first rank without a prefix, others as
 * `dev1.kernels.count`, `rank3.kernels.count` or `rank3.dev1.kernels.count`; and those that compare ranks.
 */
export function numbersOfJob(traces: readonly Trace[], scenes: readonly Scene[]): Map<string, NumberOfTrace> {
  const numbers = new Map<string, NumberOfTrace>();
  const put = (prefix: string, own: ReadonlyMap<string, NumberOfTrace>): void => {
    for (const [name, value] of own) numbers.set(`${prefix}${name}`, value);
  };
  const order = ranked(traces);
  const several = traces.length > 1;
  order.forEach(({ trace, rank }, place) => {
    const prefixes = several ? [...(place === 0 ? [''] : []), `rank${rank}.`] : [''];
    const own = scenes.filter((scene) => scene.trace === trace);
    for (const prefix of prefixes) {
      if (hasOnlySums(trace)) put(prefix, numbersOfSums(trace.sums!));
      for (const scene of own) {
        const { id } = trace.devices[scene.device]!;
        const all = new Map([...scene.numbers, ...idleByCause(scene)]);
        if (scene.first) put(prefix, all);
        if (!scene.first || id !== 0) put(`${prefix}dev${id}.`, all);
      }
    }
  });
  put(
    '',
    rankNumbers(
      order.flatMap(({ trace, rank }) =>
        partsOf(
          scenes.filter((scene) => scene.trace === trace),
          rank,
        ),
      ),
    ),
  );
  return numbers;
}

/** Idle time of the GPU by what the CPU did then: `idle.sync_ns`, `idle.launch_ns` and others that occur. */
function idleByCause(scene: Scene): readonly (readonly [string, number])[] {
  const { totals } = scene.gapCauses;
  return gapKinds.flatMap((kind) => (totals[kind].ns > 0 ? [[`idle.${kind}_ns`, totals[kind].ns] as const] : []));
}

/** One collective on one rank, in ns of the clock of the first rank's trace as it stands. */
export interface Occurrence {
  readonly start: number;
  readonly end: number;
  /** Row of `Trace.work`. */
  readonly row: number;
}

/** The collectives of a trace by what they are, each list in the order in which they ran. */
function collectivesOf(trace: Trace, shift: number): ReadonlyMap<string, readonly Occurrence[]> {
  const { work, names } = trace;
  const found = new Map<string, Occurrence[]>();
  const keys = names.map((name) => (name.startsWith('nccl') ? operationOf(name) : null));
  for (let row = 0; row < work.count; row++) {
    if (work.kind[row] !== workKinds.kernel) continue;
    const operation = keys[work.name[row]!] ?? null;
    // Sends and receives are between two ranks.
    if (operation === null || /^send|^recv/i.test(operation)) continue;
    const key = keyOf(operation, trace.collectives.get(row));
    let list = found.get(key);
    if (list === undefined) found.set(key, (list = []));
    list.push({ start: work.start[row]! + shift, end: work.end[row]! + shift, row });
  }
  return found;
}

function keyOf(operation: string, collective: Collective | undefined): string {
  return `${collective?.group ?? ''} ${collective?.operation ?? operation}`;
}

/** `AllReduce` of `ncclDevKernel_AllReduce_Sum_f32_RING_LL(…)`; the name itself where it has no such part. */
function operationOf(name: string): string {
  return /^nccl(?:Dev)?Kernel_?([A-Za-z]{2,24})/.exec(name)?.[1] ?? name;
}

/** The same collective on the ranks that have it. */
interface MatchedCollective {
  readonly key: string;
  /** By place in the order of the ranks; null where the rank's trace does not have it. */
  readonly at: readonly (Occurrence | null)[];
}

/** Who takes part in collectives: a rank, or each GPU of a trace of several. */
interface Part {
  readonly scene: Scene;
  readonly rank: number;
}

function partsOf(scenes: readonly Scene[], rank: number): readonly Part[] {
  return scenes.filter((scene) => scene.number('nccl.total_ns') > 0).map((scene) => ({ scene, rank }));
}

/** The collectives of one GPU of a trace, as `collectivesOf` gives those of all. */
export function collectivesHere(scene: Scene, shift: number): ReadonlyMap<string, readonly Occurrence[]> {
  const all = collectivesOf(scene.trace, shift);
  if (!scene.shared) return all;
  return new Map(
    [...all].flatMap(([key, list]) => {
      const here = list.filter(({ row }) => scene.isHere(row));
      return here.length === 0 ? [] : [[key, here] as const];
    }),
  );
}

/** Collectives of several parts, matched by what they are and how many of these came before. */
function matchedCollectives(parts: readonly Part[]): readonly MatchedCollective[] {
  const zero = parts[0]?.scene.trace.zero ?? 0n;
  const each = parts.map(({ scene }) => collectivesHere(scene, Number(scene.trace.zero - zero)));
  const keys = new Set(each.flatMap((found) => [...found.keys()]));
  const matched: MatchedCollective[] = [];
  for (const key of keys) {
    const lists = each.map((found) => found.get(key) ?? []);
    const most = Math.max(...lists.map((list) => list.length));
    for (let place = 0; place < most; place++) {
      const at = lists.map((list) => list[place] ?? null);
      if (at.filter((one) => one !== null).length > 1) matched.push({ key, at });
    }
  }
  return matched;
}

function rankNumbers(parts: readonly Part[]): Map<string, NumberOfTrace> {
  const numbers = new Map<string, NumberOfTrace>();
  if (parts.length < 2) return numbers;
  const matched = matchedCollectives(parts);
  if (matched.length === 0) return numbers;
  const spreads = matched.map(({ at }) => {
    const starts = at.flatMap((one) => (one === null ? [] : [one.start]));
    return Math.max(...starts) - Math.min(...starts);
  });
  numbers.set('nccl.arrival_spread_median_ns', median(Float64Array.from(spreads)));
  // GPUs of one trace have one clock.
  if (parts.every(({ scene }) => scene.trace === parts[0]!.scene.trace)) return numbers;
  parts.forEach(({ scene, rank }, place) => {
    if (parts.findIndex((each) => each.scene.trace === scene.trace) !== place) return;
    const offsets = matched.flatMap(({ at }) => {
      const [own, first] = [at[place], at[0]];
      return own == null || first == null ? [] : [own.end - first.end];
    });
    if (offsets.length > 0) numbers.set(`rank${rank}.clock.offset_ns`, median(Float64Array.from(offsets)));
  });
  return numbers;
}
