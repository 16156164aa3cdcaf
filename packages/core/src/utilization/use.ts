import type { Detected } from './finding.ts';
import { against } from './finding.ts';
import { fromTheOthers, notExported } from './fields.ts';
import { idle } from './idle.ts';
import { isInstance } from './instances.ts';
import { ofTheDay } from './day.ts';
import type { GpuView } from './view.ts';
import { waitsOf } from './waits.ts';
import { wellUsed } from './well-used.ts';
import { hung, standing, working } from './working.ts';

const round = Math.round;

/** The number that says whether anything runs: utilisation, or under MIG the activity of the engine or of the SMs. */
export function engineOf(gpu: GpuView): number | null {
  return gpu.mean('util') ?? gpu.mean('gract') ?? gpu.mean('smact');
}

/**
 * What one GPU really does: one answer, the most telling first. Which of the answers is a fault of a job of several
 * GPUs, `job.ts` says.
 */
export function useOf(gpu: GpuView): Detected {
  const { limits } = gpu;
  const engine = engineOf(gpu);
  if (engine === null) return uncounted(gpu);
  if (gpu.rows < limits['samples']!) return short(gpu);
  const video = Math.max(gpu.mean('encoder') ?? 0, gpu.mean('decoder') ?? 0);
  if (video >= limits['encoder']! && engine <= limits['busy-util']!)
    return {
      cause: 'encoder-bound',
      kind: 'fault',
      says: `the video engine is ${round(video)} % busy while the SMs are ${round(engine)} %: video sets the pace`,
      measured: [
        ...against('video engine (%)', video, '>=', 'encoder'),
        ...against('utilisation (%)', engine, '<=', 'busy-util'),
      ],
    };
  if (engine <= limits['idle-util']!) return idle(gpu, engine);
  const little = hardlyUsed(gpu, engine);
  if (little !== null) return little;
  // How it ends tells more than what came before.
  if (standing(gpu)?.from === 'hung-after-work') return hung(gpu)!;
  const day = ofTheDay(gpu);
  const waits = day ?? waitsOf(gpu);
  if (waits !== null && day === null) return waits;
  const work = working(gpu, engine);
  if (work !== null && (day === null || work.kind === 'fault')) return work;
  return day ?? wellUsed(gpu, engine);
}

/** A desktop, or a look at the GPU now and then: nothing is held that would want more of it. */
function hardlyUsed(gpu: GpuView, engine: number): Detected | null {
  const { limits } = gpu;
  const [held, most] = [gpu.mean('held'), gpu.max('util')];
  if (engine > limits['low-util']! || most === null || most > 2 * limits['low-util']!) return null;
  if (held === null || held >= limits['held-memory']! || gpu.powerShare === null) return null;
  if (gpu.powerShare >= limits['low-power']!) return null;
  return {
    cause: 'ok-idle',
    kind: 'healthy',
    says: `all but idle: ${round(engine)} % on average and ${round(most)} % at most, and ${round(held)} MiB are held`,
    measured: [
      ...against('utilisation (%)', engine, '<=', 'low-util'),
      ...against('memory held (MiB)', held, '<', 'held-memory'),
    ],
  };
}

function uncounted(gpu: GpuView): Detected {
  if (!isInstance(gpu) && gpu.rows === 0) return short(gpu);
  const missing = notExported(gpu, ['gract', 'smact', 'tensor', 'dram']);
  // Whole GPUs of tables that nobody asked for it; what an exporter leaves out may be what MIG does not have.
  const asked = ['util', 'gract', 'smact'].some((metric) => gpu.columns.has(metric));
  if (!asked && !isInstance(gpu) && !gpu.kinds.has('exporter'))
    return {
      cause: 'util-metric-not-exported',
      kind: 'unclear',
      certainty: 'possible',
      says: `how busy it is was not asked for: no table has that column; ${fromTheOthers(gpu)}`,
      measured: [],
      missing: {
        fact: `the utilisation, and behind it ${missing.fact}`,
        ask: `nvidia-smi dmon -s pucmt -o DT -c 120; ${missing.ask}`,
      },
    };
  return {
    cause: 'mig-no-util-counter',
    kind: 'unclear',
    certainty: 'possible',
    says: 'utilisation is not counted here, as under MIG or in a guest of a vGPU: the profiling counters of the instances would tell',
    measured: [],
    missing: { fact: `the activity of the instances: ${missing.fact}`, ask: missing.ask },
  };
}

function short(gpu: GpuView): Detected {
  const few = `only ${gpu.rows} sample${gpu.rows === 1 ? '' : 's'}`;
  const base = {
    kind: 'unclear',
    certainty: 'possible',
    measured: against('samples', gpu.rows, '<', 'samples'),
    missing: { fact: 'a longer series', ask: 'nvidia-smi dmon -s pucmt -o DT -c 120' },
  } as const;
  const guess = working(gpu, gpu.mean('util') ?? 0);
  return guess?.kind === 'fault'
    ? {
        ...guess,
        certainty: 'possible',
        says: `${guess.says} (${few})`,
        measured: [...guess.measured, ...base.measured],
        missing: base.missing,
      }
    : { ...base, cause: 'series-too-short', says: `${few}, which decides nothing` };
}
