import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { okInjectedError } from './ok-injected-error.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'silent when the kernel log has an Xid',
    'silent',
    '$ dcgmi test --inject --gpuid 0 -f 319 -v 4\nSuccessfully injected field info.\nNVRM: Xid (PCI:0000:41:00): 48, pid=22011, name=python3, DBE (double bit error) on FB',
  ],
  ['silent without an injection', 'silent', 'hello'],
];

describe('ok/ok-injected-error', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(okInjectedError, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
