import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { byPrint, capture, container, missing, own, said, seen } from '../container-runtime/_container.ts';

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
  ],
  uses: ['gpu.xid'],
  citations: ['kubernetes-memory', 'cgroup-v2-memory'],
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
