import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { visibleDevicesEmptyByScheduler } from './visible-devices-empty-by-scheduler.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault proved in a Slurm job without GPUs',
    'fault proved',
    'RuntimeError: No CUDA GPUs are available\n$ printenv CUDA_VISIBLE_DEVICES\nNoDevFiles',
  ],
  [
    'silent when a person hid the GPUs',
    'silent',
    '$ CUDA_VISIBLE_DEVICES=-1 python train.py\nRuntimeError: No CUDA GPUs are available',
  ],
  ['silent on another failure', 'silent', 'CUDA_VISIBLE_DEVICES=\nCUDA error: out of memory'],
];

describe('orchestrator/visible-devices-empty-by-scheduler', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(visibleDevicesEmptyByScheduler, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
