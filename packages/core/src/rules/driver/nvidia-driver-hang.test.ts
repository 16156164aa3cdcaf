import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { nvidiaDriverHang } from './nvidia-driver-hang.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault likely on the state D',
    'fault likely',
    '$ ps aux | grep nvidia-smi\nroot      41022  0.0  0.0  12000  3000 ?        D    10:02   0:00 nvidia-smi',
  ],
  ['fault likely on nvidia-smi', 'fault likely', 'INFO: task nvidia-smi:10231 blocked for more than 122 seconds.'],
  [
    'fault proved with a frame',
    'fault proved',
    'INFO: task nvidia-smi:10231 blocked for more than 122 seconds.\nCall Trace:\n os_acquire_rwlock_write+0x35/0x50 [nvidia]\n _nv041256rm+0x1f4/0x3b0 [nvidia]',
  ],
  ['silent on a frame alone', 'silent', ' _nv041256rm+0x1f4/0x3b0 [nvidia]'],
];

describe('driver/nvidia-driver-hang', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(nvidiaDriverHang, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
