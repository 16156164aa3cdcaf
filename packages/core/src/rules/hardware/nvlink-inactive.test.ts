import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { nvlinkInactive } from './nvlink-inactive.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault possible on one GPU',
    'fault possible',
    'GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-1)\n	 Link 0: 26.562 GB/s\n	 Link 1: <inactive>\n	 Link 2: 26.562 GB/s',
  ],
  [
    'fault proved against the others',
    'fault proved',
    'GPU 2: NVIDIA H100 80GB HBM3 (UUID: GPU-1)\n	 Link 0: 26.562 GB/s\nGPU 3: NVIDIA H100 80GB HBM3 (UUID: GPU-4)\n	 Link 0: <inactive>',
  ],
  ['silent without links', 'silent', 'GPU 0: NVIDIA L4 (UUID: GPU-1)'],
  [
    'near miss: no link of any board is up, and there is no switch',
    'unknown',
    '|  NvLink Link Status  |\nGPUs:\n    gpuId 0:\n        D D D D\n    gpuId 1:\n        D D D D\n',
  ],
  [
    'one of them is up',
    'fault proved',
    '|  NvLink Link Status  |\nGPUs:\n    gpuId 0:\n        D D D D\n    gpuId 1:\n        D D D U\n',
  ],
];

describe('hardware/nvlink-inactive', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(nvlinkInactive, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
