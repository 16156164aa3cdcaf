import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { okActorWithoutGpuByDesign } from './ok-actor-without-gpu-by-design.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'cleared for actors without, learner with a GPU',
    'cleared',
    '(EnvironmentLoop pid=6243) failed call to cuInit: CUDA_ERROR_NO_DEVICE: no CUDA-capable device is detected\n(Learner pid=6239) Created device /job:localhost/replica:0/task:0/device:GPU:0 with 14000 MB memory',
  ],
  [
    'silent when nobody has a GPU',
    'silent',
    '(EnvironmentLoop pid=6243) failed call to cuInit: CUDA_ERROR_NO_DEVICE: no CUDA-capable device is detected',
  ],
];

describe('ok/ok-actor-without-gpu-by-design', () => {
  it.each(cases)('%s', (_, expected, text) => {
    expect(outcomeOf(okActorWithoutGpuByDesign, text).kind).toBe(expected);
  });
});
