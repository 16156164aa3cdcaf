import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { launchBoundNeedsCudaGraphs } from './launch-bound-needs-cuda-graphs.ts';

const cases: readonly (readonly [string, string, string])[] = [
  ['fault proved on a measured graph', 'fault proved', 'eager: 12.1 ms per step; cuda graph: 3.0 ms per step'],
  ['silent when graphs gain nothing', 'silent', 'eager: 3.1 ms per step; cuda graph: 3.0 ms per step'],
];

describe('application/launch-bound-needs-cuda-graphs', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(launchBoundNeedsCudaGraphs, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
