import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { gdrcopyNotLoaded } from './gdrcopy-not-loaded.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault likely on the message of NVSHMEM',
    'fault likely',
    '/dvs/p4/build/ibrc.cpp:1530: WARN: GDRCopy open call failed, falling back to not using GDRCopy ',
  ],
  [
    'fault likely on the message of its own tools',
    'fault likely',
    'gdr_open error: Is gdrdrv driver installed and loaded?',
  ],
  [
    'cleared when the module is loaded',
    'cleared',
    'gdr_open error: Is gdrdrv driver installed and loaded?\n$ lsmod\nModule                  Size  Used by\ngdrdrv                 36864  0\nnvidia              56823808  3 gdrdrv',
  ],
  ['silent without it', 'silent', 'NCCL INFO Using network IB'],
];

describe('host-os/gdrcopy-not-loaded', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(gdrcopyNotLoaded, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
