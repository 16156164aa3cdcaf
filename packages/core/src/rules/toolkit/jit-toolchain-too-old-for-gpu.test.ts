import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { jitToolchainTooOldForGpu } from './jit-toolchain-too-old-for-gpu.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'proved when the linker of device code is of an older toolkit',
    'fault proved',
    "nvlink fatal   : Input file '/tmp/tempfile-a-0.cubin' newer than toolkit (118 vs 115)",
  ],
  [
    'cleared when the program compiled without that linker and went on',
    'cleared',
    "nvlink fatal   : Input file '/tmp/tempfile-a-0.cubin' newer than toolkit (118 vs 115)\nstep 100 loss 2.31 12.1 it/s\nstep 200 loss 2.02 12.2 it/s",
  ],
  [
    'proved when XLA calls the ptxas of an older toolkit',
    'fault proved',
    'Falling back to the CUDA driver for PTX compilation; ptxas does not support CC 12.0\nUsed ptxas at /usr/local/cuda/bin/ptxas\njax.errors.JaxRuntimeError: UNIMPLEMENTED: /usr/local/cuda/bin/ptxas ptxas too old. Falling back to the driver to compile.',
  ],
  ['proved when the library states its floor', 'fault proved', 'RuntimeError: SM 12.x requires CUDA >= 12.9'],
  [
    'likely when NVRTC refuses a new GPU',
    'fault likely',
    'GPU 0: NVIDIA GeForce RTX 5090 (UUID: GPU-11111111-2222-3333-4444-555555555555)\nnvrtc: error: invalid value for --gpu-architecture (-arch)',
  ],
  [
    'proved when a variable points to an older ptxas',
    'fault proved',
    "$ env | grep PTXAS\nTRITON_PTXAS_PATH=/usr/local/cuda-12.2/bin/ptxas\nptxas fatal   : Value 'sm_120' is not defined for option 'gpu-name'",
  ],
  [
    'likely when PTX of a newer compiler meets an older ptxas',
    'fault likely',
    "ptxas /tmp/tmpab12.ptx, line 5; fatal   : Unsupported .version 8.7; current version is '8.4'",
  ],
  ['silent without a compiler', 'silent', 'Loading extension module fused_adam...'],
];

describe('toolkit/jit-toolchain-too-old-for-gpu', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(jitToolchainTooOldForGpu, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
