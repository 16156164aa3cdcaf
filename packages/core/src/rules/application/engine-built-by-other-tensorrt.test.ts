import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { engineBuiltByOtherTensorrt } from './engine-built-by-other-tensorrt.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'proved by two serialization versions',
    'fault proved',
    'Note: Current Version: 239, Serialized Engine Version: 232)',
  ],
  [
    'likely when only the tag is named',
    'fault likely',
    'Error Code 1: Serialization (Serialization assertion stdVersionRead == serializationVersion failed.Version tag does not match.',
  ],
  ['silent on other errors', 'silent', '[TRT] [E] 3: [builder.cpp] parameter check failed'],
];

describe('application/engine-built-by-other-tensorrt', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(engineBuiltByOtherTensorrt, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
