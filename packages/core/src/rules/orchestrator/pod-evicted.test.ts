import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { podEvicted } from './pod-evicted.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault proved by a condition of the node',
    'fault proved',
    'Pod was rejected: The node had condition: [DiskPressure].',
  ],
  ['fault likely in a list of pods', 'fault likely', 'train-0   0/1     Evicted   0          12m'],
  ['silent elsewhere', 'silent', 'train-0   0/1     OOMKilled   0          12m'],
];

describe('orchestrator/pod-evicted', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(podEvicted, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
