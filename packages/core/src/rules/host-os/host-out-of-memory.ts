import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { byPrint, missing, own, seen } from '../container-runtime/_container.ts';
import {
  explainedByVictim,
  fullKiB,
  heldText,
  isLocked,
  isService,
  kibText,
  oomReports,
  startedSince,
  unaccountedKiB,
} from '../application/_host-memory.ts';
import type { OomReport } from '../application/_host-memory.ts';

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
    // A program of somebody's desktop was ended, and the job beside it went on.
    const beside =
      !/^(?:python|pt_|ray|torchrun|mpi|prte|orte|java|train|vllm|julia|deepspeed|accelerate|node|R$|slurm)/i.test(
        process,
      ) &&
      own(context, 'program.exit').length === 0 &&
      own(context, 'works').some(
        (fact) => fact.value.layer === 'application' && !fact.told && fact.order > (lead.last ?? lead.order),
      );
    const other =
      beside ||
      (report !== undefined && (isService(report.value, context) || startedSince(context, report) !== undefined));
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
    // A program that pins may have filled the memory with what no process is charged for.
    const pins = context.all('said.pinned-call').length > 0 && (told === undefined || !explainedByVictim(told));
    const where =
      told?.constraint === 'cpuset' || told?.constraint === 'memory-policy'
        ? 'the memory nodes that the job may use were full'
        : 'the host ran out of memory';
    const held = told === undefined ? '' : heldText(told);
    // The kernel kills the largest that it may kill; what filled the memory may be something else.
    const small = told !== undefined && (isLocked(told) || (total !== null && residentKiB(told) < total * 0.25));
    return {
      kind: 'fault',
      certainty: other ? 'possible' : size === null || small || pins ? 'likely' : byPrint(report ?? lead),
      message: `${where}${total === null ? '' : ` (${kibText(total)})`} and the kernel killed ${victim}${pid === null ? '' : ` (pid ${pid})`}${rank === undefined ? '' : ` of rank ${rank}`}${held === '' ? (size === null ? '' : `, which held ${size} GiB`) : `, which held ${held}`}${small ? restText(told) : ''}`,
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
          : small
            ? {
                missing: [
                  missing(
                    'what else fills the memory',
                    'grep -E "MemAvailable|Shmem|Unevictable|Mlocked|Slab|Hugetlb" /proc/meminfo; ps aux --sort -rss | head',
                  ),
                ],
              }
            : {}),
      weight: other ? -3 : -1,
    };
  },
});

function residentKiB(report: OomReport): number {
  return (report.anonKiB ?? 0) + (report.shmemKiB ?? 0) + (report.fileKiB ?? 0);
}

/** What else was large: other tasks, or memory that belongs to none. */
function restText(report: OomReport): string {
  const full = fullKiB(report);
  const loose = unaccountedKiB(report);
  if (full !== null && loose !== null && loose >= full * 0.25)
    return `; ${kibText(loose)} belong to no process, page cache or slab`;
  const others = (report.tasks?.largest ?? []).filter(
    (task) => task.pid !== report.pid && task.residentKiB > 1024 ** 2,
  );
  return others.length === 0
    ? ''
    : `; also large: ${others.map((task) => `${task.name} ${kibText(task.residentKiB)}`).join(', ')}`;
}
