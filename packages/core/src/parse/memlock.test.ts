import { describe, expect, it } from 'vitest';
import { valuesOf } from './testing.ts';

type Row = readonly [string, string, readonly unknown[]];
const rows: readonly Row[] = [
  ['ulimit -l', '$ ulimit -l\n64', [{ of: 'shell', name: null, softKiB: 64, hardKiB: null }]],
  ['ulimit -Hl', '$ ulimit -Hl\nunlimited', [{ of: 'shell', name: null, softKiB: null, hardKiB: null }]],
  [
    'of a container',
    '$ docker exec t bash -c "ulimit -l"\n65536',
    [{ of: 'container', name: null, softKiB: 65536, hardKiB: null }],
  ],
  ['of a job', '$ srun -w n4 bash -c "ulimit -l"\n64', [{ of: 'slurm', name: null, softKiB: 64, hardKiB: null }]],
  [
    'ulimit -a',
    '$ ulimit -a\nmax locked memory           (kbytes, -l) 8146132',
    [{ of: 'shell', name: null, softKiB: 8146132, hardKiB: 8146132 }],
  ],
  [
    '/proc/PID/limits',
    '$ cat /proc/8813/limits\nMax locked memory         65536                unlimited            bytes',
    [{ of: 'process', name: '8813', softKiB: 64, hardKiB: null }],
  ],
  [
    'prlimit',
    '$ prlimit -p 4711\nMEMLOCK    max locked-in-memory address space     8388608   8388608 bytes',
    [{ of: 'process', name: '4711', softKiB: 8192, hardKiB: 8192 }],
  ],
  [
    'systemctl show',
    '$ systemctl show slurmd -p LimitMEMLOCK\nLimitMEMLOCK=infinity',
    [{ of: 'unit', name: 'slurmd', softKiB: null, hardKiB: null }],
  ],
  [
    'a unit file',
    '# /etc/systemd/system/containerd.service\n[Service]\nLimitMEMLOCK=8M:infinity',
    [{ of: 'unit', name: 'containerd', softKiB: 8192, hardKiB: null }],
  ],
  [
    'docker run',
    '$ docker run --gpus all --ulimit memlock=67108864 image train',
    [{ of: 'container', name: null, softKiB: 65536, hardKiB: 65536 }],
  ],
  [
    'docker inspect',
    '            "Ulimits": [\n                {\n                    "Name": "memlock",\n                    "Hard": -1,\n                    "Soft": -1\n                }\n            ],',
    [{ of: 'container', name: null, softKiB: null, hardKiB: null }],
  ],
  [
    'daemon.json',
    '{\n  "default-ulimits": {\n    "memlock": {\n      "Name": "memlock",\n      "Soft": 67108864,\n      "Hard": 67108864\n    }\n  }\n}',
    [{ of: 'engine', name: null, softKiB: 65536, hardKiB: 65536 }],
  ],
  [
    'compose',
    'services:\n  train:\n    ulimits:\n      memlock:\n        soft: -1\n        hard: -1',
    [{ of: 'container', name: null, softKiB: null, hardKiB: null }],
  ],
  [
    'limits.conf',
    '*   soft   memlock   unlimited\n@gpu   hard   memlock   64',
    [
      { of: 'limits-file', name: '*', softKiB: null, hardKiB: null },
      { of: 'limits-file', name: '@gpu', softKiB: 64, hardKiB: 64 },
    ],
  ],
];

describe('a limit of locked memory', () => {
  it.each(rows)('%s', (_, text, expected) => {
    expect(valuesOf(text, 'os.memlock')).toEqual(expected);
  });

  it('is handed on by Slurm, or left out', () => {
    expect(
      valuesOf('PropagateResourceLimits = ALL\nPropagateResourceLimitsExcept = MEMLOCK,NOFILE', 'slurm.propagates'),
    ).toEqual([
      { limits: ['ALL'], except: [] },
      { limits: [], except: ['MEMLOCK', 'NOFILE'] },
    ]);
  });
});
