import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { cudnnSystemShadowsBundled } from './cudnn-system-shadows-bundled.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'likely when torch itself points at the path',
    'fault likely',
    'cuDNN version incompatibility: PyTorch was compiled  against (8, 9, 2) but found runtime version (8, 5, 0). PyTorch already comes bundled with cuDNN. One option to resolving this error is to ensure PyTorch can find the bundled cuDNN. Looks like your LD_LIBRARY_PATH contains incompatible version of cudnn.',
  ],
  [
    'likely when parts of two releases meet',
    'fault likely',
    'RuntimeError: cuDNN error: CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH',
  ],
  ['silent when memory ran out', 'silent', 'cuDNN error: CUDNN_STATUS_ALLOC_FAILED'],
];

describe('cudnn/cudnn-system-shadows-bundled', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(cudnnSystemShadowsBundled, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
