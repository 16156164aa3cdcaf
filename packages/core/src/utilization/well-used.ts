import type { Detected, Measured } from './finding.ts';
import { against } from './finding.ts';
import { fromTheOthers, notExported } from './fields.ts';
import type { GpuView } from './view.ts';

const round = Math.round;

/** A GPU of which nothing looks wrong: how it is used well, or which counter would have to say so. */
export function wellUsed(gpu: GpuView, engine: number): Detected {
  const { limits } = gpu;
  const load = gpu.busy('util') ?? engine;
  const power = gpu.powerShare;
  const memory = gpu.busy('dram') ?? gpu.busy('mem');
  if (memory !== null && memory >= limits['memory-bound']!)
    return {
      cause: 'ok-memory-bound-well-used',
      kind: 'healthy',
      says: `memory is ${round(memory)} % busy: it is the limit, and it is used`,
      measured: against('memory (%)', memory, '>=', 'memory-bound'),
    };
  const [sm, tensor] = [gpu.busy('smact'), gpu.busy('tensor')];
  const measured = [
    ...against('utilisation (%)', load, load >= limits['busy-util']! ? '>=' : '<', 'busy-util'),
    ...against(
      'power (% of the limit)',
      power,
      power !== null && power >= limits['working-power']! ? '>=' : '<',
      'working-power',
    ),
    ...against('SM activity (%)', sm, sm !== null && sm >= limits['busy-sm']! ? '>=' : '<', 'busy-sm'),
  ];
  const works =
    (power !== null && power >= limits['working-power']!) ||
    (sm !== null && sm >= limits['busy-sm']!) ||
    (tensor !== null && tensor >= 15) ||
    (memory !== null && memory >= 20);
  if (!works) {
    const counted = sm !== null || tensor !== null;
    return {
      cause: 'util-metric-not-exported',
      kind: 'unclear',
      certainty: 'possible',
      says: `${
        counted
          ? `${round(load)} % utilisation, and no counter that is near a limit`
          : `${round(load)} % utilisation says only that some kernel runs; how many SMs work is not in the data`
      }; ${fromTheOthers(gpu)}`,
      measured,
      missing: notExported(gpu, ['smact', 'gract', 'tensor', 'dram']),
    };
  }
  return (
    atALimit(gpu, measured) ??
    tooCoarse(gpu, load) ??
    pauses(gpu, measured) ?? {
      cause: tensor !== null && tensor >= 40 && power !== null && power >= 80 ? 'ok-compute-bound' : 'ok-well-used',
      kind: 'healthy',
      says: `well used: ${round(load)} % utilisation${power === null ? '' : ` at ${round(power)} % of ${gpu.limitCalled}`}`,
      measured,
    }
  );
}

function atALimit(gpu: GpuView, measured: readonly Measured[]): Detected | null {
  const { limits } = gpu;
  const power = gpu.powerShare;
  const [rx, tx] = [gpu.busy('rx'), gpu.busy('tx')];
  const capped = (gpu.reason(0x4) ?? 0) * 100;
  if (capped >= limits['throttle-share']! && power !== null && power >= 85)
    return {
      cause: 'ok-at-power-limit',
      kind: 'healthy',
      says: `it works at its power limit (${round(power)} %), as a busy GPU does`,
      measured: [...measured, ...against('share of busy samples at the power cap (%)', capped, '>=', 'throttle-share')],
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
        fact: notExported(gpu, ['reasons']).fact,
        ask: `nvidia-smi --query-gpu=index,utilization.gpu,clocks.sm,clocks.max.sm,temperature.gpu,clocks_event_reasons.active --format=csv -l 1 -c 60; ${notExported(gpu, ['reasons']).ask}`,
      },
    };
  return streams(gpu, measured, rx, tx);
}

/** Whether there are pauses between kernels that samples so far apart do not show. */
export function isCoarse(gpu: GpuView, load: number): boolean {
  const { limits, step } = gpu;
  return step !== null && step >= limits['coarse-step']! && (gpu.busy('gract') ?? load) < limits['gaps']!;
}

/** Part of the time no kernel runs, and the samples are too far apart to show when: stalls for input or requests. */
function tooCoarse(gpu: GpuView, load: number): Detected | null {
  const { step } = gpu;
  if (!isCoarse(gpu, load) || step === null) return null;
  const engine = gpu.busy('gract') ?? load;
  const apart = step >= 10 ? round(step) : round(step * 10) / 10;
  return {
    cause: 'series-too-short',
    kind: 'unclear',
    certainty: 'possible',
    says: `in ${round(100 - engine)} % of the time no kernel runs while it is at work, and samples ${apart} s apart do not show in what rhythm: stalls for input, and requests that come, look the same`,
    measured: [
      ...against('seconds between samples', step, '>=', 'coarse-step'),
      ...against('engine activity (%)', engine, '<', 'gaps'),
    ],
    missing: closer,
  };
}

/** How stalls are seen that lie between two samples. */
export const closer: NonNullable<Detected['missing']> = {
  fact: 'samples closer together than the stalls',
  ask: 'culprit util --for 60s --every 100ms   # on the node, or with --ssh, --pod, --node; else nvidia-smi dmon -s pucmt -o DT -c 120; dcgmi dmon -e 203,1001,1002,155 -d 100 -c 600',
};

function streams(gpu: GpuView, measured: readonly Measured[], rx: number | null, tx: number | null): Detected | null {
  const { limits, rhythm } = gpu;
  const span = rhythm.samples - rhythm.before - rhythm.after;
  const waits = (100 * rhythm.waiting) / span;
  if (rhythm.waits > 0 && rhythm.samples < 60 && waits >= limits['wait-share']!)
    return {
      cause: 'series-too-short',
      kind: 'unclear',
      certainty: 'possible',
      says: `it waits ${round(waits)} % of the time, and ${rhythm.waits} waits are too few to know a rhythm`,
      measured: against('share of the time in waits (%)', waits, '>=', 'wait-share'),
      missing: { fact: 'a longer series', ask: 'nvidia-smi dmon -s pucmt -o DT -c 120' },
    };
  const much = limits['thrash-rate']!;
  if (rx === null || rx < much) return null;
  return (tx ?? 0) >= much
    ? {
        cause: 'ok-pcie-collectives',
        kind: 'healthy',
        says: 'it works, and exchanges data over PCIe both ways',
        measured: [...measured, ...against('PCIe in (MB/s)', rx, '>=', 'thrash-rate')],
      }
    : {
        cause: 'ok-streaming-input',
        kind: 'healthy',
        says: `it works, and ${round(rx)} MB/s of input keep up with it`,
        measured: [...measured, ...against('PCIe in (MB/s)', rx, '>=', 'thrash-rate')],
      };
}

/** Pauses of a job that works: what leaves the GPU in them is a checkpoint, and where nothing does it evaluates. */
function pauses(gpu: GpuView, measured: readonly Measured[]): Detected | null {
  const { rhythm, limits } = gpu;
  if (rhythm.waits === 0) return null;
  const out = gpu.max('tx');
  const written = against('PCIe out at most (MB/s)', out, '>=', 'thrash-rate');
  const writes = out !== null && out >= limits['thrash-rate']!;
  if (writes && rhythm.waits <= 2)
    return {
      cause: 'ok-checkpoint-write',
      kind: 'healthy',
      says: `it works, with ${rhythm.waits === 1 ? 'one pause' : 'two pauses'} of up to ${rhythm.longestWait} samples in which up to ${round(out)} MB/s leave it: a checkpoint is written`,
      measured: [...measured, ...written],
      quote: ['wait'],
    };
  if (writes)
    return {
      cause: 'ok-training-with-checkpoints',
      kind: 'healthy',
      says: `it works, with ${rhythm.waits} short pauses in which data leaves the GPU`,
      measured: [...measured, ...written],
    };
  return {
    cause: 'ok-training-with-evaluation',
    kind: 'healthy',
    says: `it works, with ${rhythm.waits} pause${rhythm.waits === 1 ? '' : 's'}`,
    measured,
  };
}
