import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { cudnnOlderThanBuilt } from './cudnn-older-than-built.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'proved by the pair that TensorFlow prints',
    'fault proved',
    'Loaded runtime CuDNN library: 8.0.5 but source was compiled with: 8.6.0.  CuDNN library needs to have matching major version and equal or higher minor version.',
  ],
  [
    'cleared when torch says that its own was not found',
    'cleared',
    'cuDNN version incompatibility: PyTorch was compiled  against (8, 9, 2) but found runtime version (8, 5, 0). PyTorch already comes bundled with cuDNN. One option to resolving this error is to ensure PyTorch can find the bundled cuDNN.',
  ],
  ['silent without a version', 'silent', 'cuDNN error: CUDNN_STATUS_ALLOC_FAILED'],
];

describe('cudnn/cudnn-older-than-built', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(cudnnOlderThanBuilt, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
