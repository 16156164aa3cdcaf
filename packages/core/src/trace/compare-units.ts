import type { Range } from './model.ts';
import type { Scene } from './findings/scene.ts';

/** What a program does over and over: its steps, or ranges that it marks. */
export interface Units {
  /** `step`, or the name of the range. */
  readonly name: string;
  /** Begin of each on the CPU, rising. */
  readonly starts: readonly number[];
  /** Median length, ns: from the first work that one gives to the GPU to that of the next. */
  readonly lengthNs: number;
  /** Index of the unit that gave a row of `Trace.work` to the GPU; -1 where none did. */
  readonly unitOf: (row: number) => number;
}

/** Fewer have no median. */
const fewest = 3;
/** Ranges that take less of the trace are a part of the work. */
const leastCover = 0.5;

/** What both traces mark: steps, else the ranges of one name that take most of the time; null where there is neither. */
export function unitsOfBoth(before: Scene, after: Scene): { readonly before: Units; readonly after: Units } | null {
  if (before.steps.length >= fewest && after.steps.length >= fewest)
    return { before: unitsOf(before, before.steps, 'step'), after: unitsOf(after, after.steps, 'step') };
  const [old, now] = [rangesOf(before), rangesOf(after)];
  const common = [...old].flatMap(([name, ranges]) => {
    const others = now.get(name);
    return others === undefined ? [] : [{ name, ranges, others, ns: lengthOf(ranges) }];
  });
  const [most] = common.sort((a, b) => b.ns - a.ns || a.ranges.length - b.ranges.length || (a.name < b.name ? -1 : 1));
  if (most === undefined) return null;
  return { before: unitsOf(before, most.ranges, most.name), after: unitsOf(after, most.others, most.name) };
}

const lengthOf = (ranges: readonly Range[]): number => ranges.reduce((sum, { start, end }) => sum + end - start, 0);

/** Ranges that follow each other and take most of the trace, by their name without numbers. */
function rangesOf({ trace, spanNs }: Scene): ReadonlyMap<string, readonly Range[]> {
  const all = new Map<string, Range[]>();
  for (const range of trace.ranges) {
    if (range.kind !== 'other' && range.kind !== 'step') continue;
    const name = range.name.slice(0, 200).replaceAll(/\d{1,20}/g, '#');
    const list = all.get(name);
    if (list === undefined) all.set(name, [range]);
    else list.push(range);
  }
  for (const [name, ranges] of all) {
    ranges.sort((a, b) => a.start - b.start);
    const follow = ranges.every(({ start }, at) => at === 0 || ranges[at - 1]!.end <= start);
    if (ranges.length < fewest || !follow || lengthOf(ranges) < leastCover * spanNs) all.delete(name);
  }
  return all;
}

function unitsOf(scene: Scene, marks: readonly Range[], name: string): Units {
  const ranges = marks.toSorted((a, b) => a.start - b.start);
  const { work, calls } = scene.trace;
  const unitOf = (row: number): number => {
    const call = work.call[row]!;
    // Without its call, work is of the unit in which it runs.
    const asked = call < 0 ? work.start[row]! : calls.start[call]!;
    let [low, high] = [0, ranges.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (ranges[middle]!.start <= asked) low = middle + 1;
      else high = middle;
    }
    return low > 0 && ranges[low - 1]!.end >= asked ? low - 1 : -1;
  };
  return { name, starts: ranges.map(({ start }) => start), lengthNs: medianLength(scene, ranges, unitOf), unitOf };
}

/**
 * The CPU may be far ahead of the GPU: a step lasts from the first work that it gives to the GPU to that of the next, and
 * as long as its mark only where no work is known to be its own.
 */
function medianLength(scene: Scene, ranges: readonly Range[], unitOf: (row: number) => number): number {
  const { work } = scene.trace;
  const begins = ranges.map(() => Infinity);
  const { rows } = scene;
  for (let at = 0; at < rows.length; at++) {
    const row = rows[at]!;
    const unit = work.call[row]! < 0 ? -1 : unitOf(row);
    if (unit >= 0) begins[unit] = Math.min(begins[unit]!, work.start[row]!);
  }
  const known = begins
    .slice(1)
    .map((begin, at) => begin - begins[at]!)
    .filter((length) => Number.isFinite(length) && length > 0);
  const taken = known.length >= 2 ? known : ranges.map(({ start, end }) => end - start);
  taken.sort((a, b) => a - b);
  return taken[Math.floor(taken.length / 2)]!;
}
