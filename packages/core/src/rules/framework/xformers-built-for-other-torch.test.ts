import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { xformersBuiltForOtherTorch } from './xformers-built-for-other-torch.ts';

const cases: readonly (readonly [string, string, string])[] = [
  ['proved by the two releases', 'fault proved', '    PyTorch 2.3.0+cu121 with CUDA 1201 (you have 2.4.0+cpu)'],
  ['likely without them', 'fault likely', "WARNING[XFORMERS]: xFormers can't load C++/CUDA extensions."],
  ['silent on other warnings', 'silent', 'UserWarning: xformers is not installed'],
];

describe('framework/xformers-built-for-other-torch', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(xformersBuiltForOtherTorch, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
