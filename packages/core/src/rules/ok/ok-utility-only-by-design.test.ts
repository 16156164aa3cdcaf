import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { okUtilityOnlyByDesign } from './ok-utility-only-by-design.ts';

const cases: readonly (readonly [string, string, string])[] = [
  ['silent with compute', 'silent', '$ env | grep NVIDIA\nNVIDIA_DRIVER_CAPABILITIES=compute,utility'],
  [
    'silent when CUDA is missed',
    'silent',
    '$ env | grep NVIDIA\nNVIDIA_DRIVER_CAPABILITIES=utility\nRuntimeError: Found no NVIDIA driver on your system.',
  ],
];

describe('ok/ok-utility-only-by-design', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(okUtilityOnlyByDesign, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
