import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { nvjitlinkOlderPackage } from './nvjitlink-older-package.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'proved by the release in the name',
    'fault proved',
    'ImportError: libcusolver.so.11: undefined symbol: __nvJitLinkCreate_12_6, version libnvJitLink.so.12\n$ pip list\nnvidia-nvjitlink-cu12 12.4.127',
  ],
  [
    'cleared when the package is new enough',
    'cleared',
    'ImportError: libcusolver.so.11: undefined symbol: __nvJitLinkCreate_12_6, version libnvJitLink.so.12\n$ pip list\nnvidia-nvjitlink-cu12 12.8.93',
  ],
  ['silent on another missing name', 'silent', 'ImportError: x.so: undefined symbol: foo'],
];

describe('toolkit/nvjitlink-older-package', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(nvjitlinkOlderPackage, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
