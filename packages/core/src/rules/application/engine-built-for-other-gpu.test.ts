import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { engineBuiltForOtherGpu } from './engine-built-for-other-gpu.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'proved by two capabilities',
    'fault proved',
    'INVALID_CONFIG: The engine plan file is generated on an incompatible device, expecting compute 7.5 got compute 9.0, please rebuild.',
  ],
  [
    'likely on a platform tag',
    'fault likely',
    'Platform specific tag mismatch detected. TensorRT plan files are only supported on the target runtime platform they were created on.',
  ],
  ['silent on other errors', 'silent', '[E] 2: [engine.cpp] internal error'],
];

describe('application/engine-built-for-other-gpu', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(engineBuiltForOtherGpu, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
