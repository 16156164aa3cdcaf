// Scenes that look like a waste and are none, and wastes that look like another.
import type { Op, Program, Stream } from './machine.ts';
import { elementwise, gpus, solver, trained, usual } from './gpus.ts';
import { evicted, touchedByGpu, touchedByHost } from './managed.ts';
import type { KernelSpec } from './program.ts';
import type { Build, Setting } from './scene.ts';
import { busy, launchAll, main, processOf, range, total } from './scene.ts';
import { overlapped } from './scenes-data.ts';

/** Another thread uploads from pageable memory, in a stream of its own, under the kernels. */
const pageableBehind: Build = (s) => {
  const gpu = s.work.pick(usual);
  const process = processOf(s, gpu);
  const specs = range(s.work.whole(80, 150)).map(() => solver(gpu, s.work, s.work.real(150_000, 400_000)));
  const pieces = s.work.whole(20, 40);
  const bytes = Math.round(((total(specs) * s.work.real(0.25, 0.6)) / pieces) * gpu.pageable);
  main(process, function* (t) {
    const other = process.thread(process.pid + 13);
    const copies = process.stream('non-blocking');
    process.sim.spawn(
      (function* (): Program {
        yield* busy(other, 500_000);
        for (const _ of range(pieces)) {
          yield* other.copy(copies, 'HtoD', bytes, 'pageable');
          yield* busy(other, 30_000);
        }
      })(),
    );
    const stream = process.stream('non-blocking');
    yield* launchAll(t, stream, specs, 2500);
    yield* t.syncStream(stream);
  });
  return { accepted: ['ok-streams-overlap', 'ok-pageable-negligible', 'ok-any'], processes: [process] };
};

/** All is pinned and overlapped; the link is the limit. */
const linkBound: Build = (s) => {
  const gpu = s.work.pick(usual);
  const process = processOf(s, gpu);
  const specs = range(s.work.whole(3, 6)).map(() => solver(gpu, s.work, s.work.real(150_000, 400_000)));
  const bytes = Math.round(total(specs) * s.work.real(1.5, 3) * gpu.pinned);
  main(process, (t) =>
    overlapped(
      t,
      s.work.whole(14, 26),
      function* (stream) {
        yield* t.copy(stream, 'HtoD', bytes);
      },
      (stream) => launchAll(t, stream, specs, 2500),
      null,
    ),
  );
  return {
    accepted: ['ok-copies-pinned-overlapped', 'ok-any', 'ok-cannot-tell', 'host-offload-copy-bound'],
    not: ['copies-not-overlapped', 'many-small-copies', 'pageable-copies-slow', 'pageable-copies-synchronous'],
    processes: [process],
    alone: true,
  };
};

/** Many small copies, all of them under kernels. */
const smallHidden: Build = (s) => {
  const gpu = s.work.pick(usual);
  const process = processOf(s, gpu);
  const specs = range(s.work.whole(8, 14)).map(() => solver(gpu, s.work, s.work.real(200_000, 500_000)));
  const pieces = s.work.whole(40, 80);
  main(process, (t) =>
    overlapped(
      t,
      s.work.whole(10, 16),
      function* (stream) {
        for (const _ of range(pieces)) yield* t.copy(stream, 'HtoD', 4096);
      },
      (stream) => launchAll(t, stream, specs, 2500),
      null,
    ),
  );
  return { accepted: ['ok-copies-pinned-overlapped', 'ok-streams-overlap', 'ok-any'], processes: [process] };
};

/** Many small copies, all before the work. */
const smallAtStart: Build = (s) => {
  const gpu = s.work.pick(usual);
  const process = processOf(s, gpu);
  const specs = range(s.work.whole(100, 180)).map(() => solver(gpu, s.work, s.work.real(200_000, 500_000)));
  const pieces = s.work.whole(150, 400);
  main(process, function* (t) {
    for (const _ of range(pieces)) yield* t.copy(process.device.legacy, 'HtoD', 8192, 'pageable', false);
    yield* launchAll(t, process.device.legacy, specs, 2500);
    yield* t.syncDevice();
  });
  return { accepted: ['ok-single-stream-saturated', 'ok-pageable-negligible', 'ok-any'], processes: [process] };
};

/** Tensors are put together on the GPU. */
const withinDevice: Build = (s) => {
  const gpu = s.work.pick(usual);
  const process = processOf(s, gpu);
  const specs = range(s.work.whole(80, 140)).map(() => solver(gpu, s.work, s.work.real(100_000, 300_000)));
  const bytes = s.work.whole(1, 6) * 1_000_000;
  main(process, function* (t) {
    for (const spec of specs) {
      yield* launchAll(t, process.device.legacy, [spec], 2500);
      yield* t.copy(process.device.legacy, 'DtoD', bytes);
    }
    yield* t.syncDevice();
  });
  return { accepted: ['ok-single-stream-saturated', 'ok-any'], processes: [process] };
};

/** Results come back each round, in memory that is pageable or not. */
const results =
  (host: 'pageable' | 'pinned'): Build =>
  (s) => {
    const gpu = s.work.pick(usual);
    const process = processOf(s, gpu);
    const specs = range(s.work.whole(3, 6)).map(() => solver(gpu, s.work, s.work.real(150_000, 400_000)));
    const rounds = s.work.whole(15, 28);
    const bytes = Math.round(total(specs) * s.work.real(0.5, 1.2) * gpu[host]);
    const ranges = s.work.chance(0.5);
    main(process, function* (t) {
      if (s.right) {
        yield* overlapped(
          t,
          rounds,
          function* (stream) {
            yield* t.copy(stream, 'HtoD', 64);
          },
          (stream) => launchAll(t, stream, specs, 2500),
          function* (stream) {
            yield* t.copy(stream, 'DtoH', bytes);
          },
        );
        return;
      }
      const stream = process.device.legacy;
      for (const at of range(rounds)) {
        const round = function* (): Program {
          yield* launchAll(t, stream, specs, 2500);
          yield* t.copy(stream, 'DtoH', bytes, host);
          yield* t.syncStream(stream);
        };
        if (ranges) yield* t.range(`iteration ${at}`, round);
        else yield* round();
      }
    });
    return {
      accepted:
        host === 'pageable'
          ? ['pageable-copies-synchronous', 'pageable-copies-slow']
          : ['copies-not-overlapped', 'host-offload-copy-bound'],
      processes: [process],
    };
  };

/** Pages come to the GPU once, and go back once. */
const firstTouch: Build = (s) => {
  const gpu = s.work.pick(usual);
  const process = processOf(s, gpu);
  const specs = range(s.work.whole(60, 120)).map(() => solver(gpu, s.work, s.work.real(300_000, 800_000)));
  const bytes = s.work.whole(4, 10) * 2 ** 20;
  main(process, function* (t) {
    const stream = process.device.legacy;
    yield* t.call('cudaMallocManaged', 40_000);
    yield* touchedByGpu(t, stream, specs[0]!, bytes);
    yield* launchAll(t, stream, specs, 2500);
    yield* t.syncDevice();
    yield* touchedByHost(t, 2 ** 20);
  });
  return {
    accepted: ['ok-managed-prefetched', 'ok-single-stream-saturated', 'ok-any'],
    processes: [process],
    formats: ['nsys'],
  };
};

/** More than the GPU holds: pages come when they are touched, and others have to go. */
const oversubscribed: Build = (s) => {
  const gpu = s.work.pick(usual);
  const process = processOf(s, gpu);
  const spec = solver(gpu, s.work, s.work.real(200_000, 900_000));
  const bytes = s.work.whole(6, 16) * 2 ** 20;
  const rounds = s.work.whole(8, 14);
  main(process, function* (t) {
    const stream = process.device.legacy;
    yield* t.call('cudaMallocManaged', 40_000);
    for (const _ of range(rounds)) {
      yield* touchedByGpu(t, stream, spec, bytes);
      yield* evicted(t, stream, bytes);
    }
    yield* t.syncDevice();
  });
  return { accepted: ['managed-memory-page-faults'], processes: [process], formats: ['nsys'], alone: true };
};

/** The pool grows in the first steps, and then has all it needs. */
const poolGrows: Build = (s) => {
  const gpu = s.work.pick(trained);
  const process = processOf(s, gpu);
  const specs = range(s.work.whole(20, 30)).map(() => solver(gpu, s.work, s.work.real(150_000, 350_000)));
  const steps = s.work.whole(16, 24);
  main(process, function* (t) {
    for (const at of range(steps))
      for (const spec of specs) {
        if (at < 2) yield* t.malloc(s.noise.real(60_000, 350_000));
        yield* launchAll(t, process.device.legacy, [spec], 3000);
      }
    yield* t.syncDevice();
  });
  return { accepted: ['ok-allocated-once', 'ok-single-stream-saturated', 'ok-any'], processes: [process] };
};

/** Page-locked memory is taken and given back in every round. */
const pinnedInLoop: Build = (s) => {
  const gpu = s.work.pick(usual);
  const process = processOf(s, gpu);
  const specs = range(s.work.whole(3, 6)).map(() => solver(gpu, s.work, s.work.real(60_000, 160_000)));
  const rounds = s.work.whole(25, 50);
  const take = s.work.real(300_000, 900_000);
  main(process, function* (t) {
    const stream = process.device.legacy;
    for (const _ of range(rounds)) {
      if (!s.right) yield* t.call('cudaHostAlloc', t.short(take));
      yield* t.copy(stream, 'HtoD', 300_000);
      yield* launchAll(t, stream, specs, 2500);
      if (!s.right) {
        yield* t.syncStream(stream);
        yield* t.call('cudaFreeHost', t.short(take * 0.7));
      }
    }
  });
  return { accepted: ['alloc-in-loop'], processes: [process] };
};

/** Memory is short: the pool gives back and takes anew in every step. */
const poolThrashes: Build = (s) => {
  const gpu = s.work.pick(trained);
  const process = processOf(s, gpu);
  const specs = range(s.work.whole(10, 16)).map(() => solver(gpu, s.work, s.work.real(80_000, 200_000)));
  const steps = s.work.whole(12, 20);
  const each = s.work.real(150_000, 500_000);
  main(process, function* (t) {
    const stream = process.device.legacy;
    for (const at of range(steps))
      yield* t.range(`ProfilerStep#${at}`, function* () {
        for (const [place, spec] of specs.entries()) {
          if (!s.right && place % 4 === 1) {
            yield* t.free(each);
            yield* t.free(each);
            yield* t.malloc(each * 1.5);
          }
          yield* launchAll(t, stream, [spec], 3000);
        }
      });
    yield* t.syncStream(stream);
  });
  return { accepted: ['alloc-in-loop'], processes: [process] };
};

const named = (s: Setting, names: readonly string[], gpu: (typeof usual)[number]): ReturnType<Build> => {
  const process = processOf(s, gpu);
  const specs = range(s.work.whole(20, 40)).map((): KernelSpec => {
    const ns = s.work.real(150_000, 600_000);
    return s.work.chance(0.7)
      ? { ...solver(gpu, s.work, ns), name: s.work.pick(names) }
      : elementwise(gpu, s.work, ns / 3);
  });
  const steps = s.work.whole(6, 10);
  main(process, function* (t) {
    for (const _ of range(steps)) yield* launchAll(t, process.device.legacy, specs, 3000);
  });
  return {
    accepted: ['ok-fp64-compute', 'ok-healthy-training', 'ok-single-stream-saturated', 'ok-any'],
    processes: [process],
    numbers: { 'kernels.count': steps * specs.length },
  };
};
/** Double precision: there is nothing faster to change to. */
const doubles: Build = (s) => {
  const gpu = s.work.pick([gpus.v100, gpus.a100, gpus.t4, gpus.l40s]);
  const names =
    gpu === gpus.a100
      ? ['void cutlass::Kernel2<cutlass_80_tensorop_d884gemm_64x64_16x4_nn_align1>(T1::Params)']
      : gpu === gpus.v100
        ? ['volta_dgemm_64x64_nn', 'volta_dgemm_128x64_nt']
        : [
            'ampere_dgemm_64x64_nn',
            'void gemmSN_NN_kernel<double, 256, 4, 2, 8, 3, 4, false>(cublasGemmSmallNParams<T1>)',
          ];
  return named(s, names, gpu);
};
/** Tensor cores in other words: TF32, integers, attention. */
const tensorWords: Build = (s) => {
  const ampere = [
    'sm80_xmma_gemm_f32f32_tf32f32_f32_tn_n_tilesize128x128x16_stage4_warpsize2x2x1_tensor16x8x8_kernel',
    'void cutlass::Kernel2<cutlass_80_tensorop_s1688gemm_128x256_16x3_tn_align4>(T1::Params)',
    'void pytorch_flash::flash_fwd_kernel<pytorch_flash::Flash_fwd_kernel_traits<128, 64, 64, 4, false, false, cutlass::bfloat16_t>, false, true>(pytorch_flash::Flash_fwd_params)',
    'fmha_cutlassF_bf16_aligned_64x128_rf_sm80(PyTorchMemEffAttention::AttentionKernel<cutlass::bfloat16_t, cutlass::arch::Sm80, true, 64, 128, 128, true, true>::Params)',
    'sm80_xmma_gemm_i8i32_i8i32_i32_tn_n_tilesize256x128x64_stage3_warpsize4x2x1_tensor16x8x32_kernel',
  ];
  const hopper = [
    'void cutlass::device_kernel<flash::enable_sm90<flash::FlashAttnFwdSm90<flash::CollectiveMainloopFwdSm90<2, cute::tuple<cute::C<1>>>>>>(T1::Params)',
    'sm90_xmma_gemm_f32f32_tf32f32_f32_tn_n_tilesize128x128x32_warpgroupsize1x1x1_execute_segment_k_off_kernel__5x_cublas',
    'nvjet_hsh_256x128_64x4_2x1_v_bz_coopA_TNN',
  ];
  const gpu = s.work.pick(trained);
  return named(s, gpu === gpus.h100 ? hopper : ampere, gpu);
};
/** A matrix times a vector is bound by memory. */
const vectors: Build = (s) =>
  named(
    s,
    [
      'void gemv2T_kernel_val<int, int, __half, __half, __half, float, 128, 16, 4, 4, false, false, cublasGemvParamsEx<int, cublasGemvTensorStridedBatched<__half const>>>(T14, T7, T7)',
      'void gemvNSP_kernel<float, float, float, float, 1, 32, 4, 1024, cublasGemvParamsEx<int, cublasGemvTensorStridedBatched<float const>>>(T13)',
      'void dot_kernel<float, 128, 0, cublasDotParams<cublasGemvTensor<float const>, cublasGemvTensorStridedBatched<float>>>(T4)',
    ],
    s.work.pick(trained),
  );

const waved = (gpu: (typeof usual)[number], ns: number): KernelSpec => ({
  name: 'void sweep_cells<256>(const float *, float *, int)',
  ns: Math.round(ns),
  grid: gpu.sms * 4 + 5,
  block: 256,
  registers: 64,
  shared: 0,
});
/** Tails of one stream are filled by others. */
const tailsFilled: Build = (s) => {
  const gpu = s.work.pick(usual);
  const process = processOf(s, gpu);
  const rounds = s.work.whole(30, 60);
  const spec = { ...waved(gpu, s.work.real(150_000, 500_000)), share: 0.3 };
  main(process, function* (t) {
    const streams = range(3).map(() => process.stream('non-blocking'));
    for (const _ of range(rounds)) for (const stream of streams) yield* launchAll(t, stream, [spec], 1500);
  });
  return { accepted: ['ok-streams-overlap', 'ok-any'], processes: [process] };
};
/** A kernel with a tail that is a small part of the time. */
const tailSmall: Build = (s) => {
  const gpu = s.work.pick(usual);
  const process = processOf(s, gpu);
  const rounds = s.work.whole(30, 60);
  const spec = waved(gpu, s.work.real(15_000, 30_000));
  const rest = range(4).map(() => solver(gpu, s.work, s.work.real(100_000, 300_000)));
  main(process, function* (t) {
    for (const _ of range(rounds)) yield* launchAll(t, process.device.legacy, [spec, ...rest], 2500);
  });
  return { accepted: ['ok-single-stream-saturated', 'ok-any'], processes: [process] };
};

/** Streams overlap; the default stream has a short kernel now and then. */
const defaultRare: Build = (s) => {
  const gpu = s.work.pick(usual);
  const process = processOf(s, gpu);
  const rounds = s.work.whole(60, 90);
  const specs = range(3).map(() => ({ ...solver(gpu, s.work, s.work.real(100_000, 200_000)), share: 0.25 }));
  const rare = { ...elementwise(gpu, s.work, 5000), share: 0.2 };
  main(process, function* (t) {
    const streams = range(3).map(() => process.stream('blocking'));
    for (const at of range(rounds)) {
      for (const [place, stream] of streams.entries()) yield* launchAll(t, stream, [specs[place]!], 1500);
      if (at % 25 === 24) yield* launchAll(t, process.device.legacy, [rare], 1500);
    }
  });
  return { accepted: ['ok-streams-overlap', 'ok-any'], processes: [process] };
};

/** Each kernel fills the GPU: whoever waits, waits for room. */
const defaultFull: Build = (s) => {
  const gpu = s.work.pick(usual);
  const process = processOf(s, gpu);
  const rounds = s.work.whole(40, 70);
  const [mine, library] = [
    { ...solver(gpu, s.work, s.work.real(100_000, 300_000)), tailNs: s.work.whole(2500, 9000) },
    { ...solver(gpu, s.work, s.work.real(100_000, 300_000)), tailNs: s.work.whole(2500, 9000) },
  ];
  main(process, function* (t) {
    const stream = process.stream('non-blocking');
    yield* t.call('cudaStreamCreateWithFlags', 12_000);
    for (const _ of range(rounds)) {
      yield* launchAll(t, stream, [mine], 1500);
      yield* launchAll(t, process.device.legacy, [library], 1500);
    }
  });
  return {
    accepted: ['ok-single-stream-saturated', 'ok-streams-overlap', 'ok-any', 'ok-cannot-tell'],
    processes: [process],
  };
};

/** Two phases with streams of their own, one after the other. */
const phases: Build = (s) => {
  const gpu = s.work.pick(usual);
  const process = processOf(s, gpu);
  const specs = range(s.work.whole(40, 80)).map(() => solver(gpu, s.work, s.work.real(100_000, 300_000)));
  main(process, function* (t) {
    const streams: readonly Stream[] = [
      process.device.legacy,
      process.stream('blocking'),
      process.stream('non-blocking'),
    ];
    let last: Op | null = null;
    for (const stream of streams) {
      if (last !== null) yield* t.wait(stream, last);
      yield* launchAll(t, stream, specs, 2000);
      last = yield* t.record(stream);
    }
    yield* t.syncDevice();
  });
  return { accepted: ['ok-single-stream-saturated', 'ok-streams-overlap', 'ok-any'], processes: [process] };
};

export const nearScenes: Readonly<Record<string, Build>> = {
  'pageable-behind-kernels': pageableBehind,
  'link-bound-overlapped': linkBound,
  'small-copies-hidden': smallHidden,
  'small-copies-at-start': smallAtStart,
  'copies-within-the-device': withinDevice,
  'results-pageable': results('pageable'),
  'results-pinned': results('pinned'),
  'managed-first-touch': firstTouch,
  'managed-oversubscribed': oversubscribed,
  'pool-grows': poolGrows,
  'pinned-memory-in-loop': pinnedInLoop,
  'pool-thrashes': poolThrashes,
  'double-precision': doubles,
  'tensor-cores-in-other-words': tensorWords,
  'matrix-times-vector': vectors,
  'tails-filled': tailsFilled,
  'tail-small-part': tailSmall,
  'default-stream-rare': defaultRare,
  'default-stream-full-gpu': defaultFull,
  'phases-in-streams': phases,
};
