import { jobOf } from './clients.ts';
import type { Detected } from './finding.ts';
import { against } from './finding.ts';
import { metricAt } from './gpu-series.ts';
import { boardsByMemoryClock } from './metrics.rows.ts';
import { standing, whoHangs } from './working.ts';
import type { GpuView } from './view.ts';

/** What only the GPUs of one job together show. */
export interface JobDetected {
  readonly gpu: GpuView;
  readonly found: Detected;
  /** Causes of single GPUs that it explains. */
  readonly instead: readonly string[];
}

function median(values: readonly number[]): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? null;
}

/** Compares the GPUs that were at work in the same time. */
export function ofTheJob(gpus: readonly GpuView[]): readonly JobDetected[] {
  const found: JobDetected[] = [];
  const limits = gpus[0]?.limits;
  if (limits === undefined) return found;
  const stuck = gpus.flatMap((gpu) => {
    const stands = standing(gpu);
    return stands === null ? [] : [{ gpu, stands }];
  });
  const atWork = gpus.filter((gpu) => (gpu.max('util') ?? 0) >= limits['busy-util']!).length;
  if (stuck.length >= 2)
    for (const { gpu, stands } of stuck)
      found.push({
        gpu,
        instead: ['hung-kernel-app-deadlock'],
        found: {
          cause: 'collective-hang',
          kind: 'fault',
          // Who waits until the last rank has written its checkpoint, and then ends, did not hang.
          ...(stands.ended && stuck.length < atWork ? { certainty: 'possible' as const } : {}),
          says: `full utilisation with nothing moving on ${stuck.length} GPUs at once: they stand in a collective, and which rank is missing cannot be seen here${whoHangs(gpu)}`,
          measured: [
            ...against('samples at full utilisation', stands.samples, '>=', stands.from),
            ...against('deviation of the power (%)', stands.spread, '<=', 'flat-power'),
          ],
          quote: ['still'],
          missing: {
            fact: 'the rank that is missing',
            ask: 'py-spy dump --pid PID on each rank; TORCH_NCCL_TRACE_BUFFER_SIZE=2000',
          },
        },
      });
  const busy = gpus.filter((gpu) => (gpu.mean('util') ?? 0) >= limits['full-util']!);
  found.push(...slowInput(gpus, busy));
  for (const alike of ofOneKind(busy)) {
    const middle = median(alike.flatMap((gpu) => gpu.busy('sm-clock') ?? []));
    if (alike.length < 3 || middle === null) continue;
    for (const gpu of alike) {
      const clock = gpu.busy('sm-clock');
      const share = clock === null ? null : (100 * clock) / middle;
      if (share === null || share >= limits['straggler-clock']! || worksHarder(gpu, alike)) continue;
      found.push({
        gpu,
        instead: ['ok-well-used', 'ok-compute-bound', 'ok-at-power-limit', 'ok-memory-bound-well-used'],
        found: {
          cause: 'straggler-gpu',
          kind: 'fault',
          ...(gpu.busy('power') === null ? { certainty: 'possible' as const } : {}),
          says: `its SMs run at ${Math.round(clock!)} MHz where the others have ${Math.round(middle)} MHz at the same load`,
          measured: against('clock of the median (%)', share, '<', 'straggler-clock'),
          quote: ['slowest'],
        },
      });
    }
  }
  found.push(...linksIdle(busy));
  if (found.length === 0) found.push(...levels(gpus, busy));
  return found;
}

/** GPUs of one product, by their names, else by memory and its clock: another product has other clocks. */
function ofOneKind(gpus: readonly GpuView[]): readonly (readonly GpuView[])[] {
  const boards = gpus.map((gpu) => boardsByMemoryClock.find(({ clock }) => clock === gpu.max('memory-clock'))?.clock);
  // A clock of no known board may be that of a board that is slow: it stays with the others.
  const usual = boards.find((clock) => clock !== undefined);
  const kinds = new Map<string, GpuView[]>();
  gpus.forEach((gpu, at) => {
    const kind = gpu.series.name ?? `${boards[at] ?? usual ?? ''} ${gpu.max('memory-total') ?? ''}`;
    kinds.set(kind, [...(kinds.get(kind) ?? []), gpu]);
  });
  return [...kinds.values()];
}

/** NVLink that carries nothing while PCIe carries the collectives. */
function linksIdle(busy: readonly GpuView[]): readonly JobDetected[] {
  const labels = busy.map(jobOf);
  // GPUs that labels give to a job each have nothing to exchange.
  const apart = labels.every((label) => label !== null) && new Set(labels).size === busy.length;
  if (busy.length < 2 || apart) return [];
  const found = busy.flatMap((gpu) => {
    const { limits } = gpu;
    const rates = [gpu.max('nvlink-rx'), gpu.max('nvlink-tx')].filter((value) => value !== null);
    const most = rates.length === 0 ? null : Math.max(...rates);
    const moved = gpu.events?.growth('nvlink-moved') ?? null;
    // A rate of each direction, or a counter that stands still.
    const silent = rates.length === 2 ? most! <= limits['quiet-rate']! : moved === 0 && rates.length === 0;
    const [rx, tx] = [gpu.busy('rx'), gpu.busy('tx')];
    if (!silent || rx === null || tx === null || Math.min(rx, tx) < limits['thrash-rate']!) return [];
    return [
      {
        gpu,
        instead: ['ok-pcie-collectives', 'ok-well-used', 'util-metric-not-exported'],
        found: {
          cause: 'nvlink-idle-multi-gpu',
          kind: 'fault' as const,
          says: `NVLink carries nothing while ${Math.round(rx)} MB/s in and ${Math.round(tx)} MB/s out go over PCIe`,
          measured: [
            ...against('PCIe in (MB/s)', rx, '>=', 'thrash-rate'),
            ...against('PCIe out (MB/s)', tx, '>=', 'thrash-rate'),
            ...against('NVLink at most (MB/s)', most ?? 0, '<=', 'quiet-rate'),
          ],
          missing: {
            fact: 'what NCCL chose',
            ask: 'NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,GRAPH ./app 2>&1 | grep -E "via|Channel"; nvidia-smi nvlink -s',
          },
        },
      },
    ];
  });
  if (found.length < 2) return [];
  // Those of one job carry about the same; where they do not, they may be of several.
  const rates = found.map(({ gpu }) => gpu.busy('rx')!);
  const alike = Math.max(...rates) <= 2 * Math.min(...rates);
  return alike
    ? found
    : found.map((one) => ({ ...one, instead: [], found: { ...one.found, certainty: 'possible' as const } }));
}

/** One GPU waits in a rhythm while all others spin at full utilisation: its rank gets its input late. */
function slowInput(gpus: readonly GpuView[], busy: readonly GpuView[]): readonly JobDetected[] {
  const late = gpus.filter((gpu) => !busy.includes(gpu) && gpu.rhythm.waits >= 4);
  const [one] = late;
  if (one === undefined || late.length > 1 || busy.length < 2 || busy.length !== gpus.length - 1) return [];
  const share = (100 * one.rhythm.waiting) / one.rhythm.samples;
  if (share < one.limits['wait-share']!) return [];
  const together = follows(one, busy);
  const { period } = one.rhythm;
  const regular = period.count >= 3 && 100 * period.deviation <= one.limits['regular']! * period.mean;
  if (together === null ? !regular : together < 0.3) return [];
  return [
    {
      gpu: one,
      instead: ['input-pipeline-bound'],
      found: {
        cause: 'straggler-rank-input',
        kind: 'fault',
        ...(together === null ? { certainty: 'possible' as const } : {}),
        says: `it waits ${Math.round(share)} % of the time while the other ${busy.length} are at full utilisation: they wait for its rank`,
        measured: against('share of the time in waits (%)', share, '>=', 'wait-share'),
        quote: ['wait'],
        missing: { fact: 'what the rank waits for', ask: 'py-spy dump --pid PID of that rank' },
      },
    },
  ];
}

/**
 * How the power (or else the memory traffic) of others goes up and down with the utilisation of one GPU: 1 together,
 * about 0 where they are of another job; null where neither is known.
 */
function follows(one: GpuView, others: readonly GpuView[]): number | null {
  const load = one.series.history(metricAt('util'));
  for (const metric of ['power', 'mem', 'dram']) {
    const pairs: (readonly [number, number])[] = [];
    for (const other of others) {
      const shift = Math.round((one.series.grid.start - other.series.grid.start) / one.series.grid.stretch);
      const values = other.series.history(metricAt(metric));
      load.forEach((mine, at) => {
        const theirs = values[at + shift];
        if (mine !== null && theirs !== null && theirs !== undefined) pairs.push([mine, theirs]);
      });
    }
    if (pairs.length >= 10) return correlation(pairs);
  }
  return null;
}

function correlation(pairs: readonly (readonly [number, number])[]): number {
  let [x, y] = [0, 0];
  for (const [a, b] of pairs) {
    x += a / pairs.length;
    y += b / pairs.length;
  }
  let [both, first, second] = [0, 0, 0];
  for (const [a, b] of pairs) {
    both += (a - x) * (b - y);
    first += (a - x) ** 2;
    second += (b - y) ** 2;
  }
  const size = Math.sqrt(first * second);
  return size < 1e-9 ? 0 : both / size;
}

/** Lower clocks at a power far above that of the others: other work, and no slower GPU. */
function worksHarder(gpu: GpuView, busy: readonly GpuView[]): boolean {
  const power = gpu.busy('power');
  const usual = median(busy.flatMap((other) => (other === gpu ? [] : (other.busy('power') ?? []))));
  return power !== null && usual !== null && power >= usual * 1.2;
}

/** GPUs at steady but different levels: stages of a pipeline. */
function levels(gpus: readonly GpuView[], busy: readonly GpuView[]): readonly JobDetected[] {
  const means = gpus.flatMap((gpu) => gpu.mean('util') ?? []);
  if (gpus.length < 3 || busy.length === 0 || means.length < gpus.length) return [];
  const steady = gpus.every((gpu) => (gpu.min('util') ?? 0) >= 20 && gpu.rhythm.waits === 0);
  if (!steady || Math.max(...means) - Math.min(...means) < 10) return [];
  return gpus.map((gpu) => ({
    gpu,
    instead: ['ok-well-used', 'util-metric-not-exported', 'ok-memory-bound-well-used', 'series-too-short'],
    found: {
      cause: 'ok-pipeline-stages',
      kind: 'healthy' as const,
      says: 'each GPU keeps its own level, as stages of a pipeline do',
      measured: [],
    },
  }));
}
