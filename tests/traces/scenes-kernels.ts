// Scenes of what kernels are like.
import type { Op, Program, Stream } from './machine.ts';
import { elementwise, gpus, gemm, simtGemm, solver, trained, usual } from './gpus.ts';
import type { KernelSpec, Thread } from './program.ts';
import type { Build, Setting } from './scene.ts';
import { busy, launchAll, main, processOf, range, total } from './scene.ts';

const tinyKernel = (s: Setting, ns: number): KernelSpec => ({
  name: s.work.pick(['update_counters(int *)', 'void set_scalar<float>(T1 *, T1)', 'finalize_norm(double *, int)']),
  ns: Math.round(ns),
  share: 0.01,
  grid: s.work.whole(1, 3),
  block: s.work.pick([1, 32, 64]),
  registers: 16,
  shared: 0,
});

const tinyNegligible: Build = (s) => {
  const gpu = s.work.pick(usual);
  const process = processOf(s, gpu);
  const rounds = s.work.whole(50, 110);
  const big = solver(gpu, s.work, s.work.real(200_000, 700_000));
  const tiny = tinyKernel(s, s.work.real(1800, 5000));
  main(process, function* (t) {
    for (const _ of range(rounds)) yield* launchAll(t, process.device.legacy, [big, tiny], 2500);
  });
  return {
    accepted: ['ok-tiny-kernel-negligible', 'ok-single-stream-saturated'],
    processes: [process],
    numbers: { 'kernels.count': 2 * rounds, 'kernels.total_ns': rounds * (big.ns + tiny.ns) },
  };
};

const tinyBlocks: Build = (s) => {
  const gpu = s.work.pick(usual);
  const process = processOf(s, gpu);
  const rounds = s.work.whole(15, 40);
  const [grid, block] = s.work.pick([
    [1, 1],
    [1, 32],
    [2, 64],
    [4, 32],
    [8, 16],
  ] as const);
  const few = { ...tinyKernel(s, s.work.real(300_000, 3_000_000)), grid, block, name: 'solve_serial(float *, int)' };
  // The same blocks' work on all SMs, in blocks that fill them.
  const spread = { ...few, ns: Math.round((few.ns * grid) / gpu.sms), grid: gpu.sms * 64, block: 256, share: 1 };
  const tiny = s.right ? spread : few;
  const other = solver(gpu, s.work, s.work.real(20_000, 60_000));
  main(process, function* (t) {
    for (const _ of range(rounds)) yield* launchAll(t, process.device.legacy, [other, tiny], 2500);
  });
  return {
    accepted: ['block-size-too-small', 'busy-label-idle-sms', 'block-limit-caps-occupancy', 'low-achieved-occupancy'],
    processes: [process],
    numbers: { 'kernels.count': 2 * rounds },
  };
};

/** Four blocks of 256 threads with 64 registers fit into an SM of each of the GPUs. */
const waveKernel = (grid: number, ns: number): KernelSpec => ({
  name: 'void sweep_cells<256>(const float *, float *, int)',
  ns: Math.round(ns),
  grid,
  block: 256,
  registers: 64,
  shared: 0,
});

const waveTail: Build = (s) => {
  const gpu = s.work.pick(usual);
  const process = processOf(s, gpu);
  const waves = s.work.pick([1, 1, 2]);
  const full = gpu.sms * 4;
  const extra = Math.max(1, Math.round(full * s.work.real(0.01, 0.12)));
  const wave = s.work.real(150_000, 900_000);
  const rounds = s.work.whole(30, 80);
  const grid = full * waves + extra;
  // The same work in blocks so small that the last wave does not count.
  const spec = s.right ? waveKernel(full * 40, wave * (grid / full)) : waveKernel(grid, wave * (waves + 1));
  const other = solver(gpu, s.work, s.work.real(10_000, 30_000));
  main(process, function* (t) {
    for (const _ of range(rounds)) yield* launchAll(t, process.device.legacy, [spec, other], 2500);
  });
  return { accepted: ['wave-quantisation-tail'], processes: [process], numbers: { 'kernels.count': 2 * rounds } };
};

const manyWaves: Build = (s) => {
  const gpu = s.work.pick(usual);
  const process = processOf(s, gpu);
  const full = gpu.sms * 4;
  const spec = waveKernel(full * s.work.whole(14, 60) + s.work.whole(1, 30), s.work.real(300_000, 1_500_000));
  const rounds = s.work.whole(30, 80);
  main(process, function* (t) {
    for (const _ of range(rounds)) yield* launchAll(t, process.device.legacy, [spec], 2500);
  });
  return {
    accepted: ['ok-single-stream-saturated'],
    processes: [process],
    numbers: {
      'kernels.count': rounds,
      'kernels.total_ns': rounds * spec.ns,
      'kernels.median_ns': spec.ns,
      'top_kernel.total_ns': rounds * spec.ns,
    },
  };
};

const persistent: Build = (s) => {
  const gpu = s.work.pick(usual);
  const process = processOf(s, gpu);
  const blocks = s.work.pick([1, 1, 2]);
  const spec: KernelSpec = {
    name: s.work.pick([
      'void persistent_worker<128>(Queue *, int)',
      'megakernel_decode(Params)',
      'persistent_path_trace(Scene, Film)',
    ]),
    ns: Math.round(s.work.real(30_000_000, 300_000_000)),
    share: 0.9,
    grid: gpu.sms * blocks,
    block: s.work.pick([256, 512]),
    registers: 64,
    shared: 32768,
  };
  const feed = s.work.chance(0.5);
  const rounds = s.work.whole(1, 3);
  main(process, function* (t) {
    const side = process.stream('non-blocking');
    for (const _ of range(rounds)) {
      const running = yield* launchOne(t, process.stream('non-blocking'), spec);
      if (feed)
        for (const _c of range(20)) {
          yield* busy(t, spec.ns / 25);
          if (!running.done) yield* t.copy(side, 'HtoD', 65_536);
        }
      yield* t.syncDevice();
    }
  });
  return {
    accepted: ['ok-persistent-kernel'],
    processes: [process],
    numbers: { 'kernels.count': rounds, 'kernels.total_ns': rounds * spec.ns },
  };
};

function* launchOne(t: Thread, stream: Stream, spec: KernelSpec): Program<Op> {
  return yield* t.launch(stream, spec);
}

const tensorIdle: Build = (s) => {
  const gpu = s.work.pick(usual);
  const process = processOf(s, gpu);
  const steps = s.work.whole(8, 14);
  const specs = range(s.work.whole(20, 45)).map(() => {
    const ns = s.work.real(150_000, 700_000);
    const matrix = s.work.chance(0.75);
    const slow = matrix ? simtGemm(gpu, s.work, ns) : elementwise(gpu, s.work, ns / 3);
    return s.right && matrix ? { ...gemm(gpu, s.work, 0), ns: Math.round(ns / 3) } : slow;
  });
  main(process, function* (t) {
    for (const _ of range(steps)) yield* launchAll(t, process.device.legacy, specs, 3000);
  });
  return { accepted: ['tensor-cores-idle'], processes: [process], numbers: { 'kernels.count': steps * specs.length } };
};

/** FP32 matrix kernels where there are no tensor cores, or where they are a small part. */
const tensorNone: Build = (s) => {
  const old = s.work.chance(0.5);
  const gpu = old ? gpus.p100 : s.work.pick(trained);
  const process = processOf(s, gpu);
  const steps = s.work.whole(8, 14);
  const specs = range(s.work.whole(20, 45)).map(() => {
    const ns = s.work.real(150_000, 700_000);
    return old || s.work.chance(0.85) ? gemm(gpu, s.work, ns) : simtGemm(gpu, s.work, ns / 4);
  });
  main(process, function* (t) {
    for (const _ of range(steps)) yield* launchAll(t, process.device.legacy, specs, 3000);
  });
  return {
    accepted: ['ok-healthy-training', 'ok-single-stream-saturated', 'ok-any'],
    processes: [process],
    numbers: { 'kernels.count': steps * specs.length },
  };
};

/** Waiting behind each kernel costs nothing where a kernel lasts long. */
const syncAfterLong: Build = (s) => {
  const gpu = s.work.pick(usual);
  const process = processOf(s, gpu);
  const specs = range(s.work.whole(25, 60)).map(() => solver(gpu, s.work, s.work.real(2_000_000, 12_000_000)));
  main(process, function* (t) {
    for (const spec of specs) {
      yield* launchAll(t, process.device.legacy, [spec], 8000);
      yield* t.syncDevice();
    }
  });
  return {
    accepted: ['ok-single-stream-saturated', 'ok-sync-once-per-step'],
    processes: [process],
    numbers: { 'kernels.count': specs.length, 'kernels.total_ns': total(specs) },
  };
};

/** One allocation that takes long, once, while the program runs. */
const allocatedInBetween: Build = (s) => {
  const gpu = s.work.pick(usual);
  const process = processOf(s, gpu);
  const specs = range(s.work.whole(80, 200)).map(() => solver(gpu, s.work, s.work.real(200_000, 500_000)));
  const at = s.work.whole(20, 60);
  const long = s.work.real(5_000_000, 60_000_000);
  main(process, function* (t) {
    for (const [place, spec] of specs.entries()) {
      if (place === at) {
        yield* t.free(300_000);
        yield* t.malloc(long);
      }
      yield* launchAll(t, process.device.legacy, [spec], 2500);
    }
  });
  return {
    accepted: ['ok-allocated-once', 'ok-single-stream-saturated'],
    processes: [process],
    numbers: { 'kernels.count': specs.length },
  };
};

export const kernelScenes: Readonly<Record<string, Build>> = {
  'sync-after-long-kernels': syncAfterLong,
  'allocated-in-between': allocatedInBetween,
  'tiny-kernel-negligible': tinyNegligible,
  'tiny-blocks': tinyBlocks,
  'wave-tail': waveTail,
  'many-waves': manyWaves,
  'persistent-kernel': persistent,
  'tensor-cores-idle': tensorIdle,
  'no-tensor-cores-to-use': tensorNone,
};
