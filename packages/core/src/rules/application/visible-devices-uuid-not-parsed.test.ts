import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { visibleDevicesUuidNotParsed } from './visible-devices-uuid-not-parsed.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault proved in a Go program',
    'fault proved',
    'panic: strconv.Atoi: parsing "MIG-5a1f0000-0000-0000-0000-000000000000": invalid syntax',
  ],
  [
    'silent on an ordinary ValueError',
    'silent',
    'Traceback (most recent call last):\n  File "a.py", line 1, in <module>\nValueError: invalid literal for int() with base 10: \'x\'',
  ],
];

describe('application/visible-devices-uuid-not-parsed', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(visibleDevicesUuidNotParsed, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
