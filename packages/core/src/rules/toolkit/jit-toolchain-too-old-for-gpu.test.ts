import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { jitToolchainTooOldForGpu } from './jit-toolchain-too-old-for-gpu.ts';

const cases: readonly (readonly [string, string, string])[] = [
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
