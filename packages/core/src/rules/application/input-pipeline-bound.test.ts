import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { inputPipelineBound } from './input-pipeline-bound.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault proved in the format of iteration loggers',
    'fault proved',
    '2026/01/02 - mmengine - INFO - Epoch(train)  [1][50/100]  lr: 1e-3  time: 1.0120  data_time: 0.9110  loss: 1.2',
  ],
  [
    'fault proved when the last means say so',
    'fault proved',
    'Epoch: [0][ 10/625]  Time 3.9 (0.00)  Data 3.4 (0.00)\nEpoch: [0][ 20/625]  Time 4.033 (4.071)  Data 3.602 (3.631)',
  ],
  ['silent without times', 'silent', 'Data: /data/imagenet'],
];

describe('application/input-pipeline-bound', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(inputPipelineBound, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
