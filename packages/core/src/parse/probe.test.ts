import { describe, expect, it } from 'vitest';
import { factsOf, valuesOf } from './testing.ts';

/** A probe's text of some observations. */
const probed = (...observations: readonly (readonly [string, string, readonly string[], string?])[]): string =>
  [
    '@culprit-probe 1 2026-11-30T08:00:00Z root=/ pid=- gate=no',
    ...observations.flatMap(([source, command, lines, end]) => [
      `@ ${source} ${command}`,
      ...lines.map((line) => `|${line}`),
      `@= exit=${end ?? '0'} ms=0`,
    ]),
    '@culprit-end sections=1 ms=9',
    '',
  ].join('\n');

describe('tags of a library', () => {
  const runpath = ' 0x000000000000001d (RUNPATH)            Library runpath: [$ORIGIN/../../nvidia/cudnn/lib:$ORIGIN]';
  const rpath = ' 0x000000000000000f (RPATH)              Library rpath: [$ORIGIN]';
  it.each<[string, string, readonly unknown[]]>([
    [
      'readelf of one file',
      `$ readelf -d /opt/lib/a.so | grep -E 'RPATH|RUNPATH'\n${runpath}\n`,
      [{ path: '/opt/lib/a.so', rpath: [], runpath: ['$ORIGIN/../../nvidia/cudnn/lib', '$ORIGIN'] }],
    ],
    [
      'readelf of several',
      `$ readelf -d a.so b.so c.so\n\nFile: a.so\n\nDynamic section at offset 0x2df8 contains 24 entries:\n${rpath}\n\nFile: b.so\n${runpath}\n\nFile: c.so\n`,
      [
        { path: 'a.so', rpath: ['$ORIGIN'], runpath: [] },
        { path: 'b.so', rpath: [], runpath: ['$ORIGIN/../../nvidia/cudnn/lib', '$ORIGIN'] },
        { path: 'c.so', rpath: [], runpath: [] },
      ],
    ],
    [
      'objdump',
      '$ objdump -p libx.so\n\nlibx.so:     file format elf64-x86-64\n\nDynamic Section:\n  NEEDED               libc.so.6\n  RUNPATH              /opt/a/lib:/opt/b/lib\n',
      [{ path: 'libx.so', rpath: [], runpath: ['/opt/a/lib', '/opt/b/lib'] }],
    ],
    ['no file', "$ readelf -d nowhere.so\nreadelf: Error: 'nowhere.so': No such file\n", []],
    [
      'what the probe could not read',
      probed([
        'library-tags',
        "readelf -d libtorch_cuda.so … | grep -E '^File|RPATH|RUNPATH'",
        ['File: /a.so', '(not read)', 'File: /b.so', rpath],
      ]),
      [{ path: '/b.so', rpath: ['$ORIGIN'], runpath: [] }],
    ],
    ['a log that speaks of it', 'patchelf: setting RUNPATH to [$ORIGIN]\n', []],
  ])('of %s', (_, text, expected) => {
    expect(valuesOf(text, 'library.tags')).toEqual(expected);
  });
});

describe('what is loaded where', () => {
  const site = '/opt/venv/lib/python3.12/site-packages';
  const wheel = `${site}/nvidia/nvjitlink/lib/libnvJitLink.so.12`;
  const system = '/usr/local/cuda-12.4/lib64/libnvJitLink.so.12';
  const listing = [
    'lrwxrwxrwx 1 0 0        9 May  5 12:01 /usr/local/cuda -> cuda-12.4',
    `-rw-r--r-- 1 0 0 60000000 May  5 12:01 ${system}`,
  ];
  const packages = ['torch-2.5.1+cu124.dist-info', 'nvidia/nvjitlink/lib/libnvJitLink.so.12'];
  const loads = (tags: readonly string[] | null, variable: string, cacheEnd = '0'): readonly unknown[] =>
    valuesOf(
      probed(
        ['environment', "env | grep -E '^(CUDA|LD_)'", variable === '' ? [] : [`LD_LIBRARY_PATH=${variable}`]],
        ['ldconfig', "ldconfig -p | grep -E 'cuda'", [], cacheEnd],
        ['library-files', 'ls -l */libcuda.so* …', listing],
        ['python-packages', `ls ${site}`, [`# ${site}`, ...packages]],
        ...(tags === null
          ? []
          : [['library-tags', "readelf -d libcusparse.so.12 … | grep -E '^File|RPATH|RUNPATH'", tags] as const]),
      ),
      'loader.loads',
    ).filter((each) => each.asker !== null);
  const cusparse = `File: ${site}/nvidia/cusparse/lib/libcusparse.so.12`;
  const python = 'File: /opt/venv/bin/python3';
  const runpath = ' 0x000000000000001d (RUNPATH)            Library runpath: [$ORIGIN/../../nvjitlink/lib]';
  const rpath = ' 0x000000000000000f (RPATH)              Library rpath: [$ORIGIN/../../nvjitlink/lib]';
  const programRpath = ' 0x000000000000000f (RPATH)              Library rpath: [/usr/local/cuda/lib64]';
  it.each<[string, readonly string[] | null, string, unknown]>([
    [
      'RUNPATH yields to the search path',
      [cusparse, runpath],
      '/usr/local/cuda/lib64',
      { path: system, by: 'LD_LIBRARY_PATH', rival: null, losers: [wheel] },
    ],
    ['RUNPATH counts without a search path', [cusparse, runpath], '', { path: wheel, by: 'RUNPATH' }],
    [
      'RPATH comes before the search path',
      [cusparse, rpath],
      '/usr/local/cuda/lib64',
      { path: wheel, by: 'RPATH', losers: [system] },
    ],
    [
      'a library without tags has those of the program',
      [python, programRpath, cusparse],
      '',
      { path: system, by: 'RPATH' },
    ],
    ['a library with RUNPATH has not', [python, programRpath, cusparse, runpath], '', { path: wheel, by: 'RUNPATH' }],
    ['tags that were not read leave a rival', null, '/usr/local/cuda/lib64', { path: wheel, rival: system }],
  ])('%s', (_, tags, variable, expected) => {
    expect(loads(tags, variable)).toEqual([expect.objectContaining(expected)]);
  });

  const driver = '-rw-r--r-- 1 0 0 68000000 May  5 12:01 /usr/lib/x86_64-linux-gnu/libcuda.so.1';
  it.each<[string, string, string, boolean]>([
    ['is known where the cache was read', '0', '0', true],
    ['is known where there is no cache', '0', 'absent', true],
    ['is not known where the cache could not be read', '0', 'denied', false],
    ['is not known where the environment could not be read', 'denied', '0', false],
    ['is not known where the cache was left out', '0', 'skipped', false],
  ])('what a process gets %s', (_, environment, cache, known) => {
    const text = probed(
      ['environment', "env | grep -E '^(CUDA|LD_)'", [], environment],
      ['ldconfig', "ldconfig -p | grep -E 'cuda'", [], cache],
      ['library-files', 'ls -l */libcuda.so* …', [driver]],
    );
    expect(valuesOf(text, 'loader.resolved')).toHaveLength(known ? 1 : 0);
  });
});

describe('what the kernel and the services say', () => {
  it.each<[string, string, string, readonly string[], string, readonly unknown[]]>([
    [
      'MIG instances',
      'mig-capabilities',
      'ls -d /proc/driver/nvidia/capabilities/gpu*/mig/gi*/ci*',
      ['/proc/driver/nvidia/capabilities/gpu0/mig/gi1/ci0'],
      'gpu.mig-instance',
      [{ gpu: 0, gi: 1, ci: 0, memoryUsedMiB: null, memoryTotalMiB: null, multiprocessors: null }],
    ],
    [
      'a limit of memory',
      'memory-limit',
      'cat /sys/fs/cgroup/a/memory.max',
      ['8589934592'],
      'os.memory-limit-mib',
      [8192],
    ],
    ['no limit of memory', 'memory-limit', 'cat /sys/fs/cgroup/a/memory.max', ['max'], 'os.memory-limit-mib', []],
    [
      'no limit of memory in the first version',
      'memory-limit',
      'cat /sys/fs/cgroup/memory/memory.limit_in_bytes',
      ['9223372036854771712'],
      'os.memory-limit-mib',
      [],
    ],
    [
      'an entrypoint that ran',
      'container-start',
      "cat /proc/1/comm; tr '\\0' '\\n' < /proc/1/environ | grep -E '^_CUDA_COMPAT' # /opt/nvidia/nvidia_entrypoint.sh",
      ['python3', '_CUDA_COMPAT_STATUS=CUDA Driver OK'],
      'container.start',
      [{ program: 'python3', entrypoint: true, compat: 'CUDA Driver OK' }],
    ],
    [
      'an entrypoint that was replaced',
      'container-start',
      "cat /proc/1/comm; tr '\\0' '\\n' < /proc/1/environ | grep -E '^_CUDA_COMPAT' # /opt/nvidia/nvidia_entrypoint.sh",
      ['sleep', '_CUDA_COMPAT_PATH=/usr/local/cuda/compat'],
      'container.start',
      [{ program: 'sleep', entrypoint: false, compat: null }],
    ],
    [
      'an entrypoint that leaves no mark',
      'container-start',
      "cat /proc/1/comm; tr '\\0' '\\n' < /proc/1/environ | grep -E '^_CUDA_COMPAT' # /opt/nvidia/nvidia_entrypoint.sh",
      ['sleep'],
      'container.start',
      [{ program: 'sleep', entrypoint: null, compat: null }],
    ],
    [
      'kills for want of memory',
      'memory-events',
      'cat /sys/fs/cgroup/memory.events',
      ['oom 4', 'oom_kill 3'],
      'os.group-oom-kills',
      [3],
    ],
    [
      'MPS',
      'daemons',
      "ps -eo comm | grep -E 'nvidia-persiste|nvidia-cuda-mps'",
      ['812 nvidia-cuda-mps'],
      'os.service',
      [{ unit: 'nvidia-cuda-mps', state: 'active' }],
    ],
    [
      'the fabric manager',
      'fabricmanager-version',
      'nv-fabricmanager --version',
      ['Fabric Manager version is : 570.124.06'],
      'package',
      [{ name: 'nvidia-fabricmanager', version: '570.124.06', manager: 'other' }],
    ],
    [
      'IMEX',
      'imex-version',
      'nvidia-imex --version',
      ['IMEX version is: 570.124.06'],
      'package',
      [{ name: 'nvidia-imex', version: '570.124.06', manager: 'other' }],
    ],
    ['Secure Boot', 'secure-boot', 'mokutil --sb-state', ['SecureBoot enabled'], 'secure-boot', ['enabled']],
    [
      'locked memory',
      'limits',
      'cat /proc/self/limits',
      ['Max locked memory         8388608              8388608              bytes     '],
      'os.memlock-kib',
      [8192],
    ],
    [
      'shared memory',
      'shm',
      'df -k /dev/shm',
      [
        'Filesystem     1K-blocks  Used Available Use% Mounted on',
        'shm                65536     0     65536   0% /dev/shm',
      ],
      'os.shm-mib',
      [64],
    ],
    [
      'processors',
      'self-status',
      "grep -E 'Cpus_allowed_list:' /proc/self/status",
      ['Cpus_allowed_list:\t0-55'],
      'process.cpus',
      [{ pid: null, cpus: '0-55' }],
    ],
    [
      'devices of the first version',
      'device-rules',
      'cat /sys/fs/cgroup/devices/devices.list',
      ['c 195:* rwm'],
      'container.device-rule',
      [{ device: '195:*', access: 'rwm' }],
    ],
  ])('%s', (_, source, command, lines, id, expected) => {
    expect(valuesOf(probed([source, command, lines]), id as 'secure-boot')).toEqual(expected);
  });

  it('a refused device is named by every shell', () => {
    for (const words of [
      'probe.sh: 180: cannot open /dev/nvidiactl: Operation not permitted',
      "probe.sh: line 180: can't open /dev/nvidiactl: Operation not permitted",
      'probe.sh: line 180: /dev/nvidiactl: Operation not permitted',
    ]) {
      const text = probed(['device-access', ': < /dev/nvidiactl', [words], '2']);
      expect(factsOf(text).filter((fact) => fact.id === 'probe.missing')).toEqual([]);
    }
  });

  it('what was not permitted is no failure of a program', () => {
    const text = probed(['uname', 'uname -a', []], ['kernel-log', 'dmesg', [], 'denied']);
    expect(valuesOf(text, 'program.trouble')).toEqual([]);
  });

  it('processes of others are named as not seen', () => {
    const text = probed(['uname', 'uname -a', []], ['foreign-processes', 'ls /proc/*/fd', [], 'denied']);
    expect(valuesOf(text, 'probe.missing')).toEqual([
      { source: 'foreign-processes', command: 'ls /proc/*/fd', why: 'denied' },
    ]);
  });
});
