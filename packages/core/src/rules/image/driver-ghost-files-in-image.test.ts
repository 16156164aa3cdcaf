import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { driverGhostFilesInImage } from './driver-ghost-files-in-image.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault proved when the file is empty',
    'fault proved',
    'nvidia-container-cli: mount error: file creation failed: /var/lib/docker/overlay2/5f2a/merged/usr/lib/x86_64-linux-gnu/libcuda.so.470.57.02: file exists: unknown\n$ docker run --rm --runtime=runc --entrypoint ls app -l /usr/lib/x86_64-linux-gnu/libcuda.so.470.57.02\n-rw-r--r-- 1 root root 0 Mar  3 10:11 /usr/lib/x86_64-linux-gnu/libcuda.so.470.57.02',
  ],
  [
    'fault proved when ldconfig passes over it',
    'fault proved',
    '/sbin/ldconfig.real: File /usr/lib/x86_64-linux-gnu/libnvidia-ml.so.470.57.02 is empty, not checked.',
  ],
  ['silent on another short file', 'silent', 'ImportError: /opt/app/libfoo.so: file too short'],
];

describe('image/driver-ghost-files-in-image', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(driverGhostFilesInImage, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});

describe('an image that was read', () => {
  it.each([
    [
      'libcuda',
      'fault proved',
      'image libcuda kind=ghost path=/usr/lib/x86_64-linux-gnu/libcuda.so.535.183.01 bytes=0',
    ],
    ['nvidia-smi', 'fault proved', 'image host-file kind=driver-tool path=/usr/bin/nvidia-smi bytes=0'],
    [
      'near: it has content',
      'silent',
      'image libcuda kind=baked version=535.183.01 path=/usr/lib/x86_64-linux-gnu/libcuda.so.535.183.01 bytes=30000000',
    ],
  ])('%s', (_, expected, text) => {
    const answer = outcomeOf(driverGhostFilesInImage, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
