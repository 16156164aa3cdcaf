import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compare } from './compare.ts';
import type { Diff } from './diff.ts';
import { fisher } from './fisher.ts';
import type { Subject } from './subject.ts';
import { node, subject } from './testing.ts';

const many = (count: number, make: (at: number) => Subject): readonly Subject[] =>
  Array.from({ length: count }, (_, at) => make(at));
const shares = (diff: Diff): readonly number[] =>
  diff.separators[0]!.shares.flatMap((each) => [each.with, each.known, each.unknown]);

const mismatch = (module: string, library: string): readonly string[] => [
  'HOST:~$ nvidia-smi',
  'Failed to initialize NVML: Driver/library version mismatch',
  `NVML library version: ${library.split('.').slice(0, 2).join('.')}`,
];
const upgraded = '570.133.20';

describe('16 failing nodes against 14 passing ones', () => {
  const passing = many(14, (at) => node(`p${at}`, { seed: 100 + at }));
  const failing = many(16, (at) =>
    node(`f${at}`, {
      seed: at,
      library: upgraded,
      more: [
        ...mismatch('', upgraded),
        'HOST:~$ grep -B2 -A3 nvidia /var/log/apt/history.log',
        `Start-Date: 2025-03-0${1 + (at % 3)}  06:1${at % 10}:11`,
        'Commandline: /usr/bin/unattended-upgrade',
        'Upgrade: libnvidia-compute-570:amd64 (570.124.06-0ubuntu0.22.04.1, 570.133.20-0ubuntu0.22.04.1)',
        `End-Date: 2025-03-0${1 + (at % 3)}  06:59:40`,
      ],
      without: ['gpus'],
    }),
  );
  const diff = compare(failing, passing);

  test('are separated by one change, and the rule that explains it is named with its remedies', () => {
    expect(diff.answer).toBe('separated');
    expect(diff.groups.map((group) => group.label)).toEqual(['failing', 'passing']);
    expect(diff.headline).toMatch(/^16 of 16 failing, 0 of 14 passing: driver\/kmod-userspace-mismatch-after-upgrade/);
    const [cause] = diff.causes;
    expect(cause).toMatchObject({ rule: 'driver/kmod-userspace-mismatch-after-upgrade', separates: true, group: 0 });
    expect(cause!.remedies.length).toBeGreaterThan(0);
    expect(diff.separators).toHaveLength(1);
    expect(diff.separators[0]).toMatchObject({
      how: 'one',
      group: 0,
      chance: false,
      rule: 'driver/kmod-userspace-mismatch-after-upgrade',
      statements: [{ fact: 'driver.library', holds: 'is 570.133.20', otherwise: ['570.124.06'] }],
    });
    expect(shares(diff)).toEqual([16, 16, 0, 0, 14, 0]);
    expect(diff.separators[0]!.with.map((each) => each.fact)).toContain('package[libnvidia-compute-570]');
  });

  test('the date of the change is told from the history of packages', () => {
    const [change] = diff.separators[0]!.changes;
    expect(change).toMatchObject({ what: expect.stringContaining('570.133.20') as unknown });
    expect(change!.first).toContain('2025-03-01');
    expect(change!.last).toContain('2025-03-03');
  });

  test('what is the same is cleared, what varies within the groups separates nothing', () => {
    expect(diff.equal.find((each) => each.fact === 'driver.module')).toMatchObject({
      value: '570.124.06',
      known: 30,
      of: 30,
    });
    const named = diff.separators.flatMap((each) => [...each.statements, ...each.with]).map((each) => each.fact);
    expect(named).not.toContain('os.kernel');
    expect(named.filter((fact) => /temperature|host|uuid/.test(fact))).toEqual([]);
  });

  test('the order of the subjects makes no difference', () => {
    expect(compare([...failing].reverse(), [...passing].reverse())).toEqual(diff);
  });

  test('the groups the other way round say the same of the other group', () => {
    const back = compare(passing, failing);
    expect(back.groups.map((group) => group.label)).toEqual(['passing', 'failing']);
    expect(back.headline).toBe(diff.headline);
    expect(back.separators[0]!.statements[0]!.fact).toBe('driver.library');
    expect(back.separators[0]!.p).toBe(diff.separators[0]!.p);
  });
});

describe('what is not known', () => {
  test('is counted as unknown and not as different', () => {
    const failing = many(16, (at) =>
      node(`f${at}`, { seed: at, kernel: '6.8.0-40-generic', ...(at === 3 ? { without: ['kernel'] as const } : {}) }),
    );
    const passing = many(14, (at) =>
      node(`p${at}`, {
        seed: 100 + at,
        kernel: '5.15.0-113-generic',
        ...(at < 2 ? { without: ['kernel'] as const } : {}),
      }),
    );
    const diff = compare(failing, passing);
    expect(diff.separators[0]!.statements[0]!.fact).toBe('os.kernel');
    expect(shares(diff)).toEqual([15, 15, 1, 0, 12, 2]);
    expect(diff.headline).toContain('15 of 15 first (1 not read), 0 of 12 second (2 not read)');
    expect(diff.separators[0]!.rule).toBeNull();
  });

  test('in one whole group is said to be read in the other only', () => {
    const diff = compare(
      many(3, (at) => node(`a${at}`, { seed: at, kernel: '5.15.0-1', toolkit: '1.17.4-1' })),
      many(3, (at) =>
        node(`b${at}`, { seed: 50 + at, kernel: '5.15.0-1', toolkit: '1.17.4-1', without: ['packages'] }),
      ),
    );
    expect(diff.oneSided.map((each) => each.fact)).toContain('package[nvidia-container-toolkit]');
    expect(diff.answer).toBe('no-difference');
  });

  test('two texts without a common fact cannot be told apart', () => {
    expect(compare([subject('a', 'hello\n')], [subject('b', 'world\n')]).answer).toBe('cannot-tell');
  });

  test('a release that a tool cuts short is no difference', () => {
    const short = subject(
      'short',
      'NVML library version: 570.133\nNVRM version: NVIDIA UNIX x86_64 Kernel Module  570.133.20  Wed Feb 26 02:15:01 UTC 2025\n',
    );
    const long = subject(
      'long',
      'NVRM version: NVIDIA UNIX x86_64 Kernel Module  570.133.20  Wed Feb 26 02:15:01 UTC 2025\n$ ls /usr/lib/x86_64-linux-gnu/libcuda.so.*\n/usr/lib/x86_64-linux-gnu/libcuda.so.570.133.20\n',
    );
    const facts = compare([short], [long]).separators.flatMap((each) => each.statements.map((one) => one.fact));
    expect(facts).not.toContain('driver.library');
  });
});

describe('what differs between any two machines', () => {
  const smi = (temperature: number, watts: number, memory: number, percent: number): string =>
    [
      '+-----------------------------------------------------------------------------------------+',
      '| NVIDIA-SMI 580.105.08             Driver Version: 580.105.08     CUDA Version: 13.0     |',
      '|-----------------------------------------+------------------------+----------------------+',
      '| GPU  Name                 Persistence-M | Bus-Id          Disp.A | Volatile Uncorr. ECC |',
      '| Fan  Temp   Perf          Pwr:Usage/Cap |           Memory-Usage | GPU-Util  Compute M. |',
      '|                                         |                        |               MIG M. |',
      '|=========================================+========================+======================|',
      '|   0  NVIDIA H100 80GB HBM3          On  |   00000000:19:00.0 Off |                    0 |',
      `| N/A   ${temperature}C    P0            ${watts}W /  700W |   ${memory}MiB /  81559MiB |    ${percent}%      Default |`,
      '|                                         |                        |             Disabled |',
      '+-----------------------------------------+------------------------+----------------------+',
      '',
    ].join('\n');

  test('temperatures, power, memory in use and utilisation do not count', () => {
    const diff = compare([subject('a', smi(47, 512, 61204, 100))], [subject('b', smi(71, 199, 14242, 34))]);
    expect(diff.answer).toBe('no-difference');
    expect(diff.compared.facts).toBeGreaterThan(3);
  });

  test('an error on one node of thirty is found, with the time of its line', () => {
    const log = (name: string, more: readonly string[]): Subject =>
      subject(
        name,
        [
          ...Array.from({ length: 6 }, (_, at) => `2026-03-04T02:11:0${at}.1Z ${name} kernel: usb 1-${at}: new device`),
          ...more,
        ].join('\n'),
      );
    const diff = compare(
      [
        log('node11', [
          '2026-03-04T02:11:09.120004Z node11 kernel: NVRM: Xid (PCI:0000:5d:00): 79, pid=48211, name=python3, GPU has fallen off the bus.',
        ]),
      ],
      many(29, (at) => log(`node${at + 20}`, [])),
    );
    expect(diff.separators[0]!.statements[0]).toMatchObject({ fact: 'gpu.xid[79]', holds: 'is reported' });
    expect(diff.separators[0]!.changes[0]).toMatchObject({ first: '2026-03-04T02:11:09.120004Z' });
    expect(diff.causes[0]).toMatchObject({
      separates: true,
      shares: [
        { with: 1, known: 1 },
        { with: 0, known: 29 },
      ],
    });
  });

  test('a message is unknown where its kind of log was not collected', () => {
    const kernel = subject(
      'a',
      '2026-03-04T02:11:09.1Z n1 kernel: NVRM: Xid (PCI:0000:5d:00): 79, pid=4, name=python3, GPU has fallen off the bus.\n',
    );
    const packages = subject(
      'b',
      'NVRM version: NVIDIA UNIX x86_64 Kernel Module  570.124.06  Wed Feb 26 02:15:01 UTC 2025\n'.replace(
        'NVRM version',
        'driver',
      ),
    );
    expect(compare([kernel], [packages]).separators.map((each) => each.statements[0]!.fact)).not.toContain(
      'gpu.xid[79]',
    );
  });
});

describe('chance', () => {
  test('is named where the groups are small', () => {
    const diff = compare(
      many(3, (at) => node(`a${at}`, { seed: at, kernel: '6.8.0-40-generic' })),
      many(3, (at) => node(`b${at}`, { seed: 50 + at, kernel: '5.15.0-113-generic' })),
    );
    const kernel = diff.separators.find((each) => each.statements[0]!.fact === 'os.kernel');
    expect(kernel).toMatchObject({ chance: true, p: 0.1 });
    expect(diff.headline).toContain('could be chance');
  });

  test.each([
    [16, 0, 0, 14, 1 / 145422675],
    [3, 0, 0, 3, 0.1],
    [1, 0, 0, 1, 1],
    [8, 8, 7, 7, 1],
    [0, 5, 0, 5, 1],
    [10, 2, 3, 15, 0.000537],
  ])('of %i with and %i without against %i and %i is as the tables say', (a, b, c, d, p) => {
    expect(fisher(a, b, c, d)).toBeCloseTo(p, 6);
  });

  test('a threshold between numbers needs groups that are large enough', () => {
    const shm = (name: string, kib: number): Subject =>
      subject(
        name,
        `$ cat /proc/driver/nvidia/version\nNVRM version: NVIDIA UNIX x86_64 Kernel Module  570.124.06  Wed\n$ df -m /dev/shm\nFilesystem 1M-blocks Used Available Use% Mounted on\ntmpfs ${kib} 0 ${kib} 0% /dev/shm\n`,
      );
    const few = compare([shm('a', 1000), shm('b', 1100), shm('c', 1200)], [shm('x', 64), shm('y', 65), shm('z', 66)]);
    expect(few.separators).toEqual([]);
    const enough = compare(
      many(12, (at) => shm(`a${at}`, 1000 + at * 7)),
      many(12, (at) => shm(`b${at}`, 60 + at * 3)),
    );
    expect(enough.separators[0]!.statements[0]).toMatchObject({ fact: 'os.shm-mib', holds: 'is 1000 or more' });
  });
});

describe('several facts', () => {
  const base = { toolkit: '1.17.4-1' };
  const sound = many(20, (at) =>
    node(`p${String(at).padStart(2, '0')}`, { ...base, seed: 200 + at, kernel: '5.15.0-113-generic' }),
  );

  test('each of which explains a part are an any-of, with the subjects that each covers', () => {
    const failing = [
      ...many(10, (at) => node(`k${at}`, { ...base, seed: at, kernel: '6.8.0-40-generic' })),
      ...many(10, (at) => node(`t${at}`, { seed: 50 + at, kernel: '5.15.0-113-generic', toolkit: '1.18.0-1' })),
    ];
    const diff = compare(failing, sound);
    const [any] = diff.separators;
    expect(any).toMatchObject({ how: 'any', group: 0, chance: false });
    expect(new Set(any!.statements.map((each) => each.fact))).toContain('os.kernel');
    expect(any!.statements).toHaveLength(2);
    expect(any!.covers.map((each) => each.length)).toEqual([10, 10]);
  });

  test('that only fail together are an all-of', () => {
    const both = { kernel: '6.8.0-40-generic', toolkit: '1.18.0-1' };
    const failing = many(20, (at) => node(`f${at}`, { ...both, seed: at }));
    const passing = [
      ...many(10, (at) => node(`a${at}`, { ...both, seed: 60 + at, toolkit: '1.17.4-1' })),
      ...many(10, (at) => node(`b${at}`, { ...both, seed: 80 + at, kernel: '5.15.0-113-generic' })),
    ];
    const diff = compare(failing, passing);
    expect(diff.separators[0]).toMatchObject({ how: 'all', group: 0 });
    expect(diff.separators[0]!.statements).toHaveLength(2);
  });

  test('one that separates all but one node is the nearest, and no answer', () => {
    const failing = many(20, (at) =>
      node(`f${at}`, { ...base, seed: at, kernel: at === 0 ? '5.15.0-113-generic' : '6.8.0-40-generic' }),
    );
    const diff = compare(failing, sound);
    expect(diff.answer).toBe('cannot-tell');
    expect(diff.nearest[0]!.statements[0]!.fact).toBe('os.kernel');
    expect(diff.nearest[0]!.shares[0]).toMatchObject({ with: 19, known: 20 });
  });
});

const planted: readonly (readonly [string, (has: boolean) => readonly string[], string])[] = [
  [
    'a module',
    (has) => [
      'HOST:~$ lsmod',
      'Module                  Size  Used by',
      'nvidia              60710912  0',
      ...(has ? ['gdrdrv                 24576  0'] : ['xfs                  24576  0']),
    ],
    'modules.loaded',
  ],
  ['a variable', (has) => ['HOST:~$ env | grep NCCL', `NCCL_ALGO=${has ? 'Ring' : 'Tree'}`], 'env[NCCL_ALGO]'],
  [
    'a service',
    (has) => ['HOST:~$ systemctl is-active nvidia-fabricmanager', has ? 'failed' : 'active'],
    'os.service[nvidia-fabricmanager]',
  ],
  ['memory that may be locked', (has) => ['HOST:~$ ulimit -l', has ? '64' : 'unlimited'], 'os.memlock-kib'],
];

describe('properties', () => {
  test.each(planted.slice(0, 3))('%s that alone separates is always found among noise', (_, lines, fact) => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 10_000 }),
        fc.integer({ min: 8, max: 14 }),
        fc.integer({ min: 8, max: 14 }),
        (seed, a, b) => {
          const failing = many(a, (at) => node(`f${at}`, { seed: seed + at, more: lines(true) }));
          const passing = many(b, (at) => node(`p${at}`, { seed: seed + 500 + at, more: lines(false) }));
          const diff = compare(failing, passing);
          expect(diff.answer).toBe('separated');
          const [first] = diff.separators;
          expect(first!.chance).toBe(false);
          expect([...first!.statements, ...first!.with].map((each) => each.fact)).toContain(fact);
          expect(
            [...first!.statements, ...first!.with].every((each) => each.shares[0].with + each.shares[1].with > 0),
          ).toBe(true);
        },
      ),
      { numRuns: 6 },
    );
  });

  test('groups that are alike are never separated beyond chance', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 100_000 }), fc.integer({ min: 4, max: 12 }), (seed, count) => {
        const diff = compare(
          many(count, (at) => node(`a${at}`, { seed: seed + at * 2 })),
          many(count, (at) => node(`b${at}`, { seed: seed + at * 2 + 1 })),
        );
        expect(diff.separators.filter((each) => !each.chance)).toEqual([]);
      }),
      { numRuns: 12 },
    );
  });

  test('a group against itself is no difference', () => {
    const group = many(9, (at) => node(`n${at}`, { seed: at * 3 }));
    expect(compare(group, group).answer).toBe('no-difference');
  });

  test('any order of the subjects gives the same answer', () => {
    const failing = many(7, (at) => node(`f${at}`, { seed: at, library: upgraded }));
    const passing = many(6, (at) => node(`p${at}`, { seed: 40 + at }));
    const expected = compare(failing, passing);
    fc.assert(
      fc.property(
        fc.shuffledSubarray([...failing], { minLength: 7 }),
        fc.shuffledSubarray([...passing], { minLength: 6 }),
        (a, b) => {
          expect(compare(a, b)).toEqual(expected);
        },
      ),
      { numRuns: 10 },
    );
  });

  test('garbage is compared without an error', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), fc.string({ maxLength: 400 }), (a, b) => {
        expect(['separated', 'no-difference', 'cannot-tell']).toContain(
          compare([subject('a', a)], [subject('b', b)]).answer,
        );
      }),
      { numRuns: 60 },
    );
  });
});
