import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { applicationTemplateError } from './application-template-error.ts';

const cases: readonly (readonly [string, string, string])[] = [
  ['silent on a node with GPUs', 'silent', '$ kubectl describe node a\n  nvidia.com/gpu:     8'],
];

describe('application/application-template-error', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(applicationTemplateError, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
