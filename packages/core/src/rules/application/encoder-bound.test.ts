import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { encoderBound } from './encoder-bound.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'a series that shows it',
    'fault likely',
    '# gpu    pwr     sm    mem    enc    dec\n# Idx      -      -      -      -      -\n    0    110     22      9     97     30\n    0    111     23      9     98     30\n    0    112     24      9     99     30\n    0    113     25      9     97     30\n    0    114     26      9     98     30\n    0    110     27      9     99     30\n    0    111     22      9     97     30\n    0    112     23      9     98     30\n    0    113     24      9     99     30\n    0    114     25      9     97     30\n    0    110     26      9     98     30\n    0    111     27      9     99     30\n    0    112     22      9     97     30\n    0    113     23      9     98     30',
  ],
  [
    'other columns, other values',
    'fault likely',
    '# gpu     sm    mem    dec    enc    pwr\n# Idx      -      -      -      -      -\n    1     15      7     99      3     90\n    1     16      7     99      3     90\n    1     17      7     99      3     90\n    1     18      7     99      3     90\n    1     19      7     99      3     90\n    1     20      7     99      3     90\n    1     15      7     99      3     90\n    1     16      7     99      3     90\n    1     17      7     99      3     90\n    1     18      7     99      3     90\n    1     19      7     99      3     90\n    1     20      7     99      3     90\n    1     15      7     99      3     90\n    1     16      7     99      3     90',
  ],
  [
    'a healthy series that looks alike',
    'cleared',
    '# gpu    pwr     sm    mem    enc    dec   mclk\n# Idx      -      -      -      -      -      -\n    0    610     96     35     20     10   2619\n    0    611     97     35     20     10   2619\n    0    612     98     35     20     10   2619\n    0    613     99     35     20     10   2619\n    0    614     96     35     20     10   2619\n    0    610     97     35     20     10   2619\n    0    611     98     35     20     10   2619\n    0    612     99     35     20     10   2619\n    0    613     96     35     20     10   2619\n    0    614     97     35     20     10   2619\n    0    610     98     35     20     10   2619\n    0    611     99     35     20     10   2619\n    0    612     96     35     20     10   2619\n    0    613     97     35     20     10   2619',
  ],
  [
    'utilisation alone',
    'unknown',
    '# gpu     sm    mem\n# Idx      -      -\n    0     96      5\n    0     97      5\n    0     98      5\n    0     96      5\n    0     97      5\n    0     98      5\n    0     96      5\n    0     97      5\n    0     98      5\n    0     96      5\n    0     97      5\n    0     98      5\n    0     96      5\n    0     97      5',
  ],
];

describe('application/encoder-bound', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(encoderBound, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
