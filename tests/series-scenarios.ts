// What programs and machines do, and the causes that may be named for it. Each trouble stands beside what looks like it
// and is something else.
import type { Board, Load, Machine, Rig, Sample } from './series-machine.ts';
import { nothing } from './series-machine.ts';
import type { Named, Process } from './series-texts.ts';

export type Layout = 'dmon' | 'query' | 'dcgmi' | 'exporter' | 'prometheus';

export interface Ground {
  readonly board: Board;
  readonly draw: (low: number, high: number) => number;
  readonly seconds: number;
  readonly gpus: number;
}

export interface Case {
  /** Causes of which one must lead. */
  readonly accepted: readonly string[];
  /** Causes that may lead where nothing can be told. */
  readonly open?: readonly string[];
  /** Metrics without which it cannot be told. */
  readonly needs?: readonly string[];
  readonly load: Machine['load'];
  readonly rig?: Machine['rig'];
  readonly board?: Board;
  readonly gpus?: number;
  /** Samples; with `step`, seconds. */
  readonly seconds?: number;
  readonly step?: number;
  /** A rhythm that slow samples do not show. */
  readonly fine?: boolean;
  readonly together?: boolean;
  /** What the measurement makes of a sample; null where it is lost. */
  readonly alter?: (sample: Sample, t: number, gpu: number) => Sample | null;
  readonly names?: readonly Named[];
  readonly mig?: boolean;
  readonly processes?: (gpu: number) => readonly Process[];
  /** Other texts beside the series. */
  readonly beside?: readonly string[];
  readonly layouts?: readonly Layout[];
  /** Metrics that are not asked for. */
  readonly without?: readonly string[];
  readonly says?: RegExp;
}

export const wellUsed: readonly string[] = ['ok-well-used', 'ok-compute-bound', 'ok-at-power-limit'];
export const profiling: readonly string[] = ['gract', 'smact', 'smocc', 'tensor', 'dram', 'fp32', 'fp64'];

/** Share of the second from `t` that lies in the first `on` seconds of each period. */
export function partOf(t: number, period: number, on: number, phase = 0): number {
  const upTo = (x: number): number => Math.floor(x / period) * on + Math.min(on, x - Math.floor(x / period) * period);
  return Math.max(0, upTo(t + 1 + phase) - upTo(t + phase));
}

export function training(draw: Ground['draw']): Load {
  const sms = draw(0.82, 0.96);
  return {
    ...nothing,
    duty: 1,
    sms,
    occ: draw(0.2, 0.45),
    tensor: draw(0.3, 0.65),
    dram: draw(0.22, 0.5),
    fp32: draw(0.05, 0.15),
    heat: draw(0.62, 0.95),
    rx: draw(10, 300),
    tx: draw(5, 60),
    nv: draw(2000, 60_000),
    held: draw(0.5, 0.93),
    wander: 0.03,
  };
}

function resting(load: Load, duty = 0): Load {
  return { ...load, duty, rx: 0, tx: 0, nv: 0, heat: load.heat * 0.6 };
}

/** Bursts at random, seconds in which there is work. */
export function burstsOf(draw: Ground['draw'], seconds: number, gap: number, most: number): readonly number[] {
  const at = Array.from({ length: seconds + 40 }, () => 0);
  for (let t = -Math.log(draw(0.01, 1)) * gap; t < seconds;) {
    const lasts = 0.4 + draw(0, 1) ** 2 * most;
    for (let s = Math.floor(t); s < t + lasts && s < at.length; s++)
      at[s] = Math.max(at[s]!, Math.min(1, t + lasts - s));
    t += lasts - Math.log(draw(0.01, 1)) * gap + 0.5;
  }
  return at;
}

const python: Case['processes'] = (gpu) => [{ pid: 41_000 + gpu * 7, name: 'python3', sm: 97, mem: 30 }];

/** As `top -b -H` prints it. */
export function topText(rows: readonly (readonly [number, number, string])[]): string {
  return [
    'top - 14:03:10 up 12 days,  3:11,  2 users,  load average: 4.01, 3.88, 3.70',
    'Threads: 812 total,   5 running, 807 sleeping,   0 stopped,   0 zombie',
    '',
    '    PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND',
    ...rows.map(
      ([pid, cpu, name]) =>
        `${String(pid).padStart(7)} alice     20   0   48.9g   9.1g   1.2g ${cpu > 50 ? 'R' : 'S'} ${cpu.toFixed(1).padStart(5)}   1.8  12:41.20 ${name}`,
    ),
    '',
  ].join('\n');
}

/** A saw tooth: the GPU waits in each step. */
function sawTooth({ draw }: Ground): { readonly load: Machine['load']; readonly period: number } {
  const work = training(draw);
  const period = draw(5, 18);
  const on = period * draw(0.3, 0.6);
  const fetch = draw(200, 900);
  return {
    period,
    load: (t) => {
      const duty = partOf(t, period, on);
      return { ...work, duty, rx: duty * fetch, tx: duty * 20, nv: 0 };
    },
  };
}

export const troubles: Readonly<Record<string, (ground: Ground) => Case>> = {
  'exporter: all zero': ({ draw }) => ({
    accepted: ['exporter-blind'],
    load: () => training(draw),
    layouts: ['exporter', 'prometheus', 'dcgmi'],
    alter: (sample) => zeros(sample),
  }),
  'exporter: all zero beside nvidia-smi that works': ({ draw }) => {
    const work = training(draw);
    return {
      accepted: ['exporter-blind'],
      load: () => work,
      layouts: ['exporter'],
      alter: (sample) => zeros(sample),
      beside: ['dmon'],
    };
  },
  'exporter: zero for a part of the time': ({ draw, seconds }) => {
    const work = training(draw);
    const from = draw(0.2, 0.4) * seconds;
    const to = from + draw(0.3, 0.5) * seconds;
    return {
      accepted: ['exporter-blind'],
      load: () => work,
      layouts: ['exporter', 'prometheus', 'dcgmi'],
      alter: (sample, t) => (t >= from && t < to ? zeros(sample) : sample),
    };
  },
  'exporter: zero on one node of several': ({ draw }) => {
    const work = training(draw);
    const bad = Math.floor(draw(0, 3));
    return {
      accepted: ['exporter-blind'],
      gpus: 6,
      load: () => work,
      layouts: ['exporter', 'prometheus'],
      names: Array.from({ length: 6 }, (_, i) => ({ gpu: i % 2, host: `gpu-${i >> 1}`, pod: `train-${i}` })),
      alter: (sample, _, gpu) => (gpu >> 1 === bad ? zeros(sample) : sample),
    };
  },
  'profiling counters: all zero while it works': ({ draw }) => {
    const work = training(draw);
    return {
      accepted: ['profiling-counters-blind'],
      load: () => work,
      layouts: ['exporter', 'prometheus', 'dcgmi'],
      alter: (sample) => ({
        ...sample,
        ...Object.fromEntries(profiling.map((metric) => [metric, 0])),
        rxpci: 0,
        txpci: 0,
        nvrx: 0,
        nvtx: 0,
      }),
    };
  },
  'profiling counters: zero for a part of the time': ({ draw, seconds }) => {
    const work = training(draw);
    const from = seconds * draw(0.15, 0.3);
    return {
      accepted: ['profiling-counters-blind'],
      load: () => work,
      layouts: ['exporter', 'prometheus', 'dcgmi'],
      alter: (sample, t) =>
        t >= from && t < from + seconds * 0.5
          ? {
              ...sample,
              ...Object.fromEntries(profiling.map((metric) => [metric, 0])),
              rxpci: 0,
              txpci: 0,
              nvrx: 0,
              nvtx: 0,
            }
          : sample,
    };
  },
  'only utilisation, at 100': ({ draw }) => ({
    accepted: ['util-metric-not-exported'],
    load: () => ({ ...training(draw), sms: 0.1, heat: 0.2 }),
    layouts: ['query', 'exporter'],
    without: [
      'pwr',
      'limit',
      'default',
      'mem',
      'pclk',
      'gtemp',
      'mtemp',
      'top',
      'reasons',
      'rxpci',
      'txpci',
      'nvrx',
      'nvtx',
      ...profiling,
    ],
  }),
  'three samples of a saw tooth': (ground) => ({
    ...sawTooth(ground),
    accepted: ['series-too-short'],
    seconds: 3,
    step: 1,
    layouts: ['dmon', 'query'],
  }),
  'MIG, and nvidia-smi has no utilisation': ({ draw, board }) => {
    const work = training(draw);
    return {
      accepted: ['mig-no-util-counter'],
      board: { ...board, name: 'NVIDIA H100 80GB HBM3' },
      load: () => ({ ...work, heat: work.heat * 0.4 }),
      layouts: ['dmon', 'query'],
      mig: true,
    };
  },
  'power cap takes half of the clock': ({ draw }) => {
    const work = { ...training(draw), heat: draw(3.6, 6) };
    return {
      accepted: ['power-throttle'],
      needs: ['reasons', 'pclk', 'top', 'pwr', 'limit', 'default'],
      load: () => work,
    };
  },
  'power limit below that of the board': ({ draw }) => {
    const [work, limit] = [{ ...training(draw), heat: draw(0.95, 1.2) }, draw(0.45, 0.75)];
    return {
      accepted: ['power-limit-lowered'],
      needs: ['reasons', 'limit', 'default', 'pwr', 'pclk'],
      load: () => work,
      rig: () => ({ limit }),
    };
  },
  'application clocks set low': ({ draw }) => {
    const [work, clocks] = [training(draw), draw(0.4, 0.78)];
    return {
      accepted: ['application-clocks-lowered'],
      needs: ['reasons', 'pclk', 'top'],
      load: () => work,
      rig: () => ({ clocks }),
    };
  },
  'power brake, all the time': ({ draw }) => {
    const [work, brake] = [training(draw), draw(0.2, 0.5)];
    return { accepted: ['power-brake-slowdown'], needs: ['reasons', 'pclk'], load: () => work, rig: () => ({ brake }) };
  },
  'power brake, in pulses': ({ draw }) => {
    const [work, brake, period] = [training(draw), draw(0.2, 0.5), draw(25, 45)];
    return {
      accepted: ['power-brake-slowdown'],
      needs: ['reasons', 'pclk'],
      load: () => work,
      rig: (t): Rig => (t % period < period * 0.3 ? { brake } : {}),
    };
  },
  'a fan that stops': ({ draw, seconds }) => {
    const [work, from, air] = [{ ...training(draw), heat: draw(0.85, 1) }, seconds * draw(0.1, 0.3), draw(58, 70)];
    return {
      accepted: ['thermal-throttle'],
      needs: ['reasons', 'pclk', 'gtemp'],
      load: () => work,
      rig: (t) => ({ air: t > from ? air : 27 }),
    };
  },
  'a hot GPU of several that go on together': ({ draw, gpus }) => {
    const work = { ...training(draw), heat: draw(0.85, 1) };
    return {
      accepted: ['thermal-throttle', 'straggler-gpu'],
      needs: ['reasons', 'pclk', 'gtemp'],
      gpus: Math.max(4, gpus),
      together: true,
      load: () => work,
      rig: (_, gpu) => ({ air: gpu === 2 ? 66 : 27 }),
    };
  },
  'a weak GPU of several that go on together': ({ draw, gpus }) => {
    const [work, weak] = [training(draw), draw(0.5, 0.78)];
    return {
      accepted: ['straggler-gpu'],
      needs: ['pclk', 'pwr'],
      gpus: Math.max(4, gpus),
      together: true,
      load: () => work,
      rig: (_, gpu): Rig => (gpu === 1 ? { weak } : {}),
    };
  },
  'PCIe with half of its lanes': ({ draw }) => {
    const [work, width] = [training(draw), draw(0, 1) < 0.5 ? 8 : 4];
    return { accepted: ['pcie-link-degraded'], needs: ['width', 'widthMax'], load: () => work, rig: () => ({ width }) };
  },
  'PCIe of the first generation under load': ({ draw }) => {
    const [work, gen] = [training(draw), draw(0, 1) < 0.5 ? 1 : 2];
    return { accepted: ['pcie-link-degraded'], needs: ['gen', 'genMax'], load: () => work, rig: () => ({ gen }) };
  },
  'PCIe replays that grow': ({ draw }) => {
    const [work, rate, first] = [training(draw), draw(0.5, 40), Math.round(draw(0, 200))];
    return {
      accepted: ['pcie-link-degraded'],
      needs: ['pci'],
      load: () => work,
      alter: (sample, t) => ({ ...sample, pci: first + Math.round(rate * t) }),
    };
  },
  'an uncorrectable memory error': ({ draw, seconds, gpus }) => {
    const [work, at, bad] = [training(draw), seconds * draw(0.3, 0.7), Math.floor(draw(0, gpus))];
    return {
      accepted: ['uncorrectable-ecc'],
      needs: ['dbeccNow'],
      load: (t) => (t > at + 3 ? resting(work) : work),
      alter: (sample, t, gpu) => (t >= at && gpu === bad ? { ...sample, dbeccNow: 2, dbecc: 2, xid: 48 } : sample),
    };
  },
  'a row that waits for a reset': ({ draw, seconds }) => {
    const [work, at] = [training(draw), seconds * draw(0.3, 0.6)];
    return {
      accepted: ['row-remap-pending-needs-reset'],
      needs: ['remapPending'],
      load: () => work,
      alter: (sample, t, gpu) => (t >= at && gpu === 0 ? { ...sample, remapPending: 1 } : sample),
    };
  },
  'a row that could not be remapped': ({ draw }) => {
    const work = training(draw);
    return {
      accepted: ['row-remap-failure-rma'],
      needs: ['remapFailed'],
      load: () => work,
      alter: (sample, _, gpu) => (gpu === 0 ? { ...sample, remapFailed: 1 } : sample),
    };
  },
  'off the bus': ({ draw, seconds }) => {
    const [work, at] = [training(draw), seconds * draw(0.4, 0.7)];
    return {
      accepted: ['gpu-fell-off-bus-power'],
      needs: ['xid'],
      load: () => work,
      alter: (sample, t, gpu) => (t >= at && gpu === 0 ? { ...sample, xid: 79 } : sample),
    };
  },
  'NVLink errors that grow': ({ draw, gpus, board }) => {
    const [work, rate] = [training(draw), draw(1, 60)];
    return {
      accepted: ['nvlink-fault'],
      needs: ['crc'],
      board: { ...board, nvlink: true },
      gpus: Math.max(2, gpus),
      load: () => work,
      alter: (sample, t, gpu) =>
        gpu === 1 ? { ...sample, crc: Math.round(rate * t), nvReplays: Math.round(rate * t * 0.8) } : sample,
    };
  },
  'MIG instances of one job, one works': ({ draw }) => {
    const [work, count] = [training(draw), Math.floor(draw(3, 8))];
    return {
      accepted: ['mig-instances-imbalanced'],
      needs: ['gract'],
      gpus: count,
      layouts: ['exporter', 'prometheus'],
      names: Array.from({ length: count }, (_, i) => ({ gpu: 0, instance: i + 7, profile: '1g.10gb', pod: 'train-0' })),
      load: (_, gpu) => (gpu === 1 ? work : { ...nothing, held: 0.3 }),
    };
  },
  'MPS clients, one has nearly all': ({ draw }) => {
    const work = training(draw);
    return {
      accepted: ['mps-clients-imbalanced'],
      gpus: 1,
      load: () => work,
      layouts: ['dmon'],
      processes: () => [
        { pid: 5101, name: 'python3', type: 'M+C', sm: draw(88, 96), mem: 30 },
        ...[5102, 5103, 5104].map((pid) => ({ pid, name: 'python3', type: 'M+C', sm: draw(0, 2), mem: 0 })),
      ],
    };
  },
  'input: nothing tells why': (ground) => ({
    ...sawTooth(ground),
    accepted: ['input-pipeline-bound', 'cpu-bound'],
    needs: ['sm'],
    fine: true,
  }),
  'input: the loaders are full': (ground) => ({
    ...sawTooth(ground),
    accepted: ['input-pipeline-bound'],
    needs: ['sm'],
    fine: true,
    gpus: 1,
    processes: python,
    beside: [
      topText([
        ...[1, 2, 3, 4].map((i) => [42_000 + i, ground.draw(93, 100), 'python3'] as const),
        [41_000, ground.draw(10, 30), 'python3'],
      ]),
    ],
  }),
  'CPU: one thread is full and the loaders rest': (ground) => ({
    ...sawTooth(ground),
    accepted: ['cpu-bound'],
    needs: ['sm'],
    fine: true,
    gpus: 1,
    processes: python,
    beside: [
      topText([
        [41_000, ground.draw(97, 101), 'python3'],
        ...[1, 2, 3, 4].map((i) => [42_000 + i, ground.draw(0, 2), 'python3'] as const),
      ]),
    ],
  }),
  'encoder is full': ({ draw }) => {
    const work = {
      ...training(draw),
      duty: draw(0.12, 0.45),
      sms: 0.5,
      tensor: 0,
      heat: 0.3,
      dram: 0.2,
      nv: 0,
      enc: draw(0.955, 1),
      dec: draw(0.1, 0.5),
    };
    return { accepted: ['encoder-bound'], needs: ['enc'], load: () => work };
  },
  'decoder is full': ({ draw }) => {
    const work = {
      ...training(draw),
      duty: draw(0.12, 0.4),
      sms: 0.5,
      tensor: 0,
      heat: 0.3,
      dram: 0.2,
      nv: 0,
      enc: 0,
      dec: draw(0.96, 1),
    };
    return { accepted: ['encoder-bound'], needs: ['dec'], load: () => work };
  },
  'NVLink is there and PCIe is used': ({ draw, gpus, board }) => {
    const work = {
      ...training(draw),
      rx: draw(4000, 12_000),
      tx: draw(4000, 12_000),
      nv: 0,
      heat: draw(0.3, 0.5),
      tensor: draw(0.1, 0.25),
    };
    return {
      accepted: ['nvlink-idle-multi-gpu'],
      needs: ['nvrx', 'nvtx', 'rxpci', 'txpci'],
      board: { ...board, nvlink: true },
      gpus: Math.max(2, gpus),
      load: () => work,
    };
  },
  'a kernel that hangs': ({ draw, seconds }) => {
    const [work, at] = [training(draw), draw(0, 1) < 0.5 ? 0 : seconds * 0.2];
    const stuck = { ...nothing, duty: 1, sms: draw(0.01, 1), occ: 0.02, held: 0.6, wander: 0.002 };
    return {
      accepted: ['hung-kernel-app-deadlock'],
      needs: ['pwr', 'mem', 'sm', 'rxpci'],
      gpus: 1,
      seconds: 360,
      load: (t) => (t < at ? work : stuck),
      processes: () => [{ pid: 41_007, name: 'solver', sm: 99, mem: 0 }],
      says: /solver|41007/,
    };
  },
  'a collective that nobody leaves': ({ draw, gpus, seconds }) => {
    const [work, at] = [training(draw), draw(0, 1) < 0.5 ? 0 : seconds * 0.2];
    const stuck = { ...nothing, duty: 1, sms: draw(0.05, 0.2), occ: 0.03, held: 0.7, wander: 0.002 };
    return {
      accepted: ['collective-hang'],
      needs: ['pwr', 'mem', 'sm', 'rxpci'],
      gpus: Math.max(4, gpus),
      seconds: 360,
      load: (t) => (t < at ? work : stuck),
    };
  },
  'a collective without one rank': ({ draw, gpus }) => {
    const stuck = { ...nothing, duty: 1, sms: draw(0.05, 0.2), occ: 0.03, held: 0.7, wander: 0.002 };
    return {
      accepted: ['collective-hang'],
      needs: ['pwr', 'mem', 'sm', 'rxpci'],
      gpus: Math.max(4, gpus),
      seconds: 300,
      load: (_, gpu) => (gpu === 2 ? { ...nothing, held: 0.7 } : stuck),
    };
  },
  'copies and kernels take turns': ({ draw }) => {
    const [work, period, rate] = [training(draw), draw(6, 16), draw(8000, 22_000)];
    return {
      accepted: ['host-offload-copy-bound'],
      needs: ['sm', 'rxpci', 'txpci'],
      fine: true,
      load: (t) => {
        const duty = partOf(t, period, period * 0.5);
        const out = partOf(t, period, period * 0.25, period * 0.25);
        return { ...work, duty, nv: 0, rx: (1 - duty) * rate, tx: out * rate * 0.8, held: 0.92 };
      },
    };
  },
  'small grids': ({ draw }) => {
    const work = {
      ...training(draw),
      sms: draw(0.02, 0.17),
      occ: 0.02,
      tensor: 0,
      dram: 0.02,
      heat: draw(0.05, 0.14),
      nv: 0,
    };
    return { accepted: ['busy-label-idle-sms', 'block-size-too-small'], needs: ['smact', 'sm'], load: () => work };
  },
  'launches set the pace': ({ draw }) => {
    const work = {
      ...training(draw),
      duty: draw(0.82, 0.93),
      sms: draw(0.12, 0.25),
      occ: 0.05,
      tensor: 0.04,
      dram: 0.06,
      heat: draw(0.12, 0.2),
      nv: 0,
      rx: 20,
    };
    return {
      accepted: ['launch-bound-needs-cuda-graphs', 'busy-label-idle-sms'],
      needs: ['smact', 'sm', 'gract'],
      load: () => ({ ...work, duty: work.duty + draw(-0.03, 0.03) }),
    };
  },
  'pages go to and fro': ({ draw }) => {
    const rate = draw(4000, 20_000);
    const work = {
      ...training(draw),
      sms: draw(0.85, 0.98),
      tensor: 0,
      dram: 0.03,
      heat: draw(0.05, 0.12),
      rx: rate,
      tx: rate * draw(0.7, 1),
      nv: 0,
    };
    return {
      accepted: ['managed-memory-page-faults'],
      needs: ['sm', 'mem', 'rxpci', 'txpci', 'pwr'],
      load: () => work,
    };
  },
  'matrix work without tensor cores': ({ draw }) => {
    const work = { ...training(draw), tensor: 0, fp32: draw(0.55, 0.85), dram: draw(0.1, 0.3), sms: draw(0.88, 0.98) };
    return { accepted: ['tensor-cores-idle'], needs: ['tensor', 'fp32', 'smact', 'sm', 'dram'], load: () => work };
  },
  'memory held and nobody there': ({ draw }) => {
    const held = draw(0.3, 0.95);
    return {
      accepted: ['gpu-memory-held-by-orphans'],
      needs: ['fb', 'sm'],
      load: () => ({ ...nothing, held }),
      processes: () => [],
      layouts: ['dmon', 'query'],
    };
  },
  'one rank waits for input': ({ draw, gpus }) => {
    const [work, period] = [training(draw), draw(6, 14)];
    return {
      accepted: ['straggler-rank-input'],
      needs: ['sm', 'pwr'],
      fine: true,
      gpus: Math.max(4, gpus),
      load: (t, gpu) => {
        const on = partOf(t, period, period * 0.5);
        if (gpu === 1) return { ...work, duty: on };
        return {
          ...work,
          heat: work.heat * on,
          sms: 0.1 + work.sms * 0.9 * on,
          tensor: work.tensor * on,
          dram: work.dram * on,
          nv: work.nv * on,
        };
      },
    };
  },
};

function zeros(sample: Sample): Sample {
  return Object.fromEntries(Object.keys(sample).map((key) => [key, sample[key] === null ? null : 0]));
}
