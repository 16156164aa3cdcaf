import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { busyLabelIdleSms } from './busy-label-idle-sms.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'a series that shows it',
    'fault likely',
    '# gpu    pwr  gtemp     sm    mem   mclk   pclk smutil  smocc mmaact\n# Idx      -      -      -      -      -      -      -      -      -\n    0    228     49    100      0   2619   1980     11      4      0\n    0    229     49    100      1   2619   1980     12      4      0\n    0    230     49    100      2   2619   1980     13      4      0\n    0    231     49    100      3   2619   1980     11      4      0\n    0    232     49    100      0   2619   1980     12      4      0\n    0    233     49    100      1   2619   1980     13      4      0\n    0    228     49    100      2   2619   1980     11      4      0\n    0    229     49    100      3   2619   1980     12      4      0\n    0    230     49    100      0   2619   1980     13      4      0\n    0    231     49    100      1   2619   1980     11      4      0\n    0    232     49    100      2   2619   1980     12      4      0\n    0    233     49    100      3   2619   1980     13      4      0\n    0    228     49    100      0   2619   1980     11      4      0\n    0    229     49    100      1   2619   1980     12      4      0',
  ],
  [
    'other columns, other values',
    'fault likely',
    '# gpu    pwr  gtemp     sm    mem   mclk   pclk smutil  smocc mmaact\n# Idx      -      -      -      -      -      -      -      -      -\n    3    190     44     99      1   2619   1965      6      2      0\n    3    191     44    100      2   2619   1965      7      2      0\n    3    192     44     99      1   2619   1965      6      2      0\n    3    193     44    100      2   2619   1965      7      2      0\n    3    194     44     99      1   2619   1965      6      2      0\n    3    190     44    100      2   2619   1965      7      2      0\n    3    191     44     99      1   2619   1965      6      2      0\n    3    192     44    100      2   2619   1965      7      2      0\n    3    193     44     99      1   2619   1965      6      2      0\n    3    194     44    100      2   2619   1965      7      2      0\n    3    190     44     99      1   2619   1965      6      2      0\n    3    191     44    100      2   2619   1965      7      2      0\n    3    192     44     99      1   2619   1965      6      2      0\n    3    193     44    100      2   2619   1965      7      2      0',
  ],
  [
    'a healthy series that looks alike',
    'cleared',
    '# gpu    pwr  gtemp     sm    mem   mclk   pclk smutil  smocc mmaact\n# Idx      -      -      -      -      -      -      -      -      -\n    0    630     59    100     92   2619   1980     97     60     35\n    0    631     59    100     92   2619   1980     97     60     35\n    0    632     59    100     92   2619   1980     97     60     35\n    0    633     59    100     92   2619   1980     97     60     35\n    0    634     59    100     92   2619   1980     97     60     35\n    0    635     59    100     92   2619   1980     97     60     35\n    0    630     59    100     92   2619   1980     97     60     35\n    0    631     59    100     92   2619   1980     97     60     35\n    0    632     59    100     92   2619   1980     97     60     35\n    0    633     59    100     92   2619   1980     97     60     35\n    0    634     59    100     92   2619   1980     97     60     35\n    0    635     59    100     92   2619   1980     97     60     35\n    0    630     59    100     92   2619   1980     97     60     35\n    0    631     59    100     92   2619   1980     97     60     35',
  ],
  [
    'utilisation alone',
    'unknown',
    '# gpu     sm    mem\n# Idx      -      -\n    0     96      5\n    0     97      5\n    0     98      5\n    0     96      5\n    0     97      5\n    0     98      5\n    0     96      5\n    0     97      5\n    0     98      5\n    0     96      5\n    0     97      5\n    0     98      5\n    0     96      5\n    0     97      5',
  ],
];

describe('application/busy-label-idle-sms', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(busyLabelIdleSms, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
