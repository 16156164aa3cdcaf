import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { hostDriverPathNotInLdCache } from './host-driver-path-not-in-ld-cache.ts';

const cases: readonly (readonly [string, string, string])[] = [
  ['silent without a file', 'silent', 'AssertionError: libcuda.so cannot found!'],
  [
    'fault proved for a system folder',
    'fault proved',
    '$ docker exec app python -c "import ctypes; ctypes.CDLL(\'libcuda.so.1\')"\nOSError: libcuda.so.1: cannot open shared object file: No such file or directory\n$ docker exec app ls /usr/lib64/libcuda.so.550.54.15\n/usr/lib64/libcuda.so.550.54.15\n$ docker exec app sh -c "ldconfig -p | grep libcuda"\n$ docker exec app id\nuid=0(root)',
  ],
];

describe('image/host-driver-path-not-in-ld-cache', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(hostDriverPathNotInLdCache, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
