import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { byPrint, capture, container, missing, own, said, seen } from '../container-runtime/_container.ts';
import {
  heldText,
  isLocked,
  isService,
  kibText,
  oomReports,
  ownerText,
  startedSince,
  victimText,
} from './_host-memory.ts';
import type { OomReport } from './_host-memory.ts';

export const containerMemoryLimit: Rule = defineRule({
  id: 'application/container-memory-limit',
  summary: 'The program used more host memory than its container or job may',
  needs: [],
  anyOf: [
    'said.oom-memcg',
    'said.oom-killed-container',
    'said.exit-137-oomkilled',
    'said.slurm-oom',
    'program.exit',
    'said.oom-killer-line',
    'os.oom-report',
  ],
  uses: ['gpu.xid'],
  citations: ['kubernetes-memory', 'cgroup-v2-memory', 'kernel-oom-source'],
  explains: [
    'said.exit-137-oomkilled',
    'said.oom-*',
    'said.slurm-oom',
    'said.pt-elastic-child-failed',
    'said.pt-*',
    'said.nccl-*',
    'said.k8s-*',
    'application/application-exception',
    'nccl/*',
    'network/*',
  ],
  check(_facts, context) {
    const cgroup = said(context, 'oom-memcg').find(
      (fact) => fact.value.captures['constraint'] === undefined || /MEMCG/.test(fact.value.captures['constraint']),
    );
    const global = [
      ...said(context, 'oom-killer-line'),
      ...said(context, 'oom-memcg').filter((fact) =>
        /CONSTRAINT_NONE|CONSTRAINT_CPUSET|MEMORY_POLICY/.test(fact.value.captures['constraint'] ?? ''),
      ),
    ].find((fact) => !fact.seen.some((each) => /Memory cgroup out of memory/i.test(each.text)));
    const killed = said(context, 'oom-killed-container')[0];
    const slurm = said(context, 'slurm-oom')[0];
    const exit =
      said(context, 'exit-137-oomkilled')[0] ??
      own(context, 'program.exit').find((fact) => fact.value.code === 137 || fact.value.code === -9);
    const remedies = [
      {
        actor: 'developer',
        do: 'use less host memory: fewer loader workers, less prefetch, memory-mapped or sharded weights',
      },
      {
        actor: 'cluster-admin',
        do: 'or raise the memory limit of the container or job',
        command: 'resources.limits.memory   # docker run --memory, sbatch --mem',
      },
    ] as const;
    const report = oomReports(context).find((fact) => fact.value.constraint === 'memcg');
    if (report !== undefined) {
      const other =
        (isService(report.value, context) || startedSince(context, report) !== undefined) &&
        killed === undefined &&
        slurm === undefined;
      const shared = sharedPart(report.value);
      return {
        kind: 'fault',
        // What fills the group is locked memory then; the rule of that leads.
        certainty: other ? 'possible' : isLocked(report.value) ? 'likely' : byPrint(report),
        message: limitText(report.value),
        seen: seen(report, killed, exit, slurm),
        remedies: shared === null ? remedies : [{ actor: 'developer', do: shared } as const, ...remedies],
        ...(other
          ? {
              missing: [
                missing('whether the job lost this process', 'kubectl describe pod POD; sacct -j JOB; journalctl -k'),
              ],
            }
          : {}),
        weight: other ? -3 : isLocked(report.value) ? 0 : 4,
      };
    }
    const proof = cgroup ?? killed ?? slurm;
    if (proof !== undefined) {
      const name = cgroup === undefined ? undefined : capture([cgroup], 'name', 'task');
      return {
        kind: 'fault',
        certainty: byPrint(proof),
        message: `${name ?? (slurm !== undefined && killed === undefined && cgroup === undefined ? 'a step of the job' : 'the container')} was killed at its memory limit`,
        seen: seen(proof, exit, slurm),
        remedies,
        weight: 4,
      };
    }
    if (global !== undefined)
      return {
        kind: 'cleared',
        because: 'the host as a whole ran out of memory, not one container',
        seen: seen(global),
      };
    if (exit === undefined) return { kind: 'silent' };
    const hardware = own(context, 'gpu.xid')[0];
    if (hardware !== undefined) return { kind: 'silent' };
    const picture = container(context);
    return {
      kind: 'fault',
      certainty: 'possible',
      message: 'the process was killed by signal 9, as at a memory limit',
      seen: seen(exit, picture),
      remedies,
      missing: [
        missing(
          'said.oom-memcg',
          'dmesg -T | grep -iE "oom|killed process"; kubectl describe pod POD | grep -A5 "Last State"; docker inspect CONTAINER | grep OOMKilled',
        ),
      ],
      weight: picture === undefined ? -1 : 1,
    };
  },
});

/** `python3 (pid 771203) of pod 4d1c was killed at the memory limit of 64.0 GiB: it held 57.0 GiB of its own pages`. */
function limitText(report: OomReport): string {
  const held = heldText(report);
  const limit = report.limitKiB === null ? '' : ` of ${kibText(report.limitKiB)}`;
  const times = (report.failures ?? 0) > 1 ? `, which was met ${report.failures} times` : '';
  const rest = othersText(report);
  return `${victimText(report)}${ownerText(report)} was killed at its memory limit${limit}${times}${held === '' ? '' : `: it held ${held}`}${rest}`;
}

/** Where the victim is the smaller part of what the group held, who the others are. */
function othersText(report: OomReport): string {
  const { tasks, limitKiB, anonKiB, shmemKiB } = report;
  if (tasks === null || limitKiB === null || tasks.count < 2) return '';
  const own = (anonKiB ?? 0) + (shmemKiB ?? 0);
  if (own >= limitKiB * 0.5) return '';
  const names = tasks.largest.map((task) => `${task.name} ${kibText(task.residentKiB)}`).join(', ');
  return `; the ${tasks.count} tasks of the group: ${names}${tasks.count > tasks.largest.length ? ' …' : ''}`;
}

/** Shared memory as the larger part: /dev/shm of loader workers, or files in memory. */
function sharedPart(report: OomReport): string | null {
  const shared = Math.max(report.groupMemory?.shmemKiB ?? 0, report.shmemKiB ?? 0);
  return report.limitKiB !== null && shared >= report.limitKiB * 0.4
    ? `look at shared memory first: ${kibText(shared)} are in /dev/shm or other memory-backed files, which count against the limit`
    : null;
}
