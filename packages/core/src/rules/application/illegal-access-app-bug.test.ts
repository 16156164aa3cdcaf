import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { illegalAccessAppBug } from './illegal-access-app-bug.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault likely on the message alone',
    'fault likely',
    'CUDA error: an illegal memory access was encountered (kernel.cu:88)',
  ],
  [
    'fault proved when compute-sanitizer names the access',
    'fault proved',
    '========= Invalid __global__ write of size 4 bytes\n========= at kern(float*)+0x60',
  ],
  [
    'fault proved with an Xid that programs cause',
    'fault proved',
    'CUDA error: misaligned address\nNVRM: Xid (PCI:0000:41:00): 13, pid=22011, name=a.out, Graphics SM Warp Exception on (GPC 0, TPC 1, SM 0): Misaligned Address',
  ],
  [
    'cleared with an Xid of the memory',
    'cleared',
    'CUDA error: an illegal memory access was encountered\nNVRM: Xid (PCI:0000:41:00): 94, pid=22011, name=a.out, Contained: SM (0x1). RST: No, D-RST: No',
  ],
  ['silent on a segmentation fault of the host', 'silent', 'Segmentation fault (core dumped)'],
];

describe('application/illegal-access-app-bug', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(illegalAccessAppBug, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
