import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { cudaGraphCaptureError } from './cuda-graph-capture-error.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault when a generator is not part of the graph',
    'fault proved',
    'RuntimeError: Offset increment outside graph capture encountered unexpectedly.',
  ],
  [
    'fault when the legacy stream comes in',
    'fault proved',
    'cudaErrorStreamCaptureImplicit: operation would make the legacy stream depend on a capturing blocking stream',
  ],
  [
    'silent when graphs are recorded well',
    'silent',
    'Capturing CUDA graphs (mixed prefill-decode): 100%|####| 35/35 [00:14<00:00, 2.4it/s]',
  ],
];

describe('application/cuda-graph-capture-error', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(cudaGraphCaptureError, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
