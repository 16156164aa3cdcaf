// A machine with GPUs, second by second: power follows load and clocks, clocks follow the power cap, heat and what was set,
// and temperatures lag. It knows nothing of how series are judged.
import { randomOf } from './series-random.ts';

/** One sample: `null` is a value that the tool does not have. Percents from 0 to 100, MB/s, W, °C, MHz; `fb` in MiB. */
export type Sample = Readonly<Record<string, number | null>>;

/** A board: watts idle, watts while a kernel that does nothing spins, limit, clocks, memory. */
export interface Board {
  readonly name: string;
  readonly idle: number;
  readonly spin: number;
  readonly limit: number;
  readonly sm: number;
  readonly memory: number;
  readonly size: number;
  readonly nvlink: boolean;
  readonly gen: number;
}

export const boards: readonly Board[] = [
  {
    name: 'NVIDIA H100 80GB HBM3',
    idle: 72,
    spin: 130,
    limit: 700,
    sm: 1980,
    memory: 2619,
    size: 81_559,
    nvlink: true,
    gen: 5,
  },
  {
    name: 'NVIDIA A100-SXM4-80GB',
    idle: 55,
    spin: 95,
    limit: 400,
    sm: 1410,
    memory: 1593,
    size: 81_920,
    nvlink: true,
    gen: 4,
  },
  { name: 'NVIDIA L40S', idle: 34, spin: 85, limit: 350, sm: 2520, memory: 9001, size: 46_068, nvlink: false, gen: 4 },
  { name: 'NVIDIA H200', idle: 76, spin: 140, limit: 700, sm: 1980, memory: 3201, size: 143_771, nvlink: true, gen: 5 },
  { name: 'NVIDIA A10', idle: 20, spin: 55, limit: 150, sm: 1695, memory: 6251, size: 23_028, nvlink: false, gen: 4 },
  {
    name: 'NVIDIA B200',
    idle: 140,
    spin: 230,
    limit: 1000,
    sm: 1965,
    memory: 3996,
    size: 183_359,
    nvlink: true,
    gen: 5,
  },
];

/** What the program asks of a GPU within one second. Shares from 0 to 1; those after `duty` hold while a kernel runs. */
export interface Load {
  readonly duty: number;
  readonly sms: number;
  readonly occ: number;
  readonly tensor: number;
  readonly dram: number;
  readonly fp32: number;
  readonly fp64: number;
  /** Watts above spinning at full clocks, as a share of what the limit leaves. */
  readonly heat: number;
  readonly rx: number;
  readonly tx: number;
  readonly nv: number;
  readonly enc: number;
  readonly dec: number;
  /** Share of the memory that is held. */
  readonly held: number;
  /** How far watts wander from sample to sample. */
  readonly wander: number;
}

export const nothing: Load = {
  duty: 0,
  sms: 0,
  occ: 0,
  tensor: 0,
  dram: 0,
  fp32: 0,
  fp64: 0,
  heat: 0,
  rx: 0,
  tx: 0,
  nv: 0,
  enc: 0,
  dec: 0,
  held: 0,
  wander: 0.015,
};

/** What the machine does to the GPU. */
export interface Rig {
  /** Share of the highest clock that was set as the application clock; 1 is none. */
  readonly clocks?: number;
  /** Share of the board's limit that is enforced. */
  readonly limit?: number;
  /** The chassis asks to slow down, to this share of the clock. */
  readonly brake?: number;
  /** Air that comes in, °C; 27 is usual, 48 with a fan that stands. */
  readonly air?: number;
  /** Share of the clock that it reaches for a reason that is not told. */
  readonly weak?: number;
  readonly width?: number;
  readonly widthMax?: number;
  readonly gen?: number;
}

export interface Machine {
  readonly board: Board;
  readonly gpus: number;
  readonly seconds: number;
  /** Seconds between two samples that are kept. */
  readonly step: number;
  readonly seed: number;
  readonly load: (t: number, gpu: number) => Load;
  readonly rig?: (t: number, gpu: number) => Rig;
  /** All GPUs go on together at the speed of the slowest. */
  readonly together?: boolean;
}

/** The GPU slows down for heat from here on, and stops slowing some degrees below. */
const hot = 87;
const degreesPerShare = 44;

function clamp(value: number, low: number, high: number): number {
  return Math.max(low, Math.min(high, value));
}

/** Samples by GPU. */
export function runMachine(machine: Machine): readonly (readonly Sample[])[] {
  const { board, gpus, seconds, step, load, rig } = machine;
  const random = randomOf(machine.seed * 31 + 7);
  const draw = (low: number, high: number): number => low + (high - low) * random();
  const kept: Sample[][] = Array.from({ length: gpus }, () => []);
  const heat = Array.from({ length: gpus }, (_, gpu) => {
    const { air = 27 } = rig?.(0, gpu) ?? {};
    const { duty, heat: wanted } = load(0, gpu);
    return (
      air + (degreesPerShare * (board.idle + duty * clamp(wanted, 0, 1) * (board.limit - board.idle))) / board.limit
    );
  });
  const cooled = Array.from({ length: gpus }, () => 1);
  const spread = Array.from({ length: gpus }, () => draw(0.985, 1.015));
  for (let t = 0; t < seconds; t += step) {
    const states = Array.from({ length: gpus }, (_, gpu) => {
      const wanted = load(t, gpu);
      const set = rig?.(t, gpu) ?? {};
      const limit = board.limit * (set.limit ?? 1);
      const active = wanted.duty > 0.005;
      let clock = active ? Math.min(1, set.clocks ?? 1) * (set.weak ?? 1) : 345 / board.sm;
      let reasons = active ? ((set.clocks ?? 1) < 1 ? 2 : 0) : 1;
      const wattsAt = (share: number): number =>
        board.idle +
        wanted.duty *
          (board.spin -
            board.idle +
            wanted.heat * (board.limit - board.spin) * (0.25 * share + 0.75 * share ** 3) * spread[gpu]!);
      if (active) {
        // Heat is regulated slowly, the cap at once.
        const before = cooled[gpu]!;
        cooled[gpu] =
          heat[gpu]! >= hot
            ? Math.max(0.35, before - 0.03)
            : heat[gpu]! < hot - 3
              ? Math.min(1, before + 0.01)
              : before;
        if (cooled[gpu] < clock) {
          clock = cooled[gpu];
          reasons |= heat[gpu]! >= hot + 4 ? 0x48 : 0x20;
        }
        if (set.brake !== undefined) {
          clock = Math.min(clock, set.brake);
          reasons |= 0x88;
        }
        if (wattsAt(clock) > limit) {
          let [low, high] = [0.15, clock];
          for (let i = 0; i < 18; i++) {
            const middle = (low + high) / 2;
            if (wattsAt(middle) > limit) high = middle;
            else low = middle;
          }
          clock = low;
          reasons |= 4;
        }
      }
      return { wanted, set, limit, active, clock, reasons, wattsAt };
    });
    const slowest = Math.min(...states.filter((each) => each.active).map((each) => each.clock));
    states.forEach(({ wanted, set, limit, active, clock, reasons, wattsAt }, gpu) => {
      // Who is faster than the slowest waits for it in a collective: a kernel that spins.
      const works = machine.together === true && active && clock > 0 ? slowest / clock : 1;
      const spinning = board.idle + wanted.duty * (board.spin - board.idle);
      const watts = spinning + (wattsAt(clock) - spinning) * works;
      const shown = clamp(watts * (1 + draw(-wanted.wander, wanted.wander)), board.idle * 0.97, limit * 1.012);
      const { air = 27 } = set;
      const goal = air + (degreesPerShare * watts) / board.limit;
      heat[gpu] = goal + (heat[gpu]! - goal) * Math.exp(-step / 18);
      const percent = (share: number, noise = 0.01): number => clamp(100 * share * (1 + draw(-noise, noise)), 0, 100);
      const { duty } = wanted;
      const steps = Math.round((board.sm * clock) / 15) * 15;
      kept[gpu]!.push({
        pwr: shown,
        gtemp: Math.round(heat[gpu]),
        mtemp: Math.round(heat[gpu] + 8),
        sm: duty > 0.985 ? (random() < 0.85 ? 100 : 99) : Math.round(percent(duty, 0.02)),
        mem: Math.round(percent(duty * wanted.dram * works * 0.95, 0.05)),
        enc: Math.round(percent(wanted.enc)),
        dec: Math.round(percent(wanted.dec)),
        mclk: board.memory,
        pclk: Math.min(board.sm, active && clock > 0.9 ? steps - 15 * Math.floor(draw(0, 2)) : steps),
        fb: Math.round(wanted.held * board.size) + 4,
        rxpci: Math.round(wanted.rx * works * draw(0.93, 1.07)),
        txpci: Math.round(wanted.tx * works * draw(0.93, 1.07)),
        nvrx: board.nvlink ? Math.round(wanted.nv * works * draw(0.95, 1.05)) : null,
        nvtx: board.nvlink ? Math.round(wanted.nv * works * draw(0.95, 1.05)) : null,
        gract: percent(duty, 0.005),
        smact: percent(duty * wanted.sms * (0.15 + 0.85 * works)),
        smocc: percent(duty * wanted.occ * (0.15 + 0.85 * works), 0.03),
        tensor: percent(duty * wanted.tensor * works, 0.03),
        dram: percent(duty * wanted.dram * works, 0.03),
        fp32: percent(duty * wanted.fp32 * works, 0.03),
        fp64: percent(duty * wanted.fp64 * works, 0.03),
        reasons,
        limit,
        default: board.limit,
        top: board.sm,
        // The link rests with the GPU.
        gen: active ? (set.gen ?? board.gen) : 1,
        genMax: board.gen,
        width: set.width ?? set.widthMax ?? 16,
        widthMax: set.widthMax ?? 16,
        pviol: (reasons & 4) > 0 ? Math.round(clamp(100 * (1 - clock), 1, 100)) : 0,
        tviol: (reasons & 0x60) > 0 ? 1 : 0,
        size: board.size,
        // Counters since the driver was loaded.
        pci: 0,
        sbecc: 0,
        dbecc: 0,
        sbeccNow: 0,
        dbeccNow: 0,
        xid: 0,
        remapFailed: 0,
        remapPending: 0,
        crc: 0,
        nvReplays: 0,
      });
    });
  }
  return kept;
}
