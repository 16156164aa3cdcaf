import type { BinaryRuleRow } from './architectures.types.ts';

/** Which code runs on which GPU. */
export const binaryRules: readonly BinaryRuleRow[] = [
  { id: 'cubin', what: 'SASS (sm_XY) runs on the same major with an equal or higher minor, never on another major or a lower minor. Jetson chips keep to themselves: sm_87 code is not for 8.9.', confirmed: true, sources: ['blackwell-compatibility-guide', 'nvcc-architectures'] },
  { id: 'ptx', what: 'PTX (compute_XY) can be compiled at load time for every equal or higher compute capability, if the JIT of the driver knows its ISA version.', confirmed: true, sources: ['blackwell-compatibility-guide', 'cuda-jl-compatibility'] },
  { id: 'suffix-a', what: 'A target that ends in a (sm_90a; CUDA 12.0 and later) fits its one compute capability and no other, as SASS and as PTX.', confirmed: true, sources: ['blackwell-compatibility-guide', 'eessi-suffixes', 'cuda-jl-compatibility'] },
  { id: 'suffix-f', what: 'A target that ends in f (sm_100f; CUDA 12.9 and later) fits its family: the same major, equal or higher minor. 100f covers 10.0 and 10.3, 120f covers 12.0 and 12.1, 103f does not cover 10.0.', confirmed: true, sources: ['blackwell-compatibility-guide', 'eessi-suffixes', 'cuda-jl-compatibility'] },
  { id: 'family-rubin', what: 'Whether 100f covers 10.7 was not seen in print; the rule of the same major says so.', confirmed: false, sources: ['cuda-jl-compatibility'] },
  { id: 'no-cross-10-12', what: 'Blackwell is two majors: 10.x in data centers, 12.x on RTX boards. SASS of one does not run on the other; only plain PTX reaches both.', confirmed: true, sources: ['blackwell-compatibility-guide'] },
  { id: 'test-jit', what: 'CUDA_FORCE_PTX_JIT=1 passes over SASS, so a program that then fails has no usable PTX; CUDA_DISABLE_PTX_JIT=1 tests the other side.', confirmed: true, sources: ['blackwell-compatibility-guide'] },
  { id: 'error', what: 'Neither SASS nor PTX that fits gives error 209, no kernel image is available for execution on the device.', confirmed: true, sources: ['blackwell-compatibility-guide'] },
  { id: 'rubin-stack', what: 'Rubin (10.7) needs CUDA 13.4 and branch 615.', confirmed: true, sources: ['cutlass-4-8'] },
];
