import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { hostGlibcTooOld } from './host-glibc-too-old.ts';

describe('host-os/host-glibc-too-old', () => {
  it.each([
    [
      'fault for a program',
      "/lib/x86_64-linux-gnu/libc.so.6: version `GLIBC_2.34' not found (required by ./server)",
      { kind: 'fault', certainty: 'proved' },
    ],
    [
      'silent for a package',
      "/lib64/libm.so.6: version `GLIBC_2.29' not found (required by /opt/venv/lib/python3.9/site-packages/p/_c.so)",
      { kind: 'silent' },
    ],
    [
      'silent for a bound library',
      "/lib/x86_64-linux-gnu/libc.so.6: version `GLIBC_2.34' not found (required by /.singularity.d/libs/libGLX.so.0)",
      { kind: 'silent' },
    ],
  ] as const)('%s', (_, text, answer) => {
    expect(outcomeOf(hostGlibcTooOld, text)).toMatchObject(answer);
  });
});
