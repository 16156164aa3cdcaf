import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { jetsonGenericWheelCpuOnly } from './jetson-generic-wheel-cpu-only.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault likely when torch sees no GPU',
    'fault likely',
    '# R32 (release), REVISION: 7.1, GCID: 29818004, BOARD: t210ref, EABI: aarch64\n$ python3 -c "import torch; print(torch.cuda.is_available())"\nFalse',
  ],
  ['silent on another machine', 'silent', 'AssertionError: Torch not compiled with CUDA enabled'],
];

describe('framework/jetson-generic-wheel-cpu-only', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(jetsonGenericWheelCpuOnly, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
