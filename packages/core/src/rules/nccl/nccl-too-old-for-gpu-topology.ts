import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';

export const ncclTooOldForGpuTopology: Rule = defineRule({
  id: 'nccl/nccl-too-old-for-gpu-topology',
  summary: 'This NCCL release does not know the GPU or the topology of the machine',
  needs: [],
  anyOf: ['said.nccl-topology-other', 'said.nccl-dynamic-smem', 'said.nccl-no-local-path', 'said.nccl-internal-error'],
  uses: ['nccl.version', 'gpu.name'],
  citations: ['nccl-source'],
  explains: ['said.nccl-*', 'said.pt-*', 'application/application-exception'],
  check(facts) {
    const known =
      facts['said.nccl-dynamic-smem'] ?? facts['said.nccl-topology-other'] ?? facts['said.nccl-no-local-path'];
    const version = facts['nccl.version'];
    const internal = facts['said.nccl-internal-error'];
    const remedies = [
      {
        actor: 'developer',
        do: 'use a newer NCCL than this one',
        command: 'pip install -U nvidia-nccl-cu12  # within what the framework allows',
      },
      {
        actor: 'developer',
        do: 'see what NCCL reads of the machine',
        command: 'NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=GRAPH NCCL_TOPO_DUMP_FILE=topo.xml …',
      },
    ] as const;
    if (known === undefined) {
      if (internal === undefined) return { kind: 'silent' };
      return {
        kind: 'fault',
        certainty: 'possible',
        message: `a check inside NCCL${version === undefined ? '' : ` ${version.value}`} failed`,
        seen: internal.seen.slice(0, 2),
        remedies,
        missing: [{ fact: 'the warning before it', ask: 'NCCL_DEBUG=WARN …' }],
        weight: -2,
      };
    }
    return {
      kind: 'fault',
      certainty: 'likely',
      message: `NCCL${version === undefined ? '' : ` ${version.value}`} cannot place this machine's GPUs: ${cut(known.seen[0]?.text ?? '')}`,
      seen: [
        ...known.seen.slice(0, 2),
        ...(version?.seen.slice(0, 1) ?? []),
        ...(facts['gpu.name']?.seen.slice(0, 1) ?? []),
      ],
      remedies,
      ...(version === undefined
        ? { missing: [{ fact: 'nccl.version', ask: 'python -c "import torch; print(torch.cuda.nccl.version())"' }] }
        : {}),
      weight: 2,
    };
  },
});

function cut(line: string): string {
  const warning = line.slice(Math.max(0, line.indexOf('WARN') + 4)).trim();
  return warning.length > 100 ? `${warning.slice(0, 97)}…` : warning;
}
