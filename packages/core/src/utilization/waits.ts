import { heldUpByCpu } from './cpu.ts';
import type { Detected, Measured } from './finding.ts';
import { against } from './finding.ts';
import { metricAt } from './gpu-series.ts';
import type { GpuView } from './view.ts';
import { closer } from './well-used.ts';

const round = Math.round;
const heldAt = metricAt('held');

/** What would tell input from the CPU: what the main thread and the loaders do in the waits. */
const whatWaits = {
  fact: 'what the process does in the waits',
  ask: 'top -H -b -n 3 -d 5 -p PID; py-spy dump --pid PID; nsys profile --trace=cuda,nvtx,osrt …',
} as const;

/** Share of the time in waits between work, and how far their period deviates (%); null where there are too few. */
export function waiting(gpu: GpuView): readonly [number, number | null] {
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

/** Mean of a metric in the waits; null where it has none there. */
function resting(gpu: GpuView, metric: string): number | null {
  const at = metricAt(metric);
  const [all, busy] = [gpu.series.all[at]!, gpu.series.busy[at]!];
  const count = all.count - busy.count;
  return count <= 0 ? null : (all.mean * all.count - busy.mean * busy.count) / count;
}

/** Data that only leaves the GPU in the waits is a checkpoint; what offloading puts out, it takes in again. */
function writesOut(gpu: GpuView): boolean {
  const [rx, tx] = [resting(gpu, 'rx'), resting(gpu, 'tx')];
  return rx !== null && tx !== null && tx >= gpu.limits['quiet-rate']! * 5 && rx * 5 < tx;
}

/**
 * Whether samples are too far apart to know how long the waits are: then a wait is over by the next sample as often as
 * chance has it, while waits that are longer than the distance last for several.
 */
function mayBeStalls({ step, limits, rhythm }: GpuView, share: number): boolean {
  if (step === null || step < limits['coarse-step']!) return false;
  return rhythm.waiting / rhythm.waits < 2 / (1 - Math.min(0.95, share));
}

/** A GPU that waits in between for a good share of the time: for requests, for copies, or for input or the CPU. */
export function waitsOf(gpu: GpuView): Detected | null {
  const { limits, rhythm } = gpu;
  const turns = gpu.series.turns;
  const traffic = Math.max(gpu.max('rx') ?? 0, gpu.max('tx') ?? 0);
  const [share, regular] = waiting(gpu);
  if (share * 100 < limits['wait-share']! || rhythm.waits < 4) return null;
  const seen: readonly Measured[] = [
    ...against('share of the time in waits (%)', share * 100, '>=', 'wait-share'),
    ...against(
      'deviation of the period (%)',
      regular,
      regular !== null && regular > limits['regular']! ? '>' : '<=',
      'regular',
    ),
  ];
  if (givenBack(gpu))
    return {
      cause: 'ok-bursty-inference',
      kind: 'healthy',
      says: 'jobs come and go: their memory is given back in between',
      measured: seen,
    };
  if ((regular === null || regular > limits['regular']!) && mayBeStalls(gpu, share))
    return {
      cause: 'series-too-short',
      kind: 'unclear',
      certainty: 'possible',
      says: `no kernel runs in ${round(share * 100)} % of the samples, in no order, and they are ${round(gpu.step!)} s apart: requests that come, and stalls for input that are shorter, look the same`,
      measured: [...seen, ...against('seconds between samples', gpu.step, '>=', 'coarse-step')],
      quote: ['wait'],
      missing: closer,
    };
  if (regular === null || regular > limits['regular']!)
    return {
      cause: 'ok-bursty-inference',
      kind: 'healthy',
      says: 'work comes in bursts without a rhythm, as requests do',
      measured: seen,
    };
  // Few periods, or long ones, may be chance: jobs by hand or one after the other look regular too.
  const chance = rhythm.period.mean > limits['long-period']! || rhythm.period.count < limits['periods']!;
  const copies = turns !== null && turns <= -0.3 && traffic >= limits['thrash-rate']!;
  if (copies && writesOut(gpu) && rhythm.period.mean >= limits['checkpoint-period']!)
    return {
      cause: 'ok-training-with-checkpoints',
      kind: 'healthy',
      says: `it works, with pauses every ${round(rhythm.period.mean)} samples in which up to ${round(traffic)} MB/s leave it and nothing comes in: checkpoints`,
      measured: [...seen, ...against('period (samples)', rhythm.period.mean, '>=', 'checkpoint-period')],
      quote: ['wait'],
    };
  if (copies)
    return {
      cause: 'host-offload-copy-bound',
      kind: 'fault',
      ...(writesOut(gpu) ? { certainty: 'possible' as const } : {}),
      says: `copies of up to ${round(traffic)} MB/s and kernels take turns; ${round(share * 100)} % of the time no kernel runs`,
      measured: [...seen, ...against('PCIe at most (MB/s)', traffic, '>=', 'thrash-rate')],
      quote: ['wait'],
    };
  const { period } = rhythm;
  const waits: Detected = {
    cause: 'input-pipeline-bound',
    kind: 'fault',
    // Who waits nearly all the time may as well be asked for little, by a clock.
    ...(chance || share * 100 > limits['wait-most']! ? { certainty: 'possible' as const } : {}),
    says: `no kernel runs in ${round(share * 100)} % of the time, in waits that come back every ${round(period.mean)} samples: it waits for input or for the CPU, and which of the two is not in the data`,
    measured: [
      ...seen,
      ...against('period (samples)', period.mean, period.mean > limits['long-period']! ? '>' : '<=', 'long-period'),
      ...against(
        'share of the time in waits (%)',
        share * 100,
        share * 100 > limits['wait-most']! ? '>' : '<=',
        'wait-most',
      ),
      ...against('periods', period.count, period.count < limits['periods']! ? '<' : '>=', 'periods'),
    ],
    quote: ['wait'],
    missing: whatWaits,
  };
  return heldUpByCpu(gpu, waits) ?? waits;
}
