import { chmodSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { culprit, scratch } from './run-cli.ts';

// Several targets at once: containers of a stand-in of docker, of which each prints what a probe saw.

const folder = scratch();
afterAll(() => {
  folder.remove();
});

const rack = '3b7d1c2e-8f0a-4c52-9a57-6e1f2d3c4b5a';

/** A tray of a rack: driver, IMEX and the domain of its GPUs. */
function tray(driver: string, library: string, imex: string): string {
  const sections: readonly (readonly [string, readonly string[]])[] = [
    ['sys-module-version cat /sys/module/nvidia/version', [driver]],
    [
      'library-files ls -l */libcuda.so* */libnvidia-ml.so* */libcudart.so* */libcudnn*.so* */libnccl.so* …',
      [
        `lrwxrwxrwx 1 0 0 21 May  5 12:01 /usr/lib/aarch64-linux-gnu/libcuda.so.1 -> libcuda.so.${library}`,
        `-rw-r--r-- 1 0 0 68000000 May  5 12:01 /usr/lib/aarch64-linux-gnu/libcuda.so.${library}`,
      ],
    ],
    ["environment env | grep -E '^(CUDA|NVIDIA|NCCL|LD_|PATH|…)'", ['PATH=/usr/bin:/bin']],
    [
      "ldconfig ldconfig -p | grep -E 'cuda|nvidia|nccl|cudnn'",
      ['\tlibcuda.so.1 (libc6,AArch64) => /usr/lib/aarch64-linux-gnu/libcuda.so.1'],
    ],
    ['imex-version nvidia-imex --version', [`IMEX version is: ${imex}`]],
    [
      'nvidia-smi-q nvidia-smi -q',
      [
        '==============NVSMI LOG==============',
        '',
        'GPU 00000008:01:00.0',
        '    Product Name                          : NVIDIA GB200',
        '    Fabric',
        '        State                             : Completed',
        '        Status                            : Success',
        '        CliqueId                          : 1',
        `        ClusterUUID                       : ${rack}`,
      ],
    ],
  ];
  return [
    '@culprit-probe 1 2026-11-30T08:00:00Z root=/ pid=- gate=no',
    ...sections.flatMap(([head, lines]) => [`@ ${head}`, ...lines.map((line) => `|${line}`), '@= exit=0 ms=1']),
    `@culprit-end sections=${sections.length} ms=1`,
    '',
  ].join('\n');
}

const trays: Readonly<Record<string, string>> = {
  one: tray('580.95.05', '580.95.05', '580.95.05'),
  two: tray('580.95.05', '580.95.05', '580.95.05'),
  three: tray('580.95.05', '580.95.05', '580.82.07'),
  upgraded: tray('580.95.05', '590.44.01', '580.95.05'),
  changed: tray('580.95.05', '590.44.01', '580.95.05'),
};

beforeAll(() => {
  for (const [name, text] of Object.entries(trays)) writeFileSync(folder.path(`${name}.txt`), text);
  const stand = `#!/bin/sh
case $1 in
  inspect) printf '%064d 0 running\\n' 0 ;;
  exec) cat >/dev/null; cat "${folder.path('')}/$3.txt" ;;
esac
`;
  writeFileSync(folder.path('docker'), stand);
  chmodSync(folder.path('docker'), 0o755);
});

function check(names: readonly string[], ...more: readonly string[]): ReturnType<typeof culprit> {
  const targets = names.flatMap((name) => ['--docker', `docker:${name}`]);
  return culprit(['check', ...targets, ...more], { env: { PATH: `${folder.path('')}:/usr/bin:/bin` } });
}

interface Made {
  readonly targets: readonly { readonly target: string; readonly verdict: { readonly status: string } }[];
  readonly common: readonly { readonly rule: string; readonly targets: readonly string[] }[];
  readonly skew: readonly { readonly what: string; readonly rule: string | null; readonly domain: string | null }[];
}

describe('culprit check of several targets', () => {
  it('says that the trays of one NVLink domain run two releases of IMEX', () => {
    const made = JSON.parse(check(['one', 'two', 'three'], '-f', 'json').out) as Made;
    expect(made.skew).toEqual([
      expect.objectContaining({
        what: 'IMEX',
        rule: 'fabric/imex-not-ready',
        domain: `${rack} clique 1`,
        values: [
          { value: '580.95.05', targets: ['container one', 'container two'] },
          { value: '580.82.07', targets: ['container three'] },
        ],
      }),
    ]);
    const ran = check(['one', 'two', 'three']);
    expect(ran.status).toBe(1);
    expect(ran.out).toContain('580.82.07 on container three');
  });

  it('says nothing where all are alike', () => {
    const ran = check(['one', 'two']);
    expect(ran.status).toBe(0);
    expect(ran.out).not.toContain('differ');
  });

  it('says a cause that several share once, with its fix', () => {
    const made = JSON.parse(check(['one', 'upgraded', 'changed'], '-f', 'json').out) as Made;
    expect(made.common).toEqual([
      expect.objectContaining({
        rule: 'driver/kmod-userspace-mismatch-after-upgrade',
        targets: ['container upgraded', 'container changed'],
      }),
    ]);
    const text = check(['one', 'upgraded', 'changed']).out;
    expect(text.split('\n').filter((line) => line.startsWith('one cause for all 2'))).toHaveLength(1);
  });
});
