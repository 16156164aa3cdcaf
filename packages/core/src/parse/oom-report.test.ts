import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ownerOf } from './oom-groups.ts';
import { valuesOf } from './testing.ts';

const reports = (text: string): ReturnType<typeof valuesOf<'os.oom-report'>> => valuesOf(text, 'os.oom-report');

const head = 'python3 invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=984';
const memcg = [
  head,
  'memory: usage 67108864kB, limit 67108864kB, failcnt 3109',
  'swap: usage 0kB, limit 0kB, failcnt 0',
  'Memory cgroup stats for /kubepods.slice/kubepods-pod4d1c.slice:',
  'anon 61203881984',
  'file 4194304',
  'kernel 212336640',
  'shmem 2097152',
  'unevictable 8589934592',
  'Tasks state (memory values in pages):',
  '[  pid  ]   uid  tgid total_vm      rss rss_anon rss_file rss_shmem pgtables_bytes swapents oom_score_adj name',
  '[   1201]     0  1201      255        1        0        1         0    28672        0          -998 pause',
  '[ 771203]  1007 771203 33554432 14965760 14941200    24560         0 122490880        0           984 my trainer',
  'oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=cri-containerd-9f2b.scope,mems_allowed=0-1,oom_memcg=/kubepods.slice/kubepods-pod4d1c.slice,task_memcg=/kubepods.slice/kubepods-pod4d1c.slice/cri-containerd-9f2b.scope,task=my trainer,pid=771203,uid=1007',
  'Memory cgroup out of memory: Killed process 771203 (my trainer) total-vm:134217728kB, anon-rss:59764800kB, file-rss:98240kB, shmem-rss:4096kB, UID:1007 pgtables:119620kB oom_score_adj:984',
];
const old = [
  'python invoked oom-killer: gfp_mask=0x24000c0(GFP_KERNEL), nodemask=(null),  order=0, oom_score_adj=0',
  'Task in /slurm/uid_1007/job_4711/step_0/task_0 killed as a result of limit of /slurm/uid_1007/job_4711',
  'memory: usage 33554432kB, limit 33554432kB, failcnt 34667',
  'memory+swap: usage 33554432kB, limit 9007199254740988kB, failcnt 0',
  'Memory cgroup stats for /slurm/uid_1007/job_4711: cache:0KB rss:0KB shmem:0KB unevictable:0KB',
  'Memory cgroup stats for /slurm/uid_1007/job_4711/step_0: cache:760KB rss:32505856KB shmem:4KB unevictable:2048KB',
  '[ pid ]   uid  tgid total_vm      rss nr_ptes nr_pmds swapents oom_score_adj name',
  '[ 8102]  1007  8102 16252928  8126464      44       3        0             0 python',
  'Memory cgroup out of memory: Kill process 8102 (python) score 987 or sacrifice child',
  'Killed process 8140 (python) total-vm:65011712kB, anon-rss:32505856kB, file-rss:8844kB, shmem-rss:0kB',
];
const host = [
  'gmx_mpi invoked oom-killer: gfp_mask=0x140cca(GFP_HIGHUSER_MOVABLE|__GFP_COMP), order=0, oom_score_adj=0',
  'Mem-Info:',
  'active_anon:1000 inactive_anon:9000 isolated_anon:0',
  ' active_file:10 inactive_file:20 isolated_file:0',
  ' unevictable:2000 dirty:0 writeback:0',
  ' slab_reclaimable:50 slab_unreclaimable:60',
  ' mapped:5 shmem:7 pagetables:8',
  ' free:300 free_pcp:0 free_cma:0',
  'Node 0 active_anon:64000kB inactive_anon:576000kB active_file:640kB inactive_file:1280kB unevictable:128000kB shmem:448kB pagetables:512kB all_unreclaimable? yes',
  'Node 0 Normal free:12800kB boost:0kB min:1kB low:2kB high:3kB active_anon:64000kB unevictable:128000kB present:1280000kB managed:1270000kB mlocked:96000kB bounce:0kB',
  'Node 1 Normal free:6400kB boost:0kB min:1kB low:2kB high:3kB active_anon:0kB unevictable:0kB present:1280000kB managed:1270000kB mlocked:0kB bounce:0kB',
  'Node 0 hugepages_total=2 hugepages_free=0 hugepages_surp=0 hugepages_size=1048576kB',
  'Free swap  = 0kB',
  'Total swap = 2064376kB',
  '40000 pages RAM',
  '500 pages reserved',
  'Out of memory: Killed process 88 (gmx_mpi) total-vm:1280000kB, anon-rss:600000kB, file-rss:0kB, shmem-rss:0kB, UID:1 pgtables:12kB oom_score_adj:0',
];

describe('a report of the memory killer', () => {
  it('of a control group has its limit, its statistics, the victim and its tasks', () => {
    expect(reports(memcg.join('\n'))).toEqual([
      {
        constraint: 'memcg',
        invoker: 'python3',
        process: 'my trainer',
        pid: 771203,
        uid: 1007,
        totalVmKiB: 134217728,
        anonKiB: 59764800,
        fileKiB: 98240,
        shmemKiB: 4096,
        pageTablesKiB: 119620,
        score: null,
        scoreAdjust: 984,
        group: '/kubepods.slice/kubepods-pod4d1c.slice/cri-containerd-9f2b.scope',
        limitGroup: '/kubepods.slice/kubepods-pod4d1c.slice',
        owner: { kind: 'pod', id: '4d1c' },
        usageKiB: 67108864,
        limitKiB: 67108864,
        failures: 3109,
        swapTotalKiB: null,
        swapFreeKiB: null,
        memory: null,
        groupMemory: { anonKiB: 59769416, fileKiB: 4096, shmemKiB: 2048, unevictableKiB: 8388608, kernelKiB: 207360 },
        nodes: [],
        tasks: {
          count: 2,
          residentKiB: 59863044,
          largest: [
            { pid: 771203, name: 'my trainer', residentKiB: 59863040 },
            { pid: 1201, name: 'pause', residentKiB: 4 },
          ],
        },
        cut: [],
      },
    ]);
  });

  it('of a kernel before 5.0 has the child that was killed, the score and the statistics of all groups', () => {
    expect(reports(old.join('\n'))).toMatchObject([
      {
        constraint: 'memcg',
        process: 'python',
        pid: 8140,
        score: 987,
        owner: { kind: 'slurm-job', id: '4711' },
        limitKiB: 33554432,
        groupMemory: { anonKiB: 32505856, fileKiB: 760, unevictableKiB: 2048 },
        cut: ['constraint'],
      },
    ]);
  });

  it('of a host has its memory by the size of its pages, and what each node has free', () => {
    expect(reports(host.join('\n'))).toMatchObject([
      {
        constraint: null,
        swapTotalKiB: 2064376,
        memory: {
          totalKiB: 2560000,
          reservedKiB: 32000,
          freeKiB: 19200,
          anonKiB: 640000,
          fileKiB: 1920,
          shmemKiB: 448,
          unevictableKiB: 128000,
          mlockedKiB: 96000,
          slabKiB: 7040,
          pageTablesKiB: 512,
          hugePagesKiB: 2097152,
        },
        nodes: [
          { node: 0, freeKiB: 12800 },
          { node: 1, freeKiB: 6400 },
        ],
        cut: ['tasks', 'constraint'],
      },
    ]);
  });

  const forms: readonly (readonly [string, (line: string) => string])[] = [
    ['dmesg', (line) => `[918273.110021] ${line}`],
    ['dmesg with the caller', (line) => `[918273.110021][T771203] ${line}`],
    ['dmesg -T', (line) => `[Thu Oct  9 05:30:12 2025] ${line}`],
    ['dmesg -T in another language', (line) => `[五 5月 15 17:19:25 2026] ${line}`],
    ['dmesg -x', (line) => `kern  :warn  : [918273.110021] ${line}`],
    ['/var/log/messages', (line) => `Oct  9 05:30:12 cn077 kernel: ${line}`],
    ['kern.log', (line) => `Oct  9 05:30:12 cn077 kernel: [918273.110021] ${line}`],
    ['journalctl -o short-iso', (line) => `2025-10-09T05:30:12+0200 cn077 kernel: ${line}`],
    ['/dev/kmsg', (line) => `4,39642,318220945,-;${line}`],
    ['journalctl -o json', (line) => JSON.stringify({ _HOSTNAME: 'cn077', PRIORITY: '4', MESSAGE: line })],
  ];
  it.each(forms)('reads the same from %s', (_, form) => {
    for (const lines of [memcg, old, host])
      expect(reports(lines.map(form).join('\n'))).toEqual(reports(lines.join('\n')));
  });

  it('is not confused by lines of others between its own, nor by another host', () => {
    const mine = memcg.map((line) => `Oct  9 05:30:12 cn077 kernel: ${line}`);
    const theirs = host.map((line) => `Oct  9 05:30:12 cn078 kernel: ${line}`);
    const mixed = mine.flatMap((line, at) => [
      line,
      ...(theirs[at] === undefined ? [] : [theirs[at]]),
      'Oct  9 05:30:12 cn077 kernel: usb 1-1: new high-speed USB device number 4',
    ]);
    const read = reports([...mixed, ...theirs.slice(mine.length)].join('\n'));
    expect(read.find((each) => each.process === 'my trainer')).toEqual(reports(memcg.join('\n'))[0]);
    expect(read.map((each) => each.process).sort()).toEqual(['gmx_mpi', 'my trainer']);
  });

  it('that is cut says what it lacks, and a kill alone is one', () => {
    expect(reports(memcg.slice(-1).join('\n'))).toMatchObject([
      { constraint: 'memcg', anonKiB: 59764800, limitKiB: null, cut: ['head', 'tasks', 'constraint'] },
    ]);
    expect(reports(memcg.slice(0, -1).join('\n'))).toEqual([]);
  });

  it('is none where somebody only speaks of a killed process', () => {
    expect(reports('# Out of memory: Killed process 88 (python)')).toEqual([]);
    expect(reports('the watchdog has Killed process 88 (python)')).toEqual([]);
  });

  it('never fails on what is left of it', () => {
    const text = [...memcg, ...old, ...host].join('\n');
    fc.assert(
      fc.property(fc.nat(text.length), fc.nat(400), fc.string({ maxLength: 12 }), (at, length, instead) => {
        const made = text.slice(0, at) + instead + text.slice(at + length);
        for (const report of reports(made)) {
          for (const value of [report.anonKiB, report.limitKiB, report.usageKiB])
            expect(value === null || Number.isFinite(value)).toBe(true);
        }
      }),
      { numRuns: 300 },
    );
  });
});

const paths: readonly (readonly [string, string | null, string | null])[] = [
  [
    '/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-podeded8c65_6e8e_4c6e_a889_3e427565c740.slice/cri-containerd-ec9e.scope',
    'pod',
    'eded8c65-6e8e-4c6e-a889-3e427565c740',
  ],
  [
    '/kubepods/besteffort/poda1b2c3d4-0000-4444-8888-123456789abc/9f2b77aa10c3d2e4',
    'pod',
    'a1b2c3d4-0000-4444-8888-123456789abc',
  ],
  ['/slurm/uid_1000/job_4711/step_0/task_0', 'slurm-job', '4711'],
  ['/system.slice/slurmstepd.scope/job_4711/step_batch/user/task_0', 'slurm-job', '4711'],
  ['/docker/0123456789abcdef0123456789abcdef', 'container', '0123456789abcdef0123456789abcdef'],
  ['/system.slice/docker-0123456789abcdef.scope', 'container', '0123456789abcdef'],
  ['/machine.slice/libpod-4455667788990011.scope/container', 'container', '4455667788990011'],
  ['/system.slice/mysqld.service', 'unit', 'mysqld.service'],
  ['/user.slice/user-1021.slice/session-963.scope', 'session', 'session-963.scope'],
  ['/', 'system', '/'],
  ['/test1', null, null],
];
describe('the path of a control group', () => {
  it.each(paths)('%s', (path, kind, id) => {
    expect(ownerOf(path)).toEqual(kind === null ? null : { kind, id });
  });
});
