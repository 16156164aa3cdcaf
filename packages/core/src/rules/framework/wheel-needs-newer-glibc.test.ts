import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { wheelNeedsNewerGlibc } from './wheel-needs-newer-glibc.ts';

describe('framework/wheel-needs-newer-glibc', () => {
  it.each([
    [
      'fault for a module of a package',
      "ImportError: /lib64/libm.so.6: version `GLIBC_2.29' not found (required by /opt/venv/lib/python3.9/site-packages/p/_c.so)",
      { kind: 'fault', certainty: 'proved' },
    ],
    [
      'likely when pip refuses the tag',
      'ERROR: x-1.0-cp311-cp311-manylinux_2_34_x86_64.whl is not a supported wheel on this platform.',
      { kind: 'fault', certainty: 'likely' },
    ],
    [
      'silent for a program',
      "/lib/x86_64-linux-gnu/libc.so.6: version `GLIBC_2.34' not found (required by ./server)",
      { kind: 'silent' },
    ],
  ] as const)('%s', (_, text, answer) => {
    expect(outcomeOf(wheelNeedsNewerGlibc, text)).toMatchObject(answer);
  });
});
