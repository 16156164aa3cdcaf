import { unmeasured } from './blind.ts';
import { jobOf, named } from './clients.ts';
import type { Detected } from './finding.ts';
import { against } from './finding.ts';
import type { GpuView } from './view.ts';

/** A GPU on which next to nothing runs: idle, waiting for requests, held by nobody, or not measured. */
export function idle(gpu: GpuView, engine: number): Detected {
  const blind = unmeasured(gpu, engine);
  if (blind !== null) return blind;
  const { limits, processes } = gpu;
  const held = gpu.mean('held');
  const measured = [
    ...against('utilisation (%)', engine, '<=', 'idle-util'),
    ...against('memory held (MiB)', held, held !== null && held >= limits['held-memory']! ? '>=' : '<', 'held-memory'),
  ];
  if (held === null || held < limits['held-memory']!)
    return { cause: 'ok-idle', kind: 'healthy', says: 'idle', measured };
  const size = Math.round(held);
  // What it draws in its few busy moments says nothing of the time in which it is idle.
  if ((gpu.max('util') ?? 0) >= limits['busy-util']!)
    return {
      cause: 'ok-idle-inference',
      kind: 'healthy',
      says: `what holds ${size} MiB worked now and then, and waits for more`,
      measured,
    };
  const [first] = processes ?? [];
  const job = jobOf(gpu);
  if (first !== undefined || job !== null)
    return {
      cause: 'ok-idle-inference',
      kind: 'healthy',
      says: `${first === undefined ? job! : named(first)} holds ${size} MiB and waits for work`,
      measured,
    };
  return {
    cause: 'gpu-memory-held-by-orphans',
    kind: 'fault',
    certainty: processes === null ? 'possible' : 'likely',
    says: `${size} MiB are held, nothing runs${processes === null ? '' : ', and no process is listed'}`,
    measured,
    quote: ['after'],
    missing: {
      fact: 'who holds the memory',
      ask: 'nvidia-smi --query-compute-apps=gpu_uuid,pid,process_name,used_gpu_memory --format=csv; fuser -v /dev/nvidia*',
    },
  };
}
