import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { cudnnNewerThanBuilt } from './cudnn-newer-than-built.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'proved by the two numbers',
    'fault proved',
    'Mixed dnn version. The header is version 5110 while the library is version 6021.',
  ],
  ['proved across majors', 'fault proved', 'Loaded runtime CuDNN library: 9.1.0 but source was compiled with: 8.9.6.'],
  ['silent on other statuses', 'silent', 'cuDNN error: CUDNN_STATUS_ALLOC_FAILED'],
];

describe('cudnn/cudnn-newer-than-built', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(cudnnNewerThanBuilt, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
