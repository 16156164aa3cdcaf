import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { cublasWorkspace } from './cublas-workspace.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault when cuBLAS has no fixed workspace',
    'fault proved',
    'RuntimeError: Deterministic behavior was enabled with either `torch.use_deterministic_algorithms(True)` or `at::Context::setDeterministicAlgorithms(true)`, but this operation is not deterministic because it uses CuBLAS and you have CUDA >= 10.2.',
  ],
  [
    'fault when an operation has no deterministic form',
    'fault proved',
    "RuntimeError: scatter_add_cuda_kernel does not have a deterministic implementation, but you set 'torch.use_deterministic_algorithms(True)'.",
  ],
  [
    'silent on a failed allocation of cuBLAS',
    'silent',
    'RuntimeError: CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`',
  ],
];

describe('application/cublas-workspace', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(cublasWorkspace, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
