import type { Detected, SeriesFinding } from './finding.ts';
import { joined } from './finding.ts';
import { heldDown } from './hold-down.ts';
import { ofTheJob } from './job.ts';
import type { SeriesSet } from './series-set.ts';
import { useOf } from './use.ts';
import type { GpuView } from './view.ts';
import { viewOf } from './view.ts';

/**
 * What the series of some files show: faults, what is healthy, and what cannot be decided. GPUs that show the same are
 * named together.
 */
export function findingsOf(set: SeriesSet): readonly SeriesFinding[] {
  const gpus = [...set.gpus.values()].map((series) => viewOf(series, set));
  const each: { readonly gpu: GpuView; readonly found: Detected }[] = [];
  const job = ofTheJob(gpus.filter((gpu) => gpu.rows >= set.thresholds['samples']!));
  for (const { gpu, found } of job) each.push({ gpu, found });
  for (const gpu of gpus) {
    const held = heldDown(gpu);
    for (const found of held) each.push({ gpu, found });
    const use = useOf(gpu);
    if (job.some((one) => one.gpu === gpu && one.instead.includes(use.cause))) continue;
    // Others spin while one is late: what they show is not theirs.
    if (use.kind !== 'healthy' && job.some((one) => one.found.cause === 'straggler-rank-input')) continue;
    // What holds the clocks down answers the question of the use.
    if (use.kind === 'unclear' && held.length > 0) continue;
    each.push({ gpu, found: use });
  }
  const groups = new Map<string, { readonly gpu: GpuView; readonly found: Detected }[]>();
  for (const one of each) {
    const key = `${one.found.cause} ${one.found.certainty ?? ''}`;
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  const found = [...groups.values()].map(joined);
  if (set.exporterAbsent !== null && set.gpus.size === 0)
    found.push({
      cause: 'exporter-absent',
      kind: 'unclear',
      certainty: 'likely',
      gpus: [],
      measured: [],
      places: [set.exporterAbsent],
      message: 'no metric of a GPU is exported: the exporter is down or is not asked',
      missing: {
        fact: 'the exporter itself',
        ask: 'curl -s localhost:9400/metrics | grep -c DCGM_; kubectl get pods -A -l app=nvidia-dcgm-exporter',
      },
    });
  return found;
}
