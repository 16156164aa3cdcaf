// Scenes of copies, managed memory and input.
import type { Op, Program, Stream } from './machine.ts';
import { gpus, solver, stepOf, usual } from './gpus.ts';
import type { Gpu, Process, Thread } from './program.ts';
import { prefetch, touchedByGpu, touchedByHost } from './managed.ts';
import type { Build, Setting } from './scene.ts';
import { busy, launchAll, main, processOf, range, total } from './scene.ts';

/** Uploads of the next round run in a stream of their own while the kernels of this one run. */
export function* overlapped(
  t: Thread,
  rounds: number,
  upload: (stream: Stream) => Program,
  compute: (stream: Stream) => Program,
  download: ((stream: Stream) => Program) | null,
): Program {
  const { process } = t;
  const [copies, back, work] = [
    process.stream('non-blocking'),
    process.stream('non-blocking'),
    process.stream('non-blocking'),
  ];
  const used: Op[] = [];
  for (const round of range(rounds)) {
    // Two buffers: a third upload waits for the kernels that read the first.
    const free = used[round - 2];
    if (free !== undefined) yield* t.wait(copies, free);
    yield* upload(copies);
    yield* t.wait(work, yield* t.record(copies));
    yield* compute(work);
    const made = yield* t.record(work);
    used.push(made);
    if (download === null) continue;
    yield* t.wait(back, made);
    yield* download(back);
  }
}

interface Streaming {
  readonly process: Process;
  readonly rounds: number;
  readonly bytes: number;
  readonly back: number;
  readonly specs: ReturnType<typeof stepOf>;
}

/** Rounds in which the copies last `low` to `high` times as long as the kernels. */
function streaming(s: Setting, gpu: Gpu, low: number, high: number, rate: number): Streaming {
  const process = processOf(s, gpu);
  const specs = range(s.work.whole(3, 10)).map(() => solver(gpu, s.work, s.work.real(150_000, 700_000)));
  const bytes = Math.round(total(specs) * s.work.real(low, high) * rate);
  return { process, rounds: s.work.whole(14, 30), bytes, back: s.work.chance(0.5) ? Math.round(bytes / 3) : 0, specs };
}

function pageable(
  s: Setting,
  async: boolean,
): { readonly processes: readonly Process[]; readonly numbers: Readonly<Record<string, number>> } {
  const gpu = s.work.pick(usual);
  const { process, rounds, bytes, back, specs } = streaming(s, gpu, 0.5, 1.5, gpu.pageable);
  main(process, function* (t) {
    if (s.right) {
      yield* overlapped(
        t,
        rounds,
        function* (stream) {
          yield* t.copy(stream, 'HtoD', bytes);
        },
        (stream) => launchAll(t, stream, specs, 2500),
        back === 0
          ? null
          : function* (stream) {
              yield* t.copy(stream, 'DtoH', back);
            },
      );
      return;
    }
    const stream = async && s.work.chance(0.5) ? process.stream('non-blocking') : process.device.legacy;
    for (const _ of range(rounds)) {
      yield* t.copy(stream, 'HtoD', bytes, 'pageable', async);
      yield* launchAll(t, stream, specs, 2500);
      if (back > 0) yield* t.copy(stream, 'DtoH', back, 'pageable', async);
    }
  });
  return {
    processes: [process],
    numbers: {
      'kernels.count': rounds * specs.length,
      'copies.count': rounds * (back > 0 ? 2 : 1),
      'copies.bytes.HtoD.pageable': rounds * bytes,
    },
  };
}

const pageableSynchronous: Build = (s) => ({
  accepted: ['pageable-copies-synchronous', 'pageable-copies-slow'],
  ...pageable(s, true),
});
const pageableSlow: Build = (s) => ({
  accepted: ['pageable-copies-slow', 'pageable-copies-synchronous'],
  ...pageable(s, false),
});

const pageableNegligible: Build = (s) => {
  const gpu = s.work.pick(usual);
  const { process, rounds, specs } = streaming(s, gpu, 0.1, 0.2, 1);
  const bytes = s.work.pick([4, 512, 8192, 100_000, 250_000]);
  main(process, function* (t) {
    for (const _ of range(rounds)) {
      yield* t.copy(process.device.legacy, 'HtoD', bytes, 'pageable');
      yield* launchAll(t, process.device.legacy, specs, 2500);
    }
  });
  return {
    accepted: ['ok-pageable-negligible', 'ok-single-stream-saturated'],
    processes: [process],
    numbers: {
      'kernels.count': rounds * specs.length,
      'copies.count': rounds,
      'copies.count.HtoD': rounds,
      'copies.bytes.HtoD.pageable': rounds * bytes,
    },
  };
};

/** On a coherent link pageable copies run at the full rate. */
const pageableCoherent: Build = (s) => {
  const gpu = gpus.gh200;
  const { process, rounds, bytes, specs } = streaming(s, gpu, 0.02, 0.08, gpu.pageable);
  main(process, function* (t) {
    for (const _ of range(rounds)) {
      yield* t.copy(process.device.legacy, 'HtoD', bytes, 'pageable');
      yield* launchAll(t, process.device.legacy, specs, 2500);
    }
  });
  return {
    accepted: ['ok-pageable-fast-on-gh200', 'ok-pageable-negligible', 'ok-single-stream-saturated'],
    processes: [process],
    numbers: { 'copies.bytes.HtoD.pageable': rounds * bytes },
  };
};

const copiesOverlapped: Build = (s) => {
  const gpu = s.work.pick(usual);
  const { process, rounds, bytes, back, specs } = streaming(s, gpu, 0.4, 0.85, gpu.pinned);
  main(process, function* (t) {
    yield* overlapped(
      t,
      rounds,
      function* (stream) {
        yield* t.copy(stream, 'HtoD', bytes);
      },
      (stream) => launchAll(t, stream, specs, 2500),
      back === 0
        ? null
        : function* (stream) {
            yield* t.copy(stream, 'DtoH', back);
          },
    );
  });
  return {
    accepted: ['ok-copies-pinned-overlapped', 'ok-streams-overlap'],
    processes: [process],
    numbers: { 'copies.bytes.HtoD.pinned': rounds * bytes, 'kernels.count': rounds * specs.length },
  };
};

const copiesNotOverlapped: Build = (s) => {
  const gpu = s.work.pick(usual);
  const { process, rounds, bytes, back, specs } = streaming(s, gpu, 0.5, 1.4, gpu.pinned);
  const async = s.work.chance(0.7);
  const sync = s.work.chance(0.4);
  main(process, function* (t) {
    if (s.right) {
      yield* overlapped(
        t,
        rounds,
        function* (stream) {
          yield* t.copy(stream, 'HtoD', bytes);
        },
        (stream) => launchAll(t, stream, specs, 2500),
        back === 0
          ? null
          : function* (stream) {
              yield* t.copy(stream, 'DtoH', back);
            },
      );
      return;
    }
    const stream = s.work.chance(0.5) ? process.stream('non-blocking') : process.device.legacy;
    for (const _ of range(rounds)) {
      yield* t.copy(stream, 'HtoD', bytes, 'pinned', async);
      yield* launchAll(t, stream, specs, 2500);
      if (back > 0) yield* t.copy(stream, 'DtoH', back, 'pinned', async);
      if (sync) yield* t.syncStream(stream);
    }
  });
  return {
    accepted: ['copies-not-overlapped', 'host-offload-copy-bound'],
    processes: [process],
    numbers: { 'copies.bytes.HtoD.pinned': rounds * bytes, 'copies.count': rounds * (back > 0 ? 2 : 1) },
  };
};

const manySmall: Build = (s) => {
  const gpu = s.work.pick(usual);
  const process = processOf(s, gpu);
  const rounds = s.work.whole(8, 12);
  const pieces = s.work.whole(60, 120);
  const bytes = s.work.pick([512, 2048, 4096, 8192, 16_384]);
  const specs = range(s.work.whole(2, 6)).map(() => solver(gpu, s.work, s.work.real(50_000, 160_000)));
  const [host, async] = s.work.pick([
    ['pinned', true],
    ['pageable', true],
    ['pageable', false],
  ] as const);
  main(process, function* (t) {
    const stream = process.device.legacy;
    for (const _ of range(rounds)) {
      if (s.right) yield* t.copy(stream, 'HtoD', pieces * bytes);
      else
        for (const _p of range(pieces)) {
          yield* busy(t, 1500);
          yield* t.copy(stream, 'HtoD', bytes, host, async);
        }
      yield* launchAll(t, stream, specs, 2500);
      yield* t.syncStream(stream);
    }
  });
  return {
    accepted: ['many-small-copies'],
    processes: [process],
    numbers: { 'copies.count': rounds * pieces, 'copies.count.HtoD': rounds * pieces },
  };
};

/** Two GPUs of one process give each other their edges while they work. */
const peerCopies: Build = (s) => {
  const gpu = s.work.pick([gpus.a100, gpus.h100, gpus.v100]);
  const process = processOf(s, gpu, { devices: [0, 1] });
  const rounds = s.work.whole(15, 35);
  const inner = solver(gpu, s.work, s.work.real(300_000, 900_000));
  const bytes = Math.round(inner.ns * gpu.peer * s.work.real(0.2, 0.7));
  main(process, function* (t) {
    const sides = process.devices.map((device) => ({
      work: process.stream('non-blocking', device),
      copies: process.stream('non-blocking', device),
    }));
    for (const _ of range(rounds))
      for (const { work, copies } of sides) {
        yield* t.call('cudaSetDevice', 700);
        yield* launchAll(t, work, [inner], 1500);
        yield* t.copy(copies, 'PtoP', bytes);
      }
    for (const device of process.devices) yield* t.syncDevice(device);
  });
  return {
    accepted: ['ok-peer-copies', 'ok-streams-overlap'],
    processes: [process],
    skip: ['launch.count', 'launch.api_median_ns'],
    numbers: {
      'kernels.count': rounds,
      'dev1.kernels.count': rounds,
      'dev1.kernels.total_ns': rounds * inner.ns,
      'copies.count.PtoP': rounds,
    },
  };
};

const managedFaults: Build = (s) => {
  const gpu = s.work.pick(usual);
  const process = processOf(s, gpu);
  const rounds = s.work.whole(6, 14);
  const base = solver(gpu, s.work, s.work.real(200_000, 1_500_000));
  const bytes = s.work.whole(4, 16) * 2 ** 20;
  const back = s.work.chance(0.7);
  main(process, function* (t) {
    const stream = process.device.legacy;
    yield* t.call('cudaMallocManaged', 40_000);
    for (const _ of range(rounds)) {
      if (s.right) {
        yield* prefetch(t, stream, 'UVM_HtoD', bytes);
        yield* launchAll(t, stream, [base], 2500);
        if (back) yield* prefetch(t, stream, 'UVM_DtoH', bytes);
        yield* t.syncStream(stream);
        continue;
      }
      yield* busy(t, 2500);
      yield* touchedByGpu(t, stream, base, bytes);
      yield* t.syncDevice();
      if (back) yield* touchedByHost(t, bytes);
      else yield* busy(t, 5000);
    }
  });
  return {
    accepted: ['managed-memory-page-faults'],
    processes: [process],
    formats: ['nsys'],
    numbers: { 'kernels.count': rounds },
  };
};

const managedPrefetched: Build = (s) => {
  const gpu = s.work.pick(usual);
  const process = processOf(s, gpu);
  const rounds = s.work.whole(10, 24);
  const specs = range(s.work.whole(3, 6)).map(() => solver(gpu, s.work, s.work.real(300_000, 900_000)));
  const bytes = Math.max(2 ** 21, Math.round((total(specs) * 0.5 * gpu.pinned) / 2 ** 21) * 2 ** 21);
  const firstTouch = s.work.chance(0.3);
  main(process, function* (t) {
    yield* t.call('cudaMallocManaged', 40_000);
    if (firstTouch) yield* touchedByGpu(t, process.device.legacy, specs[0]!, 4 * 2 ** 20);
    yield* overlapped(
      t,
      rounds,
      (stream) => prefetch(t, stream, 'UVM_HtoD', bytes),
      (stream) => launchAll(t, stream, specs, 2500),
      null,
    );
  });
  return {
    accepted: ['ok-managed-prefetched', 'ok-streams-overlap', 'ok-copies-pinned-overlapped'],
    processes: [process],
    formats: ['nsys'],
    numbers: firstTouch ? {} : { 'faults.gpu': 0, 'faults.cpu': 0 },
  };
};

export const dataScenes: Readonly<Record<string, Build>> = {
  'pageable-synchronous': pageableSynchronous,
  'pageable-slow': pageableSlow,
  'pageable-negligible': pageableNegligible,
  'pageable-coherent': pageableCoherent,
  'copies-overlapped': copiesOverlapped,
  'copies-not-overlapped': copiesNotOverlapped,
  'many-small-copies': manySmall,
  'peer-copies': peerCopies,
  'managed-faults': managedFaults,
  'managed-prefetched': managedPrefetched,
};
