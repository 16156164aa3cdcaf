// What happens to machines and to those who measure them on odd days: shared GPUs, virtual GPUs, limits set on purpose,
// jobs that end, clocks that jump, counters that start again, columns that nobody asked for. The truth of each stands
// beside it; the text knows nothing of how series are judged.
import type { Board, Load, Rig, Sample } from './series-machine.ts';
import { boards, nothing, runMachine } from './series-machine.ts';
import { randomOf } from './series-random.ts';
import type { ServerSeries } from './series-render.ts';
import { burstsOf, partOf, training } from './series-scenarios.ts';
import type { Measured, Named, Process, Wear } from './series-texts.ts';
import {
  clockAt,
  exportedSeries,
  machineDcgmi,
  machineDmon,
  machineExporter,
  machinePmon,
  machineQuery,
  queryCarries,
} from './series-texts.ts';

export interface Told {
  readonly texts?: readonly string[];
  readonly beside?: readonly string[];
  readonly server?: readonly ServerSeries[];
  readonly step?: number;
  readonly seconds?: number;
}

export interface OddDay {
  /** Causes of which one must lead; `ok` and `cannot-tell` are any with that status. */
  readonly accepted: readonly string[];
  readonly healthy: boolean;
  readonly make: (draw: (low: number, high: number) => number, seed: number) => Told;
}

type Draw = (low: number, high: number) => number;

interface Run {
  readonly board?: Board;
  readonly gpus?: number;
  readonly seconds: number;
  readonly step?: number;
  readonly load: (t: number, gpu: number) => Load;
  readonly rig?: (t: number, gpu: number) => Rig;
  readonly together?: boolean;
  readonly names?: readonly Named[];
  readonly mig?: boolean;
  readonly alter?: (sample: Sample, t: number, gpu: number) => Sample | null;
}

const [h100, a100, l40s] = [boards[0]!, boards[1]!, boards[2]!];
const vgpu: Board = { ...a100, name: 'GRID A100D-20C', size: 20_480, nvlink: false };
const wearOf = (seed: number): Wear => ({ seed, lostRows: 0.004, lostCells: 0.002, ahead: 0 });

function measure(seed: number, run: Run): Measured {
  const { board = h100, gpus = 1, seconds, step = 1, load, rig, together = false, alter } = run;
  const samples = runMachine({
    board,
    gpus,
    seconds,
    step,
    seed,
    load,
    together,
    ...(rig === undefined ? {} : { rig }),
  }).map((list, gpu) => list.map((sample, at) => (alter === undefined ? sample : alter(sample, at * step, gpu))));
  const names = run.names ?? Array.from({ length: gpus }, (_, gpu) => ({ gpu, pod: 'train-0' }));
  return { samples, names, board: board.name, step, mig: run.mig === true };
}

function serverOf(measured: Measured, without: readonly string[] = []): readonly ServerSeries[] {
  const from = Date.parse(clockAt(0)) / 1000;
  return exportedSeries(measured, without, false).map(({ name, labels, at }) => ({
    metric: { __name__: name, instance: `${labels['Hostname']}:9400`, job: 'dcgm-exporter', ...labels },
    values: measured.samples[0]!.flatMap((_, index): readonly (readonly [number, string])[] => {
      const value = at(index);
      return value === null ? [] : [[from + index * measured.step, String(value)]];
    }),
  }));
}

const dmon = (measured: Measured, seed: number, sets = 'pucvmet', time: '' | 'T' | 'DT' = 'DT'): string =>
  machineDmon(measured, 'r590', sets, time, wearOf(seed));
const query = (measured: Measured, seed: number, without: readonly string[] = []): string =>
  machineQuery(measured, without, true, wearOf(seed));
const exporter = (measured: Measured, seed: number, without: readonly string[] = []): string =>
  machineExporter(measured, without, false, 1, wearOf(seed));
const dcgmi = (measured: Measured, seed: number): string => machineDcgmi(measured, wearOf(seed));

/** The clock of the rows of `dmon -o DT`, moved by some seconds from a row on. */
function moved(text: string, from: number, by: number, until = Infinity): string {
  return text
    .split('\n')
    .map((line) => {
      const found = /^ (\d{4})(\d\d)(\d\d) {3}(\d\d:\d\d:\d\d)/.exec(line);
      if (found === null) return line;
      const at = Date.parse(`${found[1]}-${found[2]}-${found[3]}T${found[4]}Z`);
      const since = (at - Date.parse(clockAt(0))) / 1000;
      if (since < from || since >= until) return line;
      const then = new Date(at + 1000 * by).toISOString();
      return ` ${then.slice(0, 10).replaceAll('-', '')}   ${then.slice(11, 19)}${line.slice(found[0].length)}`;
    })
    .join('\n');
}

/** Rows of a kernel log of the machine, by seconds from the start. */
function journal(rows: readonly (readonly [number, string])[]): string {
  return rows.map(([at, text]) => `${clockAt(at).slice(0, 19)}+00:00 node-a kernel: ${text}`).join('\n') + '\n';
}

function seen(processes: readonly (readonly Process[])[]): string {
  return machinePmon(processes, 3);
}

const rest = (load: Load, held = load.held): Load => ({ ...nothing, held });
const spins = (load: Load): Load => ({
  ...load,
  sms: 0.06,
  occ: 0.02,
  tensor: 0,
  dram: 0.003,
  fp32: 0.01,
  heat: 0.01,
  rx: 2,
  tx: 2,
  nv: 0,
  wander: 0.004,
});
/** Steps with a wait before each. */
const waits = (load: Load, t: number, period: number, on: number, phase = 0): Load => {
  const duty = partOf(t, period, on, phase);
  return { ...load, duty, rx: load.rx + 400 * (1 - duty), nv: load.nv * duty };
};
const instances = (count: number, profile: string): readonly Named[] =>
  Array.from({ length: count }, (_, at) => ({ gpu: 0, instance: at + 7, profile, pod: `tenant-${at}` }));
const parted = ['pwr', 'pclk', 'gtemp', 'limit', 'reasons', 'pci', 'xid', 'enc', 'dec'];
/** An instance shares clock and watts with the others of its GPU, and a table of instances has no utilisation. */
const slice = (sample: Sample): Sample => ({ ...sample, sm: null, mem: null, enc: null, dec: null });
const steady = (draw: Draw): Load => training(draw);
const waitsForInput = ['input-pipeline-bound', 'cpu-bound'];
const wellUsed = ['ok-well-used', 'ok-compute-bound', 'ok-at-power-limit'];

export const oddDays: Readonly<Record<string, OddDay>> = {
  'MIG: a kernel of one instance hangs, the others work': {
    accepted: ['hung-kernel-app-deadlock', 'mig-instances-imbalanced', 'cannot-tell'],
    healthy: false,
    make: (draw, seed) => {
      const load = steady(draw);
      return {
        texts: [
          exporter(
            measure(seed, {
              gpus: 3,
              seconds: 400,
              names: instances(3, '2g.20gb'),
              load: (t, at) => (at === 1 && t > 60 ? spins(load) : load),
              alter: slice,
            }),
            seed,
            parted,
          ),
        ],
      };
    },
  },
  'MIG: one instance waits for input': {
    accepted: [...waitsForInput, 'cannot-tell'],
    healthy: false,
    make: (draw, seed) => {
      const [load, period] = [steady(draw), draw(7, 12)];
      return {
        texts: [
          exporter(
            measure(seed, {
              gpus: 3,
              seconds: 300,
              names: instances(3, '2g.20gb'),
              load: (t, at) => (at === 2 ? waits(load, t, period, period * 0.4) : load),
              alter: slice,
            }),
            seed,
            parted,
          ),
        ],
      };
    },
  },
  'MIG: instances made anew between two jobs': {
    accepted: ['ok'],
    healthy: true,
    make: (draw, seed) => {
      const load = steady(draw);
      const first = measure(seed, {
        gpus: 4,
        seconds: 240,
        names: instances(4, '1g.10gb'),
        load: () => load,
        alter: slice,
      });
      const second = measure(seed + 1, {
        gpus: 2,
        seconds: 240,
        names: instances(2, '3g.40gb').map((each) => ({ ...each, instance: each.instance! - 6 })),
        load: () => load,
        alter: slice,
      });
      return { texts: [exporter(first, seed, parted) + exporter(second, seed, parted)] };
    },
  },
  'MPS: many clients, each with a grid that fills nothing': {
    accepted: ['busy-label-idle-sms', 'block-size-too-small', 'launch-bound-needs-cuda-graphs'],
    healthy: false,
    make: (draw, seed) => {
      const sms = draw(0.08, 0.2);
      const load = { ...nothing, duty: 1, sms, occ: sms * 0.3, dram: 0.04, fp32: 0.03, heat: 0.08, rx: 40, held: 0.4 };
      return {
        texts: [
          dcgmi(measure(seed, { seconds: 300, load: () => load }), seed),
          seen([
            [
              { pid: 900, name: 'nvidia-cuda-mps', type: 'C' },
              ...[1, 2, 3, 4].map((at) => ({ pid: 1000 + at, name: 'python3', type: 'M+C', sm: 24, mem: 1 })),
            ],
          ]),
        ],
      };
    },
  },
  'MPS: requests in bursts of several clients': {
    accepted: ['ok-bursty-inference', 'ok-idle-inference'],
    healthy: true,
    make: (draw, seed) => {
      const load = { ...steady(draw), sms: 0.5, heat: 0.35, nv: 0, wander: 0.06 };
      const bursts = burstsOf(draw, 600, 6, 5);
      return {
        texts: [
          dmon(measure(seed, { seconds: 600, load: (t) => ({ ...load, duty: bursts[t]! }) }), seed),
          seen([
            [
              { pid: 900, name: 'nvidia-cuda-mps', type: 'C' },
              ...[1, 2, 3].map((at) => ({ pid: 1000 + at, name: 'tritonserver', type: 'M+C', sm: 14, mem: 5 })),
            ],
          ]),
        ],
      };
    },
  },
  'vGPU: a guest that waits for input, without watts and heat': {
    accepted: waitsForInput,
    healthy: false,
    make: (draw, seed) => {
      const [load, period] = [steady(draw), draw(8, 14)];
      return {
        texts: [
          query(
            measure(seed, {
              board: vgpu,
              seconds: 400,
              load: (t) => waits(load, t, period, period * 0.45),
              alter: (sample) => ({ ...sample, pwr: null, limit: null, default: null, gtemp: null, reasons: null }),
            }),
            seed,
            ['gen', 'genMax', 'width', 'widthMax'],
          ),
        ],
      };
    },
  },
  'vGPU: a guest without any utilisation': {
    accepted: ['cannot-tell'],
    healthy: true,
    make: (draw, seed) => {
      const load = steady(draw);
      return {
        texts: [
          query(
            measure(seed, {
              board: vgpu,
              seconds: 200,
              load: () => load,
              alter: (sample) => ({ fb: sample['fb']!, size: sample['size']!, pclk: sample['pclk']!, top: 1410 }),
            }),
            seed,
          ),
        ],
      };
    },
  },
  'vGPU: a guest that is busy': {
    accepted: ['ok', 'cannot-tell'],
    healthy: true,
    make: (draw, seed) => {
      const load = steady(draw);
      return {
        texts: [
          dmon(
            measure(seed, {
              board: vgpu,
              seconds: 300,
              load: () => load,
              alter: (sample) => ({ ...sample, pwr: null, gtemp: null, mtemp: null, rxpci: null, txpci: null }),
            }),
            seed,
            'pum',
          ),
        ],
      };
    },
  },
  'power capped by the operator in the middle of a job': {
    accepted: ['power-limit-lowered', 'power-throttle'],
    healthy: false,
    make: (draw, seed) => {
      const [load, at, limit] = [{ ...steady(draw), heat: 0.92 }, draw(120, 200), draw(0.5, 0.65)];
      return {
        texts: [
          query(
            measure(seed, { gpus: 2, seconds: 400, load: () => load, rig: (t) => (t > at ? { limit } : {}) }),
            seed,
          ),
        ],
      };
    },
  },
  'power capped by the operator, and nothing reaches the cap': {
    accepted: ['ok'],
    healthy: true,
    make: (draw, seed) => {
      const load = { ...steady(draw), heat: draw(0.25, 0.35), dram: 0.82, sms: 0.9, tensor: 0.05 };
      return {
        texts: [query(measure(seed, { gpus: 2, seconds: 300, load: () => load, rig: () => ({ limit: 0.8 }) }), seed)],
        // What tells that it works is not in this layout; the memory is.
      };
    },
  },
  'power capped on one GPU of eight': {
    accepted: ['power-limit-lowered', 'power-throttle', 'straggler-gpu'],
    healthy: false,
    make: (draw, seed) => {
      const load = { ...steady(draw), heat: 0.9 };
      const slow = Math.floor(draw(0, 8));
      return {
        texts: [
          query(
            measure(seed, {
              gpus: 8,
              seconds: 200,
              load: () => load,
              rig: (_, gpu) => (gpu === slow ? { limit: 0.45 } : {}),
              together: true,
            }),
            seed,
          ),
        ],
      };
    },
  },
  'clocks locked low on purpose, no reasons asked for': {
    accepted: ['application-clocks-lowered', 'cannot-tell', 'ok'],
    healthy: true,
    make: (draw, seed) => {
      const [load, clocks] = [{ ...steady(draw), heat: 0.7 }, draw(0.6, 0.8)];
      return {
        texts: [
          dmon(measure(seed, { gpus: 2, seconds: 300, load: () => load, rig: () => ({ clocks }) }), seed, 'pucm'),
        ],
      };
    },
  },
  'clocks locked low on purpose, with the reason': {
    accepted: ['application-clocks-lowered'],
    healthy: false,
    make: (draw, seed) => {
      const [load, clocks] = [{ ...steady(draw), heat: 0.7 }, draw(0.5, 0.75)];
      return {
        texts: [query(measure(seed, { gpus: 4, seconds: 300, load: () => load, rig: () => ({ clocks }) }), seed)],
      };
    },
  },
  'air conditioning fails in the second half': {
    accepted: ['thermal-throttle'],
    healthy: false,
    make: (draw, seed) => {
      const [load, at] = [{ ...steady(draw), heat: 0.95 }, draw(220, 300)];
      return {
        texts: [
          query(
            measure(seed, {
              gpus: 8,
              seconds: 600,
              load: () => load,
              rig: (t) => ({ air: t < at ? 26 : Math.min(52, 26 + (t - at) / 3) }),
              together: true,
            }),
            seed,
          ),
        ],
      };
    },
  },
  'heat without a column of utilisation': {
    accepted: ['thermal-throttle', 'cannot-tell'],
    healthy: false,
    make: (draw, seed) => {
      const load = { ...steady(draw), heat: 0.95 };
      return {
        texts: [
          dmon(measure(seed, { gpus: 2, seconds: 400, load: () => load, rig: () => ({ air: 50 }) }), seed, 'pcv'),
        ],
      };
    },
  },
  'only watts and heat were asked for': {
    accepted: ['ok', 'cannot-tell'],
    healthy: true,
    make: (draw, seed) => {
      const load = steady(draw);
      return { texts: [dmon(measure(seed, { gpus: 2, seconds: 300, load: () => load }), seed, 'p')] };
    },
  },
  'only memory was asked for, and the job waits for input': {
    accepted: ['cannot-tell'],
    healthy: false,
    make: (draw, seed) => {
      const load = steady(draw);
      const keep = ['fb', 'size'];
      return {
        texts: [
          query(
            measure(seed, { gpus: 2, seconds: 300, load: (t) => waits(load, t, 9, 4) }),
            seed,
            queryCarries([]).filter((metric) => !keep.includes(metric)),
          ),
        ],
      };
    },
  },
  'a job that ended, then nothing': {
    accepted: ['ok'],
    healthy: true,
    make: (draw, seed) => {
      const [load, at] = [steady(draw), draw(150, 250)];
      return {
        texts: [dmon(measure(seed, { gpus: 4, seconds: 600, load: (t) => (t < at ? load : rest(load, 0)) }), seed)],
      };
    },
  },
  'a node that was drained in the middle of a job': {
    accepted: ['ok'],
    healthy: true,
    make: (draw, seed) => {
      const [load, at] = [steady(draw), 300];
      const measured = measure(seed, { gpus: 4, seconds: 600, step: 5, load: (t) => (t < at ? load : rest(load, 0)) });
      return { server: serverOf(measured), step: 5, seconds: 600 };
    },
  },
  'a job that ended and left its memory behind': {
    accepted: ['gpu-memory-held-by-orphans'],
    healthy: false,
    make: (draw, seed) => {
      const [load, at] = [steady(draw), draw(100, 160)];
      return {
        texts: [
          query(measure(seed, { gpus: 2, seconds: 500, load: (t) => (t < at ? load : rest(load)) }), seed),
          seen([[], []]),
        ],
      };
    },
  },
  'a notebook that is used now and then': {
    accepted: ['ok', 'cannot-tell'],
    healthy: true,
    make: (draw, seed) => {
      const load = { ...steady(draw), sms: 0.4, heat: 0.3, nv: 0, held: 0.5 };
      const used = burstsOf(draw, 900, 90, 8);
      return {
        texts: [
          dmon(measure(seed, { seconds: 900, load: (t) => ({ ...load, duty: used[t]! }) }), seed),
          seen([[{ pid: 77_120, name: 'python3', sm: 0, mem: 0 }]]),
        ],
      };
    },
  },
  'a program with an illegal access ends its job': {
    accepted: ['illegal-access-app-bug'],
    healthy: false,
    make: (draw, seed) => {
      const [load, at] = [steady(draw), 180];
      return {
        texts: [dmon(measure(seed, { gpus: 2, seconds: 400, load: (t) => (t < at ? load : rest(load, 0)) }), seed)],
        beside: [
          journal([
            [
              at,
              'NVRM: Xid (PCI:0000:1a:00): 31, pid=48211, name=python3, Ch 00000008, intr 00000000. MMU Fault: ENGINE GRAPHICS GPCCLIENT_T1_0 faulted @ 0x7f2c_4a000000. Fault is of type FAULT_PDE ACCESS_TYPE_VIRT_READ',
            ],
          ]),
        ],
      };
    },
  },
  'one GPU of eight is gone from a moment on': {
    accepted: ['gpu-fell-off-bus-power', 'gpu-fell-off-bus', 'gpu-needs-reset', 'pcie-link-degraded'],
    healthy: false,
    make: (draw, seed) => {
      const [load, at] = [steady(draw), 200];
      return {
        texts: [
          dmon(
            measure(seed, {
              gpus: 8,
              seconds: 300,
              load: (t) => (t < at ? load : spins(load)),
              alter: (sample, t, gpu) => (gpu === 3 && t >= at ? null : sample),
            }),
            seed,
          ),
        ],
        beside: [
          journal([
            [at, 'NVRM: Xid (PCI:0000:16:00): 79, pid=48211, name=python3, GPU has fallen off the bus.'],
            [at, 'NVRM: GPU 0000:16:00.0: GPU has fallen off the bus.'],
          ]),
        ],
      };
    },
  },
  'two jobs that take turns on a GPU, ten minutes each': {
    accepted: ['ok'],
    healthy: true,
    make: (draw, seed) => {
      const loads = [steady(draw), { ...steady(draw), heat: 0.4, held: 0.3 }];
      return {
        texts: [
          dmon(measure(seed, { seconds: 2400, step: 5, load: (t) => loads[Math.floor(t / 600) % 2]! }), seed, 'pucm'),
        ],
      };
    },
  },
  'two jobs that take turns on a GPU, with a minute between them': {
    accepted: ['ok'],
    healthy: true,
    make: (draw, seed) => {
      const loads = [steady(draw), { ...steady(draw), heat: 0.45, held: 0.3 }];
      const pause = draw(40, 80);
      const load = (t: number): Load => (t % 600 < 600 - pause ? loads[Math.floor(t / 600) % 2]! : rest(loads[0]!, 0));
      const measured = measure(seed, { seconds: 3600, step: 15, load });
      return { server: serverOf(measured), step: 15, seconds: 3600 };
    },
  },
  'two jobs that take turns on a GPU, some seconds each': {
    accepted: ['ok'],
    healthy: true,
    make: (draw, seed) => {
      const loads = [steady(draw), { ...steady(draw), heat: 0.4, sms: 0.7 }];
      const turn = draw(8, 14);
      return {
        texts: [
          dmon(measure(seed, { seconds: 600, load: (t) => loads[Math.floor(t / turn) % 2]! }), seed, 'pucm'),
          seen([
            [
              { pid: 501, name: 'python3', sm: 49, mem: 20 },
              { pid: 502, name: 'python3', sm: 49, mem: 12 },
            ],
          ]),
        ],
      };
    },
  },
  'a pod follows another on one GPU, and its label changes': {
    accepted: ['ok'],
    healthy: true,
    make: (draw, seed) => {
      const load = steady(draw);
      const server = ['train-a', 'train-b'].flatMap((pod, at) =>
        serverOf(
          measure(seed, {
            seconds: 1200,
            step: 15,
            load: () => load,
            names: [{ gpu: 0, pod }],
            alter: (sample, t) => (t < 600 === (at === 0) ? sample : null),
          }),
        ),
      );
      return { server, step: 15, seconds: 1200 };
    },
  },
  'an exporter that is restarted, with scrapes that are lost': {
    accepted: wellUsed,
    healthy: true,
    make: (draw, seed) => {
      const [load, at] = [steady(draw), draw(300, 600)];
      const measured = measure(seed, {
        gpus: 4,
        seconds: 1500,
        step: 15,
        load: () => load,
        alter: (sample, t) => (t > at && t < at + 60 ? null : sample),
      });
      return { server: serverOf(measured), step: 15, seconds: 1500 };
    },
  },
  'an exporter whose first scrapes after a restart are zero': {
    accepted: [...wellUsed, 'ok-training-with-evaluation', 'exporter-blind', 'profiling-counters-blind'],
    healthy: true,
    make: (draw, seed) => {
      const [load, at] = [steady(draw), draw(300, 600)];
      const zero = ['sm', 'mem', 'gract', 'smact', 'smocc', 'tensor', 'dram', 'rxpci', 'txpci', 'nvrx', 'nvtx'];
      const measured = measure(seed, {
        gpus: 2,
        seconds: 1500,
        step: 15,
        load: () => load,
        alter: (sample, t) =>
          t > at && t < at + 40 ? { ...sample, ...Object.fromEntries(zero.map((each) => [each, 0])) } : sample,
      });
      return { server: serverOf(measured), step: 15, seconds: 1500 };
    },
  },
  'counters that start again after the driver was loaded anew': {
    accepted: ['ok'],
    healthy: true,
    make: (draw, seed) => {
      const [load, at, old] = [steady(draw), draw(120, 200), Math.round(draw(20, 900))];
      return {
        texts: [
          dmon(
            measure(seed, {
              gpus: 2,
              seconds: 400,
              load: (t) => (t > at - 20 && t < at + 20 ? rest(load, 0) : load),
              alter: (sample, t) => ({ ...sample, pci: t < at ? old : 0, sbecc: t < at ? 3 : 0 }),
            }),
            seed,
          ),
        ],
      };
    },
  },
  'counters that start again and then grow': {
    accepted: ['pcie-link-degraded'],
    healthy: false,
    make: (draw, seed) => {
      const [load, at, every] = [steady(draw), draw(80, 140), draw(0.4, 1)];
      return {
        texts: [
          dmon(
            measure(seed, {
              gpus: 2,
              seconds: 500,
              load: () => load,
              alter: (sample, t, gpu) => ({
                ...sample,
                pci: t < at ? 5000 : gpu === 0 ? Math.floor((t - at) * every) : 0,
              }),
            }),
            seed,
          ),
        ],
      };
    },
  },
  'memory errors that cannot be corrected, after a counter started again': {
    accepted: ['uncorrectable-ecc', 'row-remap-pending-needs-reset'],
    healthy: false,
    make: (draw, seed) => {
      const [load, at] = [steady(draw), draw(60, 120)];
      return {
        texts: [
          query(
            measure(seed, {
              gpus: 2,
              seconds: 400,
              load: () => load,
              alter: (sample, t, gpu) => ({
                ...sample,
                dbeccNow: t < at ? 6 : gpu === 1 && t > at + 90 ? 2 : 0,
                dbecc: gpu === 1 && t > at + 90 ? 8 : 6,
              }),
            }),
            seed,
          ),
        ],
      };
    },
  },
  'the clock goes back an hour in autumn': {
    accepted: wellUsed,
    healthy: true,
    make: (draw, seed) => {
      const load = steady(draw);
      return {
        texts: [moved(dmon(measure(seed, { gpus: 2, seconds: 900, load: () => load }), seed, 'pucm'), 400, -3600)],
      };
    },
  },
  'the clock goes forward an hour in spring': {
    accepted: wellUsed,
    healthy: true,
    make: (draw, seed) => {
      const load = steady(draw);
      return {
        texts: [moved(dmon(measure(seed, { gpus: 2, seconds: 900, load: () => load }), seed, 'pucm'), 400, 3600)],
      };
    },
  },
  'the clock goes back an hour, and the job waits for input': {
    accepted: waitsForInput,
    healthy: false,
    make: (draw, seed) => {
      const [load, period] = [steady(draw), draw(7, 12)];
      const measured = measure(seed, { seconds: 700, load: (t) => waits(load, t, period, period * 0.45) });
      return { texts: [moved(dmon(measured, seed, 'pucm'), 300, -3600)] };
    },
  },
  'the clock goes back an hour while a kernel hangs': {
    accepted: ['hung-kernel-app-deadlock'],
    healthy: false,
    make: (draw, seed) => {
      const load = steady(draw);
      const measured = measure(seed, { seconds: 1200, load: (t) => (t < 100 ? load : spins(load)) });
      return { texts: [moved(dmon(measured, seed, 'pucmt'), 500, -3600)] };
    },
  },
  'the clock is set twice by half a minute': {
    accepted: wellUsed,
    healthy: true,
    make: (draw, seed) => {
      const load = steady(draw);
      const measured = measure(seed, { gpus: 2, seconds: 600, load: () => load });
      return { texts: [moved(dmon(measured, seed, 'pucm'), 200, 37, 380)] };
    },
  },
  'rank 0 writes checkpoints, the others wait in a collective': {
    accepted: ['ok'],
    healthy: true,
    make: (draw, seed) => {
      const [load, every, lasts] = [steady(draw), draw(150, 220), draw(12, 25)];
      const at = (t: number, gpu: number): Load =>
        t % every < every - lasts ? load : gpu === 0 ? { ...rest(load), tx: 5000 } : spins(load);
      return { texts: [dmon(measure(seed, { gpus: 4, seconds: 900, load: at }), seed)] };
    },
  },
  'rank 0 evaluates, the others wait in a collective': {
    accepted: ['ok'],
    healthy: true,
    make: (draw, seed) => {
      const [load, every, lasts] = [steady(draw), draw(280, 360), draw(40, 70)];
      const at = (t: number, gpu: number): Load =>
        t % every < every - lasts ? load : gpu === 0 ? { ...load, nv: 0, heat: load.heat * 0.6 } : spins(load);
      return { texts: [dmon(measure(seed, { gpus: 4, seconds: 1500, load: at }), seed)] };
    },
  },
  'evaluations with a lighter load': {
    accepted: ['ok'],
    healthy: true,
    make: (draw, seed) => {
      const load = steady(draw);
      const light = { ...load, heat: load.heat * 0.4, nv: 0, sms: load.sms * 0.6 };
      const measured = measure(seed, { gpus: 2, seconds: 3600, step: 15, load: (t) => (t % 900 < 720 ? load : light) });
      return { server: serverOf(measured), step: 15, seconds: 3600 };
    },
  },
  'a hang that the operator ended': {
    accepted: ['hung-kernel-app-deadlock', 'collective-hang'],
    healthy: false,
    make: (draw, seed) => {
      const [load, at] = [steady(draw), draw(100, 150)];
      const measured = measure(seed, {
        seconds: 1000,
        load: (t) => (t < at ? load : t < 700 ? spins(load) : rest(load, 0)),
      });
      return { texts: [dmon(measured, seed)] };
    },
  },
  'a job that starts again after each crash': {
    accepted: ['ok', 'cannot-tell'],
    healthy: true,
    make: (draw, seed) => {
      const load = steady(draw);
      const at = [300, 620, 1010, 1330].map((each) => each + draw(-40, 40));
      const down = (t: number): boolean => at.some((each) => t > each && t < each + 110);
      return {
        texts: [dmon(measure(seed, { gpus: 4, seconds: 1800, load: (t) => (down(t) ? rest(load, 0) : load) }), seed)],
      };
    },
  },
  'a language model that answers: memory sets the pace': {
    accepted: ['ok-memory-bound-well-used', 'ok-bursty-inference', 'ok-well-used'],
    healthy: true,
    make: (draw, seed) => {
      const load = { ...steady(draw), sms: 0.7, tensor: 0.05, dram: draw(0.65, 0.8), heat: 0.45, nv: 0, wander: 0.04 };
      return { texts: [dcgmi(measure(seed, { seconds: 400, load: () => load }), seed)] };
    },
  },
  'requests in bursts, scraped every fifteen seconds': {
    accepted: ['ok-bursty-inference', 'ok-idle-inference', 'cannot-tell'],
    healthy: true,
    make: (draw, seed) => {
      const load = { ...steady(draw), sms: 0.6, heat: 0.4, nv: 0, wander: 0.06 };
      const bursts = burstsOf(draw, 3700, 12, 9);
      const measured = measure(seed, {
        seconds: 3600,
        step: 15,
        load: (t) => ({ ...load, duty: bursts[t]! }),
        names: [{ gpu: 0, pod: 'llm-serving-7c9d' }],
      });
      return { server: serverOf(measured), step: 15, seconds: 3600 };
    },
  },
  'stalls of a second, scraped every fifteen seconds': {
    accepted: [...waitsForInput, 'cannot-tell'],
    healthy: false,
    make: (draw, seed) => {
      const [load, on] = [steady(draw), draw(0.5, 0.68)];
      const measured = measure(seed, {
        gpus: 2,
        seconds: 3600,
        step: 15,
        // The counters are means over the second, in which there are several stalls.
        load: () => ({ ...load, duty: on * draw(0.97, 1.03), nv: load.nv * on }),
      });
      return { server: serverOf(measured), step: 15, seconds: 3600 };
    },
  },
  'stalls of seconds, scraped every fifteen seconds by a gauge of one moment': {
    accepted: [...waitsForInput, 'cannot-tell'],
    healthy: false,
    make: (draw, seed) => {
      const [load, period, on] = [steady(draw), draw(5, 11), draw(0.4, 0.65)];
      const measured = measure(seed, {
        gpus: 2,
        seconds: 3600,
        step: 15,
        load: (t) => waits(load, t, period, period * on),
      });
      return { server: serverOf(measured), step: 15, seconds: 3600 };
    },
  },
  'a queue of jobs of minutes, scraped every fifteen seconds': {
    accepted: ['ok'],
    healthy: true,
    make: (draw, seed) => {
      const load = { ...steady(draw), held: 0.7 };
      const used = burstsOf(draw, 7300, 200, 400);
      const measured = measure(seed, { seconds: 7200, step: 15, load: (t) => ({ ...load, duty: used[t]! }) });
      return { server: serverOf(measured), step: 15, seconds: 7200 };
    },
  },
  'roll-outs on the CPU between steps of learning': {
    accepted: waitsForInput,
    healthy: false,
    make: (draw, seed) => {
      const [load, period] = [steady(draw), draw(14, 22)];
      const measured = measure(seed, {
        gpus: 2,
        seconds: 600,
        load: (t) => waits({ ...load, rx: 60 }, t, period, period * 0.35),
      });
      return { texts: [dmon(measured, seed)] };
    },
  },
  'two exporters tell of the same GPUs': {
    accepted: ['ok'],
    healthy: true,
    make: (draw, seed) => {
      const load = steady(draw);
      const measured = measure(seed, { gpus: 2, seconds: 900, step: 15, load: () => load });
      const one = serverOf(measured);
      const other = one.map(({ metric, values }) => ({
        metric: { ...metric, instance: '10.2.0.7:9400', job: 'gpu-operator' },
        values: values.map(([at, value]) => [at + 4, value] as const),
      }));
      return { server: [...one, ...other], step: 15, seconds: 900 };
    },
  },
  'a workstation with a desktop': {
    accepted: ['ok'],
    healthy: true,
    make: (draw, seed) => ({
      texts: [
        dmon(
          measure(seed, {
            board: l40s,
            seconds: 300,
            load: () => ({ ...nothing, duty: draw(0, 0.08), sms: 0.1, heat: 0.05, held: 0.02, rx: 5, tx: 1 }),
          }),
          seed,
        ),
        seen([
          [
            { pid: 2103, name: 'Xorg', type: 'G', sm: 3, mem: 1 },
            { pid: 2410, name: 'gnome-shell', type: 'G', sm: 2, mem: 1 },
          ],
        ]),
      ],
    }),
  },
};

export const oddNames: readonly string[] = Object.keys(oddDays);

/** What was measured on such a day; the same for a seed. */
export function oddDay(name: string, seed: number): Told {
  const random = randomOf(seed * 6007 + name.split('').reduce((sum, char) => (sum * 31 + char.charCodeAt(0)) | 0, 11));
  return oddDays[name]!.make((low, high) => low + (high - low) * random(), seed);
}
