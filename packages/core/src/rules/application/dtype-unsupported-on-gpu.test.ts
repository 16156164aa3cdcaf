import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { dtypeUnsupportedOnGpu } from './dtype-unsupported-on-gpu.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault when a quantisation needs a newer GPU',
    'fault proved',
    'ValueError: The quantization method fp8 is not supported for the current GPU. Minimum capability: 89. Current capability: 75.',
  ],
  [
    'fault when Triton refuses the type',
    'fault likely',
    "ValueError(\"type fp8e4nv not supported in this architecture. The supported fp8 dtypes are ('fp8e4b15', 'fp8e5')\")",
  ],
  [
    'silent when the build lacks the GPU',
    'silent',
    'RuntimeError: CUDA error: no kernel image is available for execution on the device',
  ],
];

describe('application/dtype-unsupported-on-gpu', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(dtypeUnsupportedOnGpu, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
