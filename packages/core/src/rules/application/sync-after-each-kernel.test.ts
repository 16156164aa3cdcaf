import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { syncAfterEachKernel } from './sync-after-each-kernel.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'silent when a failure is being looked for',
    'silent',
    '$ env | grep CUDA\nCUDA_LAUNCH_BLOCKING=1\nRuntimeError: CUDA error: an illegal memory access was encountered',
  ],
];

describe('application/sync-after-each-kernel', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(syncAfterEachKernel, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
