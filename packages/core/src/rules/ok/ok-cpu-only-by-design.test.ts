import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { okCpuOnlyByDesign } from './ok-cpu-only-by-design.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'cleared for a training on the CPU',
    'cleared',
    "$ python train.py --device cpu\n2023-03-15 09:05:17.849317: W tensorflow/stream_executor/platform/default/dso_loader.cc:64] Could not load dynamic library 'libcuda.so.1'; dlerror: libcuda.so.1: cannot open shared object file: No such file or directory\nEpoch 1/5\n32/32 [==============================] - 2s 41ms/step - loss: 0.6020",
  ],
  [
    'unknown when nobody said that the CPU is wanted',
    'unknown',
    'Epoch 1/5\n32/32 [==============================] - 2s 41ms/step - loss: 0.6020',
  ],
];

describe('ok/ok-cpu-only-by-design', () => {
  it.each(cases)('%s', (_, expected, text) => {
    expect(outcomeOf(okCpuOnlyByDesign, text).kind).toBe(expected);
  });
});
