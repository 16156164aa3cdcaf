import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { ncclVersionDiffersAcrossRanks } from './nccl-version-differs-across-ranks.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault proved on the words of a later release',
    'fault proved',
    'n1:71:71 [0] NCCL WARN NCCL version mismatch with remote peer 10.0.4.12<40113> (local: 2.26.2, remote 2.27.5)',
  ],
  ['silent without NCCL', 'silent', 'hello'],
];

describe('nccl/nccl-version-differs-across-ranks', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(ncclVersionDiffersAcrossRanks, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
