// Scenes of input, of training, and of several GPUs.
import type { Program } from './machine.ts';
import { elementwise, solver, stepOf, trained, usual } from './gpus.ts';
import type { Process, Thread } from './program.ts';
import type { Build, Setting } from './scene.ts';
import { busy, launchAll, main, processOf, range, total } from './scene.ts';

interface Loop {
  readonly process: Process;
  readonly steps: number;
  readonly specs: ReturnType<typeof stepOf>;
  readonly batch: number;
  /** How the loader is seen: by a range of its own, or not. */
  readonly named: string | null;
}

function loopOf(s: Setting, stepNs: readonly [number, number], steps: readonly [number, number]): Loop {
  const gpu = s.work.pick(trained);
  const process = processOf(s, gpu);
  const want = s.work.real(...stepNs);
  const specs = stepOf(gpu, s.work, s.work.whole(25, 60), want / 40, 'training');
  return {
    process,
    steps: s.work.whole(...steps),
    specs,
    batch: s.work.whole(1, 12) * 600_000,
    named: s.work.pick([
      'enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__',
      'enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__',
      'data_loading',
      null,
    ]),
  };
}

/** A step: the next batch, its upload, its kernels. */
function* step(t: Thread, loop: Loop, at: number, loadNs: number, specs: Loop['specs'] = loop.specs): Program {
  const stream = t.process.device.legacy;
  const load = function* (): Program {
    yield* busy(t, loadNs);
  };
  const body = function* (): Program {
    if (loop.named === null) yield* load();
    else yield* t.range(loop.named, load);
    yield* t.copy(stream, 'HtoD', loop.batch);
    yield* launchAll(t, stream, specs, 3500);
  };
  if (loop.named === null) yield* body();
  else yield* t.range(`ProfilerStep#${at}`, body);
}

const inputBound: Build = (s) => {
  const loop = loopOf(s, [4_000_000, 12_000_000], [8, 14]);
  const load = total(loop.specs) * s.work.real(0.8, 4) + 2_000_000;
  const item = s.work.chance(0.5);
  main(loop.process, function* (t) {
    for (const at of range(loop.steps)) {
      yield* step(t, loop, at, s.right ? 150_000 : load);
      if (item) yield* t.copy(loop.process.device.legacy, 'DtoH', 4, 'pageable');
      else if (!s.right) yield* t.syncStream(loop.process.device.legacy);
    }
  });
  return {
    accepted: loop.named === null ? ['input-pipeline-bound', 'cpu-bound'] : ['input-pipeline-bound'],
    processes: [loop.process],
    numbers: {
      'kernels.count': loop.steps * loop.specs.length,
      'copies.count.HtoD': loop.steps,
      'copies.bytes.HtoD.pinned': loop.steps * loop.batch,
    },
  };
};

const loaderKeepsUp: Build = (s) => {
  const loop = loopOf(s, [6_000_000, 20_000_000], [10, 16]);
  const load = s.work.real(60_000, 0.04 * total(loop.specs));
  main(loop.process, function* (t) {
    for (const at of range(loop.steps)) yield* step(t, { ...loop, batch: Math.min(loop.batch, 4_000_000) }, at, load);
  });
  return {
    accepted: ['ok-loader-keeps-up', 'ok-healthy-training', 'ok-single-stream-saturated'],
    processes: [loop.process],
    numbers: { 'kernels.count': loop.steps * loop.specs.length },
  };
};

const firstBatchSlow: Build = (s) => {
  const loop = loopOf(s, [6_000_000, 16_000_000], [14, 22]);
  const first = s.work.real(80_000_000, 600_000_000);
  main(loop.process, function* (t) {
    // The weights go up before the first batch is there.
    for (const _ of range(s.work.whole(3, 8)))
      yield* t.copy(loop.process.device.legacy, 'HtoD', 2_000_000, 'pageable', true);
    for (const at of range(loop.steps)) yield* step(t, { ...loop, batch: 1_200_000 }, at, at === 0 ? first : 80_000);
  });
  return {
    accepted: ['ok-first-batch-slow', 'ok-loader-keeps-up', 'ok-healthy-training', 'ok-any'],
    processes: [loop.process],
    numbers: { 'kernels.count': loop.steps * loop.specs.length },
  };
};

const firstIterationJit: Build = (s) => {
  const loop = loopOf(s, [6_000_000, 16_000_000], [14, 22]);
  const how = s.work.pick(['cuModuleLoadDataEx', 'cuLibraryLoadData', 'cuModuleLoadData', 'autotune'] as const);
  const distinct = s.work.whole(3, 8);
  const each = s.work.real(15_000_000, 90_000_000);
  main(loop.process, function* (t) {
    const stream = loop.process.device.legacy;
    yield* t.copy(stream, 'HtoD', 1_200_000);
    for (const at of range(distinct)) {
      if (how === 'autotune')
        for (const _ of range(10)) {
          yield* launchAll(t, stream, [loop.specs[at]!], 60_000);
          yield* t.syncStream(stream);
        }
      else yield* t.call(how, each);
      yield* launchAll(t, stream, [loop.specs[at]!], 4000);
    }
    for (const at of range(loop.steps)) yield* step(t, { ...loop, batch: 1_200_000 }, at, 80_000);
  });
  return {
    accepted: ['ok-first-iteration-jit', 'ok-loader-keeps-up', 'ok-healthy-training', 'ok-any'],
    processes: [loop.process],
  };
};

/** Training with the pauses that training has. */
const healthyTraining: Build = (s) => {
  const loop = loopOf(s, [12_000_000, 30_000_000], [16, 24]);
  const what = s.work.pick(['plain', 'evaluation', 'checkpoint', 'warm-up'] as const);
  main(loop.process, function* (t) {
    const stream = loop.process.device.legacy;
    const plain = { ...loop, batch: 1_200_000 };
    for (const at of range(loop.steps)) {
      if (what === 'warm-up' && at < 2) yield* busy(t, 6_000_000);
      yield* step(t, plain, at, 90_000);
      if (at % 4 === 3) yield* t.copy(stream, 'DtoH', 4, 'pageable');
      if (at !== Math.floor(loop.steps / 2)) continue;
      if (what === 'evaluation')
        for (const each of range(4)) {
          yield* busy(t, 3_000_000);
          yield* step(t, plain, 100 + each, 90_000, loop.specs.slice(0, loop.specs.length >> 1));
          yield* t.syncStream(stream);
        }
      if (what === 'checkpoint') {
        for (const _ of range(8)) yield* t.copy(stream, 'DtoH', 4_000_000, 'pageable');
        yield* busy(t, s.work.real(30_000_000, 90_000_000));
      }
    }
  });
  return {
    accepted: ['ok-healthy-training', 'ok-loader-keeps-up', 'ok-sync-once-per-step', 'ok-any'],
    processes: [loop.process],
  };
};

/** No work for the GPU at all. */
const noGpuWork: Build = (s) => {
  const process = processOf(s, s.work.pick(usual));
  const thread = process.thread(process.pid);
  s.sim.spawn(
    (function* (): Program {
      for (const _ of range(s.work.whole(5, 40))) {
        yield* busy(thread, 3_000_000);
        yield* thread.range('aten::mm', function* () {
          yield* busy(thread, 800_000);
        });
        yield* thread.call(s.work.pick(['cudaGetDeviceCount', 'cudaMalloc', 'cudaFuncGetAttributes']), 4000);
      }
    })(),
  );
  return { accepted: ['trace-has-no-gpu-work'], processes: [process] };
};

/** Two independent GPUs of one process, each busy. */
const twoDevices: Build = (s) => {
  const gpu = s.work.pick(trained);
  const process = processOf(s, gpu, { devices: [0, 1] });
  const counts = [s.work.whole(60, 160), s.work.whole(60, 160)];
  const specs = counts.map((count) =>
    range(count).map(() => (s.work.chance(0.8) ? solver : elementwise)(gpu, s.work, s.work.real(100_000, 300_000))),
  );
  main(process, function* (t) {
    process.devices.forEach((device, at) => {
      const other = process.thread(process.pid + 5 + at);
      process.sim.spawn(
        (function* (): Program {
          yield* other.call('cudaSetDevice', 800);
          yield* launchAll(other, device.legacy, specs[at]!, 3000);
          yield* other.syncStream(device.legacy);
        })(),
      );
    });
    yield* busy(t, 100_000);
  });
  return {
    accepted: ['ok-single-stream-saturated', 'ok-any'],
    processes: [process],
    skip: ['launch.count', 'launch.api_median_ns'],
    numbers: {
      'kernels.count': counts[0]!,
      'dev1.kernels.count': counts[1]!,
      'dev1.kernels.total_ns': total(specs[1]!),
    },
  };
};

/** All data goes up once, and is worked on for long. */
const uploadedOnce: Build = (s) => {
  const gpu = s.work.pick(usual);
  const process = processOf(s, gpu);
  const specs = range(s.work.whole(60, 160)).map(() => solver(gpu, s.work, s.work.real(150_000, 500_000)));
  const pieces = s.work.whole(1, 8);
  const host = s.work.pick(['pinned', 'pageable'] as const);
  const bytes = Math.round(
    (total(specs) * s.work.real(0.1, 0.5) * (host === 'pinned' ? gpu.pinned : gpu.pageable)) / pieces,
  );
  main(process, function* (t) {
    for (const _ of range(pieces)) yield* t.copy(process.device.legacy, 'HtoD', bytes, host, false);
    yield* launchAll(t, process.device.legacy, specs, 2500);
    yield* t.syncDevice();
    yield* t.copy(process.device.legacy, 'DtoH', bytes >> 3, host, false);
  });
  return {
    accepted: ['ok-single-stream-saturated', 'ok-any'],
    processes: [process],
    numbers: {
      'kernels.count': specs.length,
      'copies.count': pieces + 1,
      [`copies.bytes.HtoD.${host}`]: pieces * bytes,
    },
  };
};

/** Requests come when they come: the GPU is idle because nobody asks. */
const requests: Build = (s) => {
  const gpu = s.work.pick(trained);
  const process = processOf(s, gpu);
  const specs = stepOf(gpu, s.work, s.work.whole(15, 30), s.work.real(60_000, 150_000), 'training');
  const mean = total(specs) * s.work.real(0.5, 2);
  const count = s.work.whole(25, 45);
  const waits = range(count).map(() => -Math.log(1 - s.work.next()) * mean);
  main(process, function* (t) {
    for (const wait of waits) {
      yield Math.round(wait) + 1000;
      yield* t.copy(process.device.legacy, 'HtoD', 200_000);
      yield* launchAll(t, process.device.legacy, specs, 2500);
      yield* t.copy(process.device.legacy, 'DtoH', 8000);
      yield* t.syncStream(process.device.legacy);
    }
  });
  return {
    accepted: ['ok-bursty-inference', 'ok-any', 'ok-cannot-tell'],
    processes: [process],
    numbers: { 'kernels.count': count * specs.length },
  };
};

export const inputScenes: Readonly<Record<string, Build>> = {
  'uploaded-once': uploadedOnce,
  requests,
  'input-bound': inputBound,
  'loader-keeps-up': loaderKeepsUp,
  'first-batch-slow': firstBatchSlow,
  'first-iteration-jit': firstIterationJit,
  'healthy-training': healthyTraining,
  'no-gpu-work': noGpuWork,
  'two-devices': twoDevices,
};
