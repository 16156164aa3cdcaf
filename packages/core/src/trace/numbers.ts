import type { Scene } from './findings/scene.ts';
import type { MemoryKind, SumRow, Trace, TraceSums } from './model.ts';
import { workKinds } from './model.ts';
import { lengthOf, without } from './spans.ts';
import { callsThatLaunch, isLaunchName } from './launch-calls.ts';
import { median } from './median.ts';
import { serialisedOf } from './serialised.ts';

/** A number of a trace, or the name of its top kernel. */
export type NumberOfTrace = number | string;

/**
 * The numbers of one GPU of a trace, by name: times in ns, sizes in bytes, shares 0 to 1. What the trace cannot tell is
 * absent. Linear in the events.
 */
export function numbersOf(scene: Scene): ReadonlyMap<string, NumberOfTrace> {
  const numbers = new Map<string, NumberOfTrace>();
  kernelNumbers(scene, numbers);
  timeNumbers(scene, numbers);
  launchNumbers(scene, numbers);
  copyNumbers(scene, numbers);
  numbers.set('serialised_ns', lengthOf(serialisedOf(scene)));
  faultNumbers(scene, numbers);
  return numbers;
}

function kernelNumbers(scene: Scene, numbers: Map<string, NumberOfTrace>): void {
  const { start, end, name } = scene.trace.work;
  const { kernelRows: rows, ofNccl: isNccl } = scene;
  const durations = new Float64Array(rows.length);
  let [total, ofNccl] = [0, 0];
  for (let at = 0; at < rows.length; at++) {
    const row = rows[at]!;
    const took = end[row]! - start[row]!;
    durations[at] = took;
    total += took;
    if (isNccl[name[row]!] === 1) ofNccl += took;
  }
  numbers.set('kernels.count', rows.length);
  numbers.set('kernels.total_ns', total);
  if (rows.length > 0) numbers.set('kernels.median_ns', median(durations));
  numbers.set('kernels.busy_ns', lengthOf(scene.computing));
  numbers.set('nccl.total_ns', ofNccl);
  numbers.set('nccl.exposed_ns', ofNccl === 0 ? 0 : lengthOf(exposedNccl(scene)));
  topKernel(scene.kernels[0], total, numbers);
}

/** Kernels of NCCL where no other kernel runs. */
export function exposedNccl(scene: Scene): ReturnType<typeof without> {
  const { work } = scene.trace;
  const isKernel = (row: number): boolean => work.kind[row] === workKinds.kernel;
  const isNccl = (row: number): boolean => scene.ofNccl[work.name[row]!] === 1;
  return without(
    scene.union((row) => isKernel(row) && isNccl(row)),
    scene.union((row) => isKernel(row) && !isNccl(row)),
  );
}

function topKernel(
  top: { readonly text: string; readonly totalNs: number } | undefined,
  total: number,
  numbers: Map<string, NumberOfTrace>,
): void {
  if (top === undefined) return;
  numbers.set('top_kernel.name', top.text);
  numbers.set('top_kernel.total_ns', top.totalNs);
  if (total > 0) numbers.set('top_kernel.share', top.totalNs / total);
}

function timeNumbers(scene: Scene, numbers: Map<string, NumberOfTrace>): void {
  numbers.set('gpu.busy_ns', scene.busyNs);
  numbers.set('gpu.span_ns', scene.spanNs);
  numbers.set('gpu.idle_ns', scene.idleNs);
  if (scene.spanNs > 0) numbers.set('gpu.idle_share', scene.idleNs / scene.spanNs);
  const { count, start, end } = scene.gaps;
  const lengths = new Float64Array(count);
  let longest = 0;
  for (let gap = 0; gap < count; gap++) {
    lengths[gap] = end[gap]! - start[gap]!;
    if (lengths[gap]! > longest) longest = lengths[gap]!;
  }
  // No gap is no idle time, which is known.
  numbers.set('gap.median_ns', count === 0 ? 0 : median(lengths));
  numbers.set('gap.max_ns', longest);
}

function launchNumbers(scene: Scene, numbers: Map<string, NumberOfTrace>): void {
  const { trace } = scene;
  if (trace.calls.count === 0 && trace.notRecorded.includes('calls')) return;
  const launches = callsThatLaunch(scene);
  numbers.set('launch.count', launches.length);
  if (launches.length === 0) return;
  const { start, end } = trace.calls;
  const durations = new Float64Array(launches.length);
  for (let at = 0; at < launches.length; at++) durations[at] = end[launches[at]!]! - start[launches[at]!]!;
  numbers.set('launch.api_median_ns', median(durations));
}

function copyNumbers(scene: Scene, numbers: Map<string, NumberOfTrace>): void {
  const { routes, work } = scene.trace;
  const counts = new Float64Array(routes.length);
  const bytes = new Float64Array(routes.length);
  let total = 0;
  const { copyRows: rows } = scene;
  for (let at = 0; at < rows.length; at++) {
    const row = rows[at]!;
    total += work.end[row]! - work.start[row]!;
    const route = work.detail[row]!;
    if (route < 0) continue;
    counts[route] = counts[route]! + 1;
    bytes[route] = bytes[route]! + work.bytes[row]!;
  }
  numbers.set('copies.count', rows.length);
  numbers.set('copies.total_ns', total);
  numbers.set('copies.exposed_ns', rows.length === 0 ? 0 : lengthOf(without(scene.copying, scene.computing)));
  const add = (name: string, value: number): void => {
    numbers.set(name, ((numbers.get(name) as number | undefined) ?? 0) + value);
  };
  routes.forEach(({ direction, from, to }, route) => {
    if (counts[route] === 0 || direction === 'unknown') return;
    const memory: MemoryKind = direction === 'HtoD' ? from : to;
    add(`copies.count.${direction}`, counts[route]!);
    add(`copies.bytes.${direction}.${memory}`, bytes[route]!);
  });
}

/** Faults of the CPU belong to no device and are told with the first. */
function faultNumbers(scene: Scene, numbers: Map<string, NumberOfTrace>): void {
  const { faults, notRecorded } = scene.trace;
  if (faults.count === 0 && notRecorded.includes('page-faults')) return;
  let [gpu, cpu] = [0, 0];
  for (let row = 0; row < faults.count; row++) {
    if (faults.device[row]! < 0) cpu++;
    else if (faults.device[row] === scene.device) gpu += faults.pages[row]!;
  }
  numbers.set('faults.gpu', gpu);
  if (scene.first) numbers.set('faults.cpu', cpu);
}

/** The numbers that sums without events give. */
export function numbersOfSums(sums: TraceSums): ReadonlyMap<string, NumberOfTrace> {
  const numbers = new Map<string, NumberOfTrace>();
  const sum = (rows: readonly SumRow[], of: 'count' | 'totalNs'): number => rows.reduce((all, row) => all + row[of], 0);
  if (sums.kernels !== null) {
    const kernels = sums.kernels;
    numbers.set('kernels.count', sum(kernels, 'count'));
    numbers.set('kernels.total_ns', sum(kernels, 'totalNs'));
    if (kernels.length === 1 && kernels[0]!.medianNs !== null) numbers.set('kernels.median_ns', kernels[0]!.medianNs);
    numbers.set(
      'nccl.total_ns',
      sum(
        kernels.filter(({ name }) => name.startsWith('nccl')),
        'totalNs',
      ),
    );
    const byName = new Map<string, { text: string; totalNs: number }>();
    for (const { name, totalNs } of kernels) {
      const known = byName.get(name);
      if (known === undefined) byName.set(name, { text: name, totalNs });
      else known.totalNs += totalNs;
    }
    const [top] = [...byName.values()].sort((a, b) => b.totalNs - a.totalNs);
    topKernel(top, sum(kernels, 'totalNs'), numbers);
  }
  if (sums.calls !== null) {
    const launches = sums.calls.filter(({ name }) => isLaunchName(name));
    numbers.set('launch.count', sum(launches, 'count'));
    if (launches.length === 1 && launches[0]!.medianNs !== null)
      numbers.set('launch.api_median_ns', launches[0]!.medianNs);
  }
  if (sums.copies !== null) {
    const copies = sums.copies.filter(({ name }) => name !== 'memset');
    numbers.set('copies.count', sum(copies, 'count'));
    numbers.set('copies.total_ns', sum(copies, 'totalNs'));
    for (const { name, count } of copies) if (name !== 'unknown') numbers.set(`copies.count.${name}`, count);
  }
  const sizes = sums.copyBytes ?? [];
  if (sums.copies === null && sizes.length > 0 && sizes.every(({ count }) => count > 0))
    numbers.set(
      'copies.count',
      sizes.reduce((all, { count }) => all + count, 0),
    );
  for (const { direction, bytes, count } of sizes) {
    numbers.set(`copies.bytes.${direction}`, bytes);
    if (count > 0 && !numbers.has(`copies.count.${direction}`)) numbers.set(`copies.count.${direction}`, count);
  }
  if (sums.faults !== null) {
    if (sums.faults.gpu !== null) numbers.set('faults.gpu', sums.faults.gpu);
    if (sums.faults.cpu !== null) numbers.set('faults.cpu', sums.faults.cpu);
  }
  return numbers;
}

/** What stands before the numbers of a device: nothing for the first of the first trace. */
export function prefixOf(scene: Scene, lead: Scene): string {
  const rank = scene.trace === lead.trace ? '' : `rank${scene.rank}.`;
  return scene.first ? rank : `${rank}dev${scene.trace.devices[scene.device]!.id}.`;
}

/** True where a trace tells sums and no events. */
export function hasOnlySums(trace: Trace): boolean {
  return trace.sums !== null && trace.work.count === 0;
}

/** True where a text holds what a profiler printed, and no number of a GPU or of the calls for it. */
export function hasNoNumbers({ sums, work, calls }: Trace): boolean {
  if (sums === null || work.count + calls.count > 0) return false;
  const { kernels, calls: called, copies, copyBytes, faults, advice = [] } = sums;
  return [kernels, called, copies, copyBytes, faults].every((each) => each === null) && advice.length === 0;
}
