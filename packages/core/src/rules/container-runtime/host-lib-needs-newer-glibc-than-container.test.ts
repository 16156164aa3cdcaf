import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { hostLibNeedsNewerGlibcThanContainer } from './host-lib-needs-newer-glibc-than-container.ts';

describe('container-runtime/host-lib-needs-newer-glibc-than-container', () => {
  it.each([
    [
      'fault for a bound library',
      "/lib/x86_64-linux-gnu/libc.so.6: version `GLIBC_2.34' not found (required by /.singularity.d/libs/libGLX.so.0)",
      { kind: 'fault', certainty: 'proved' },
    ],
    [
      'cleared when a file of the image asks',
      "/lib/x86_64-linux-gnu/libc.so.6: version `GLIBC_2.34' not found (required by ./app)",
      { kind: 'cleared' },
    ],
  ] as const)('%s', (_, text, answer) => {
    expect(outcomeOf(hostLibNeedsNewerGlibcThanContainer, text)).toMatchObject(answer);
  });
});
