import type { Detected } from './finding.ts';
import { against } from './finding.ts';
import type { KeptProcess } from './series-set.ts';
import type { GpuView } from './view.ts';

/** A process as a sentence names it: program, pid, user and job as far as they are known. */
export function named(process: KeptProcess): string {
  const { pid, name, user, job } = process;
  const parts = [
    ...(pid > 0 ? [`pid ${pid}`] : []),
    ...(user == null ? [] : [`user ${user}`]),
    ...(job == null ? [] : [`job ${job}`]),
  ];
  const program = name ?? (pid > 0 ? 'a process' : 'a job');
  return parts.length === 0 ? program : `${program} (${parts.join(', ')})`;
}

/** Processes that compute on a GPU; what only draws, and the server of MPS itself, are no clients. */
function computing(gpu: GpuView): readonly KeptProcess[] {
  return (gpu.processes ?? []).filter(
    ({ pid, type, name }) => pid > 0 && type !== 'G' && !(name ?? '').includes('nvidia-cuda-mps-server'),
  );
}

/** The job that the labels of an exporter name for a GPU; null where they name none. */
export function jobOf(gpu: GpuView): string | null {
  for (const { pid, name, job } of gpu.processes ?? []) {
    if (job != null) return job;
    if (pid === 0 && name !== null) return name;
  }
  return null;
}

/** Several clients on one GPU: work of all of them, or one that has it while the others wait; null where `pmon` told of none. */
export function clientsOf(gpu: GpuView): Detected | null {
  const { limits } = gpu;
  const clients = computing(gpu).filter(({ use }) => use.count >= 3);
  if (clients.length < 2) return null;
  const by = clients.toSorted((a, b) => b.use.mean - a.use.mean);
  const [most, next] = [by[0]!, by[1]!];
  const mps = clients.some(({ type }) => type?.includes('M') === true);
  const measured = [
    ...against(`SMs of ${most.name ?? `pid ${most.pid}`} (%)`, most.use.mean, '>=', 'instance-busy'),
    ...against(
      `SMs of ${next.name ?? `pid ${next.pid}`} (%)`,
      next.use.mean,
      next.use.mean <= limits['instance-idle']! ? '<=' : '>',
      'instance-idle',
    ),
  ];
  if (mps && most.use.mean >= limits['instance-busy']! && next.use.max <= limits['instance-idle']!)
    return {
      cause: 'mps-clients-imbalanced',
      kind: 'fault',
      certainty: 'possible',
      says: `of ${clients.length} clients of MPS one, ${named(most)}, has ${Math.round(most.use.mean)} % of the SMs, and the others get next to nothing or ask for nothing`,
      measured,
      missing: {
        fact: 'whether the other clients have work',
        ask: 'echo get_server_list | nvidia-cuda-mps-control; echo $CUDA_MPS_ACTIVE_THREAD_PERCENTAGE; py-spy dump --pid PID of a client',
      },
    };
  const working = by.filter(({ use }) => use.mean > limits['instance-idle']!);
  if (working.length < 2) return null;
  return {
    cause: 'ok-two-jobs',
    kind: 'healthy',
    says: `${working.length} processes share it${mps ? ' through MPS' : ''}: ${working
      .slice(0, 3)
      .map((each) => `${named(each)} ${Math.round(each.use.mean)} %`)
      .join(', ')}`,
    measured,
  };
}

/** Jobs of GPUs that are well: two groups that differ in what they are labelled, or in memory and load. */
export function twoJobs(gpus: readonly GpuView[]): ReadonlyMap<GpuView, string> | null {
  if (gpus.length < 2) return null;
  const labels = gpus.map(jobOf);
  if (labels.every((label) => label !== null)) {
    const distinct = [...new Set(labels)];
    return distinct.length === 2 ? new Map(gpus.map((gpu, at) => [gpu, labels[at]!] as const)) : null;
  }
  if (gpus.length < 3) return null;
  const held = gpus.map((gpu) => gpu.busy('held') ?? gpu.mean('held'));
  if (held.some((value) => value === null)) return null;
  const split = halves(held as readonly number[]);
  if (split === null) return null;
  for (const metric of ['util', 'power'] as const) {
    const values = gpus.map((gpu) => gpu.mean(metric));
    if (values.some((value) => value === null)) continue;
    const [low, high] = [true, false].map((side) =>
      (values as readonly number[]).filter((_, at) => split[at] === side),
    );
    const [a, b] = [range(low!), range(high!)];
    const gap = Math.max(a[0], b[0]) - Math.min(a[1], b[1]);
    // Apart by more than each group is wide, and by more than a tenth.
    if (gap > 0.1 * Math.max(a[1], b[1]) && gap > a[1] - a[0] && gap > b[1] - b[0])
      return new Map(gpus.map((gpu, at) => [gpu, `a job with ${Math.round(held[at]! / 1024)} GiB`] as const));
  }
  return null;
}

function range(values: readonly number[]): readonly [number, number] {
  return [Math.min(...values), Math.max(...values)];
}

/** Two tight groups of values, true for the lower; null where they are not two. */
function halves(values: readonly number[]): readonly boolean[] | null {
  const sorted = values.toSorted((a, b) => a - b);
  let [at, widest] = [0, 0];
  for (let i = 1; i < sorted.length; i++)
    if (sorted[i]! - sorted[i - 1]! > widest) {
      widest = sorted[i]! - sorted[i - 1]!;
      at = i;
    }
  const [lower, upper] = [sorted.slice(0, at), sorted.slice(at)];
  const tight = (part: readonly number[]): boolean => part.at(-1)! - part[0]! <= 0.05 * part.at(-1)!;
  if (lower.length === 0 || widest < 0.2 * sorted.at(-1)! || !tight(lower) || !tight(upper)) return null;
  return values.map((value) => value < sorted[at]!);
}
