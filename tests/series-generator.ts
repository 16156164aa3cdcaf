// Series of GPU counters whose truth is known, in the layouts of the tools. It knows nothing of how they are judged:
// each scenario says what a GPU does second by second, and the causes that may be named for it.
import { randomOf } from './series-random.ts';

/** One sample: `null` is a value that the tool does not have. */
type Sample = Readonly<Record<string, number | null>>;

/** A board: watts idle, watts while a kernel that does nothing spins, limit, clocks. */
interface Board {
  readonly idle: number;
  readonly spin: number;
  readonly limit: number;
  readonly sm: number;
  readonly memory: number;
  readonly name: string;
}

const boards: readonly Board[] = [
  { idle: 72, spin: 130, limit: 700, sm: 1980, memory: 2619, name: 'NVIDIA H100 80GB HBM3' },
  { idle: 55, spin: 95, limit: 400, sm: 1410, memory: 1593, name: 'NVIDIA A100-SXM4-80GB' },
  { idle: 34, spin: 85, limit: 350, sm: 2520, memory: 9001, name: 'NVIDIA L40S' },
  { idle: 76, spin: 140, limit: 700, sm: 1980, memory: 3201, name: 'NVIDIA H200' },
];

export interface Series {
  readonly scenario: string;
  /** Causes of which one must lead. */
  readonly accepted: readonly string[];
  readonly healthy: boolean;
  /** Samples by GPU, one a second. */
  readonly gpus: readonly (readonly Sample[])[];
  readonly processes: readonly (string | null)[];
  readonly name: string;
}

type Draw = (low: number, high: number) => number;
type Make = (t: number, gpu: number) => Sample;
interface Setting {
  readonly board: Board;
  readonly draw: Draw;
  readonly seconds: number;
  readonly gpus: number;
}
interface Plan {
  readonly accepted: readonly string[];
  readonly gpus?: number;
  readonly make: Make;
  readonly processes?: (gpu: number) => string | null;
}

function clamp(value: number, low: number, high: number): number {
  return Math.max(low, Math.min(high, value));
}

/** Each scenario: what the GPUs do. Parameters are drawn once, jitter with every sample. */
const scenarios: Readonly<Record<string, (setting: Setting) => Plan>> = {
  'small-grids': ({ board, draw }) => {
    const active = draw(3, 18);
    return {
      accepted: ['busy-label-idle-sms'],
      make: () =>
        busy(board, draw, {
          util: 100,
          mem: draw(0, 3),
          power: 0.2 + active / 300,
          smact: active + draw(-1, 1),
          gract: draw(97, 100),
          smocc: active / 4,
          tensor: 0,
          dram: draw(0, 3),
        }),
    };
  },
  'launch-bound': ({ board, draw }) => {
    const util = draw(82, 93);
    const active = draw(10, 24);
    return {
      accepted: ['launch-bound-needs-cuda-graphs'],
      make: () =>
        busy(board, draw, {
          util: util + draw(-4, 4),
          mem: draw(2, 8),
          power: draw(0.24, 0.34),
          gract: draw(45, 75),
          smact: active + draw(-3, 3),
          smocc: draw(4, 9),
          tensor: draw(1, 4),
          dram: draw(3, 9),
        }),
    };
  },
  'hung-kernel': ({ board, draw }) => {
    const power = (board.spin / board.limit) * draw(0.92, 1.08);
    return {
      accepted: ['hung-kernel-app-deadlock'],
      gpus: 1,
      make: () => ({
        ...busy(board, draw, { util: 100, mem: 0, power, jitter: 0.001 }),
        rxpci: draw(0, 1),
        txpci: draw(0, 1),
        dram: 0,
        tensor: 0,
        smact: 100,
        gract: 100,
        smocc: 1.6,
      }),
    };
  },
  'collective-stands': ({ board, draw, gpus }) => {
    const power = (board.spin / board.limit) * draw(0.92, 1.08);
    return {
      accepted: ['collective-hang'],
      gpus: Math.max(4, gpus),
      make: () => ({
        ...busy(board, draw, { util: 100, mem: 0, power, jitter: 0.001 }),
        rxpci: draw(0, 1),
        txpci: draw(0, 1),
        dram: 0,
        tensor: 0,
        smact: 12,
        gract: 100,
        smocc: 3,
      }),
    };
  },
  'managed-thrash': ({ board, draw }) => {
    const rate = draw(4000, 22_000);
    return {
      accepted: ['managed-memory-page-faults'],
      make: () => ({
        ...busy(board, draw, {
          util: draw(96, 100),
          mem: draw(0, 3),
          power: draw(0.2, 0.28),
          smact: draw(88, 99),
          gract: 99,
          smocc: draw(20, 60),
          tensor: 0,
          dram: draw(1, 4),
        }),
        rxpci: rate * draw(0.9, 1.1),
        txpci: rate * draw(0.7, 1),
      }),
    };
  },
  'input-bound': ({ board, draw }) => {
    const period = Math.round(draw(6, 20));
    const waits = Math.round(period * draw(0.4, 0.7));
    return {
      accepted: ['input-pipeline-bound'],
      make: (t) =>
        t % period < waits
          ? { ...resting(board, draw), fb: 0.7, rxpci: draw(0, 40), txpci: draw(0, 20) }
          : {
              ...busy(board, draw, { util: draw(92, 100), mem: draw(30, 50), power: draw(0.6, 0.8) }),
              rxpci: draw(200, 900),
              txpci: draw(0, 30),
            },
    };
  },
  'offload-turns': ({ board, draw }) => {
    const period = Math.round(draw(6, 14));
    const rate = draw(9000, 24_000);
    return {
      accepted: ['host-offload-copy-bound'],
      make: (t) =>
        t % period < period * 0.5
          ? {
              ...resting(board, draw),
              sm: Math.round(draw(0, 6)),
              fb: 0.9,
              rxpci: rate * draw(0.9, 1),
              txpci: t % period < period * 0.25 ? rate * 0.8 : draw(0, 60),
            }
          : {
              ...busy(board, draw, { util: draw(94, 100), mem: draw(30, 45), power: draw(0.6, 0.75) }),
              rxpci: draw(0, 90),
              txpci: draw(0, 60),
            },
    };
  },
  thermal: ({ board, draw }) => {
    const hot = draw(86, 92);
    return {
      accepted: ['thermal-throttle'],
      make: (t) => ({
        ...busy(board, draw, { util: 100, mem: draw(30, 40), power: draw(0.55, 0.65) }),
        gtemp: clamp(60 + t, 60, hot),
        pclk: t < 20 ? board.sm : Math.round(board.sm * draw(0.5, 0.7)),
        reasons: t < 20 ? 0 : 0x20,
      }),
    };
  },
  brake: ({ board, draw }) => ({
    accepted: ['power-brake-slowdown'],
    make: (t) => ({
      ...busy(board, draw, { util: 100, mem: draw(10, 20), power: draw(0.25, 0.35) }),
      pclk: t < 5 ? board.sm : Math.round(board.sm * 0.25),
      reasons: t < 5 ? 0 : 0x88,
    }),
  }),
  'power-limit-lowered': ({ board, draw }) => {
    const limit = board.limit * draw(0.45, 0.75);
    return {
      accepted: ['power-limit-lowered'],
      make: () => ({
        ...busy(board, draw, { util: 100, mem: draw(30, 50), power: limit / board.limit - 0.01 }),
        pclk: Math.round(board.sm * draw(0.6, 0.75)),
        reasons: 0x4,
        limit,
        default: board.limit,
      }),
    };
  },
  'pcie-narrow': ({ board, draw }) => ({
    accepted: ['pcie-link-degraded'],
    make: () => ({
      ...busy(board, draw, { util: draw(92, 100), mem: draw(30, 50), power: draw(0.6, 0.7) }),
      width: draw(0, 1) < 0.5 ? 4 : 8,
      widthMax: 16,
      gen: 4,
      genMax: 4,
    }),
  }),
  'slow-gpu': ({ board, draw, gpus }) => {
    const slow = draw(0.5, 0.75);
    return {
      accepted: ['straggler-gpu'],
      gpus: Math.max(4, gpus),
      make: (_, gpu) => ({
        ...busy(board, draw, {
          util: gpu === 2 ? 100 : draw(94, 100),
          mem: draw(30, 40),
          power: gpu === 2 ? draw(0.4, 0.45) : draw(0.6, 0.7),
        }),
        pclk: Math.round((gpu === 2 ? slow : draw(0.96, 1)) * board.sm),
      }),
    };
  },
  'slow-input-of-one-rank': ({ board, draw, gpus }) => {
    const period = Math.round(draw(6, 14));
    return {
      accepted: ['straggler-rank-input'],
      gpus: Math.max(4, gpus),
      make: (t, gpu) => {
        const waits = t % period < period * 0.5;
        if (!waits) return busy(board, draw, { util: draw(96, 100), mem: draw(30, 40), power: draw(0.6, 0.75) });
        return gpu === 1
          ? { ...resting(board, draw), fb: 0.7 }
          : busy(board, draw, { util: 100, mem: draw(0, 2), power: draw(0.2, 0.24) });
      },
    };
  },
  'tensor-idle': ({ board, draw }) => ({
    accepted: ['tensor-cores-idle'],
    make: () =>
      busy(board, draw, {
        util: 100,
        mem: draw(10, 30),
        power: draw(0.6, 0.85),
        gract: 99,
        smact: draw(88, 98),
        smocc: draw(20, 40),
        tensor: draw(0, 0.4),
        dram: draw(10, 30),
        fp32: draw(55, 85),
        fp64: 0,
      }),
  }),
  encoder: ({ board, draw }) => ({
    accepted: ['encoder-bound'],
    make: () => ({
      ...busy(board, draw, { util: draw(15, 35), mem: draw(5, 15), power: draw(0.2, 0.35) }),
      enc: Math.round(draw(95, 100)),
      dec: Math.round(draw(10, 40)),
    }),
  }),
  orphans: ({ board, draw }) => ({
    accepted: ['gpu-memory-held-by-orphans'],
    make: () => ({ ...resting(board, draw), fb: 0.8 }),
    processes: () => null,
  }),
  'through-pcie': ({ board, draw, gpus }) => ({
    accepted: ['nvlink-idle-multi-gpu'],
    gpus: Math.max(2, gpus),
    make: () => ({
      ...busy(board, draw, { util: draw(94, 100), mem: draw(15, 30), power: draw(0.4, 0.55) }),
      rxpci: draw(5000, 9000),
      txpci: draw(5000, 9000),
      nvrx: 0,
      nvtx: 0,
    }),
  }),
  'hung-kernel-by-profiling-counters': ({ board, draw }) => ({
    accepted: ['hung-kernel-app-deadlock', 'collective-hang'],
    make: () => ({
      ...busy(board, draw, { util: 100, mem: 0, power: board.spin / board.limit, jitter: 0.005 }),
      mem: null,
      rxpci: 0,
      txpci: 0,
      gract: 100,
      smact: 0.8,
      smocc: 0.1,
      tensor: 0,
      dram: 0,
    }),
  }),
  // What nothing is wrong with.
  'training-beside-another-job': ({ board, draw, gpus }) => {
    const server = new Set<number>();
    for (let t = 0; t < 300;) {
      t += Math.round(2 - Math.log(draw(0.001, 1)) * 9);
      const until = t + Math.round(1 + draw(0, 1) ** 2 * 14);
      while (t < until) server.add(t++);
    }
    return {
      accepted: ['ok-well-used', 'ok-compute-bound', 'ok-bursty-inference', 'ok-two-jobs'],
      gpus: Math.max(4, gpus),
      make: (t, gpu) =>
        gpu > 0
          ? busy(board, draw, { util: draw(96, 100), mem: draw(30, 50), power: draw(0.7, 0.9) })
          : server.has(t)
            ? busy(board, draw, { util: draw(70, 100), mem: draw(20, 50), power: draw(0.4, 0.6) })
            : { ...resting(board, draw), fb: 0.7 },
    };
  },
  'capped-beside-light-work': ({ board, draw, gpus }) => ({
    accepted: ['ok-at-power-limit', 'ok-well-used', 'ok-two-jobs'],
    gpus: Math.max(4, gpus),
    make: (_, gpu) => ({
      ...busy(board, draw, { util: draw(95, 100), mem: draw(30, 50), power: gpu === 1 ? 0.99 : draw(0.52, 0.58) }),
      pclk: Math.round(board.sm * (gpu === 1 ? 0.78 : 0.99)),
      reasons: gpu === 1 ? 0x4 : 0,
    }),
  }),
  'jobs-one-after-another': ({ board, draw }) => {
    const period = Math.round(draw(24, 34));
    return {
      accepted: ['ok-bursty-inference', 'ok-two-jobs', 'ok-preempted-job'],
      make: (t) =>
        t % period < period * 0.35
          ? resting(board, draw)
          : busy(board, draw, { util: draw(94, 100), mem: draw(30, 50), power: draw(0.55, 0.75) }),
    };
  },
  'rarely-used': ({ board, draw, seconds }) => {
    const at = Math.round(seconds * draw(0.2, 0.7));
    return {
      accepted: ['ok-idle-inference', 'ok-idle'],
      make: (t) =>
        t >= at && t < at + 3
          ? busy(board, draw, { util: draw(90, 100), mem: draw(20, 40), power: draw(0.6, 0.8) })
          : { ...resting(board, draw), fb: 0.6 },
      processes: () => null,
    };
  },
  'well-used': ({ board, draw }) => ({
    accepted: ['ok-well-used', 'ok-compute-bound', 'ok-at-power-limit'],
    make: () =>
      busy(board, draw, {
        util: draw(96, 100),
        mem: draw(25, 55),
        power: draw(0.75, 0.97),
        gract: 98,
        smact: draw(80, 95),
        smocc: draw(20, 50),
        tensor: draw(30, 70),
        dram: draw(20, 55),
      }),
  }),
  'memory-bound': ({ board, draw }) => ({
    accepted: ['ok-memory-bound-well-used'],
    make: () =>
      busy(board, draw, {
        util: 100,
        mem: draw(80, 98),
        power: draw(0.5, 0.75),
        gract: 99,
        smact: draw(85, 98),
        smocc: draw(40, 80),
        tensor: 0,
        dram: draw(78, 93),
      }),
  }),
  fp64: ({ board, draw }) => ({
    accepted: ['ok-fp64-compute'],
    make: () =>
      busy(board, draw, {
        util: 100,
        mem: draw(5, 15),
        power: draw(0.7, 0.95),
        gract: 99,
        smact: draw(90, 99),
        smocc: draw(20, 50),
        tensor: 0,
        dram: draw(5, 20),
        fp64: draw(60, 90),
        fp32: draw(0, 3),
      }),
  }),
  idle: ({ board, draw }) => ({
    accepted: ['ok-idle'],
    make: () => resting(board, draw),
    processes: () => null,
  }),
  'idle-server': ({ board, draw }) => ({
    accepted: ['ok-idle-inference', 'ok-bursty-inference'],
    make: () => ({ ...resting(board, draw), fb: 0.85 }),
    processes: () => 'python3',
  }),
  evaluation: ({ board, draw, seconds }) => {
    const every = Math.round(seconds * draw(0.3, 0.45));
    const lasts = Math.round(draw(10, 25));
    return {
      accepted: [
        'ok-training-with-evaluation',
        'ok-training-with-checkpoints',
        'ok-checkpoint-write',
        'ok-well-used',
        'ok-compute-bound',
      ],
      make: (t) =>
        t % every >= every - lasts
          ? { ...busy(board, draw, { util: draw(5, 40), mem: draw(2, 12), power: draw(0.15, 0.3) }) }
          : busy(board, draw, { util: draw(96, 100), mem: draw(30, 50), power: draw(0.7, 0.9) }),
    };
  },
  checkpoints: ({ board, draw, seconds }) => {
    const every = Math.round(seconds * draw(0.2, 0.3));
    const lasts = Math.round(draw(4, 9));
    return {
      accepted: [
        'ok-training-with-checkpoints',
        'ok-checkpoint-write',
        'ok-training-with-evaluation',
        'ok-well-used',
        'ok-compute-bound',
      ],
      make: (t) =>
        t % every >= every - lasts
          ? { ...resting(board, draw), fb: 0.8, txpci: draw(4000, 11_000) }
          : {
              ...busy(board, draw, { util: draw(96, 100), mem: draw(30, 50), power: draw(0.7, 0.9) }),
              txpci: draw(0, 40),
            },
    };
  },
  'warm-up': ({ board, draw, seconds }) => {
    const until = Math.round(seconds * draw(0.1, 0.3));
    return {
      accepted: ['ok-warm-up'],
      make: (t) =>
        t < until
          ? resting(board, draw)
          : busy(board, draw, { util: draw(95, 100), mem: draw(30, 50), power: draw(0.65, 0.9) }),
    };
  },
  preempted: ({ board, draw, seconds }) => {
    const at = Math.round(seconds * draw(0.5, 0.8));
    return {
      accepted: ['ok-preempted-job'],
      make: (t) =>
        t >= at
          ? resting(board, draw)
          : busy(board, draw, { util: draw(95, 100), mem: draw(30, 50), power: draw(0.65, 0.9) }),
    };
  },
  bursts: ({ board, draw, seconds }) => {
    const busyAt = new Set<number>();
    for (let t = 0; t < seconds;) {
      t += Math.round(2 - Math.log(draw(0.001, 1)) * 9);
      const lasts = Math.round(1 + draw(0, 1) ** 2 * 12);
      for (let i = 0; i < lasts; i++) busyAt.add(t + i);
      t += lasts;
    }
    return {
      accepted: ['ok-bursty-inference', 'ok-idle-inference'],
      make: (t) =>
        busyAt.has(t)
          ? busy(board, draw, { util: draw(30, 100), mem: draw(10, 60), power: draw(0.3, 0.6) })
          : { ...resting(board, draw), fb: 0.7 },
      processes: () => 'python3',
    };
  },
  'streaming-input': ({ board, draw }) => ({
    accepted: ['ok-streaming-input', 'ok-well-used', 'ok-compute-bound'],
    make: () => ({
      ...busy(board, draw, { util: draw(93, 100), mem: draw(25, 50), power: draw(0.6, 0.85) }),
      rxpci: draw(4000, 9000),
      txpci: draw(0, 60),
    }),
  }),
  'pcie-collectives': ({ board, draw, gpus }) => ({
    accepted: ['ok-pcie-collectives', 'ok-well-used', 'ok-compute-bound'],
    gpus: Math.max(2, gpus),
    make: () => ({
      ...busy(board, draw, { util: draw(94, 100), mem: draw(25, 50), power: draw(0.6, 0.8) }),
      rxpci: draw(3000, 8000),
      txpci: draw(3000, 8000),
    }),
  }),
  'at-power-limit': ({ board, draw }) => ({
    accepted: ['ok-at-power-limit'],
    make: () => ({
      ...busy(board, draw, { util: 100, mem: draw(30, 50), power: draw(0.97, 1) }),
      pclk: Math.round(board.sm * draw(0.75, 0.9)),
      reasons: 0x4,
      limit: board.limit,
      default: board.limit,
    }),
  }),
  'pipeline-stages': ({ board, draw, gpus }) => {
    const levels = Array.from({ length: 16 }, () => draw(60, 98));
    return {
      accepted: ['ok-pipeline-stages', 'ok-well-used', 'ok-two-jobs'],
      gpus: Math.max(4, gpus),
      make: (_, gpu) =>
        busy(board, draw, { util: levels[gpu]! + draw(-3, 2), mem: levels[gpu]! / 2.4, power: levels[gpu]! / 140 }),
    };
  },
};

interface Load {
  readonly util: number;
  readonly mem: number;
  /** Share of the limit. */
  readonly power: number;
  readonly jitter?: number;
  readonly [metric: string]: number | undefined;
}

function busy(board: Board, draw: Draw, load: Load): Sample {
  const { util, mem, power, jitter = 0.02, ...others } = load;
  return {
    pwr: clamp(Math.round(power * board.limit * (1 + draw(-jitter, jitter))), board.idle, board.limit + 10),
    gtemp: Math.round(40 + power * 25),
    sm: clamp(Math.round(util), 0, 100),
    mem: clamp(Math.round(mem), 0, 100),
    enc: 0,
    dec: 0,
    mclk: board.memory,
    pclk: Math.round(board.sm * 0.97),
    fb: 0.7,
    rxpci: draw(5, 60),
    txpci: draw(2, 40),
    reasons: 0,
    limit: board.limit,
    default: board.limit,
    top: board.sm,
    ...(others as Sample),
  };
}

function resting(board: Board, draw: Draw): Sample {
  return {
    pwr: Math.round(board.idle + draw(-1, 1)),
    gtemp: 31,
    sm: 0,
    mem: 0,
    enc: 0,
    dec: 0,
    mclk: board.memory,
    pclk: 345,
    fb: 0,
    rxpci: 0,
    txpci: 0,
    reasons: 1,
    limit: board.limit,
    default: board.limit,
    top: board.sm,
  };
}

export const scenarioNames: readonly string[] = Object.keys(scenarios);

/** A series of a scenario. */
export function seriesOf(scenario: string, seed: number): Series {
  const random = randomOf(seed * 7919 + scenario.length * 104_729);
  const draw: Draw = (low, high) => low + (high - low) * random();
  const board = boards[Math.floor(draw(0, boards.length))]!;
  const seconds = Math.round(draw(150, 260));
  const gpus = [1, 2, 4, 8][Math.floor(draw(0, 4))]!;
  const plan = scenarios[scenario]!({ board, draw, seconds, gpus });
  const count = plan.gpus ?? gpus;
  const rows = Array.from({ length: count }, (_, gpu) => Array.from({ length: seconds }, (__, t) => plan.make(t, gpu)));
  return {
    scenario,
    accepted: plan.accepted,
    healthy: plan.accepted.every((each) => each.startsWith('ok-')),
    gpus: rows,
    name: board.name,
    processes: rows.map((_, gpu) => (plan.processes === undefined ? 'python3' : plan.processes(gpu))),
  };
}

const widths = 7;

/** As `nvidia-smi dmon` prints it. @param columns names of its columns, in its order */
export function dmonText(series: Series, columns: readonly string[], time: boolean): string {
  const cell = (text: string): string => text.padStart(widths);
  const lines: string[] = [];
  const head = `#${time ? 'Time       ' : ''}${[' gpu', ...columns].map((each) => (each === ' gpu' ? each : cell(each))).join('')} `;
  const units = `#${time ? 'HH:MM:SS   ' : ''} Idx${columns.map(() => cell('-')).join('')} `;
  series.gpus[0]!.forEach((_, t) => {
    if (t % 20 === 0) lines.push(head, units);
    series.gpus.forEach((samples, gpu) => {
      const clock = new Date(Date.UTC(2026, 2, 3, 14, 2, 11 + t)).toISOString().slice(11, 19);
      lines.push(
        `${time ? ` ${clock}  ` : ''}${cell(String(gpu))}${columns.map((name) => cell(cellOf(samples[t]![name], name))).join('')} `,
      );
    });
  });
  return `${lines.join('\n')}\n`;
}

function cellOf(value: number | null | undefined, name: string): string {
  if (value === null || value === undefined) return '-';
  return String(name === 'fb' ? Math.round(value * 80_000) : Math.round(value));
}

/** As `nvidia-smi --query-gpu=… --format=csv -l 1` prints it. */
export function queryText(series: Series): string {
  const lines = [
    'timestamp, index, name, utilization.gpu [%], utilization.memory [%], memory.used [MiB], memory.total [MiB], power.draw [W], power.limit [W], power.default_limit [W], temperature.gpu, clocks.current.sm [MHz], clocks.max.sm [MHz], clocks_event_reasons.active, pcie.link.gen.current, pcie.link.gen.max, pcie.link.width.current, pcie.link.width.max',
  ];
  series.gpus[0]!.forEach((_, t) => {
    series.gpus.forEach((samples, gpu) => {
      const s = samples[t]!;
      const clock = new Date(Date.UTC(2026, 2, 3, 14, 2, 11 + t)).toISOString();
      const of = (name: string, fallback: number): number => s[name] ?? fallback;
      lines.push(
        `${clock.slice(0, 10).replaceAll('-', '/')} ${clock.slice(11, 23)}, ${gpu}, ${series.name}, ${s['sm']} %, ${s['mem']} %, ${Math.round(of('fb', 0) * 80_000)} MiB, 81559 MiB, ${of('pwr', 0).toFixed(2)} W, ${of('limit', 700).toFixed(2)} W, ${of('default', 700).toFixed(2)} W, ${Math.round(of('gtemp', 40))}, ${s['pclk']} MHz, ${of('top', 1980)} MHz, 0x${of('reasons', 0).toString(16).padStart(16, '0')}, ${of('gen', 5)}, ${of('genMax', 5)}, ${of('width', 16)}, ${of('widthMax', 16)}`,
      );
    });
  });
  return `${lines.join('\n')}\n`;
}

const exported: readonly (readonly [string, string, number])[] = [
  ['DCGM_FI_DEV_GPU_UTIL', 'sm', 1],
  ['DCGM_FI_DEV_MEM_COPY_UTIL', 'mem', 1],
  ['DCGM_FI_DEV_POWER_USAGE', 'pwr', 1],
  ['DCGM_FI_DEV_GPU_TEMP', 'gtemp', 1],
  ['DCGM_FI_DEV_SM_CLOCK', 'pclk', 1],
  ['DCGM_FI_DEV_ENC_UTIL', 'enc', 1],
  ['DCGM_FI_DEV_FB_USED', 'fb', 80_000],
  ['DCGM_FI_PROF_GR_ENGINE_ACTIVE', 'gract', 0.01],
  ['DCGM_FI_PROF_SM_ACTIVE', 'smact', 0.01],
  ['DCGM_FI_PROF_SM_OCCUPANCY', 'smocc', 0.01],
  ['DCGM_FI_PROF_PIPE_TENSOR_ACTIVE', 'tensor', 0.01],
  ['DCGM_FI_PROF_DRAM_ACTIVE', 'dram', 0.01],
  ['DCGM_FI_PROF_PIPE_FP64_ACTIVE', 'fp64', 0.01],
  ['DCGM_FI_PROF_PIPE_FP32_ACTIVE', 'fp32', 0.01],
  ['DCGM_FI_PROF_PCIE_RX_BYTES', 'rxpci', 1e6],
  ['DCGM_FI_PROF_PCIE_TX_BYTES', 'txpci', 1e6],
  ['DCGM_FI_PROF_NVLINK_RX_BYTES', 'nvrx', 1e6],
  ['DCGM_FI_PROF_NVLINK_TX_BYTES', 'nvtx', 1e6],
  ['DCGM_FI_DEV_CLOCK_THROTTLE_REASONS', 'reasons', 1],
];

/** Several scrapes of dcgm-exporter, one after the other. @param every seconds between two */
export function exporterText(series: Series, every: number): string {
  const lines: string[] = [];
  for (let t = 0; t < series.gpus[0]!.length; t += every)
    for (const [name, metric, scale] of exported) {
      const values = series.gpus.map((samples) => samples[t]![metric]);
      if (values.every((value) => value === undefined)) continue;
      lines.push(`# HELP ${name} A counter.`, `# TYPE ${name} gauge`);
      values.forEach((value, gpu) => {
        if (value !== null && value !== undefined)
          lines.push(
            `${name}{gpu="${gpu}",UUID="GPU-0000000${gpu}-5528-4d1f-8d02-6a7b13cc9f40",pci_bus_id="00000000:${19 + gpu}:00.0",device="nvidia${gpu}",modelName="${series.name}",Hostname="node-a"} ${Number((value * scale).toPrecision(6))}`,
          );
      });
    }
  return `${lines.join('\n')}\n`;
}

/** As `nvidia-smi pmon -c 1` prints it. */
export function pmonText(series: Series): string {
  return `${[
    '# gpu         pid   type     sm    mem    enc    dec    command ',
    '# Idx           #    C/G      %      %      %      %    name ',
    ...series.processes.map((name, gpu) =>
      name === null
        ? `    ${gpu}          -     -      -      -      -      -    -              `
        : `    ${gpu}    18400${gpu}1     C      -      -      -      -    ${name}        `,
    ),
  ].join('\n')}\n`;
}
