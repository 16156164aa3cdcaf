// Scenes of launches, streams and waits.
import type { Op, Program, Stream } from './machine.ts';
import { elementwise, partly, solver, stepOf, trained, usual } from './gpus.ts';
import type { KernelSpec } from './program.ts';
import type { Build, Setting } from './scene.ts';
import { busy, launchAll, main, processOf, range, total } from './scene.ts';

/** Short kernels of one step. */
const shortSteps = ({ work }: Setting, gpu: (typeof usual)[number], low: number, high: number): readonly KernelSpec[] =>
  range(work.whole(50, 110)).map(() => elementwise(gpu, work, work.real(low, high)));

const launchBound: Build = (s) => {
  const gpu = s.work.pick(usual);
  const process = processOf(s, gpu);
  const steps = s.work.whole(6, 10);
  const specs = shortSteps(s, gpu, 1500, s.work.real(2500, 5000));
  const host = s.work.real(5000, 16_000);
  const often = s.work.chance(0.5);
  main(process, function* (t) {
    const stream = s.work.chance(0.7) ? process.device.legacy : process.stream('non-blocking');
    for (const step of range(steps)) {
      if (s.right) yield* t.graph(stream, specs, 1);
      else yield* launchAll(t, stream, specs, host);
      if (often || step === steps - 1) yield* t.syncStream(stream);
    }
  });
  return {
    accepted: ['launch-bound-needs-cuda-graphs'],
    processes: [process],
    numbers: {
      'kernels.count': steps * specs.length,
      'launch.count': steps * specs.length,
      'kernels.total_ns': steps * total(specs),
    },
  };
};

const smallKernelsQueued: Build = (s) => {
  const gpu = s.work.pick(usual);
  const process = processOf(s, gpu, { pace: { launch: s.work.real(2200, 3000), spread: 1.25 } });
  const steps = s.work.whole(5, 8);
  const specs = shortSteps(s, gpu, 6000, s.work.real(9000, 15_000));
  main(process, function* (t) {
    for (const step of range(steps)) {
      yield* launchAll(t, process.device.legacy, specs, 500);
      if (step === steps - 1) yield* t.syncDevice();
    }
  });
  return {
    accepted: ['ok-small-kernels-queued', 'ok-single-stream-saturated'],
    processes: [process],
    numbers: { 'kernels.count': steps * specs.length, 'launch.count': steps * specs.length },
  };
};

const graphsUsed: Build = (s) => {
  const gpu = s.work.pick(usual);
  const process = processOf(s, gpu);
  const steps = s.work.whole(20, 60);
  const specs = range(s.work.whole(20, 60)).map(() => elementwise(gpu, s.work, s.work.real(2500, 9000)));
  const sync = s.work.chance(0.3);
  main(process, function* (t) {
    const stream = process.stream('non-blocking');
    yield* t.call('cudaGraphInstantiate', 900_000);
    for (const _ of range(steps)) {
      yield* t.graph(stream, specs, 1);
      if (sync) yield* t.syncStream(stream);
      else yield* busy(t, 4000);
    }
  });
  return { accepted: ['ok-cuda-graphs-used'], processes: [process], numbers: { 'launch.count': steps } };
};

/** Streams with independent work, and a library that works in the default stream. */
const defaultStream: Build = (s) => {
  const gpu = s.work.pick(usual);
  const process = processOf(s, gpu);
  const count = s.work.whole(2, 4);
  const rounds = s.work.whole(12, 30);
  const mine = s.work.real(40_000, 250_000);
  const library = s.work.real(30_000, 250_000);
  const own = range(count).map(() => partly(gpu, solver(gpu, s.work, s.work.around(mine, 1.3)), 0.22));
  const shared = partly(gpu, elementwise(gpu, s.work, library), 0.22);
  const threads = s.work.chance(0.3);
  main(process, function* (t) {
    const streams = range(count).map(() => process.stream(s.right ? 'non-blocking' : 'blocking'));
    const library7: Stream = s.right ? process.stream('non-blocking') : process.device.legacy;
    for (const _ of streams) yield* t.call('cudaStreamCreate', 12_000);
    if (threads) {
      streams.forEach((stream, at) => {
        const other = process.thread(process.pid + 11 + at);
        process.sim.spawn(
          (function* (): Program {
            for (const _ of range(rounds)) yield* launchAll(other, stream, [own[at]!], 3000);
            yield* other.syncStream(stream);
          })(),
        );
      });
      for (const _ of range(rounds)) yield* launchAll(t, library7, [shared], 3000);
      yield* t.syncStream(library7);
      return;
    }
    for (const _ of range(rounds))
      for (const [at, stream] of streams.entries()) {
        yield* launchAll(t, stream, [own[at]!], 1500);
        yield* launchAll(t, library7, [shared], 1500);
      }
  });
  return { accepted: ['default-stream-serialisation'], processes: [process] };
};

const streamsOverlap: Build = (s) => {
  const gpu = s.work.pick(usual);
  const process = processOf(s, gpu);
  const count = s.work.whole(2, 4);
  const rounds = s.work.whole(15, 40);
  const own = range(count).map(() => partly(gpu, solver(gpu, s.work, s.work.real(40_000, 250_000)), 0.22));
  const seven = s.work.chance(0.5);
  main(process, function* (t) {
    const streams = [
      ...range(count - 1).map(() => process.stream('non-blocking')),
      seven ? process.device.legacy : process.stream('non-blocking'),
    ];
    for (const _ of streams) yield* t.call('cudaStreamCreateWithFlags', 12_000);
    for (const _ of range(rounds))
      for (const [at, stream] of streams.entries()) yield* launchAll(t, stream, [own[at]!], 1500);
  });
  return { accepted: ['ok-streams-overlap'], processes: [process], numbers: { 'kernels.count': rounds * count } };
};

const perThread: Build = (s) => {
  const gpu = s.work.pick(usual);
  const process = processOf(s, gpu, { suffix: 'per-thread' });
  const count = s.work.whole(2, 5);
  const rounds = s.work.whole(20, 60);
  const own = range(count).map(() => ({ ...solver(gpu, s.work, s.work.real(40_000, 200_000)), share: 0.19 }));
  main(process, function* (t) {
    // Each thread's own default stream waits for the legacy one, which nothing uses.
    const streams = range(count).map(() => process.stream('blocking'));
    streams.forEach((stream, at) => {
      const other = process.thread(process.pid + 21 + at);
      process.sim.spawn(
        (function* (): Program {
          for (const _ of range(rounds)) yield* launchAll(other, stream, [own[at]!], 2500);
          yield* other.syncStream(stream);
        })(),
      );
    });
    yield* busy(t, 200_000);
  });
  return {
    accepted: ['ok-per-thread-default-stream', 'ok-streams-overlap'],
    processes: [process],
    formats: ['nsys'],
    numbers: { 'kernels.count': rounds * count, serialised_ns: 0 },
  };
};

const singleStreamSaturated: Build = (s) => {
  const gpu = s.work.pick(usual);
  const process = processOf(s, gpu);
  const specs = range(s.work.whole(60, 200)).map(() =>
    solver(gpu, s.work, s.work.around(s.work.real(60_000, 600_000), 1.6)),
  );
  const bytes = s.work.whole(1, 8) * 1_000_000;
  const host = s.work.pick(['pinned', 'pageable'] as const);
  main(process, function* (t) {
    yield* t.copy(process.device.legacy, 'HtoD', bytes, host, false);
    yield* launchAll(t, process.device.legacy, specs, 3000);
    yield* t.syncDevice();
    yield* t.copy(process.device.legacy, 'DtoH', 1_000_000, 'pinned', false);
  });
  return {
    accepted: ['ok-single-stream-saturated', ...(host === 'pageable' ? ['ok-pageable-negligible'] : [])],
    processes: [process],
    numbers: { 'kernels.count': specs.length, 'kernels.total_ns': total(specs), serialised_ns: 0, 'copies.count': 2 },
  };
};

/** Streams that wait for each other as the program says: order is no waste. */
const eventsOrdered: Build = (s) => {
  const gpu = s.work.pick(usual);
  const process = processOf(s, gpu);
  const rounds = s.work.whole(15, 40);
  const first = solver(gpu, s.work, s.work.real(80_000, 300_000));
  const second = solver(gpu, s.work, s.work.real(80_000, 300_000));
  const seven = s.work.chance(0.5);
  main(process, function* (t) {
    const [a, b] = [seven ? process.device.legacy : process.stream('non-blocking'), process.stream('non-blocking')];
    let back: Op | null = null;
    for (const _ of range(rounds)) {
      if (back !== null) yield* t.wait(a, back);
      yield* launchAll(t, a, [first], 1500);
      const made = yield* t.record(a);
      yield* t.wait(b, made);
      yield* launchAll(t, b, [second], 1500);
      back = yield* t.record(b);
    }
  });
  return { accepted: ['ok-single-stream-saturated', 'ok-streams-overlap', 'ok-any'], processes: [process] };
};

const syncAfterEach: Build = (s) => {
  const gpu = s.work.pick(usual);
  const process = processOf(s, gpu);
  const specs = range(s.work.whole(120, 350)).map(() => solver(gpu, s.work, s.work.real(15_000, 70_000)));
  const whole = s.work.chance(0.5);
  const host = s.work.real(6000, 20_000);
  main(process, function* (t) {
    const stream = process.device.legacy;
    for (const spec of specs) {
      yield* launchAll(t, stream, [spec], s.right ? 1500 : host);
      if (s.right) continue;
      if (whole) yield* t.syncDevice();
      else yield* t.syncStream(stream);
    }
  });
  return {
    accepted: ['sync-after-each-kernel'],
    processes: [process],
    numbers: { 'kernels.count': specs.length, 'kernels.total_ns': total(specs), 'launch.count': specs.length },
  };
};

const syncOncePerStep: Build = (s) => {
  const gpu = s.work.pick(trained);
  const process = processOf(s, gpu);
  const steps = s.work.whole(8, 14);
  const specs = stepOf(gpu, s.work, s.work.whole(30, 60), s.work.real(90_000, 200_000), 'training');
  const item = s.work.chance(0.5);
  main(process, function* (t) {
    for (const _ of range(steps)) {
      yield* launchAll(t, process.device.legacy, specs, 3500);
      if (item) yield* t.copy(process.device.legacy, 'DtoH', 4, 'pageable');
      yield* t.syncStream(process.device.legacy);
    }
  });
  return {
    accepted: [
      'ok-sync-once-per-step',
      'ok-healthy-training',
      'ok-single-stream-saturated',
      ...(item ? ['ok-pageable-negligible'] : []),
    ],
    processes: [process],
    numbers: { 'kernels.count': steps * specs.length },
  };
};

const allocInLoop: Build = (s) => {
  const gpu = s.work.pick(usual);
  const process = processOf(s, gpu);
  const rounds = s.work.whole(25, 60);
  const specs = range(s.work.whole(2, 6)).map(() => solver(gpu, s.work, s.work.real(40_000, 160_000)));
  const buffers = s.work.whole(1, 4);
  const [take, give] = [s.work.real(80_000, 400_000), s.work.real(80_000, 350_000)];
  main(process, function* (t) {
    for (const _ of range(rounds)) {
      if (!s.right) for (const _b of range(buffers)) yield* t.malloc(take);
      yield* launchAll(t, process.device.legacy, specs, 2500);
      if (!s.right) for (const _b of range(buffers)) yield* t.free(give);
    }
  });
  return { accepted: ['alloc-in-loop'], processes: [process], numbers: { 'kernels.count': rounds * specs.length } };
};

const allocatedOnce: Build = (s) => {
  const gpu = s.work.pick(usual);
  const process = processOf(s, gpu);
  const specs = range(s.work.whole(80, 200)).map(() => solver(gpu, s.work, s.work.real(100_000, 400_000)));
  const pool = s.work.chance(0.4);
  main(process, function* (t) {
    for (const _ of range(s.work.whole(4, 30))) {
      yield* t.malloc(s.work.real(60_000, 500_000));
      if (s.work.chance(0.3)) yield* t.memset(process.device.legacy, 1_000_000);
    }
    for (const spec of specs) {
      if (pool) yield* t.call('cudaMallocAsync', t.short(1800));
      yield* launchAll(t, process.device.legacy, [spec], 2500);
      if (pool) yield* t.call('cudaFreeAsync', t.short(1500));
    }
    yield* t.syncDevice();
    for (const _ of range(4)) yield* t.free(200_000);
  });
  return {
    accepted: ['ok-allocated-once', 'ok-single-stream-saturated'],
    processes: [process],
    numbers: { 'kernels.count': specs.length },
  };
};

export const launchScenes: Readonly<Record<string, Build>> = {
  'launch-bound': launchBound,
  'small-kernels-queued': smallKernelsQueued,
  'graphs-used': graphsUsed,
  'default-stream': defaultStream,
  'streams-overlap': streamsOverlap,
  'per-thread-streams': perThread,
  'single-stream-saturated': singleStreamSaturated,
  'streams-ordered-by-events': eventsOrdered,
  'sync-after-each': syncAfterEach,
  'sync-once-per-step': syncOncePerStep,
  'alloc-in-loop': allocInLoop,
  'allocated-once': allocatedOnce,
};
