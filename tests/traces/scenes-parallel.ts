// Scenes of jobs that are split in other ways: shards, stages, tensors, processes in one report.
import type { Collective, Op, Program, Stream } from './machine.ts';
import { elementwise, gemm, ncclKernel, partly, solver, stepOf, trained, usual } from './gpus.ts';
import type { KernelSpec, Process } from './program.ts';
import type { Build, Setting } from './scene.ts';
import { busy, collective, launchAll, main, processOf, range, total } from './scene.ts';
import { jobOf, skewOf, train } from './scenes-ranks.ts';

const jobNumbersOnly = ['nccl.arrival_spread_median_ns', '*clock.offset_ns'];

/** Eight ranks, as a node has them. */
const wide: Build = (s) => {
  const draft = jobOf(s, { buckets: 6, wire: s.work.real(0.25, 0.5), overlapped: true }, [6, 8]);
  const job = { ...draft, steps: 4, specs: [...draft.specs, ...draft.specs] };
  train(s, job);
  return {
    accepted: ['ok-nccl-overlapped', 'ok-streams-overlap', 'ok-healthy-training', 'ok-any'],
    processes: job.processes,
    offsets: skewOf(s, job),
  };
};

interface Sharded {
  readonly processes: readonly Process[];
  readonly layers: number;
  readonly specs: readonly KernelSpec[];
  readonly steps: number;
}

const sharded = (s: Setting, sizes: readonly number[]): Sharded => {
  const gpu = s.work.pick(trained);
  const local = s.work.chance(0.5);
  const specs = range(s.work.whole(4, 7)).map(() =>
    s.work.chance(0.6)
      ? gemm(gpu, s.work, s.work.real(150_000, 450_000))
      : elementwise(gpu, s.work, s.work.real(60_000, 150_000)),
  );
  return {
    processes: range(s.work.pick(sizes)).map((rank) => processOf(s, gpu, { devices: [local ? rank : 0] })),
    layers: s.work.whole(5, 8),
    specs,
    steps: s.work.whole(4, 6),
  };
};

/** Weights are gathered ahead of each layer, gradients scattered behind it. */
function shard(
  s: Setting,
  job: Sharded,
  how: { readonly wire: number; readonly ahead: boolean; readonly slow?: (rank: number) => number },
): void {
  const ranks = job.processes.length;
  const wireNs = total(job.specs) * how.wire;
  const gather = ncclKernel(s.work, 'AllGather');
  const scatter = ncclKernel(s.work, 'ReduceScatter');
  const meeting = (): Collective => collective(ranks, wireNs + 8000);
  const meetings = range(job.steps).map(() => range(job.layers).map(() => ({ gather: meeting(), scatter: meeting() })));
  job.processes.forEach((process, rank) => {
    main(process, function* (t) {
      const work = process.device.legacy;
      const wires = process.stream('non-blocking');
      for (const step of range(job.steps))
        yield* t.range(`ProfilerStep#${step + 2}`, function* () {
          yield* t.copy(work, 'HtoD', 700_000);
          let gathered: Op | null = null;
          const scattered: Op[] = [];
          const fetch = function* (layer: number): Program<Op> {
            yield* t.launch(wires, gather, { collective: meetings[step]![layer]!.gather });
            return yield* t.record(wires);
          };
          for (const layer of range(job.layers)) {
            gathered ??= yield* fetch(layer);
            yield* t.wait(work, gathered);
            gathered = how.ahead && layer + 1 < job.layers ? yield* fetch(layer + 1) : null;
            const factor = how.slow?.(rank) ?? 1;
            yield* launchAll(
              t,
              work,
              job.specs.map((spec) => ({ ...spec, ns: Math.round(spec.ns * factor * s.noise.real(0.995, 1.005)) })),
              3000,
            );
            yield* t.wait(wires, yield* t.record(work));
            yield* t.launch(wires, scatter, { collective: meetings[step]![layer]!.scatter });
            const done = yield* t.record(wires);
            if (how.ahead) scattered.push(done);
            else yield* t.wait(work, done);
          }
          for (const op of scattered) yield* t.wait(work, op);
          yield* launchAll(t, work, job.specs.slice(0, 2), 3000);
          yield* t.syncStream(work);
        });
    });
  });
}

const sharesOverlapped: Build = (s) => {
  const job = sharded(s, [2, 4, 8]);
  shard(s, job, { wire: s.work.real(0.12, 0.3), ahead: true });
  return {
    accepted: ['ok-nccl-overlapped', 'ok-streams-overlap', 'ok-healthy-training', 'ok-any'],
    processes: job.processes,
  };
};
const sharesExposed: Build = (s) => {
  const job = sharded(s, [2, 4, 8]);
  shard(s, job, { wire: s.work.real(0.3, 0.45), ahead: s.right });
  return { accepted: ['nccl-exposed-communication'], processes: job.processes };
};
const sharesStraggler: Build = (s) => {
  const job = sharded(s, [3, 4, 8]);
  const slow = s.work.whole(0, job.processes.length - 1);
  const factor = s.right ? 1 : s.work.real(1.4, 1.9);
  shard(s, job, { wire: s.work.real(0.08, 0.15), ahead: true, slow: (rank) => (rank === slow ? factor : 1) });
  return { accepted: ['nccl-straggler-rank', 'straggler-gpu'], processes: job.processes };
};

/** Stages hand their results on: the first waits at the end, the last at the start. */
const stages: Build = (s) => {
  const gpu = s.work.pick(trained);
  const count = s.work.pick([2, 2, 3, 4]);
  const processes = range(count).map((rank) => processOf(s, gpu, { devices: [rank] }));
  const specs = stepOf(gpu, s.work, 10, s.work.real(150_000, 300_000), 'training');
  const parts = count * s.work.whole(7, 10);
  const wire = total(specs) * 0.03;
  const between = range(count).map(() => range(parts).map(() => collective(2, wire)));
  const send = ncclKernel(s.work, 'SendRecv');
  processes.forEach((process, rank) => {
    main(process, function* (t) {
      const work = process.device.legacy;
      const [from, to] = [process.stream('non-blocking'), process.stream('non-blocking')];
      for (const part of range(parts)) {
        if (rank > 0) {
          yield* t.launch(from, send, { collective: between[rank - 1]![part]! });
          yield* t.wait(work, yield* t.record(from));
        }
        yield* launchAll(t, work, specs, 3000);
        if (rank === count - 1) continue;
        yield* t.wait(to, yield* t.record(work));
        yield* t.launch(to, send, { collective: between[rank]![part]! });
      }
    });
  });
  return {
    accepted: ['ok-pipeline-stages', 'ok-any', 'ok-cannot-tell'],
    not: ['nccl-straggler-rank', 'straggler-gpu', 'straggler-rank-input'],
    processes,
    alone: true,
    skip: jobNumbersOnly,
  };
};

/** Each layer's tensors are split: a reduction stands in the way of the next, on the same stream. */
function tensors(s: Setting, wire: number): readonly Process[] {
  const job = sharded(s, [2, 4]);
  const reduce = ncclKernel(s.work, 'AllReduce');
  const meetings = range(job.steps * job.layers).map(() => collective(job.processes.length, total(job.specs) * wire));
  job.processes.forEach((process) => {
    main(process, function* (t) {
      const work = process.stream('non-blocking');
      for (const meeting of meetings) {
        yield* launchAll(t, work, job.specs, 3000);
        yield* t.launch(work, reduce, { collective: meeting });
      }
    });
  });
  return job.processes;
}
const tensorsCheap: Build = (s) => ({
  accepted: ['ok-healthy-training', 'ok-any'],
  processes: tensors(s, s.work.real(0.02, 0.06)),
});
const tensorsExposed: Build = (s) => ({
  accepted: ['nccl-exposed-communication'],
  processes: tensors(s, s.work.real(0.4, 0.9)),
  alone: true,
});

/** All ranks wait for their input at the same time: no rank is slow. */
const allWait: Build = (s) => {
  const draft = jobOf(s, { buckets: 4, wire: s.work.real(0.1, 0.2), overlapped: true });
  const wait = total(draft.specs) * s.work.real(0.8, 2) + 2_000_000;
  const job = { ...draft, load: () => (s.right ? 60_000 : wait * s.noise.real(0.97, 1.03)) };
  train({ ...s, seed: s.seed * 2 }, job);
  return { accepted: ['input-pipeline-bound'], processes: job.processes, offsets: skewOf(s, job) };
};

/** The first rank writes, the others wait for it: that is not slow. */
const firstWrites: Build = (s) => {
  const draft = jobOf(s, { buckets: 7, wire: s.work.real(0.2, 0.4), overlapped: true });
  const steps = 16;
  const pause = total(draft.specs) * s.work.real(0.5, 1.5);
  const job = { ...draft, steps, load: (rank: number, step: number) => (rank === 0 && step === 9 ? pause : 60_000) };
  train({ ...s, seed: s.seed * 2 }, job);
  return {
    accepted: ['ok-training-with-checkpoints', 'ok-nccl-overlapped', 'ok-healthy-training', 'ok-any'],
    processes: job.processes,
    offsets: skewOf(s, job),
  };
};

/** One rank comes late to the first step, and keeps up from then on. */
const lateStart: Build = (s) => {
  const draft = jobOf(s, { buckets: 7, wire: s.work.real(0.2, 0.4), overlapped: true });
  const late = s.work.whole(0, draft.processes.length - 1);
  const steps = 16;
  const pause = total(draft.specs) * s.work.real(1, 3);
  const job = { ...draft, steps, load: (rank: number, step: number) => (rank === late && step === 0 ? pause : 60_000) };
  train(s, job);
  return {
    accepted: ['ok-first-batch-slow', 'ok-nccl-overlapped', 'ok-healthy-training', 'ok-any'],
    processes: job.processes,
    offsets: skewOf(s, job),
  };
};

/** Seen from a rank that is quick, it cannot be told who is slow: only that it waits. */
const oneOfStraggler: Build = (s) => {
  const draft = jobOf(s, { buckets: 4, wire: s.work.real(0.05, 0.1), overlapped: true });
  const slow = draft.processes.length - 1;
  train(s, { ...draft, slow: (rank) => (rank === slow ? 1.8 : 1) });
  return {
    accepted: ['nccl-exposed-communication', 'nccl-straggler-rank', 'ok-cannot-tell'],
    processes: draft.processes.slice(0, 1),
    world: draft.processes.length,
    alone: true,
  };
};

/** Processes of one host in one report, each with a GPU of its own. */
function local(
  s: Setting,
  body: (process: Process, rank: number) => void,
  sizes: readonly number[] = [2, 3, 4],
): readonly Process[] {
  const gpu = s.work.pick(usual);
  const launchedBy = s.work.pick(['cudaLaunchKernel', 'cuLaunchKernel']);
  const processes = range(s.work.pick(sizes)).map((rank) => processOf(s, gpu, { devices: [rank], launchedBy }));
  processes.forEach(body);
  return processes;
}
/** Correlations of two processes may be equal, and rows of a GPU in a PyTorch trace do not say whose they are. */
const togetherSkip = [
  'kineto:*serialised_ns',
  '*launch.count',
  '*launch.api_median_ns',
  '*faults.cpu',
  ...jobNumbersOnly,
];

const ownGpus: Build = (s) => {
  const specs = range(s.work.whole(60, 120)).map(() => solver(usual[0]!, s.work, s.work.real(100_000, 300_000)));
  return {
    accepted: ['ok-single-stream-saturated', 'ok-any'],
    processes: local(s, (process, rank) => {
      main(process, function* (t) {
        yield* busy(t, 400_000 * rank + 1000);
        for (const spec of specs) {
          yield* launchAll(t, process.device.legacy, [{ ...spec, ns: spec.ns + 997 * rank }], 2500);
          if (s.seed % 2 === 0) yield* t.copy(process.device.legacy, 'DtoH', 20_000);
        }
        yield* t.syncDevice();
      });
    }),
    together: true,
    skip: togetherSkip,
  };
};

/** Two processes take turns on one GPU: streams of different processes do not serialise each other. */
const sharedGpu: Build = (s) => {
  const gpu = s.work.pick(usual);
  const first = processOf(s, gpu);
  const second = processOf(s, gpu, { beside: first });
  const specs = range(s.work.whole(60, 120)).map(() => solver(gpu, s.work, s.work.real(100_000, 300_000)));
  const streams = s.work.chance(0.6);
  for (const [at, process] of [first, second].entries())
    main(process, function* (t) {
      const stream = at === 1 && streams ? process.stream('blocking') : process.device.legacy;
      yield* busy(t, 250_000 * at + 1000);
      yield* launchAll(t, stream, specs, 2500);
      yield* t.syncDevice();
    });
  return {
    accepted: ['ok-two-jobs', 'ok-single-stream-saturated', 'ok-any'],
    processes: [first, second],
    together: true,
    formats: ['nsys'],
    skip: [...togetherSkip, '*serialised_ns'],
  };
};

/** Every process of the host has the same trouble. */
const ownGpusSerialised: Build = (s) => {
  const rounds = s.work.whole(12, 25);
  const specs = range(3).map(() => partly(usual[0]!, solver(usual[0]!, s.work, s.work.real(80_000, 200_000)), 0.22));
  const library = partly(usual[0]!, elementwise(usual[0]!, s.work, s.work.real(60_000, 200_000)), 0.22);
  return {
    accepted: ['default-stream-serialisation'],
    processes: local(s, (process) => {
      main(process, function* (t) {
        const streams = specs.map(() => process.stream(s.right ? 'non-blocking' : 'blocking'));
        const shared: Stream = s.right ? process.stream('non-blocking') : process.device.legacy;
        for (const _ of streams) yield* t.call('cudaStreamCreate', 12_000);
        for (const _ of range(rounds))
          for (const [at, stream] of streams.entries()) {
            yield* launchAll(t, stream, [specs[at]!], 1500);
            yield* launchAll(t, shared, [library], 1500);
          }
      });
    }),
    together: true,
    skip: togetherSkip,
  };
};
const ownGpusPageable: Build = (s) => {
  const specs = range(4).map(() => solver(usual[0]!, s.work, s.work.real(150_000, 400_000)));
  const rounds = s.work.whole(12, 24);
  const part = s.work.real(0.6, 1.4);
  return {
    accepted: ['pageable-copies-slow', 'pageable-copies-synchronous'],
    processes: local(s, (process) => {
      const bytes = Math.round(total(specs) * part * process.gpu.pageable);
      main(process, function* (t) {
        for (const _ of range(rounds)) {
          yield* t.copy(process.device.legacy, 'HtoD', bytes, 'pageable', s.seed % 2 === 0);
          yield* launchAll(t, process.device.legacy, specs, 2500);
        }
        yield* t.syncDevice();
      });
    }),
    together: true,
    alone: true,
    skip: togetherSkip,
  };
};
const ownGpusShort: Build = (s) => {
  const specs = range(s.work.whole(60, 90)).map(() => elementwise(usual[0]!, s.work, s.work.real(1800, 4500)));
  const steps = s.work.whole(5, 8);
  const host = s.work.real(6000, 15_000);
  return {
    accepted: ['launch-bound-needs-cuda-graphs'],
    processes: local(s, (process) => {
      main(process, function* (t) {
        for (const _ of range(steps)) yield* launchAll(t, process.device.legacy, specs, host);
        yield* t.syncDevice();
      });
    }),
    together: true,
    alone: true,
    skip: togetherSkip,
  };
};

/** Ranks of one host in one file: their reductions overlap. */
const ranksTogether: Build = (s) => {
  const job = jobOf(s, { buckets: 7, wire: s.work.real(0.25, 0.5), overlapped: true }, [2, 3], true);
  train(s, job);
  return {
    accepted: ['ok-nccl-overlapped', 'ok-streams-overlap', 'ok-healthy-training', 'ok-any'],
    processes: job.processes,
    together: true,
    skip: togetherSkip,
  };
};

export const parallelScenes: Readonly<Record<string, Build>> = {
  'ranks-of-a-node': wide,
  'shards-overlapped': sharesOverlapped,
  'shards-exposed': sharesExposed,
  'shards-straggler': sharesStraggler,
  'pipeline-stages': stages,
  'tensor-parallel-cheap': tensorsCheap,
  'tensor-parallel-exposed': tensorsExposed,
  'all-ranks-wait-for-input': allWait,
  'first-rank-writes': firstWrites,
  'rank-starts-late': lateStart,
  'one-rank-of-a-straggler': oneOfStraggler,
  'processes-own-gpus': ownGpus,
  'processes-shared-gpu': sharedGpu,
  'processes-serialised': ownGpusSerialised,
  'processes-pageable': ownGpusPageable,
  'processes-launch-bound': ownGpusShort,
  'ranks-in-one-file': ranksTogether,
};
