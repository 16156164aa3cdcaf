import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { okMixedMinorPackages } from './ok-mixed-minor-packages.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'cleared for conda packages of 12.4 and 12.6',
    'cleared',
    '$ conda list\ncuda-cudart               12.4.127                      0    nvidia\ncuda-nvrtc                12.4.127                      0    nvidia\ncuda-opencl               12.6.77                       0    nvidia\nlibnvjitlink              12.6.77              hbd13f7d_1    conda-forge',
  ],
  [
    'silent for two majors',
    'silent',
    '$ pip list\nnvidia-cuda-runtime-cu12 12.4.127\nnvidia-cuda-nvrtc-cu12 12.4.127\nnvidia-cuda-nvrtc 13.0.48\nnvidia-cuda-cupti 13.0.48',
  ],
];

describe('ok/ok-mixed-minor-packages', () => {
  it.each(cases)('%s', (_, expected, text) => {
    expect(outcomeOf(okMixedMinorPackages, text).kind).toBe(expected);
  });
});
