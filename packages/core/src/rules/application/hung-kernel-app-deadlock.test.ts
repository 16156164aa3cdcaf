import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { hungKernelAppDeadlock } from './hung-kernel-app-deadlock.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault likely on a full GPU without progress',
    'fault likely',
    'no progress for 2 hours\n$ nvidia-smi --query-gpu=index,utilization.gpu --format=csv\nindex, utilization.gpu [%]\n0, 100 %',
  ],
  ['silent on a notice', 'silent', 'this setting may hang on old kernels'],
];

describe('application/hung-kernel-app-deadlock', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(hungKernelAppDeadlock, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
