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

describe('an image that was read', () => {
  it.each([
    [
      'libcuda',
      'fault proved',
      'image libcuda kind=baked version=550.54.15 path=/usr/lib/x86_64-linux-gnu/libcuda.so.550.54.15 bytes=30000000',
    ],
    [
      'NVML',
      'fault proved',
      'image host-file kind=driver-library version=550.54.15 path=/usr/lib/x86_64-linux-gnu/libnvidia-ml.so.550.54.15 bytes=2000000',
    ],
    [
      'the tool alone is only possible',
      'fault possible',
      'image host-file kind=driver-tool path=/usr/bin/nvidia-smi bytes=1000000',
    ],
    [
      'near: tools of the container toolkit',
      'silent',
      'image host-file kind=container-toolkit path=/usr/bin/nvidia-ctk bytes=9000000',
    ],
    [
      'near: the image of a driver',
      'cleared',
      'image entrypoint words="nvidia-driver init" compat=none ngcScript=false\nimage libcuda kind=baked version=580.95.05 path=/usr/lib/x86_64-linux-gnu/libcuda.so.580.95.05 bytes=90000000',
    ],
    [
      'near: a Jetson base',
      'fault possible',
      'image libcuda kind=baked path=/usr/lib/aarch64-linux-gnu/tegra/libcuda.so.1.1 bytes=20000000',
    ],
  ])('%s', (_, expected, text) => {
    const answer = outcomeOf(driverFilesBakedIntoImage, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
