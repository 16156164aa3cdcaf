import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { tensorCoresIdle } from './tensor-cores-idle.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'only possible without a word on precision',
    'fault possible',
    ' Time (%)  Total Time (ns)  Instances   Avg (ns)   Name\n --------  ---------------  ---------  ----------  ----------------------------\n     81.0      812,334,110     40,960    19,832.4  volta_sgemm_128x64_nn\n     19.0      190,547,507     40,960     4,652.0  relu(float *)',
  ],
  [
    'fault when the override forbids TF32',
    'fault likely',
    '$ export NVIDIA_TF32_OVERRIDE=0\n$ nsys stats r.nsys-rep\n Time (%)  Total Time (ns)  Instances   Avg (ns)   Name\n --------  ---------------  ---------  ----------  ----------------------------\n     66.0      812,334,110     40,960    19,832.4  cutlass_80_simt_sgemm_256x128_8x4_nn_align1(T1)\n     34.0      418,475,147     40,960    10,216.7  relu(float *)',
  ],
  [
    'silent when the products use the tensor cores',
    'silent',
    ' Time (%)  Total Time (ns)  Instances   Avg (ns)   Name\n --------  ---------------  ---------  ----------  ----------------------------\n     96.0    1,016,018,640     40,960    24,805.1  sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64',
  ],
];

describe('application/tensor-cores-idle', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(tensorCoresIdle, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
