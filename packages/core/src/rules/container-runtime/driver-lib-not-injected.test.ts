import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { driverLibNotInjected } from './driver-lib-not-injected.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'silent when the host lacks it too',
    'silent',
    "$ docker exec app python jit.py\nRuntimeError: CUDA error: PTX JIT compiler library not found\nhost$ ls /usr/lib/x86_64-linux-gnu/libnvidia-ptxjitcompiler.so.1\nls: cannot access '/usr/lib/x86_64-linux-gnu/libnvidia-ptxjitcompiler.so.1': No such file or directory",
  ],
  [
    'silent when the container tool itself misses a library',
    'silent',
    'nvidia-container-cli: initialization error: load library failed: libnvidia-cfg.so.1: cannot open shared object file: no such file or directory',
  ],
  [
    'silent on a missing library of the toolkit',
    'silent',
    'ImportError: libcublas.so.12: cannot open shared object file: No such file or directory',
  ],
];

describe('container-runtime/driver-lib-not-injected', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(driverLibNotInjected, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
