// The numbers of a scene, counted plainly from what ran.
import type { Process, WorkRecord } from './program.ts';
import type { Format } from './scene.ts';

type Span = readonly [from: number, to: number];

/** Spans that do not touch, in order. */
function union(spans: readonly Span[]): readonly Span[] {
  const merged: [number, number][] = [];
  for (const [from, to] of spans.toSorted((a, b) => a[0] - b[0])) {
    const last = merged.at(-1);
    if (last !== undefined && from <= last[1]) last[1] = Math.max(last[1], to);
    else merged.push([from, to]);
  }
  return merged;
}
const sum = (spans: readonly Span[]): number => spans.reduce((all, [from, to]) => all + to - from, 0);
const both = (a: readonly Span[], b: readonly Span[]): number => sum(a) + sum(b) - sum(union([...a, ...b]));
const spanOf = ({ start, end }: { readonly start: number; readonly end: number }): Span => [start, end];

/** Lower and upper median: they differ for an even count. */
export type Exact = number | readonly [low: number, high: number];
function median(values: readonly number[]): Exact {
  const sorted = values.toSorted((a, b) => a - b);
  return [sorted[(sorted.length - 1) >> 1]!, sorted[sorted.length >> 1]!];
}

export type Granularity = 'graph' | 'node';

/** What a file holds of one process, or of several. */
export interface Recorded extends Pick<Process, 'work' | 'calls' | 'gpuFaults' | 'cpuFaults'> {
  /** The first device. */
  readonly device: { readonly index: number };
}

const apart = 100_000_000;

/** Several processes in one file: their correlations are their own. */
export const together = (processes: readonly Process[]): Recorded => ({
  work: processes
    .flatMap(({ work }, at) => work.map((each) => ({ ...each, correlation: each.correlation + at * apart })))
    .toSorted((a, b) => a.start - b.start),
  calls: processes.flatMap(({ calls }, at) =>
    calls.map((each) => ({ ...each, correlation: each.correlation + at * apart })),
  ),
  gpuFaults: processes.flatMap(({ gpuFaults }) => gpuFaults),
  cpuFaults: processes.flatMap(({ cpuFaults }) => cpuFaults),
  device: processes[0]!.device,
});

/** As a profiler writes it that knows whole microseconds. */
export function inMicroseconds(of: Recorded, offset: number): Recorded {
  const whole = <T extends { readonly start: number; readonly end: number }>(each: T): T => {
    const start = Math.floor((each.start + offset) / 1000) * 1000 - offset;
    return { ...each, start, end: start + Math.floor((each.end - each.start) / 1000) * 1000 };
  };
  return { ...of, device: of.device, work: of.work.map(whole), calls: of.calls.map(whole) };
}

/** What the profiler records of the work: whole graphs, or the kernels of them. */
export function recorded(
  process: Pick<Process, 'work'>,
  format: Format,
  granularity: Granularity,
): readonly WorkRecord[] {
  return process.work.filter((work) => {
    if (work.kind === 'graph') return format === 'nsys' && granularity === 'graph';
    if (work.kind === 'kernel' && work.node !== null) return format === 'kineto' || granularity === 'node';
    return !(format === 'kineto' && work.kind === 'copy' && work.copy.startsWith('UVM'));
  });
}

/** Numbers of one device, by name without a prefix. */
export function numbersOf(
  process: Recorded,
  format: Format,
  granularity: Granularity,
  device: number,
): ReadonlyMap<string, Exact> {
  const numbers = new Map<string, Exact>();
  const work = recorded(process, format, granularity).filter((each) => each.device === device);
  const kernels = work.flatMap((each) => (each.kind === 'kernel' ? [each] : []));
  const graphs = work.filter(({ kind }) => kind === 'graph');
  const copies = work.flatMap((each) => (each.kind === 'copy' ? [each] : []));
  const busy = union(work.map(spanOf));
  if (work.length === 0) return numbers;
  const computing = union([...kernels, ...graphs].map(spanOf));
  const span = busy.at(-1)![1] - busy[0]![0];
  const put = (name: string, value: Exact): void => void numbers.set(name, value);
  put('kernels.count', kernels.length);
  put('kernels.total_ns', sum(kernels.map(spanOf)));
  if (kernels.length > 0) put('kernels.median_ns', median(kernels.map(({ start, end }) => end - start)));
  put('kernels.busy_ns', sum(computing));
  put('gpu.busy_ns', sum(busy));
  put('gpu.span_ns', span);
  put('gpu.idle_ns', span - sum(busy));
  put('gpu.idle_share', (span - sum(busy)) / span);
  const gaps = busy.slice(1).map(([from], at) => from - busy[at]![1]);
  if (gaps.length > 0) {
    put('gap.median_ns', median(gaps));
    put('gap.max_ns', Math.max(...gaps));
  }
  const here = new Set(work.map(({ correlation }) => correlation));
  const launches = process.calls.filter(
    ({ name, correlation }) =>
      /^(?:cudaLaunchKernel(?:ExC)?|cuLaunchKernel|cudaGraphLaunch)$/u.test(name) && here.has(correlation),
  );
  put('launch.count', launches.length);
  if (launches.length > 0) put('launch.api_median_ns', median(launches.map(({ start, end }) => end - start)));
  put('copies.count', copies.length);
  put('copies.total_ns', sum(copies.map(spanOf)));
  for (const kind of new Set(copies.map(({ copy }) => copy))) {
    const these = copies.filter(({ copy }) => copy === kind);
    put(`copies.count.${kind}`, these.length);
    const sides = new Set(these.map(({ copy, from, to }) => (copy.endsWith('HtoD') ? from : to)));
    for (const side of sides)
      put(
        `copies.bytes.${kind}.${side}`,
        these
          .filter(({ copy, from, to }) => (copy.endsWith('HtoD') ? from : to) === side)
          .reduce((all, { bytes }) => all + bytes, 0),
      );
  }
  const copying = union(copies.map(spanOf));
  put('copies.exposed_ns', sum(copying) - both(copying, computing));
  const nccl = kernels.filter(({ spec }) => spec.name.startsWith('nccl'));
  const others = union([...kernels.filter(({ spec }) => !spec.name.startsWith('nccl')), ...graphs].map(spanOf));
  if (nccl.length > 0) {
    put('nccl.total_ns', sum(nccl.map(spanOf)));
    const spans = union(nccl.map(spanOf));
    put('nccl.exposed_ns', sum(spans) - both(spans, others));
  }
  const ends = new Map(process.calls.map((call) => [call.correlation, call.end]));
  const waits = kernels
    .filter(({ stream }) => stream !== 7)
    .flatMap((each): readonly Span[] => {
      const launched = ends.get(each.correlation);
      return launched === undefined || launched >= each.start ? [] : [[launched, each.start]];
    });
  put('serialised_ns', both(union(waits), union(kernels.filter(({ stream }) => stream === 7).map(spanOf))));
  if (format === 'nsys') {
    put(
      'faults.gpu',
      process.gpuFaults.filter((each) => each.device === device).reduce((all, { faults }) => all + faults, 0),
    );
    if (device === process.device.index) put('faults.cpu', process.cpuFaults.length);
  }
  const byName = new Map<string, number>();
  for (const { spec, start, end } of kernels) byName.set(spec.name, (byName.get(spec.name) ?? 0) + end - start);
  const top = [...byName.values()].toSorted((a, b) => b - a)[0];
  if (top !== undefined) {
    put('top_kernel.total_ns', top);
    put('top_kernel.share', top / sum(kernels.map(spanOf)));
  }
  return numbers;
}

/** Numbers of a job: how far the ranks come apart, by their own clocks. */
export function jobNumbers(
  processes: readonly Pick<Process, 'work'>[],
  offsets: readonly number[],
): ReadonlyMap<string, Exact> {
  const numbers = new Map<string, Exact>();
  const nccl = processes.map((process, rank) =>
    process.work.flatMap((each) =>
      each.kind === 'kernel' && each.spec.name.startsWith('nccl')
        ? [{ start: each.start + (offsets[rank] ?? 0), end: each.end + (offsets[rank] ?? 0) }]
        : [],
    ),
  );
  // Ranks that do not all take part in all of them: the nth of one is not the nth of another.
  if (processes.length < 2 || nccl[0]!.length === 0 || nccl.some(({ length }) => length !== nccl[0]!.length))
    return numbers;
  const spreads = nccl[0]!.map((_, at) => {
    const starts = nccl.map((list) => list[at]!.start);
    return Math.max(...starts) - Math.min(...starts);
  });
  numbers.set('nccl.arrival_spread_median_ns', median(spreads));
  for (const [rank, list] of nccl.entries())
    if (rank > 0)
      numbers.set(`rank${rank}.clock.offset_ns`, median(list.map(({ end }, at) => end - nccl[0]![at]!.end)));
  return numbers;
}
