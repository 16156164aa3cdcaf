// Scenes of inference, of graphs and of compiled code.
import type { Program, Stream } from './machine.ts';
import { elementwise, gemm, solver, stepOf, trained, usual } from './gpus.ts';
import type { Gpu, KernelSpec, Process, Thread } from './program.ts';
import type { Random } from './random.ts';
import type { Build } from './scene.ts';
import { busy, launchAll, main, processOf, range, total } from './scene.ts';

const tritonNames = [
  'triton_per_fused_native_layer_norm_5',
  'triton_poi_fused_gelu_7',
  'triton_red_fused__log_softmax_2',
  'triton_poi_fused_add_mul_silu_3',
  'triton_per_fused__softmax_div_masked_fill_11',
];
const triton = (gpu: Gpu, random: Random, ns: number): KernelSpec => ({
  ...elementwise(gpu, random, ns),
  name: random.pick(tritonNames),
});

function* request(t: Thread, stream: Stream, specs: readonly KernelSpec[], back: 'pinned' | 'pageable'): Program {
  yield* t.copy(stream, 'HtoD', 200_000);
  yield* launchAll(t, stream, specs, 2500);
  yield* t.copy(stream, 'DtoH', 16_000, back);
  yield* t.syncStream(stream);
}

/** Some requests at once, then none for a while. */
const bursts: Build = (s) => {
  const gpu = s.work.pick(trained);
  const process = processOf(s, gpu);
  const specs = stepOf(gpu, s.work, s.work.whole(20, 40), s.work.real(50_000, 150_000), 'training');
  const named = s.work.pick(['handle_request', 'predict', null]);
  const back = s.work.pick(['pinned', 'pageable'] as const);
  const waits = range(s.work.whole(7, 12)).map(() => total(specs) * s.work.real(2, 12));
  main(process, function* (t) {
    for (const wait of waits) {
      yield Math.round(wait);
      for (const _ of range(s.noise.whole(1, 5))) {
        const one = (): Program => request(t, process.device.legacy, specs, back);
        if (named === null) yield* one();
        else yield* t.range(named, one);
        yield* busy(t, 40_000);
      }
    }
  });
  return { accepted: ['ok-bursty-inference', 'ok-any', 'ok-cannot-tell'], processes: [process] };
};

/** Several workers share the GPU: each has a stream. */
const streamsOfWorkers: Build = (s) => {
  const gpu = s.work.pick(trained);
  const process = processOf(s, gpu);
  const workers = s.work.whole(3, 4);
  const rounds = s.work.whole(12, 25);
  const specs = range(s.work.whole(6, 12)).map(() => ({
    ...solver(gpu, s.work, s.work.real(80_000, 300_000)),
    share: 0.25,
  }));
  main(process, function* (t) {
    for (const at of range(workers)) {
      const stream = process.stream('non-blocking');
      const other = process.thread(process.pid + 31 + at);
      process.sim.spawn(
        (function* (): Program {
          yield* busy(other, 50_000 * at + 1000);
          for (const _ of range(rounds)) {
            yield* request(other, stream, specs, 'pinned');
            yield* busy(other, 30_000);
          }
        })(),
      );
    }
    yield* busy(t, 100_000);
  });
  return { accepted: ['ok-streams-overlap', 'ok-any'], processes: [process] };
};

interface Decoding {
  readonly process: Process;
  readonly layers: readonly KernelSpec[];
  readonly sampling: readonly KernelSpec[];
  readonly tokens: number;
}

function* token(t: Thread, stream: Stream, of: Decoding, eager: number | null, hostNs: number): Program {
  for (const bytes of [2048, 4096, 8192]) yield* t.copy(stream, 'HtoD', bytes);
  if (eager === null) yield* t.graph(stream, of.layers, 1);
  else yield* launchAll(t, stream, of.layers, eager);
  yield* launchAll(t, stream, of.sampling, 3000);
  yield* t.copy(stream, 'DtoH', 256, 'pinned');
  yield* t.syncStream(stream);
  yield* busy(t, hostNs);
}

/** One token after the other: a graph each, and a little of the host between. */
const decodeGraphs: Build = (s) => {
  const gpu = s.work.pick(trained);
  const process = processOf(s, gpu);
  const layers = range(s.work.whole(120, 200)).map(() =>
    s.work.chance(0.5)
      ? gemm(gpu, s.work, s.work.real(20_000, 50_000))
      : elementwise(gpu, s.work, s.work.real(3000, 9000)),
  );
  const of = {
    process,
    layers,
    sampling: range(4).map(() => elementwise(gpu, s.work, 8000)),
    tokens: s.work.whole(25, 45),
  };
  const prefill = stepOf(gpu, s.work, 30, 250_000, 'training');
  const host = s.work.real(100_000, 220_000);
  main(process, function* (t) {
    const stream = s.work.chance(0.5) ? process.device.legacy : process.stream('non-blocking');
    for (const at of range(of.tokens)) {
      if (at % 12 === 0) yield* launchAll(t, stream, prefill, 6000);
      yield* token(t, stream, of, null, host);
    }
  });
  return { accepted: ['ok-cuda-graphs-used', 'ok-any'], processes: [process] };
};

/** The same, each kernel launched by the host: the GPU waits for launches. */
const decodeEager: Build = (s) => {
  const gpu = s.work.pick(trained);
  const process = processOf(s, gpu, s.work.chance(0.5) ? { launchedBy: 'cuLaunchKernel' } : {});
  const layers = range(s.work.whole(100, 160)).map(() => triton(gpu, s.work, s.work.real(2500, 6000)));
  const of = {
    process,
    layers,
    sampling: range(3).map(() => elementwise(gpu, s.work, 5000)),
    tokens: s.work.whole(10, 16),
  };
  const eager = s.work.real(7000, 15_000);
  main(process, function* (t) {
    for (const _ of range(of.tokens)) yield* token(t, process.device.legacy, of, s.right ? null : eager, 60_000);
  });
  return { accepted: ['launch-bound-needs-cuda-graphs'], processes: [process] };
};

/** Compiled code that keeps the GPU busy without graphs. */
const compiled: Build = (s) => {
  const gpu = s.work.pick(trained);
  const process = processOf(s, gpu, { launchedBy: s.work.pick(['cuLaunchKernel', 'cuLaunchKernelEx']) });
  const specs = range(s.work.whole(30, 60)).map(() =>
    s.work.chance(0.5)
      ? triton(gpu, s.work, s.work.real(60_000, 250_000))
      : gemm(gpu, s.work, s.work.real(100_000, 400_000)),
  );
  const steps = s.work.whole(8, 14);
  main(process, function* (t) {
    for (const _ of range(steps))
      yield* t.range('Torch-Compiled Region: 0/0', () =>
        t.range('## Call CompiledFxGraph fk2jd7vq3xyuqm5 ##', () => launchAll(t, process.device.legacy, specs, 9000)),
      );
  });
  return {
    accepted: ['ok-single-stream-saturated', 'ok-healthy-training', 'ok-any'],
    processes: [process],
    skip: ['*launch.count', '*launch.api_median_ns'],
    numbers: { 'kernels.count': steps * specs.length },
  };
};

/** Compiled code in graphs: forward and backward are one launch each, the optimizer launches its own. */
const graphTrees: Build = (s) => {
  const gpu = s.work.pick(trained);
  const process = processOf(s, gpu);
  const half = (): readonly KernelSpec[] =>
    range(s.work.whole(60, 110)).map(() =>
      s.work.chance(0.6)
        ? triton(gpu, s.work, s.work.real(5000, 25_000))
        : gemm(gpu, s.work, s.work.real(30_000, 90_000)),
    );
  const [forward, backward] = [half(), half()];
  const optimizer = range(8).map(() => ({
    ...elementwise(gpu, s.work, s.work.real(40_000, 150_000)),
    name: 'void at::native::(anonymous namespace)::multi_tensor_apply_kernel<at::native::(anonymous namespace)::FusedOptimizerTensorListMetadata<4>>(T1, T2)',
  }));
  const steps = s.work.whole(15, 25);
  main(process, function* (t) {
    const stream = process.stream('non-blocking');
    for (const at of range(steps))
      yield* t.range(`ProfilerStep#${at + 3}`, function* () {
        yield* t.copy(stream, 'HtoD', 400_000);
        yield* t.graph(stream, forward, 1);
        yield* t.graph(stream, backward, 2);
        yield* t.range('Optimizer.step#AdamW.step', () => launchAll(t, stream, optimizer, 6000));
      });
  });
  return { accepted: ['ok-cuda-graphs-used', 'ok-healthy-training', 'ok-any'], processes: [process] };
};

/** Compiled, but its kernels are short and each is launched by itself. */
const compiledShort: Build = (s) => {
  const gpu = s.work.pick(usual);
  const process = processOf(s, gpu, { launchedBy: s.work.pick(['cuLaunchKernel', 'cuLaunchKernelEx']) });
  const specs = range(s.work.whole(60, 120)).map(() => triton(gpu, s.work, s.work.real(1800, 4500)));
  const steps = s.work.whole(8, 12);
  const host = s.work.real(6000, 14_000);
  main(process, function* (t) {
    for (const _ of range(steps)) {
      if (s.right) yield* t.graph(process.device.legacy, specs, 1);
      else yield* t.range('Torch-Compiled Region: 0/0', () => launchAll(t, process.device.legacy, specs, host));
      yield* t.syncStream(process.device.legacy);
    }
  });
  return {
    accepted: ['launch-bound-needs-cuda-graphs'],
    processes: [process],
    skip: ['*launch.count', '*launch.api_median_ns'],
  };
};

/** The environment is stepped by the host: the GPU has nothing to do. */
const environment: Build = (s) => {
  const gpu = s.work.pick(usual);
  const process = processOf(s, gpu);
  const specs = range(s.work.whole(8, 14)).map(() => elementwise(gpu, s.work, s.work.real(6000, 14_000)));
  const rounds = s.work.whole(40, 80);
  const host = s.work.real(1_500_000, 4_000_000);
  const named = s.work.chance(0.5);
  main(process, function* (t) {
    for (const _ of range(rounds)) {
      yield* t.copy(process.device.legacy, 'HtoD', 4096, 'pageable');
      yield* launchAll(t, process.device.legacy, specs, 4000);
      yield* t.copy(process.device.legacy, 'DtoH', 64, 'pageable');
      yield* t.syncStream(process.device.legacy);
      const step = (): Program => busy(t, host);
      if (named) yield* t.range('env_step', step);
      else yield* step();
    }
  });
  return {
    accepted: ['ok-cannot-tell', 'cpu-bound'],
    not: [
      'launch-bound-needs-cuda-graphs',
      'many-small-copies',
      'pageable-copies-slow',
      'pageable-copies-synchronous',
      'copies-not-overlapped',
      'sync-after-each-kernel',
    ],
    processes: [process],
    alone: true,
  };
};

export const servingScenes: Readonly<Record<string, Build>> = {
  'inference-bursts': bursts,
  'inference-streams': streamsOfWorkers,
  'decode-graphs': decodeGraphs,
  'decode-eager': decodeEager,
  compiled,
  'compiled-graph-trees': graphTrees,
  'compiled-short-kernels': compiledShort,
  'environment-on-the-host': environment,
};
