import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { dmabufUnsupported } from './dmabuf-unsupported.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault proved with the proprietary module',
    'fault proved',
    'ibv_reg_dmabuf_mr failed: Operation not supported\n$ modinfo nvidia\nfilename:       /lib/modules/6.8.0-60-generic/updates/dkms/nvidia.ko\nversion:        550.144.03\nlicense:        NVIDIA',
  ],
  ['fault likely alone', 'fault likely', 'DMA-BUF is not supported on this GPU'],
  [
    'cleared when peermem is loaded',
    'cleared',
    'DMA-BUF is not supported on this GPU\n$ lsmod | grep peermem\nnvidia_peermem         16384  0',
  ],
];

describe('host-os/dmabuf-unsupported', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(dmabufUnsupported, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
