import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { visibleDevicesNotSet } from './visible-devices-not-set.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault proved when it is void',
    'fault proved',
    '$ docker exec app python -c "import torch; torch.zeros(1).cuda()"\nRuntimeError: Found no NVIDIA driver on your system.\n$ docker exec app printenv NVIDIA_VISIBLE_DEVICES\nvoid',
  ],
  [
    'cleared when it is void and CDI brought the driver',
    'cleared',
    '$ docker exec app python -c "import torch; torch.zeros(1).cuda()"\nRuntimeError: No CUDA GPUs are available\n$ docker exec app env | grep NVIDIA_\nNVIDIA_VISIBLE_DEVICES=void\nNVIDIA_CTK_LIBCUDA_DIR=/usr/lib/x86_64-linux-gnu',
  ],
  [
    'fault likely when the toolkit ignores it',
    'fault likely',
    'Ignoring devices requested by environment variable(s) in unprivileged container: [NVIDIA_VISIBLE_DEVICES]',
  ],
  ['silent on a host', 'silent', 'RuntimeError: No CUDA GPUs are available'],
];

describe('container-runtime/visible-devices-not-set', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(visibleDevicesNotSet, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
