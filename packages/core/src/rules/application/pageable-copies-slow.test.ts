import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { pageableCopiesSlow } from './pageable-copies-slow.ts';

const cases: readonly (readonly [string, string, string])[] = [
  ['fault proved from one line', 'fault proved', 'copy test: pageable D2H 5.4 GB/s, page-locked D2H 12.6 GB/s'],
  [
    'cleared on a coherent link',
    'cleared',
    'GPU 0: NVIDIA GH200 480GB (UUID: GPU-0)\npageable H2D: 180 GB/s, pinned H2D: 380 GB/s',
  ],
  ['silent for page-locked alone', 'silent', 'pinned H2D: 12.1 GB/s'],
];

describe('application/pageable-copies-slow', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(pageableCopiesSlow, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
