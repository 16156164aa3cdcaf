import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { nvccDroppedOldGpu } from './nvcc-dropped-old-gpu.ts';

const cases: readonly (readonly [string, string, string])[] = [
  ['proved for Fermi by the number alone', 'fault proved', "nvcc fatal   : Unsupported gpu architecture 'compute_20'"],
  [
    'proved for Volta with CUDA 13',
    'fault proved',
    "Cuda compilation tools, release 13.0, V13.0.48\nnvcc fatal   : Unsupported gpu architecture 'compute_70'",
  ],
  ['likely for Pascal without the release', 'fault likely', "nvcc fatal   : Unsupported gpu architecture 'compute_61'"],
  ['silent on a build that works', 'silent', 'Cuda compilation tools, release 12.2, V12.2.140'],
];

describe('toolkit/nvcc-dropped-old-gpu', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(nvccDroppedOldGpu, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
