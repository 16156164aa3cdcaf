import { describe, expect, it } from 'vitest';
import type { TraceFinding } from '../model.ts';
import { TestScene } from '../testing-events.ts';
import { defaultTraceLimits } from '../thresholds.rows.ts';
import { scenesOf } from './scene.ts';
import { productUnitOf, tensor } from './tensor.ts';

function found(names: readonly string[], capability: string | null = '9.0'): readonly TraceFinding[] {
  const scene = new TestScene();
  if (capability !== null) scene.builder.device(0, { computeCapability: capability });
  for (let each = 0; each < 40; each++) for (const name of names) scene.kernel(500, { name }).toFixed();
  return tensor(scenesOf([scene.finish()])[0]!, defaultTraceLimits);
}

describe('products of matrices', () => {
  it.each([
    ['ampere_sgemm_128x64_tn', 'plain'],
    ['volta_sgemm_128x64_nn', 'plain'],
    ['maxwell_scudnn_128x64_relu_interior_nn_v1', 'plain'],
    [
      'void cutlass::Kernel2<cutlass_80_simt_sgemm_128x128_8x4_nn_align1>(cutlass_80_simt_sgemm_128x128_8x4_nn_align1::Params)',
      'plain',
    ],
    [
      'sm80_xmma_gemm_f32f32_f32f32_f32_nn_n_tilesize64x64x8_stage3_warpsize1x4x1_ffma_aligna4_alignc4_execute_kernel__5x_cublas',
      'plain',
    ],
    ['volta_fp16_s884gemm_fp16_128x128_ldg8_f2f_nn', 'tensor'],
    ['ampere_bf16_s16816gemm_bf16_128x64_sliced1x2_ldg8_f2f_stages_64x5_tn', 'tensor'],
    ['void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_bf16_256x128_32x3_tn_align8>(T1::Params)', 'tensor'],
    [
      'sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1_execute_segment_k_off_kernel__5x_cublas',
      'tensor',
    ],
    [
      'sm80_xmma_gemm_f32f32_tf32f32_f32_tn_n_tilesize128x128x32_stage4_warpsize2x2x1_tensor16x8x8_execute_kernel__5x_cublas',
      'tensor',
    ],
    ['void gemmSN_NN_kernel<double, 256, 4, 2, 8, 3, 4, false>(cublasGemmSmallNParams<T1>)', 'double'],
    ['void gemmSN_NN_kernel<float, 256, 4, 2, 8, 3, 4, false>(cublasGemmSmallNParams<T1>)', 'plain'],
    ['nvjet_hsh_256x128_64x4_1x2_h_bz_coopA_NTT', 'tensor'],
    [
      'void flash_fwd_kernel<Flash_fwd_kernel_traits<128, 128, 64, 4, false, false, cutlass::bfloat16_t>>(Flash_fwd_params)',
      'tensor',
    ],
    ['ampere_dgemm_64x64_nn', 'double'],
    ['void gemv2T_kernel_val<int, int, float, float, float, float, 128, 16, 4, 4, false>(T1)', 'other'],
    ['void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>>(int)', null],
    ['triton_poi_fused_add_0', null],
  ])('%s run on %s', (name, unit) => {
    expect(productUnitOf(name)).toBe(unit);
  });

  it('are a finding where float32 ones take most of the time', () => {
    const [finding] = found(['ampere_sgemm_128x64_tn', 'add']);
    expect(finding).toMatchObject({ cause: 'tensor-cores-idle', certainty: 'likely' });
    expect(finding!.saving!.upperBoundNs).toBe(40 * 500_000);
  });

  it('are a question where neither the GPU nor a kernel tells of tensor cores', () => {
    expect(found(['maxwell_sgemm_128x64_nn'], null)).toMatchObject([{ cause: 'tensor-cores-idle', kind: 'unclear' }]);
    expect(found(['volta_sgemm_128x64_nn'], null)).toMatchObject([{ cause: 'tensor-cores-idle', kind: 'waste' }]);
    expect(found(['maxwell_sgemm_128x64_nn', 'sm80_xmma_gemm_f16'], null)).toMatchObject([{ kind: 'waste' }]);
  });

  it.each([
    ['tensor cores have them', ['sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn', 'add'], '9.0'],
    ['they are in double precision', ['ampere_dgemm_64x64_nn', 'add'], '8.0'],
    ['the names say nothing', ['my_gemm', 'triton_mm_1'], '9.0'],
    ['they take little of the time', ['ampere_sgemm_128x64_tn', 'a', 'b', 'c', 'd'], '8.0'],
    ['the GPU has no tensor cores', ['maxwell_sgemm_128x64_nn'], '6.1'],
  ])('are no finding where %s', (_, names, capability) => {
    expect(found(names, capability)).toEqual([]);
  });
});
