import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { okMigOneDevicePerProcess } from './ok-mig-one-device-per-process.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'silent when one is named',
    'silent',
    "$ export CUDA_VISIBLE_DEVICES=MIG-00000000-0000-0000-0000-000000000001\n$ python -c 'import torch; print(torch.cuda.device_count())'\n1",
  ],
];

describe('ok/ok-mig-one-device-per-process', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(okMigOneDevicePerProcess, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
