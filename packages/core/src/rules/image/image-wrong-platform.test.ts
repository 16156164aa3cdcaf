import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { imageWrongPlatform } from './image-wrong-platform.ts';

const cases: readonly (readonly [string, string, string])[] = [
  ['fault likely on the kernel’s word', 'fault likely', 'exec /usr/local/bin/python: exec format error'],
  [
    'fault proved with the engine’s warning',
    'fault proved',
    "WARNING: The requested image's platform (linux/amd64) does not match the detected host platform (linux/arm64/v8) and no specific platform was requested\nexec /usr/bin/bash: exec format error",
  ],
  ['silent elsewhere', 'silent', 'exec: "nvidia-smi": executable file not found in $PATH'],
  [
    'image and node differ, and a script does not start',
    'fault proved',
    'exec /entrypoint.sh: exec format error\n$ kubectl get node n1 -o jsonpath=\'{.status.nodeInfo.architecture}\'\narm64\n$ docker image inspect acme:1 | grep Arch\n        "Architecture": "amd64",',
  ],
  [
    'near miss: image and node are of one kind',
    'cleared',
    "exec /entrypoint.sh: exec format error\n$ docker image inspect acme:1 --format '{{.Architecture}}'\namd64\n$ uname -m\nx86_64",
  ],
];

describe('image/image-wrong-platform', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(imageWrongPlatform, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});

describe('an image that was read', () => {
  it.each([
    [
      'all of them',
      'fault proved',
      'image scanned reference=registry.example/team/app:1 platform=linux/amd64 complete=true gpu=true\nimage machine machine=aarch64 count=12 example=/opt/app/libx.so',
    ],
    [
      'near: some of them',
      'fault possible',
      'image scanned reference=registry.example/team/app:1 platform=linux/amd64 complete=true gpu=true\nimage machine machine=aarch64 count=1 example=/opt/app/libx.so\nimage machine machine=x86_64 count=30 example=/opt/app/liby.so',
    ],
    [
      'near: 32 bit beside 64',
      'cleared',
      'image scanned reference=registry.example/team/app:1 platform=linux/amd64 complete=true gpu=true\nimage machine machine=i386 count=2 example=/usr/lib/i386-linux-gnu/libx.so\nimage machine machine=x86_64 count=30 example=/opt/app/liby.so',
    ],
  ])('%s', (_, expected, text) => {
    const answer = outcomeOf(imageWrongPlatform, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
