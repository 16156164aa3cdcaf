import { jobOf } from './clients.ts';
import type { Detected } from './finding.ts';
import { against } from './finding.ts';
import type { GpuView } from './view.ts';

/** GPU and name of a MIG instance: `0/gi1` of GPU 0; `GPU-I 3` of dcgmi, which does not say whose it is. */
function instanceOf(id: string): { readonly gpu: string; readonly name: string } | null {
  const at = id.indexOf('/gi');
  if (at >= 0) return { gpu: id.slice(0, at), name: id.slice(at + 3) };
  const named = /^GPU-(?:I|CI) (\d{1,4})$/.exec(id);
  return named === null ? null : { gpu: '', name: named[1]! };
}

export function isInstance(gpu: GpuView): boolean {
  return instanceOf(gpu.id) !== null;
}

/** Whether an instance of this whole GPU has a series of its own: then the GPU itself need not be counted. */
export function hasInstances(gpu: GpuView, all: readonly GpuView[]): boolean {
  return !isInstance(gpu) && all.some((each) => instanceOf(each.id)?.gpu === gpu.id);
}

function activityOf(gpu: GpuView): number | null {
  return gpu.mean('gract') ?? gpu.mean('smact') ?? gpu.mean('util');
}

/** Whether labels give every other instance to another job than this one; pods that differ in a number may be of one. */
function apart(full: GpuView, others: readonly GpuView[]): boolean {
  const stem = (gpu: GpuView): string | null => jobOf(gpu)?.replace(/[-_]?\d{1,6}$/, '') ?? null;
  const own = stem(full);
  return own !== null && others.every((gpu) => stem(gpu) !== null && stem(gpu) !== own);
}

/** MIG instances of one GPU together: work of their own, or one that is full while all others do nothing. */
export function ofInstances(
  gpus: readonly GpuView[],
): readonly { readonly gpus: readonly GpuView[]; readonly found: Detected; readonly instead: boolean }[] {
  const groups = new Map<string, GpuView[]>();
  for (const gpu of gpus) {
    const of = instanceOf(gpu.id)?.gpu;
    if (of !== undefined && activityOf(gpu) !== null && gpu.rows >= gpu.limits['samples']!)
      groups.set(of, [...(groups.get(of) ?? []), gpu]);
  }
  return [...groups.values()].flatMap((group) => {
    const found = together(group);
    return found === null ? [] : [found];
  });
}

function together(
  group: readonly GpuView[],
): { readonly gpus: readonly GpuView[]; readonly found: Detected; readonly instead: boolean } | null {
  const [lead] = group;
  if (lead === undefined || group.length < 2) return null;
  const { limits } = lead;
  const by = group.toSorted((a, b) => activityOf(b)! - activityOf(a)!);
  const [full, ...others] = by;
  const most = activityOf(full!)!;
  const next = activityOf(others[0]!)!;
  const measured = [
    ...against('busiest instance (%)', most, most >= limits['instance-busy']! ? '>=' : '<', 'instance-busy'),
    ...against('next one (%)', next, next <= limits['instance-idle']! ? '<=' : '>', 'instance-idle'),
  ];
  const taken = others.filter((gpu) => (gpu.mean('held') ?? 0) >= limits['instance-held']!);
  const job = jobOf(full!);
  const same = job !== null && others.some((gpu) => jobOf(gpu) === job);
  const suspect = same || (taken.length === others.length && !apart(full!, others));
  if (most >= limits['instance-busy']! && next <= limits['instance-idle']! && suspect)
    return {
      gpus: group,
      instead: false,
      found: {
        cause: 'mig-instances-imbalanced',
        kind: 'fault',
        certainty: same ? 'likely' : 'possible',
        says: same
          ? `${job} has several MIG instances, and only one of them works (${Math.round(most)} %): a CUDA process uses one instance`
          : `one of ${group.length} MIG instances is full (${Math.round(most)} %) while the others hold memory and do nothing`,
        measured: [
          ...measured,
          ...against('memory held by an idle instance (MiB)', taken[0]?.mean('held') ?? null, '>=', 'instance-held'),
        ],
        missing: {
          fact: 'whether the idle instances have work',
          ask: 'nvidia-smi -L; nvidia-smi --query-compute-apps=gpu_uuid,pid,process_name,used_gpu_memory --format=csv',
        },
      },
    };
  const words = by.slice(0, 4).map((gpu) => `${instanceOf(gpu.id)!.name} ${Math.round(activityOf(gpu)!)} %`);
  return {
    gpus: group,
    instead: true,
    found: {
      cause: 'ok-mig-instances',
      kind: 'healthy',
      says: `MIG instances with work of their own: ${words.join(', ')}${by.length > 4 ? ' …' : ''}`,
      measured,
    },
  };
}
