import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { okPageableFastOnGh200 } from './ok-pageable-fast-on-gh200.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'cleared on a GH200',
    'cleared',
    'GPU 0: NVIDIA GH200 96GB HBM3 (UUID: GPU-00000000-0000-0000-0000-000000000000)\npageable H2D: 301.2 GB/s',
  ],
  [
    'cleared on a GB200',
    'cleared',
    '$ nvidia-smi -L\nGPU 0: NVIDIA GB200 (UUID: GPU-00000000-0000-0000-0000-000000000000)\npageable H2D: 180.0 GB/s',
  ],
  [
    'silent on PCIe',
    'silent',
    '$ nvidia-smi -L\nGPU 0: NVIDIA H100 PCIe (UUID: GPU-00000000-0000-0000-0000-000000000000)\npageable H2D: 6.0 GB/s',
  ],
];

describe('ok/ok-pageable-fast-on-gh200', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(okPageableFastOnGh200, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
