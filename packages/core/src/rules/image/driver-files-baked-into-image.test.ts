import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { driverFilesBakedIntoImage } from './driver-files-baked-into-image.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault proved when a library of another release is in the container',
    'fault proved',
    '$ docker exec app nvidia-smi\nFailed to initialize NVML: Driver/library version mismatch\n$ docker exec app ls /usr/lib/x86_64-linux-gnu/libnvidia-ml.so.470.57.02 /usr/lib/x86_64-linux-gnu/libnvidia-ml.so.550.54.15\n/usr/lib/x86_64-linux-gnu/libnvidia-ml.so.470.57.02\n/usr/lib/x86_64-linux-gnu/libnvidia-ml.so.550.54.15\nhost$ cat /proc/driver/nvidia/version\nNVRM version: NVIDIA UNIX x86_64 Kernel Module  550.54.15  Tue Mar  5 22:23:56 UTC 2024',
  ],
  [
    'fault proved when a package of the driver is in the image',
    'fault proved',
    '$ docker exec app nvidia-smi\nFailed to initialize NVML: Driver/library version mismatch\n$ docker exec app dpkg -l libnvidia-compute-535\nii  libnvidia-compute-535:amd64  535.183.01-0ubuntu0.22.04.1  amd64  NVIDIA libcompute package',
  ],
  [
    'silent on a mismatch of the host',
    'silent',
    'Failed to initialize NVML: Driver/library version mismatch\nNVML library version: 550.90',
  ],
];

describe('image/driver-files-baked-into-image', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(driverFilesBakedIntoImage, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
