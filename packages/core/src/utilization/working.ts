import { unprofiled } from './blind.ts';
import { clientsOf, jobOf, named } from './clients.ts';
import type { Detected } from './finding.ts';
import { against } from './finding.ts';
import type { StillStretch } from './still.ts';
import type { GpuView } from './view.ts';
import { isCoarse } from './well-used.ts';

const round = Math.round;

/** What is behind the number of a GPU that shows work, where it is not simply used; null where it may be. */
export function working(gpu: GpuView, engine: number): Detected | null {
  const load = gpu.busy('util') ?? engine;
  return (
    unprofiled(gpu, load) ??
    thrash(gpu, load) ??
    hung(gpu) ??
    idleSms(gpu, load) ??
    comeOrGone(gpu, load) ??
    clientsOf(gpu) ??
    fp64(gpu) ??
    tensorIdle(gpu)
  );
}

/** Pages of managed memory that move in and out while kernels wait for them. */
function thrash(gpu: GpuView, load: number): Detected | null {
  const { limits } = gpu;
  const [rx, tx, sm] = [gpu.busy('rx'), gpu.busy('tx'), gpu.busy('smact')];
  const power = gpu.powerShare;
  if (load < limits['full-util']! || rx === null || tx === null) return null;
  if (Math.min(rx, tx) < limits['thrash-rate']!) return null;
  // Kernels that read their own memory work; pages that come and go leave it quiet.
  const own = gpu.busy('mem') ?? gpu.busy('dram') ?? 100;
  const little = power !== null && power < limits['low-power']!;
  const quiet = sm !== null && sm < limits['low-sm']!;
  if (own > limits['quiet-memory']! || !(power === null || little || quiet) || (gpu.busy('tensor') ?? 0) >= 5)
    return null;
  return {
    cause: 'managed-memory-page-faults',
    kind: 'fault',
    says: `${round(rx)} MB/s go in and ${round(tx)} MB/s out over PCIe while kernels run and the GPU's own memory is quiet: pages move back and forth`,
    measured: [
      ...against('PCIe in (MB/s)', rx, '>=', 'thrash-rate'),
      ...against('PCIe out (MB/s)', tx, '>=', 'thrash-rate'),
      ...against('own memory (%)', own, '<=', 'quiet-memory'),
      ...(little ? against('power (% of the limit)', power, '<', 'low-power') : []),
      ...(quiet ? against('SM activity (%)', sm, '<', 'low-sm') : []),
    ],
    quote: ['traffic'],
    missing: {
      fact: 'page faults of the GPU',
      ask: 'nsys profile --cuda-um-gpu-page-faults=true --cuda-um-cpu-page-faults=true ./app',
    },
  };
}

/** For how many samples a GPU is fully used while nothing else moves, and its power then in percent of the limit. */
interface Standing {
  readonly samples: number;
  readonly from: 'hung-seconds' | 'hung-after-work';
  readonly spread: number;
  readonly share: number | null;
  /** The power is flat; without one the activity of the SMs is. */
  readonly byPower: boolean;
  /** All work ended with it: somebody ended the program. */
  readonly ended: boolean;
}

/** Full utilisation that nothing else moves with: all the time, or long after the work; null where there is none. */
export function standing(gpu: GpuView): Standing | null {
  return standsThroughout(gpu)
    ? {
        samples: gpu.rows,
        from: 'hung-seconds',
        spread: gpu.spread('power')!,
        share: gpu.powerShare,
        byPower: true,
        ended: false,
      }
    : (stoodStill(gpu, gpu.series.still, false) ?? stoodStill(gpu, gpu.series.still.ended, true));
}

function stoodStill(gpu: GpuView, stretch: StillStretch | null, ended: boolean): Standing | null {
  const { limits } = gpu;
  if (stretch === null) return null;
  const { count, level, byPower } = stretch;
  if (count < limits['hung-after-work']! || level.mean <= 0) return null;
  // Without a power it must have worked before: few SMs at work all the time may be a small grid.
  if (!byPower && (count > gpu.rows * 0.9 || level.mean >= limits['low-sm']!)) return null;
  const [spread, busy] = [(100 * level.deviation) / level.mean, gpu.busy('power')];
  const share = gpu.powerShare === null || busy === null || !byPower ? null : (gpu.powerShare * level.mean) / busy;
  if (spread > limits['flat-power']! || (share !== null && share >= limits['low-power']!)) return null;
  return { samples: count, from: 'hung-after-work', spread, share, byPower, ended };
}

function standsThroughout(gpu: GpuView): boolean {
  const { limits } = gpu;
  const [rx, tx] = [gpu.mean('rx'), gpu.mean('tx')];
  const spread = gpu.spread('power');
  return (
    gpu.rows >= limits['hung-seconds']! &&
    (gpu.min('util') ?? 0) >= 99 &&
    (gpu.max('mem') ?? gpu.max('dram') ?? 100) <= 1 &&
    (rx ?? 0) <= limits['quiet-rate']! &&
    (tx ?? 0) <= limits['quiet-rate']! &&
    (gpu.busy('dram') ?? 0) <= 1 &&
    (gpu.busy('tensor') ?? 0) <= 1 &&
    spread !== null &&
    spread <= limits['flat-power']! &&
    (gpu.powerShare === null || gpu.powerShare < limits['low-power']!)
  );
}

/** The processes on a GPU that hangs, as the end of a sentence. */
export function whoHangs(gpu: GpuView): string {
  const all = gpu.processes ?? [];
  const [first] = all;
  if (first === undefined) return '';
  return `; on it: ${all.slice(0, 3).map(named).join(', ')}${all.length > 3 ? ` and ${all.length - 3} more` : ''}`;
}

/** A kernel that never ends. */
export function hung(gpu: GpuView): Detected | null {
  const stands = standing(gpu);
  if (stands === null) return null;
  const { samples, from, spread, share, byPower, ended } = stands;
  const pid = (gpu.processes ?? []).find((each) => each.pid > 0)?.pid;
  const counted = gpu.busy('rx') !== null;
  const rate = Math.max(gpu.mean('rx') ?? 0, gpu.mean('tx') ?? 0);
  return {
    cause: 'hung-kernel-app-deadlock',
    kind: 'fault',
    certainty: share === null ? 'possible' : 'likely',
    says: `${from === 'hung-seconds' ? `100 % for ${samples} samples` : ended ? `it worked, then for ${samples} samples, until all work ended, it was 100 % busy` : `it worked, and for the last ${samples} samples it is 100 % busy`} with no memory${counted ? ' or PCIe' : ''} traffic and ${byPower ? 'flat power' : 'few SMs'}${share === null ? '' : ` at ${round(share)} % of ${gpu.limitCalled}`}: a kernel that never ends, which no watchdog ends on a compute GPU${whoHangs(gpu)}`,
    measured: [
      ...against('samples at full utilisation', samples, '>=', from),
      ...against(
        byPower ? 'deviation of the power (%)' : 'deviation of the SM activity (%)',
        spread,
        '<=',
        'flat-power',
      ),
      ...against('power (% of the limit)', share, '<', 'low-power'),
      ...(counted && from === 'hung-seconds' ? against('PCIe (MB/s)', rate, '<=', 'quiet-rate') : []),
    ],
    quote: ['still'],
    missing: {
      fact: `the kernel that ${ended ? 'ran' : 'runs'}${gpu.processes === null ? ', and the process it belongs to' : ''}`,
      ask: `${gpu.processes === null ? 'nvidia-smi pmon -c 1; ' : ''}cuda-gdb -p ${pid ?? 'PID'} -ex "info cuda kernels" -ex quit; py-spy dump --pid ${pid ?? 'PID'}`,
    },
  };
}

/** High utilisation over SMs without work: launches that set the pace, or grids that are too small. */
function idleSms(gpu: GpuView, load: number): Detected | null {
  const { limits } = gpu;
  const [sm, tensor, dram, gract] = [gpu.busy('smact'), gpu.busy('tensor'), gpu.busy('dram'), gpu.busy('gract')];
  if (sm === null || load < limits['full-util']! || sm >= limits['low-sm']!) return null;
  if ((dram ?? 0) >= limits['low-sm']! || (tensor ?? 0) >= 10) return null;
  const gaps = (gract !== null && gract < limits['gaps']!) || (gract === null && load < 95);
  const measured = [
    ...against('utilisation (%)', load, '>=', 'full-util'),
    ...against('SM activity (%)', sm, '<', 'low-sm'),
    ...against('memory (%)', dram, '<', 'low-sm'),
    ...against('engine activity (%)', gract, gaps ? '<' : '>=', 'gaps'),
  ];
  if (gaps)
    return {
      cause: 'launch-bound-needs-cuda-graphs',
      kind: 'fault',
      says: `${round(load)} % utilisation is ${round(sm)} % of the SMs, with gaps between kernels: launches set the pace`,
      measured,
      quote: ['few SMs'],
      missing: { fact: 'the time between kernels', ask: 'nsys profile --stats=true ./app' },
    };
  return {
    cause: 'busy-label-idle-sms',
    kind: 'fault',
    // One block that moves nothing may as well be a kernel that hangs.
    ...(sm <= 2 && gpu.max('dram') !== null && gpu.max('dram')! <= 1 && (tensor ?? 0) <= 1
      ? { certainty: 'possible' as const }
      : {}),
    says: `${round(load)} % utilisation is a label: on average ${round(sm)} % of the SMs have work`,
    measured,
    quote: ['few SMs'],
  };
}

/** Work with a beginning or an end within the series. */
function comeOrGone(gpu: GpuView, load: number): Detected | null {
  const { rhythm } = gpu;
  // Where short stalls are averaged away, that it began or ended says nothing of how it worked.
  if (rhythm.waits >= 4 || isCoarse(gpu, load)) return null;
  const gone = rhythm.after >= Math.max(10, rhythm.samples * 0.1);
  const left = gone ? leftBehind(gpu) : null;
  if (left !== null) return left;
  if (gone)
    return {
      cause: 'ok-preempted-job',
      kind: 'healthy',
      says: `the job worked, then ended or was taken away ${rhythm.after} samples before the end`,
      measured: [],
    };
  if (rhythm.before >= Math.max(10, rhythm.samples * 0.05))
    return {
      cause: 'ok-warm-up',
      kind: 'healthy',
      says: `it works since sample ${rhythm.before}; what came before was the start`,
      measured: [],
    };
  return null;
}

/** Work ended and its memory did not: a program that waits, or nobody who is still there. */
function leftBehind(gpu: GpuView): Detected | null {
  const { rhythm, processes, limits } = gpu;
  const [held, busy] = [gpu.last('held'), gpu.busy('held')];
  if (held === null || busy === null || held < limits['held-memory']! || held < busy * 0.5) return null;
  const measured = against('memory held at the end (MiB)', held, '>=', 'held-memory');
  const since = `for the last ${rhythm.after} samples nothing runs, and ${round(held)} MiB are still held`;
  const [first] = processes ?? [];
  const owner = first === undefined ? jobOf(gpu) : named(first);
  // A job may wait for a request, or for a rank, a lock or a disk: that it is there says nothing of it.
  if (owner !== null) return null;
  return {
    cause: 'gpu-memory-held-by-orphans',
    kind: 'fault',
    certainty: processes === null ? 'possible' : 'likely',
    says: `it worked, then stopped: ${since}${processes === null ? '' : ', and no process is listed'}`,
    measured,
    quote: ['after'],
    missing: {
      fact: 'who holds the memory',
      ask: 'nvidia-smi --query-compute-apps=gpu_uuid,pid,process_name,used_gpu_memory --format=csv; fuser -v /dev/nvidia*',
    },
  };
}

function fp64(gpu: GpuView): Detected | null {
  const used = gpu.busy('fp64');
  return used === null || used < gpu.limits['fp64']!
    ? null
    : {
        cause: 'ok-fp64-compute',
        kind: 'healthy',
        says: `the FP64 pipe is ${round(used)} % busy`,
        measured: against('FP64 pipe (%)', used, '>=', 'fp64'),
      };
}

function tensorIdle(gpu: GpuView): Detected | null {
  const { limits } = gpu;
  const [sm, tensor, dram, fp32] = [gpu.busy('smact'), gpu.busy('tensor'), gpu.busy('dram'), gpu.busy('fp32')];
  if (sm === null || sm < limits['busy-sm']! || tensor === null || tensor > limits['tensor-idle']!) return null;
  if ((dram ?? 0) >= limits['busy-util']!) return null;
  return {
    cause: 'tensor-cores-idle',
    kind: 'fault',
    certainty: fp32 === null ? 'possible' : 'likely',
    says: `${round(sm)} % of the SMs are at work and the tensor cores ${round(tensor * 10) / 10} %${fp32 === null ? '' : `: FP32 has ${round(fp32)} %`}`,
    measured: [
      ...against('SM activity (%)', sm, '>=', 'busy-sm'),
      ...against('tensor cores (%)', tensor, '<=', 'tensor-idle'),
      ...against('memory (%)', dram, '<', 'busy-util'),
    ],
    missing: {
      fact: 'the precision that the program needs',
      ask: 'python -c "import torch; print(torch.get_float32_matmul_precision())"',
    },
  };
}
