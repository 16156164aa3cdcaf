import type { NumberOfTrace } from './numbers.ts';
import type { TraceVerdict } from './verdict.ts';
import type { Scene } from './findings/scene.ts';

/** A number of two traces. */
export interface NumberChange {
  readonly name: string;
  readonly before: number | null;
  readonly after: number | null;
  /** After over before; null where that has no meaning. */
  readonly ratio: number | null;
  readonly state: 'changed' | 'equal';
}

/** Kernels of one name in two traces. Times in ns. */
export interface KernelChange {
  readonly name: string;
  readonly before: { readonly count: number; readonly totalNs: number } | null;
  readonly after: { readonly count: number; readonly totalNs: number } | null;
  readonly differenceNs: number;
}

export interface FindingChange {
  readonly cause: string;
  readonly state: 'new' | 'gone' | 'stayed';
  readonly message: string;
}

/** JSON shape of `culprit/trace-comparison@1`: what a change of the program did to where the time goes. */
export interface TraceComparison {
  readonly schema: 'culprit/trace-comparison@1';
  readonly before: string;
  readonly after: string;
  /** One line: whether it became faster, and by how much. */
  readonly headline: string;
  /** Length of the same work: of a step where both traces mark steps, else of the whole trace. */
  readonly length: { readonly of: 'step' | 'trace'; readonly before: number; readonly after: number };
  readonly findings: readonly FindingChange[];
  readonly numbers: readonly NumberChange[];
  /** Those whose time changed most first. */
  readonly kernels: readonly KernelChange[];
  /** What makes the two hard to compare, in words. */
  readonly doubts: readonly string[];
}

/** Numbers that are compared, in this order. */
const compared = [
  'gpu.span_ns',
  'gpu.busy_ns',
  'gpu.idle_share',
  'kernels.count',
  'kernels.total_ns',
  'kernels.median_ns',
  'gap.median_ns',
  'launch.count',
  'launch.api_median_ns',
  'copies.count',
  'copies.total_ns',
  'copies.exposed_ns',
  'nccl.total_ns',
  'nccl.exposed_ns',
  'serialised_ns',
  'faults.gpu',
  'faults.cpu',
] as const;

/** A difference of less than this part of the larger one says nothing: runs differ by as much. */
const noise = 0.05;
const mostKernels = 20;

/** Compares the verdicts of two traces of the same program, before and after a change. */
export function compareTraces(
  before: { readonly name: string; readonly judged: TraceVerdict },
  after: { readonly name: string; readonly judged: TraceVerdict },
): TraceComparison {
  const length = lengthOf(before.judged, after.judged);
  const faster = length.after < length.before;
  const share = length.before === 0 ? 0 : Math.abs(length.after - length.before) / length.before;
  const of = length.of === 'step' ? 'a step' : 'the whole';
  const headline =
    length.before === 0 || length.after === 0
      ? 'cannot tell: one of the traces has no work on the GPU'
      : share < noise
        ? `${of} takes as long as before (${percent(share)} ${faster ? 'less' : 'more'})`
        : `${of} takes ${percent(share)} ${faster ? 'less' : 'more'} time than before`;
  return {
    schema: 'culprit/trace-comparison@1',
    before: before.name,
    after: after.name,
    headline,
    length,
    findings: findingsOf(before.judged, after.judged),
    numbers: compared.flatMap((name) => numberChange(name, before.judged.numbers, after.judged.numbers)),
    kernels: kernelChanges(before.judged.scenes, after.judged.scenes),
    doubts: doubtsOf(before.judged, after.judged),
  };
}

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;

/**
 * Median length of the marked steps; null where fewer than three are marked. The CPU may be far ahead of the GPU: a step
 * lasts from the first work that it gives to the GPU to that of the next, and as long as its mark only where no work is
 * known to be its own.
 */
function stepOf(scenes: readonly Scene[]): number | null {
  const [scene] = scenes;
  const steps = (scene?.steps ?? []).toSorted((a, b) => a.start - b.start);
  if (scene === undefined || steps.length < 3) return null;
  const begins = beginsOf(scene, steps);
  const lengths = begins.slice(1).map((begin, at) => begin - begins[at]!);
  const known = lengths.filter((length) => Number.isFinite(length) && length > 0);
  const taken = known.length >= 2 ? known : steps.map(({ start, end }) => end - start);
  taken.sort((a, b) => a - b);
  return taken[Math.floor(taken.length / 2)]!;
}

/** When the GPU begins with what each step gave to it; infinite where it gave nothing. */
function beginsOf(scene: Scene, steps: Scene['steps']): readonly number[] {
  const { work, calls } = scene.trace;
  const begins = steps.map(() => Infinity);
  const { rows } = scene;
  for (let at = 0; at < rows.length; at++) {
    const row = rows[at]!;
    const call = work.call[row]!;
    if (call < 0) continue;
    const asked = calls.start[call]!;
    let [low, high] = [0, steps.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (steps[middle]!.start <= asked) low = middle + 1;
      else high = middle;
    }
    const step = low - 1;
    if (step < 0 || steps[step]!.end < asked) continue;
    begins[step] = Math.min(begins[step]!, work.start[row]!);
  }
  return begins;
}

function lengthOf(before: TraceVerdict, after: TraceVerdict): TraceComparison['length'] {
  const [first, second] = [stepOf(before.scenes), stepOf(after.scenes)];
  if (first !== null && second !== null) return { of: 'step', before: first, after: second };
  return { of: 'trace', before: before.scenes[0]?.spanNs ?? 0, after: after.scenes[0]?.spanNs ?? 0 };
}

function findingsOf(before: TraceVerdict, after: TraceVerdict): readonly FindingChange[] {
  const wastes = ({ findings }: TraceVerdict): ReadonlyMap<string, string> =>
    new Map(findings.filter(({ kind }) => kind === 'waste').map(({ cause, message }) => [cause, message]));
  const [old, now] = [wastes(before), wastes(after)];
  return [
    ...[...old].flatMap(([cause, message]) => (now.has(cause) ? [] : [{ cause, state: 'gone' as const, message }])),
    ...[...now].map(([cause, message]) => ({
      cause,
      state: old.has(cause) ? ('stayed' as const) : ('new' as const),
      message,
    })),
  ];
}

function numberChange(
  name: string,
  before: ReadonlyMap<string, NumberOfTrace>,
  after: ReadonlyMap<string, NumberOfTrace>,
): readonly NumberChange[] {
  const value = (numbers: ReadonlyMap<string, NumberOfTrace>): number | null => {
    const found = numbers.get(name);
    return typeof found === 'number' ? found : null;
  };
  const [first, second] = [value(before), value(after)];
  if ((first ?? 0) === 0 && (second ?? 0) === 0) return [];
  const most = Math.max(Math.abs(first ?? 0), Math.abs(second ?? 0));
  const changed = first === null || second === null || Math.abs(second - first) > noise * most;
  return [
    {
      name,
      before: first,
      after: second,
      ratio: first === null || second === null || first === 0 ? null : second / first,
      state: changed ? 'changed' : 'equal',
    },
  ];
}

function kernelChanges(before: readonly Scene[], after: readonly Scene[]): readonly KernelChange[] {
  const sums = (
    scenes: readonly Scene[],
  ): ReadonlyMap<string, { readonly count: number; readonly totalNs: number }> => {
    const all = new Map<string, { count: number; totalNs: number }>();
    for (const { text, count, totalNs } of scenes.flatMap((scene) => scene.kernels)) {
      const sum = all.get(text) ?? { count: 0, totalNs: 0 };
      all.set(text, { count: sum.count + count, totalNs: sum.totalNs + totalNs });
    }
    return all;
  };
  const [old, now] = [sums(before), sums(after)];
  return [...new Set([...old.keys(), ...now.keys()])]
    .map((name) => {
      const [first, second] = [old.get(name) ?? null, now.get(name) ?? null];
      return { name, before: first, after: second, differenceNs: (second?.totalNs ?? 0) - (first?.totalNs ?? 0) };
    })
    .filter(({ differenceNs }) => differenceNs !== 0)
    .sort((a, b) => Math.abs(b.differenceNs) - Math.abs(a.differenceNs) || (a.name < b.name ? -1 : 1))
    .slice(0, mostKernels);
}

function doubtsOf(before: TraceVerdict, after: TraceVerdict): readonly string[] {
  const doubts: string[] = [];
  const gpus = (judged: TraceVerdict): string =>
    [...new Set(judged.scenes.map(({ trace, device }) => trace.devices[device]?.name ?? 'a GPU without a name'))].join(
      ', ',
    );
  if (gpus(before) !== gpus(after)) doubts.push(`other GPUs: ${gpus(before)} before, ${gpus(after)} after`);
  if (before.scenes.length !== after.scenes.length)
    doubts.push(`${before.scenes.length} GPUs or ranks before, ${after.scenes.length} after`);
  const [first, second] = [before.numbers.get('kernels.count'), after.numbers.get('kernels.count')];
  if (
    typeof first === 'number' &&
    typeof second === 'number' &&
    first > 0 &&
    (second / first > 3 || second / first < 1 / 3) &&
    stepOf(before.scenes) === null
  )
    doubts.push(
      `${first} kernels before and ${second} after: the traces may not hold the same work, and mark no steps`,
    );
  return doubts;
}
