import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { runtimeOmitsDeviceNodes } from './runtime-omits-device-nodes.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault proved when the host has the unified-memory node and the container does not',
    'fault proved',
    '$ docker exec app ./deviceQuery\ncudaGetDeviceCount returned 100\n-> no CUDA-capable device is detected\n$ docker exec app ls /dev/nvidia0 /dev/nvidiactl\n/dev/nvidia0\n/dev/nvidiactl\nhost$ ls /dev/nvidia0 /dev/nvidiactl /dev/nvidia-uvm\n/dev/nvidia0\n/dev/nvidiactl\n/dev/nvidia-uvm',
  ],
  [
    'silent when NVIDIA_VISIBLE_DEVICES asked for nothing',
    'silent',
    '$ docker exec app python -c "import torch; torch.zeros(1).cuda()"\nRuntimeError: No CUDA GPUs are available\n$ docker exec app ls /dev/nvidia*\nls: cannot access \'/dev/nvidia*\': No such file or directory\n$ docker exec app printenv NVIDIA_VISIBLE_DEVICES\nvoid',
  ],
  ['silent on a host', 'silent', "$ ls /dev/nvidia*\nls: cannot access '/dev/nvidia*': No such file or directory"],
];

describe('container-runtime/runtime-omits-device-nodes', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(runtimeOmitsDeviceNodes, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
