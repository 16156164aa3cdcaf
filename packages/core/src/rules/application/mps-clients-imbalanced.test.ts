import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { healthy } from '../testing-shapes.ts';
import { mpsClientsImbalanced } from './mps-clients-imbalanced.ts';

function shared(type: string, one: number, other: number): string {
  const rows = Array.from(
    { length: 4 },
    () =>
      `    0     90211   ${type}   ${one}   20    0    0    sim_a\n    0     90377   ${type}   ${other}   1    0    0    sim_b`,
  );
  return [healthy['ok-well-used']![0]!, '# gpu pid type sm mem enc dec command', ...rows].join('\n');
}

const cases: readonly (readonly [string, string, string])[] = [
  ['one client has nearly all', 'fault possible', shared('M+C', 94, 0)],
  ['one client has most, another next to nothing', 'fault possible', shared('M+C', 88, 2)],
  ['two clients share', 'cleared', shared('M+C', 55, 40)],
  ['processes without MPS take turns', 'cleared', shared('C', 94, 0)],
];

describe('application/mps-clients-imbalanced', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(mpsClientsImbalanced, text);
    const kind = answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind;
    // What is unclear and only possible is an open question to the rule.
    expect(kind).toBe(expected);
  });
});
