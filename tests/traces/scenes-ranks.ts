// Scenes of several ranks: collectives wait for the last.
import type { Collective, Op, Program } from './machine.ts';
import { gemm, ncclKernel, stepOf, trained } from './gpus.ts';
import type { KernelSpec, Process } from './program.ts';
import type { Build, Setting } from './scene.ts';
import { busy, collective, launchAll, main, processOf, range } from './scene.ts';

export interface Job {
  readonly processes: readonly Process[];
  readonly steps: number;
  readonly specs: readonly KernelSpec[];
  /** How a rank is slower than the first: its kernels last so many times as long. */
  readonly slow: (rank: number, step: number) => number;
  /** Host time before a step, ns. */
  readonly load: (rank: number, step: number) => number;
  /** Kernels before each reduction. */
  readonly buckets: number;
  /** Part of the step that the reductions last. */
  readonly wire: number;
  readonly overlapped: boolean;
}

/** Data-parallel training: reductions of gradients in buckets. */
export function train(s: Setting, job: Job): void {
  const ranks = job.processes.length;
  const per = Math.ceil(job.specs.length / job.buckets);
  const parts = range(job.buckets)
    .map((at) => job.specs.slice(at * per, (at + 1) * per))
    .filter((part) => part.length > 0);
  const wireNs = (part: readonly KernelSpec[]): number => part.reduce((sum, { ns }) => sum + ns, 0) * job.wire;
  const meetings: Collective[][] = range(job.steps).map(() =>
    parts.map((part) => collective(ranks, wireNs(part) + 12_000)),
  );
  const reduce = ncclKernel(s.work, 'AllReduce');
  job.processes.forEach((process, rank) => {
    main(process, function* (t) {
      const work = process.device.legacy;
      const wires = process.stream('non-blocking');
      for (const step of range(job.steps)) {
        const load = function* (): Program {
          yield* busy(t, job.load(rank, step));
        };
        yield* t.range('enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__', load);
        yield* t.copy(work, 'HtoD', 900_000);
        const reduced: Op[] = [];
        for (const [at, part] of parts.entries()) {
          const factor = job.slow(rank, step);
          yield* launchAll(
            t,
            work,
            part.map((spec) => ({ ...spec, ns: Math.round(spec.ns * factor * s.noise.real(0.995, 1.005)) })),
            3000,
          );
          yield* t.wait(wires, yield* t.record(work));
          yield* t.launch(wires, reduce, { collective: meetings[step]![at]! });
          const op = yield* t.record(wires);
          if (job.overlapped) reduced.push(op);
          else yield* t.wait(work, op);
        }
        // The optimizer needs all of them.
        for (const op of reduced) yield* t.wait(work, op);
        yield* launchAll(t, work, job.specs.slice(0, 2), 3000);
        if (s.seed % 2 === 0) yield* t.syncStream(work);
      }
    });
  });
}

export function jobOf(
  s: Setting,
  more: Partial<Job> & Pick<Job, 'buckets' | 'wire' | 'overlapped'>,
  sizes: readonly number[] = [2, 2, 3, 4],
  together = false,
): Job {
  const gpu = s.work.pick(trained);
  const ranks = s.work.pick(sizes);
  const local = s.work.chance(0.4) || together;
  const processes = range(ranks).map((rank) => processOf(s, gpu, { devices: [local ? rank : 0] }));
  const specs = stepOf(gpu, s.work, s.work.whole(12, 20), s.work.real(200_000, 600_000), 'training').map((spec) =>
    s.work.chance(0.5) ? spec : gemm(gpu, s.work, spec.ns),
  );
  return { processes, specs, steps: s.work.whole(7, 11), slow: () => 1, load: () => 60_000, ...more };
}

const counts = (job: Job, parts: number): Readonly<Record<string, number>> => ({
  'kernels.count': job.steps * (job.specs.length + 2 + parts),
});
const partsOf = (job: Job): number => Math.ceil(job.specs.length / Math.ceil(job.specs.length / job.buckets));

/** Clocks of nodes differ: they are late by so much. */
export const skewOf = (s: Setting, job: Job): readonly number[] => {
  const wide = s.work.pick([0, 0, 40_000, 3_000_000, 250_000_000]);
  return job.processes.map((_, rank) => (rank === 0 ? 0 : Math.round(s.work.real(-wide, wide))));
};

const exposed: Build = (s) => {
  const wire = s.work.real(0.35, 0.8);
  const buckets = s.work.pick([1, 1, 2]);
  const job = jobOf(s, { buckets: s.right ? 8 : buckets, wire, overlapped: s.right });
  train(s, job);
  return {
    accepted: ['nccl-exposed-communication'],
    processes: job.processes,
    offsets: skewOf(s, job),
    numbers: counts(job, partsOf(job)),
  };
};

/** One trace of a job is all there is. */
const exposedOne: Build = (s) => {
  const truth = exposed(s);
  return { ...truth, processes: truth.processes.slice(0, 1), world: truth.processes.length };
};

const overlappedJob: Build = (s) => {
  const job = jobOf(s, { buckets: s.work.whole(7, 9), wire: s.work.real(0.25, 0.6), overlapped: true });
  train(s, job);
  return {
    accepted: ['ok-nccl-overlapped', 'ok-streams-overlap', 'ok-healthy-training'],
    processes: job.processes,
    offsets: skewOf(s, job),
    numbers: counts(job, partsOf(job)),
  };
};

/** Now this rank is the last, now that: no rank is slow. */
const jitter: Build = (s) => {
  const job = jobOf(s, {
    buckets: s.work.whole(7, 9),
    wire: s.work.real(0.25, 0.5),
    overlapped: true,
    slow: () => s.noise.real(1, 1.03),
  });
  train(s, job);
  return {
    accepted: ['ok-nccl-overlapped', 'ok-streams-overlap', 'ok-healthy-training'],
    processes: job.processes,
    offsets: skewOf(s, job),
  };
};

const straggler: Build = (s) => {
  const slower = s.work.real(1.3, 1.9);
  const factor = s.right ? 1 : slower;
  const draft = jobOf(s, { buckets: s.work.pick([1, 4, 6]), wire: s.work.real(0.05, 0.15), overlapped: true });
  const slow = s.work.whole(0, draft.processes.length - 1);
  const job = { ...draft, slow: (rank: number) => (rank === slow ? factor : 1) };
  train(s, job);
  return {
    accepted: ['nccl-straggler-rank', 'straggler-gpu'],
    processes: job.processes,
    offsets: skewOf(s, job),
    numbers: counts(job, partsOf(job)),
  };
};

const stragglerInput: Build = (s) => {
  const draft = jobOf(s, { buckets: s.work.pick([1, 4, 6]), wire: s.work.real(0.05, 0.15), overlapped: true });
  const slow = s.work.whole(0, draft.processes.length - 1);
  const wait = draft.specs.reduce((sum, { ns }) => sum + ns, 0) * s.work.real(0.7, 1.6);
  const job = { ...draft, load: (rank: number) => (rank === slow && !s.right ? wait + 1_500_000 : 60_000) };
  // The loss is read in each step: the pause cannot hide behind queued work.
  const even = { ...s, seed: s.seed * 2 };
  train(even, job);
  return {
    accepted: ['nccl-straggler-rank', 'straggler-rank-input'],
    processes: job.processes,
    offsets: skewOf(s, job),
  };
};

export const rankScenes: Readonly<Record<string, Build>> = {
  'nccl-exposed': exposed,
  'nccl-exposed-one-rank': exposedOne,
  'nccl-overlapped': overlappedJob,
  'ranks-jitter': jitter,
  'straggler-rank': straggler,
  'straggler-input': stragglerInput,
};
