import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { okBenignWarning } from './ok-benign-warning.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'cleared for TensorFlow registers its factories twice and trains',
    'cleared',
    '2024-09-07 21:10:14.218911: E external/local_xla/xla/stream_executor/cuda/cuda_dnn.cc:9261] Unable to register cuDNN factory: Attempting to register factory for plugin cuDNN when one has already been registered\nEpoch 1/5\n 32/32 [==============================] - 2s 41ms/step - loss: 0.6020',
  ],
  [
    'cleared for a notice in a run that goes on',
    'cleared',
    '2024-09-07 21:10:14.218944: E external/local_xla/xla/stream_executor/cuda/cuda_fft.cc:607] Unable to register cuFFT factory: Attempting to register factory for plugin cuFFT when one has already been registered\nsteps:   2%|1 | 24/1600 [01:02<1:08:10,  2.59s/it, avr_loss=0.398]',
  ],
  [
    'silent when the run then fails',
    'silent',
    '2024-09-07 21:10:14.218944: E external/local_xla/xla/stream_executor/cuda/cuda_fft.cc:607] Unable to register cuFFT factory: Attempting to register factory for plugin cuFFT when one has already been registered\nRuntimeError: CUDA error: device-side assert triggered',
  ],
];

describe('ok/ok-benign-warning', () => {
  it.each(cases)('%s', (_, expected, text) => {
    expect(outcomeOf(okBenignWarning, text).kind).toBe(expected);
  });
});
