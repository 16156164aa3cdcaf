import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { eccOff } from './ecc-off.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault likely with wrong results',
    'fault likely',
    '$ nvidia-smi --query-gpu=index,name,ecc.mode.current,ecc.mode.pending --format=csv,noheader\n0, NVIDIA A100-SXM4-80GB, Disabled, Disabled\nERROR parameter checksum mismatch across data-parallel ranks: rank 5',
  ],
  [
    'fault likely beside others in the long report',
    'fault likely',
    '==============NVSMI LOG==============\n\nDriver Version                            : 570.124.06\nAttached GPUs                             : 1\nGPU 00000000:3B:00.0\n    ECC Mode\n        Current                           : Disabled\n        Pending                           : Enabled\nGPU 00000000:5D:00.0\n    ECC Mode\n        Current                           : Enabled\n        Pending                           : Enabled',
  ],
  [
    'silent where the GPU has none',
    'silent',
    '$ nvidia-smi --query-gpu=index,name,ecc.mode.current,ecc.mode.pending --format=csv,noheader\n0, NVIDIA GeForce RTX 4090, [N/A], [N/A]',
  ],
];

describe('hardware/ecc-off', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(eccOff, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
