import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { okInjectedError } from './ok-injected-error.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'cleared when a line was written to the kernel log by hand',
    'cleared',
    "$ echo 'NVRM: Xid (PCI:0000:41:00): 79, pid=1' | tee /dev/kmsg\nNVRM: Xid (PCI:0000:41:00): 79, pid=1",
  ],
  ['silent without an injection', 'silent', 'hello'],
];

describe('ok/ok-injected-error', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(okInjectedError, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
