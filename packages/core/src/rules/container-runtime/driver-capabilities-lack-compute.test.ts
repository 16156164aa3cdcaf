import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { driverCapabilitiesLackCompute } from './driver-capabilities-lack-compute.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault likely when nvidia-smi answers and libcuda is not there',
    'fault likely',
    '$ docker exec app nvidia-smi -L\nGPU 0: NVIDIA A10 (UUID: GPU-00000000-0000-0000-0000-000000000001)\n$ docker exec app python -c "import torch; torch.zeros(1).cuda()"\nRuntimeError: Found no NVIDIA driver on your system.',
  ],
  [
    'fault proved when video is left out',
    'fault proved',
    '$ docker exec enc ffmpeg -c:v h264_nvenc\n[h264_nvenc @ 0x5581] Cannot load libnvidia-encode.so.1\n$ docker exec enc printenv NVIDIA_DRIVER_CAPABILITIES\ncompute,utility',
  ],
  [
    'cleared when libcuda is there',
    'cleared',
    '$ docker exec app nvidia-smi -L\nGPU 0: NVIDIA A10 (UUID: GPU-00000000-0000-0000-0000-000000000001)\n$ docker exec app python -c "import torch; torch.zeros(1).cuda()"\nRuntimeError: Found no NVIDIA driver on your system.\n$ docker exec app ls /usr/lib/x86_64-linux-gnu/libcuda.so.1\n/usr/lib/x86_64-linux-gnu/libcuda.so.1',
  ],
  ['silent on a host', 'silent', 'RuntimeError: Found no NVIDIA driver on your system.'],
];

describe('container-runtime/driver-capabilities-lack-compute', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(driverCapabilitiesLackCompute, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});

describe('an image that was read', () => {
  it.each([
    [
      'with a toolkit',
      'fault proved',
      'image variable name=NVIDIA_DRIVER_CAPABILITIES value=utility,video\nimage toolkit version=12.6 path=/usr/local/cuda-12.6 cudart=12.6.77 nvcc=true',
    ],
    [
      'with a framework',
      'fault proved',
      'image variable name=NVIDIA_DRIVER_CAPABILITIES value=graphics\nimage package name=torch version=2.7.0+cu126 environment=/usr manager=pip cuda=12.6',
    ],
    [
      'near: all',
      'cleared',
      'image variable name=NVIDIA_DRIVER_CAPABILITIES value=all\nimage toolkit version=12.6 path=/usr/local/cuda-12.6 cudart=12.6.77 nvcc=true',
    ],
    [
      'near: empty means the default',
      'silent',
      'image variable name=NVIDIA_DRIVER_CAPABILITIES value=""\nimage toolkit version=12.6 path=/usr/local/cuda-12.6 cudart=12.6.77 nvcc=true',
    ],
    ['near: nothing that needs it', 'silent', 'image variable name=NVIDIA_DRIVER_CAPABILITIES value=graphics,utility'],
  ])('%s', (_, expected, text) => {
    const answer = outcomeOf(driverCapabilitiesLackCompute, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
