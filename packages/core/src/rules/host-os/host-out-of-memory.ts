import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { byPrint, missing, own, seen } from '../container-runtime/_container.ts';
import { heldText, isService, kibText, oomReports } from '../application/_host-memory.ts';

export const hostOutOfMemory: Rule = defineRule({
  id: 'host-os/host-out-of-memory',
  summary: 'The host ran out of memory and the kernel killed a process of the job',
  needs: [],
  anyOf: ['os.oom-kill'],
  uses: ['program.exit', 'os.oom-report'],
  citations: ['kernel-oom', 'kernel-oom-source'],
  explains: [
    'said.pt-*',
    'said.nccl-*',
    'nccl/*',
    'network/*',
    'said.exit-137-oomkilled',
    'said.oom-*',
    'said.bus-error-shm',
    'application/collective-hang',
    'application/application-exception',
    'application/rank-killed',
  ],
  check(_facts, context) {
    const kills = own(context, 'os.oom-kill');
    const group = kills.find((fact) => fact.value.memcg);
    const lead = kills.find((fact) => !fact.value.memcg);
    if (lead === undefined)
      return group === undefined
        ? { kind: 'silent' }
        : { kind: 'cleared', because: 'the limit of a control group was met, the host has memory', seen: seen(group) };
    const report = oomReports(context).find((fact) => fact.value.constraint !== 'memcg');
    const told = report?.value;
    // Only one process of several is the job's: the report that was put first.
    const { process, pid, anonKiB } = told ?? lead.value;
    const rank =
      lead.origin.rank ?? context.all('program.exit').find((fact) => fact.origin.rank !== undefined)?.origin.rank;
    const size = anonKiB === null ? null : Math.round(anonKiB / 1048576);
    const victim = /^(?:python|pt_main|ray::|torchrun|mpi|java|train|node|vllm|\w{1,30})/.test(process)
      ? process
      : 'a process';
    const other = told !== undefined && isService(told, context);
    if (size !== null && size < 1 && kills.length === 1) {
      return {
        kind: 'unknown',
        missing: [
          missing(
            'what fills the memory, the victim is small',
            'grep -E "MemAvailable|Shmem|Unevictable|Slab" /proc/meminfo; ps aux --sort -rss | head',
          ),
        ],
      };
    }
    const total = told?.memory?.totalKiB ?? null;
    const where =
      told?.constraint === 'cpuset' || told?.constraint === 'memory-policy'
        ? 'the memory nodes that the job may use were full'
        : 'the host ran out of memory';
    const held = told === undefined ? '' : heldText(told);
    return {
      kind: 'fault',
      certainty: other ? 'possible' : size === null ? 'likely' : byPrint(report ?? lead),
      message: `${where}${total === null ? '' : ` (${kibText(total)})`} and the kernel killed ${victim}${pid === null ? '' : ` (pid ${pid})`}${rank === undefined ? '' : ` of rank ${rank}`}${held === '' ? (size === null ? '' : `, which held ${size} GiB`) : `, which held ${held}`}`,
      seen: seen(report ?? lead),
      remedies: [
        {
          actor: 'developer',
          do: 'use less host memory: fewer loader workers, smaller prefetch, checkpoints in shards, less pinned memory',
        },
        {
          actor: 'cluster-admin',
          do: 'give jobs a memory limit, so that the job is stopped and not its neighbour',
          command: 'dmesg -T | grep -A60 "invoked oom-killer"',
        },
      ],
      ...(other
        ? {
            missing: [
              missing('whether the job lost this process', 'sacct -j JOB; kubectl describe pod POD; journalctl -k'),
            ],
          }
        : size === null
          ? { missing: [missing('how much the process held', 'dmesg -T | grep -A5 "Out of memory"')] }
          : {}),
      weight: other ? -3 : -1,
    };
  },
});
