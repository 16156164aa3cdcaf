import type { Gpu, KernelSpec } from './program.ts';
import type { Random } from './random.ts';

const gb = 1024 ** 3;
export const gpus = {
  a100: {
    name: 'NVIDIA A100-SXM4-80GB',
    chip: 'GA100',
    sms: 108,
    major: 8,
    minor: 0,
    memory: 80 * gb,
    pinned: 25,
    pageable: 6,
    peer: 240,
  },
  h100: {
    name: 'NVIDIA H100 80GB HBM3',
    chip: 'GH100',
    sms: 132,
    major: 9,
    minor: 0,
    memory: 80 * gb,
    pinned: 53,
    pageable: 9,
    peer: 380,
  },
  v100: {
    name: 'Tesla V100-SXM2-16GB',
    chip: 'GV100',
    sms: 80,
    major: 7,
    minor: 0,
    memory: 16 * gb,
    pinned: 12,
    pageable: 4.5,
    peer: 130,
  },
  l40s: {
    name: 'NVIDIA L40S',
    chip: 'AD102',
    sms: 142,
    major: 8,
    minor: 9,
    memory: 45 * gb,
    pinned: 24,
    pageable: 7,
    peer: 20,
  },
  rtx4090: {
    name: 'NVIDIA GeForce RTX 4090',
    chip: 'AD102',
    sms: 128,
    major: 8,
    minor: 9,
    memory: 24 * gb,
    pinned: 25,
    pageable: 8,
    peer: 18,
  },
  t4: {
    name: 'Tesla T4',
    chip: 'TU104',
    sms: 40,
    major: 7,
    minor: 5,
    memory: 15 * gb,
    pinned: 12,
    pageable: 5,
    peer: 10,
  },
  p100: {
    name: 'Tesla P100-PCIE-16GB',
    chip: 'GP100',
    sms: 56,
    major: 6,
    minor: 0,
    memory: 16 * gb,
    pinned: 12,
    pageable: 4,
    peer: 10,
  },
  gh200: {
    name: 'NVIDIA GH200 480GB',
    chip: 'GH100',
    sms: 132,
    major: 9,
    minor: 0,
    memory: 96 * gb,
    pinned: 380,
    pageable: 340,
    peer: 380,
  },
} as const satisfies Record<string, Gpu>;

export const usual: readonly Gpu[] = [gpus.a100, gpus.h100, gpus.v100, gpus.l40s, gpus.rtx4090, gpus.t4];
export const trained: readonly Gpu[] = [gpus.a100, gpus.h100, gpus.l40s];

const tensorNames: Readonly<Record<string, readonly string[]>> = {
  GH100: [
    'nvjet_tst_128x256_64x4_1x2_h_bz_coopA_TNT',
    'sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1_execute_segment_k_off_kernel__5x_cublas',
    'sm80_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x32_stage4_warpsize2x2x1_tensor16x8x16_kernel',
  ],
  GA100: [
    'ampere_bf16_s16816gemm_bf16_128x128_ldg8_f2f_stages_32x5_tn',
    'void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_256x128_32x3_nn_align8>(T1::Params)',
    'sm80_xmma_gemm_f16f16_f16f32_f32_tn_n_tilesize128x128x32_stage4_warpsize2x2x1_tensor16x8x16_kernel',
  ],
  AD102: [
    'ampere_fp16_s16816gemm_fp16_128x128_ldg8_relu_f2f_stages_64x3_tn',
    'void cutlass::Kernel2<cutlass_80_wmma_tensorop_f16_s161616gemm_f16_32x32_32x1_nn_align8>(T1::Params)',
  ],
  GV100: ['volta_fp16_s884gemm_fp16_128x128_ldg8_f2f_nn', 'volta_h884gemm_128x128_ldg8_tn'],
  TU104: ['turing_fp16_s1688gemm_fp16_128x128_ldg8_f2f_tn'],
  GP100: ['maxwell_sgemm_128x128_nn'],
};
const simtNames: Readonly<Record<string, readonly string[]>> = {
  GH100: [
    'sm80_xmma_gemm_f32f32_f32f32_f32_nn_n_tilesize128x128x8_stage3_warpsize2x2x1_ffma_aligna4_alignc4_execute_kernel__5x_cublas',
    'void cutlass::Kernel2<cutlass_80_simt_sgemm_128x256_8x4_nn_align1>(T1::Params)',
  ],
  GA100: ['ampere_sgemm_128x64_tn', 'ampere_sgemm_128x128_nn'],
  AD102: ['ampere_sgemm_128x64_tn', 'void cutlass::Kernel2<cutlass_80_simt_sgemm_256x128_8x4_nt_align1>(T1::Params)'],
  GV100: ['volta_sgemm_128x64_nn', 'volta_sgemm_128x128_tn'],
  TU104: ['volta_sgemm_128x64_tn', 'turing_sgemm_64x64_nn'],
  GP100: ['maxwell_sgemm_128x128_nn'],
};
const pointwise = [
  'void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, at::detail::Array<char *, 3>>(int, T2, T3)',
  'void at::native::unrolled_elementwise_kernel<at::native::direct_copy_kernel_cuda(at::TensorIteratorBase &)::[lambda() (instance 3)]>(int)',
  'void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<float, float>(int, T2, const T1 *, const T1 *, T1 *)',
  'void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, at::native::MeanOps<float, float, float>>>(T3)',
  'void (anonymous namespace)::softmax_warp_forward<float, float, float, 10, false, false>(T2 *, const T1 *, int, int, int)',
  'triton_poi_fused_add_mul_silu_3',
];
const solvers = [
  'void stencil3d<float, 8>(const T1 *, T1 *, int, int, int)',
  'spmv_csr_kernel(const double *, const int *, const int *, const double *, double *, int)',
  'void lbm_collide_stream<float>(T1 *, const T1 *, int3)',
  'advect_velocity(float4 *, const float4 *, float, int)',
  'bonded_forces(float4 const *, float4 *, int const *, int)',
];

/** Enough blocks that the last wave does not count. */
const many = (gpu: Gpu, random: Random): number => gpu.sms * 8 * random.whole(12, 60) + random.whole(0, gpu.sms);

export const gemm = (gpu: Gpu, random: Random, ns: number): KernelSpec => ({
  name: random.pick(tensorNames[gpu.chip]!),
  ns: Math.round(ns),
  grid: gpu.sms * random.whole(8, 30) - random.whole(0, 3),
  block: random.pick([128, 256]),
  registers: random.pick([168, 200, 234, 254]),
  shared: random.pick([32768, 49152, 65536]),
});
export const simtGemm = (gpu: Gpu, random: Random, ns: number): KernelSpec => ({
  ...gemm(gpu, random, ns),
  name: random.pick(simtNames[gpu.chip]!),
  registers: 122,
  shared: 16384,
});
export const elementwise = (gpu: Gpu, random: Random, ns: number): KernelSpec => ({
  name: random.pick(pointwise),
  ns: Math.round(ns),
  grid: ns > 20_000 ? many(gpu, random) : Math.max(1, Math.round((ns / 1500) * gpu.sms)),
  block: random.pick([128, 256, 512]),
  registers: random.pick([16, 24, 32]),
  shared: random.pick([0, 0, 1024]),
});
export const solver = (gpu: Gpu, random: Random, ns: number): KernelSpec => ({
  name: random.pick(solvers),
  ns: Math.round(ns),
  grid: many(gpu, random),
  block: random.pick([128, 256]),
  registers: random.pick([24, 32]),
  shared: random.pick([0, 4096]),
});
/** A kernel whose blocks take a share of the GPU, so that others find room beside it. */
export const partly = (gpu: Gpu, spec: KernelSpec, share: number): KernelSpec => ({
  ...spec,
  share,
  grid: Math.max(1, Math.round((gpu.sms * share * 1024) / spec.block)),
});
export const ncclKernel = (random: Random, kind: string): KernelSpec => ({
  name: random.pick([
    `ncclDevKernel_${kind}_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)`,
    `ncclDevKernel_${kind}_Sum_f32_RING_LL(ncclDevComm *, unsigned long, ncclWork *)`,
    `ncclKernel_${kind}_RING_LL_Sum_float(ncclDevComm *, unsigned long, ncclWork *)`,
  ]),
  ns: 0,
  share: 0.1,
  grid: random.pick([8, 16, 24]),
  block: random.pick([512, 544, 640]),
  registers: 96,
  shared: 0,
});

/** The kernels of a step of training or of a solver, about `count` of them with a median length. */
export function stepOf(
  gpu: Gpu,
  random: Random,
  count: number,
  medianNs: number,
  kind: 'training' | 'solver',
): readonly KernelSpec[] {
  return Array.from({ length: count }, () => {
    const ns = random.around(medianNs, 1.8);
    if (kind === 'solver') return solver(gpu, random, ns);
    return random.chance(0.6) ? gemm(gpu, random, ns * 1.4) : elementwise(gpu, random, ns * 0.7);
  });
}
