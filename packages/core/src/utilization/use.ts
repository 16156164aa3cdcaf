import type { Detected, Measured } from './finding.ts';
import { against } from './finding.ts';
import { metricAt } from './gpu-series.ts';
import type { GpuView } from './view.ts';

const round = Math.round;
const heldAt = metricAt('held');
const askCounters =
  'dcgmi dmon -e 203,1001,1002,1003,1004,1005 -d 1000; on Hopper and later: nvidia-smi dmon --gpm-metrics 2,3,5,10';

/** How a series looks in one word, and what it rests on. */
type Use = Detected;

/**
 * What one GPU really does: one answer, the most telling first. Which of the answers is a fault of a job of several
 * GPUs, `job.ts` says.
 */
export function useOf(gpu: GpuView): Use {
  const { limits, rhythm } = gpu;
  const util = gpu.mean('util');
  const engine = util ?? gpu.mean('gract') ?? gpu.mean('smact');
  if (engine === null) return blind(gpu);
  if (gpu.rows < limits['samples']!) return short(gpu);
  const video = Math.max(gpu.mean('encoder') ?? 0, gpu.mean('decoder') ?? 0);
  if (video >= limits['encoder']! && engine <= limits['busy-util']!)
    return {
      cause: 'encoder-bound',
      kind: 'fault',
      says: `the video engine is ${round(video)} % busy while the SMs are ${round(engine)} %: video sets the pace`,
      measured: against('video engine (%)', video, '>=', 'encoder'),
    };
  if (engine <= limits['idle-util']!) return idle(gpu, engine);
  const turns = gpu.series.turns;
  const traffic = Math.max(gpu.max('rx') ?? 0, gpu.max('tx') ?? 0);
  const [share, regular] = waiting(gpu);
  if (share * 100 >= limits['wait-share']! && rhythm.waits >= 4) {
    const seen: readonly Measured[] = [
      ...against('share of the time in waits (%)', share * 100, '>=', 'wait-share'),
      ...against('deviation of the period (%)', regular, '<=', 'regular'),
    ];
    if (givenBack(gpu))
      return {
        cause: 'ok-bursty-inference',
        kind: 'healthy',
        says: 'jobs come and go: their memory is given back in between',
        measured: seen,
      };
    if (regular === null || regular > limits['regular']!)
      return {
        cause: 'ok-bursty-inference',
        kind: 'healthy',
        says: `work comes in bursts without a rhythm, as requests do`,
        measured: seen,
      };
    if (turns !== null && turns <= -0.3 && traffic >= limits['thrash-rate']!)
      return {
        cause: 'host-offload-copy-bound',
        kind: 'fault',
        says: `copies of up to ${round(traffic)} MB/s and kernels take turns; ${round(share * 100)} % of the time no kernel runs`,
        measured: [...seen, ...against('PCIe at most (MB/s)', traffic, '>=', 'thrash-rate')],
        quote: ['idle'],
      };
    return {
      cause: 'input-pipeline-bound',
      kind: 'fault',
      // Jobs that are started by hand or one after the other may look regular over a few long periods.
      ...(rhythm.period.mean > limits['long-period']! || rhythm.period.count < limits['periods']!
        ? { certainty: 'possible' as const }
        : {}),
      says: `no kernel runs in ${round(share * 100)} % of the time, in waits that come back every ${round(rhythm.period.mean)} samples: it waits for input or for the CPU`,
      measured: seen,
      quote: ['idle'],
      missing: { fact: 'what the waits are', ask: 'py-spy dump --pid PID; nsys profile --trace=cuda,nvtx,osrt …' },
    };
  }
  return working(gpu, engine);
}

/** Share of the time in waits between work, and how far their period deviates (%); null where there are too few. */
function waiting(gpu: GpuView): readonly [number, number | null] {
  const { rhythm } = gpu;
  const span = rhythm.samples - rhythm.before - rhythm.after;
  const { period } = rhythm;
  return [
    span <= 0 ? 0 : rhythm.waiting / span,
    period.count < 3 || period.mean === 0 ? null : (100 * period.deviation) / period.mean,
  ];
}

/** Whether the memory is given back in the waits, as between jobs: a job that waits for input keeps it. */
function givenBack(gpu: GpuView): boolean {
  const [all, busy] = [gpu.series.all[heldAt]!, gpu.series.busy[heldAt]!];
  const { before, after } = gpu.rhythm;
  const resting = all.count - busy.count - before - after;
  if (busy.count === 0 || resting <= 0) return false;
  // Before the first work and after the last one nothing need be held.
  return (all.mean * all.count - busy.mean * busy.count) / resting < busy.mean * 0.25;
}

function blind(gpu: GpuView): Use {
  if (gpu.id.includes('/gi') || gpu.rows > 0)
    return {
      cause: 'mig-no-util-counter',
      kind: 'unclear',
      certainty: 'possible',
      says: 'utilisation is not counted here, as under MIG',
      measured: [],
      missing: {
        fact: 'the activity of the instances',
        ask: 'dcgmi dmon -e 1001,1002,1004,1005 -d 1000; on Hopper and later: nvidia-smi dmon --gpm-metrics 1,2,3,5,10',
      },
    };
  return short(gpu);
}

function short(gpu: GpuView): Use {
  const few = `only ${gpu.rows} sample${gpu.rows === 1 ? '' : 's'}`;
  const base = {
    kind: 'unclear',
    certainty: 'possible',
    measured: against('samples', gpu.rows, '<', 'samples'),
    missing: { fact: 'a longer series', ask: 'nvidia-smi dmon -s pucmt -o DT -c 120' },
  } as const;
  const guess = working(gpu, gpu.mean('util') ?? 0);
  return guess.kind === 'fault'
    ? {
        ...guess,
        certainty: 'possible',
        says: `${guess.says} (${few})`,
        measured: [...guess.measured, ...base.measured],
        missing: base.missing,
      }
    : { ...base, cause: 'series-too-short', says: `${few} of it tell nothing for sure` };
}

function idle(gpu: GpuView, engine: number): Use {
  const { limits } = gpu;
  const held = gpu.mean('held');
  const measured = [
    ...against('utilisation (%)', engine, '<=', 'idle-util'),
    ...against('memory held (MiB)', held, held !== null && held >= limits['held-memory']! ? '>=' : '<', 'held-memory'),
  ];
  const dead = ['util', 'mem', 'power', 'temperature', 'sm-clock', 'smact', 'gract'].filter(
    (name) => gpu.max(name) !== null,
  );
  // What it draws in its few busy moments says nothing of the time in which it is idle.
  const worked = (gpu.max('util') ?? 0) >= limits['busy-util']!;
  const loaded = !worked && gpu.powerShare !== null && gpu.powerShare >= limits['low-power']!;
  if (dead.length >= 3 && dead.every((name) => gpu.max(name) === 0))
    return {
      cause: 'exporter-blind',
      kind: 'unclear',
      says: 'every counter is zero, power and temperature too: they are not measured',
      measured,
      missing: {
        fact: 'what the driver itself says',
        ask: 'nvidia-smi; dcgmi discovery -l; dcgmi dmon -e 203,155 -c 5',
      },
    };
  if (loaded)
    return {
      cause: 'exporter-blind',
      kind: 'unclear',
      says: `it draws ${round(gpu.powerShare!)} % of its power limit, and its counters say that nothing runs`,
      measured: [...measured, ...against('power (% of the limit)', gpu.powerShare, '>=', 'low-power')],
      missing: { fact: 'what the driver itself says', ask: 'nvidia-smi dmon -s pu -c 10' },
    };
  if (held === null || held < limits['held-memory']!)
    return { cause: 'ok-idle', kind: 'healthy', says: 'it is idle', measured };
  const { processes } = gpu;
  if (worked)
    return {
      cause: 'ok-idle-inference',
      kind: 'healthy',
      says: `what holds ${round(held)} MiB worked now and then, and waits for more`,
      measured,
    };
  if (processes !== null && processes.length > 0)
    return {
      cause: 'ok-idle-inference',
      kind: 'healthy',
      says: `${processes[0]!.name ?? `process ${processes[0]!.pid}`} holds ${round(held)} MiB and waits for work`,
      measured,
    };
  return {
    cause: 'gpu-memory-held-by-orphans',
    kind: 'fault',
    certainty: processes === null ? 'possible' : 'likely',
    says: `${round(held)} MiB are held, nothing runs${processes === null ? '' : ', and no process is listed'}`,
    measured,
    missing: {
      fact: 'who holds the memory',
      ask: 'nvidia-smi --query-compute-apps=gpu_uuid,pid,process_name,used_gpu_memory --format=csv; fuser -v /dev/nvidia*',
    },
  };
}

/** A GPU that shows work: whether there is much behind the number. */
function working(gpu: GpuView, engine: number): Use {
  const { limits, rhythm } = gpu;
  const load = gpu.busy('util') ?? engine;
  const [sm, tensor, dram, gract] = [gpu.busy('smact'), gpu.busy('tensor'), gpu.busy('dram'), gpu.busy('gract')];
  const memory = dram ?? gpu.busy('mem');
  const power = gpu.powerShare;
  const [rx, tx] = [gpu.busy('rx'), gpu.busy('tx')];
  const both = rx === null || tx === null ? null : Math.min(rx, tx);
  const little = power !== null && power < limits['low-power']!;
  const thrash = limits['thrash-rate']!;
  const profiled = [sm, tensor, dram, gract].filter((value) => value !== null);
  if (
    load >= 95 &&
    profiled.length >= 2 &&
    ['smact', 'gract', 'tensor', 'dram'].every((name) => (gpu.max(name) ?? 0) === 0)
  )
    return {
      cause: 'profiling-counters-blind',
      kind: 'unclear',
      says: `it is ${round(load)} % busy and every profiling counter is zero`,
      measured: [],
      missing: {
        fact: 'who else uses the counters',
        ask: 'dcgmi profile --resume; ps ax | grep -E "ncu|nsys"; cat /proc/driver/nvidia/params | grep RmProfilingAdminOnly',
      },
    };
  if (
    load >= limits['full-util']! &&
    both !== null &&
    both >= thrash &&
    (gpu.busy('mem') ?? dram ?? 100) <= 8 &&
    (power === null || little || (sm !== null && sm < limits['low-sm']!)) &&
    (tensor ?? 0) < 5
  )
    return {
      cause: 'managed-memory-page-faults',
      kind: 'fault',
      says: `${round(rx!)} MB/s go in and ${round(tx!)} MB/s out over PCIe while kernels run and the GPU's own memory is quiet: pages move back and forth`,
      measured: [
        ...against('PCIe in (MB/s)', rx, '>=', 'thrash-rate'),
        ...against('PCIe out (MB/s)', tx, '>=', 'thrash-rate'),
        ...against('power (% of the limit)', power, '<', 'low-power'),
      ],
      missing: {
        fact: 'page faults of the GPU',
        ask: 'nsys profile --cuda-um-gpu-page-faults=true --cuda-um-cpu-page-faults=true ./app',
      },
    };
  if (stands(gpu))
    return {
      cause: 'hung-kernel-app-deadlock',
      kind: 'fault',
      certainty: power === null ? 'possible' : 'likely',
      says: `${round(load)} % for ${gpu.rows} samples with no memory${both === null ? '' : ' or PCIe'} traffic, at ${power === null ? 'flat' : `${round(power)} % of the power limit and flat`} power: a kernel that never ends${processOf(gpu)}`,
      measured: [
        ...against('samples at full utilisation', gpu.rows, '>=', 'hung-seconds'),
        ...against('deviation of the power (%)', gpu.spread('power'), '<=', 'flat-power'),
        ...against('power (% of the limit)', power, '<', 'low-power'),
      ],
      missing: {
        fact: 'the kernel that runs',
        ask: 'cuda-gdb -p PID -ex "info cuda kernels" -ex quit; py-spy dump --pid PID',
      },
    };
  if (
    sm !== null &&
    load >= limits['full-util']! &&
    sm < limits['low-sm']! &&
    (dram ?? 0) < limits['low-sm']! &&
    (tensor ?? 0) < 10
  ) {
    const gaps = (gract !== null && gract < limits['gaps']!) || (gract === null && load < 95);
    const measured = [
      ...against('utilisation (%)', load, '>=', 'full-util'),
      ...against('SM activity (%)', sm, '<', 'low-sm'),
      ...against('engine activity (%)', gract, gaps ? '<' : '>=', 'gaps'),
    ];
    return gaps
      ? {
          cause: 'launch-bound-needs-cuda-graphs',
          kind: 'fault',
          says: `${round(load)} % utilisation is ${round(sm)} % of the SMs, with gaps between kernels: launches set the pace`,
          measured,
          missing: { fact: 'the time between kernels', ask: 'nsys profile --stats=true ./app' },
        }
      : {
          cause: 'busy-label-idle-sms',
          kind: 'fault',
          // One block that moves nothing may as well be a kernel that hangs.
          ...(sm <= 2 && gpu.max('dram') !== null && gpu.max('dram')! <= 1 && (tensor ?? 0) <= 1
            ? { certainty: 'possible' as const }
            : {}),
          says: `${round(load)} % utilisation is a label: on average ${round(sm)} % of the SMs have work`,
          measured,
        };
  }
  if (rhythm.after >= Math.max(10, rhythm.samples * 0.1) && rhythm.waits < 4)
    return {
      cause: 'ok-preempted-job',
      kind: 'healthy',
      says: `the job worked, then ended or was taken away ${rhythm.after} samples before the end`,
      measured: [],
    };
  if (rhythm.before >= Math.max(10, rhythm.samples * 0.05) && rhythm.waits < 4)
    return {
      cause: 'ok-warm-up',
      kind: 'healthy',
      says: `it works since sample ${rhythm.before}; what came before was the start`,
      measured: [],
    };
  const fp64 = gpu.busy('fp64');
  if (fp64 !== null && fp64 >= limits['fp64']!)
    return {
      cause: 'ok-fp64-compute',
      kind: 'healthy',
      says: `the FP64 pipe is ${round(fp64)} % busy`,
      measured: against('FP64 pipe (%)', fp64, '>=', 'fp64'),
    };
  if (
    sm !== null &&
    sm >= 60 &&
    tensor !== null &&
    tensor <= limits['tensor-idle']! &&
    (dram ?? 0) < limits['busy-util']!
  ) {
    const fp32 = gpu.busy('fp32');
    return {
      cause: 'tensor-cores-idle',
      kind: 'fault',
      certainty: fp32 === null ? 'possible' : 'likely',
      says: `${round(sm)} % of the SMs are at work and the tensor cores ${round(tensor * 10) / 10} %${fp32 === null ? '' : `: FP32 has ${round(fp32)} %`}`,
      measured: against('tensor cores (%)', tensor, '<=', 'tensor-idle'),
      missing: {
        fact: 'the precision that the program needs',
        ask: 'python -c "import torch; print(torch.get_float32_matmul_precision())"',
      },
    };
  }
  if (memory !== null && memory >= limits['memory-bound']!)
    return {
      cause: 'ok-memory-bound-well-used',
      kind: 'healthy',
      says: `memory is ${round(memory)} % busy: it is the limit, and it is used`,
      measured: against('memory (%)', memory, '>=', 'memory-bound'),
    };
  return wellUsed(gpu, load, power, memory, rx, tx);
}

function wellUsed(
  gpu: GpuView,
  load: number,
  power: number | null,
  memory: number | null,
  rx: number | null,
  tx: number | null,
): Use {
  const { limits, rhythm } = gpu;
  const [sm, tensor] = [gpu.busy('smact'), gpu.busy('tensor')];
  const measured = [
    ...against('utilisation (%)', load, '>=', 'busy-util'),
    ...against('power (% of the limit)', power, '>=', 'working-power'),
  ];
  const works =
    (power !== null && power >= limits['working-power']!) ||
    (sm !== null && sm >= 60) ||
    (tensor !== null && tensor >= 15) ||
    (memory !== null && memory >= 20);
  if (!works) {
    const counted = sm !== null || tensor !== null;
    return {
      cause: 'util-metric-not-exported',
      kind: 'unclear',
      certainty: 'possible',
      says: counted
        ? `${round(load)} % utilisation, and no counter that is near a limit`
        : `${round(load)} % utilisation says only that some kernel runs; how many SMs work is not in the data`,
      measured,
      missing: { fact: 'SM activity (DCGM_FI_PROF_SM_ACTIVE, field 1002)', ask: askCounters },
    };
  }
  if ((gpu.reason(0x4) ?? 0) * 100 >= limits['throttle-share']! && power !== null && power >= 85)
    return {
      cause: 'ok-at-power-limit',
      kind: 'healthy',
      says: `it works at its power limit (${round(power)} %), as a busy GPU does`,
      measured,
    };
  const heat = gpu.busy('temperature');
  if (heat !== null && heat >= limits['hot']! && gpu.reason(0x60) === null && gpu.mean('thermal-violation') === null)
    return {
      cause: 'util-metric-not-exported',
      kind: 'unclear',
      certainty: 'possible',
      says: `it works at ${round(heat)} °C, and whether heat holds its clocks down is not in the data`,
      measured: [...measured, ...against('temperature (°C)', heat, '>=', 'hot')],
      missing: {
        fact: 'the reasons for its clocks',
        ask: 'nvidia-smi --query-gpu=index,utilization.gpu,clocks.sm,clocks.max.sm,temperature.gpu,clocks_event_reasons.active --format=csv -l 1 -c 60',
      },
    };
  const span = rhythm.samples - rhythm.before - rhythm.after;
  if (rhythm.waits > 0 && rhythm.samples < 60 && rhythm.waiting * 100 >= limits['wait-share']! * span)
    return {
      cause: 'series-too-short',
      kind: 'unclear',
      certainty: 'possible',
      says: `it waits ${round((100 * rhythm.waiting) / span)} % of the time, and ${rhythm.waits} waits are too few to know a rhythm`,
      measured: against('share of the time in waits (%)', (100 * rhythm.waiting) / span, '>=', 'wait-share'),
      missing: { fact: 'a longer series', ask: 'nvidia-smi dmon -s pucmt -o DT -c 120' },
    };
  const quiet = limits['thrash-rate']!;
  if (rx !== null && rx >= quiet)
    return (tx ?? 0) >= quiet
      ? {
          cause: 'ok-pcie-collectives',
          kind: 'healthy',
          says: 'it works, and exchanges data over PCIe both ways',
          measured,
        }
      : {
          cause: 'ok-streaming-input',
          kind: 'healthy',
          says: `it works, and ${round(rx)} MB/s of input keep up with it`,
          measured,
        };
  if (rhythm.waits > 0) {
    const writes = (gpu.max('tx') ?? 0) >= quiet;
    return writes
      ? {
          cause: 'ok-training-with-checkpoints',
          kind: 'healthy',
          says: `it works, with ${rhythm.waits} short pauses in which data leaves the GPU`,
          measured,
        }
      : {
          cause: 'ok-training-with-evaluation',
          kind: 'healthy',
          says: `it works, with ${rhythm.waits} pauses`,
          measured,
        };
  }
  return {
    cause: tensor !== null && tensor >= 40 && power !== null && power >= 80 ? 'ok-compute-bound' : 'ok-well-used',
    kind: 'healthy',
    says: `it is well used: ${round(load)} % utilisation${power === null ? '' : ` at ${round(power)} % of its power limit`}`,
    measured,
  };
}

/** Full utilisation that nothing else moves with. */
export function stands(gpu: GpuView): boolean {
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

function processOf(gpu: GpuView): string {
  const [first] = gpu.processes ?? [];
  return first === undefined ? '' : ` (${first.name ?? 'a process'}, pid ${first.pid})`;
}
