import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { nvjitlinkOlderShadow } from './nvjitlink-older-shadow.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'proved by the search path',
    'fault proved',
    'ImportError: libcusparse.so.12: undefined symbol: __nvJitLinkAddData_12_1, version libnvJitLink.so.12\n$ echo $LD_LIBRARY_PATH\n/usr/local/cuda-12.0/lib64:',
  ],
  [
    'likely on the message alone',
    'fault likely',
    'ImportError: libcusparse.so.12: undefined symbol: __nvJitLinkComplete_12_4, version libnvJitLink.so.12',
  ],
  ['silent on another missing name', 'silent', 'ImportError: x.so: undefined symbol: _ZN3c105ErrorC2E'],
];

describe('toolkit/nvjitlink-older-shadow', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(nvjitlinkOlderShadow, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
