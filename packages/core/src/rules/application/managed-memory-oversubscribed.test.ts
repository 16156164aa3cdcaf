import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { managedMemoryOversubscribed } from './managed-memory-oversubscribed.ts';

const sums = (row: string): string =>
  `Total HtoD Migration Size (MB),Total DtoH Migration Size (MB),Total CPU Page Faults,Total GPU PageFaults,Minimum Virtual Address,Maximum Virtual Address\n${row}`;

// What makes it a fault stands in databases alone: see the scenes of `trace/findings/managed.test.ts`.
const cases: readonly (readonly [string, string, string])[] = [
  [
    'unknown where 180 GB move without a fault',
    'unknown',
    sums('96408.695,88012.240,0,0,0x7F0A20000000,0x7F13FFFFFFFF'),
  ],
  ['unknown where 8 GB come and do not go', 'unknown', sums('8192.000,0.000,120,0,0x7F0A20000000,0x7F13FFFFFFFF')],
  ['cleared where little moves', 'cleared', sums('640.000,12.000,0,0,0x7F0A20000000,0x7F0A60000000')],
  ['silent where pages fault', 'silent', sums('40208.695,38012.240,98122,2110443,0x7F0A20000000,0x7F13FFFFFFFF')],
];

describe('application/managed-memory-oversubscribed', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(managedMemoryOversubscribed, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
