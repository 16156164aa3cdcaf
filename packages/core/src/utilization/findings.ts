import { darkBetween } from './blind.ts';
import { twoJobs } from './clients.ts';
import { countedErrors } from './counters.ts';
import type { Detected, SeriesFinding } from './finding.ts';
import { joined } from './finding.ts';
import { heldDown } from './hold-down.ts';
import { hasInstances, ofInstances } from './instances.ts';
import { ofTheJob } from './job.ts';
import { withRemarks } from './remarks.ts';
import type { SeriesSet } from './series-set.ts';
import { engineOf, useOf } from './use.ts';
import type { GpuView } from './view.ts';
import { viewOf } from './view.ts';

interface One {
  readonly gpu: GpuView;
  readonly found: Detected;
}

/**
 * What the series of some files show: faults, what is healthy, and what cannot be decided. GPUs that show the same are
 * named together.
 */
export function findingsOf(set: SeriesSet): readonly SeriesFinding[] {
  set.settle();
  const gpus = [...set.gpus.values()].map((series) => viewOf(series, set));
  const found = grouped(sharedOut(withInstances(eachOf(gpus, set), gpus), gpus)).map((each) =>
    withRemarks(joined(each), set),
  );
  const listed = set.gpus.size === 0 && set.kinds.has('pmon') ? onlyListed(set) : null;
  if (listed !== null) found.push(listed);
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

/** A list of processes says who is on a GPU, and not what the GPU does. */
function onlyListed(set: SeriesSet): SeriesFinding | null {
  const [first] = [...set.processes.values()].flatMap((each) => [...each.values()]);
  if (first === undefined) return null;
  const count = [...set.processes.values()].reduce((sum, each) => sum + each.size, 0);
  return {
    cause: 'util-metric-not-exported',
    kind: 'unclear',
    certainty: 'possible',
    gpus: [],
    measured: [],
    places: [first.place],
    message: `pmon lists ${count} process${count === 1 ? '' : 'es'} on ${set.processes.size} GPU${set.processes.size === 1 ? '' : 's'}, and how the GPUs are used is not in it`,
    missing: {
      fact: 'the counters of the GPUs in the same time',
      ask: 'nvidia-smi dmon -s pucmt -o DT -c 120 > dmon.log & nvidia-smi pmon -o DT -c 120 > pmon.log; wait; culprit util dmon.log pmon.log',
    },
  };
}

const uncountedCauses: ReadonlySet<string> = new Set(['mig-no-util-counter', 'util-metric-not-exported']);

/** What each GPU shows by itself and as one of its job. */
function eachOf(gpus: readonly GpuView[], set: SeriesSet): readonly One[] {
  const each: One[] = [];
  const job = ofTheJob(gpus.filter((gpu) => gpu.rows >= set.thresholds['samples']!));
  for (const { gpu, found } of job) each.push({ gpu, found });
  for (const gpu of gpus) {
    const down = heldDown(gpu);
    const held = [...countedErrors(gpu), ...down];
    for (const found of [...held, ...darkBetween(gpu)]) each.push({ gpu, found });
    const use = useOf(gpu);
    // The instances of a GPU are counted, and the whole is not.
    if (uncountedCauses.has(use.cause) && engineOf(gpu) === null && hasInstances(gpu, gpus)) continue;
    if (job.some((one) => one.gpu === gpu && one.instead.includes(use.cause))) continue;
    // Others spin while one is late: what they show is not theirs.
    if (use.kind !== 'healthy' && job.some((one) => one.found.cause === 'straggler-rank-input')) continue;
    // What holds the clocks down answers the question of the use.
    if (use.kind === 'unclear' && held.length > 0) continue;
    // What is held down is not used well.
    if (use.kind === 'healthy' && down.length > 0) continue;
    each.push({ gpu, found: use });
  }
  return each;
}

/** Instances of one GPU that are well, or of which one is full, are spoken of together. */
function withInstances(each: readonly One[], gpus: readonly GpuView[]): readonly One[] {
  let left = each;
  const added: One[] = [];
  for (const group of ofInstances(gpus)) {
    const own = left.filter(({ gpu }) => group.gpus.includes(gpu));
    const open = new Set(['util-metric-not-exported', 'mig-no-util-counter']);
    const well = own.every(({ found }) => found.kind === 'healthy' || open.has(found.cause));
    if (group.instead && !well) continue;
    if (group.instead) left = left.filter((one) => !own.includes(one));
    added.push(...group.gpus.map((gpu) => ({ gpu, found: group.found })));
  }
  return [...added, ...left];
}

/** GPUs that are all at work and well, and of which two jobs have their own. */
function sharedOut(each: readonly One[], gpus: readonly GpuView[]): readonly One[] {
  const plain = new Set(['ok-well-used', 'ok-compute-bound', 'ok-memory-bound-well-used', 'ok-at-power-limit']);
  if (gpus.length < 2 || !each.every(({ found }) => plain.has(found.cause))) return each;
  const jobs = twoJobs(gpus);
  if (jobs === null) return each;
  const names = [...new Set(jobs.values())];
  return each.map(({ gpu, found }) => ({
    gpu,
    found: {
      ...found,
      cause: 'ok-two-jobs',
      says: `two jobs have GPUs of their own, ${names.join(' and ')}, and both are well: the GPUs of one need not be as those of the other`,
    },
  }));
}

function grouped(each: readonly One[]): (readonly One[])[] {
  const groups = new Map<string, One[]>();
  for (const one of each) {
    const key = `${one.found.cause} ${one.found.certainty ?? ''}`;
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  return [...groups.values()];
}
