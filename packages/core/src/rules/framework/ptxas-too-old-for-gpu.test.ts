import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { ptxasTooOldForGpu } from './ptxas-too-old-for-gpu.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'proved by an architecture that current toolkits know',
    'fault proved',
    "ptxas fatal   : Value 'sm_120' is not defined for option 'gpu-name'",
  ],
  [
    'cleared when the PTX itself is too new',
    'cleared',
    "ptxas /tmp/tmpab12.ptx, line 5; fatal   : Unsupported .version 8.7; current version is '8.4'",
  ],
  [
    'cleared when a ptxas of another toolkit was called',
    'cleared',
    "TRITON_PTXAS_PATH=/usr/local/cuda-12.2/bin/ptxas\nptxas fatal   : Value 'sm_120' is not defined for option 'gpu-name'",
  ],
  [
    'silent on the JIT of the driver',
    'silent',
    "ptxas application ptx input, line 9; fatal   : Unsupported .version 8.7; current version is '8.4'",
  ],
];

describe('framework/ptxas-too-old-for-gpu', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(ptxasTooOldForGpu, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
