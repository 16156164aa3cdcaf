import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { gpuNeedsReset } from './gpu-needs-reset.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault proved on a reboot',
    'fault proved',
    'NVRM: Xid (PCI:0001:00:00): 154, GPU recovery action changed from 0x0 (None) to 0x2 (Node Reboot Required)',
  ],
  [
    'fault proved in the report',
    'fault proved',
    '==============NVSMI LOG==============\n\nDriver Version                            : 570.124.06\nAttached GPUs                             : 1\nGPU 00000000:3B:00.0\n    GPU Recovery Action                   : Reset',
  ],
  [
    'fault likely on NVML',
    'fault likely',
    'Unable to determine the device handle for GPU 0000:3B:00.0: GPU requires reset',
  ],
  [
    'cleared in the report',
    'cleared',
    '==============NVSMI LOG==============\n\nDriver Version                            : 570.124.06\nAttached GPUs                             : 1\nGPU 00000000:3B:00.0\n    GPU Recovery Action                   : None',
  ],
  [
    'the firmware of a GPU did not start',
    'fault likely',
    '[   12.1] NVRM: kgspWaitForGfwBootOk_TU102: failed to wait for GFW boot complete: 0x65 VBIOS version 96.00.74.00.1c\n[   12.1] NVRM: kgspWaitForGfwBootOk_TU102: (the GPU may be in a bad state and may need to be reset)',
  ],
  [
    'an earlier start of the firmware was left half-way',
    'fault likely',
    'NVRM: GPU6 _kgspBootGspRm: unexpected WPR2 already up, cannot proceed with booting GSP',
  ],
];

describe('hardware/gpu-needs-reset', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(gpuNeedsReset, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
