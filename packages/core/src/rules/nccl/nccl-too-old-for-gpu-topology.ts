import type { Fact } from '../../model/facts.ts';
import type { Rule, RuleContext } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { parseComputeCapability } from '../../versions/compute-capability.ts';
import { compareNccl, parseNccl } from '../../versions/nccl.ts';

export const ncclTooOldForGpuTopology: Rule = defineRule({
  id: 'nccl/nccl-too-old-for-gpu-topology',
  summary: 'This NCCL release does not know the GPU or the topology of the machine',
  needs: [],
  anyOf: [
    'said.nccl-topology-other',
    'said.nccl-topology-search',
    'said.nccl-dynamic-smem',
    'said.nccl-no-local-path',
    'said.nccl-internal-error',
    'said.nccl-cuda-failure',
  ],
  uses: ['nccl.version', 'gpu.name'],
  citations: ['nccl-source'],
  explains: ['said.nccl-*', 'said.pt-*', 'application/application-exception'],
  check(facts, context) {
    const known =
      facts['said.nccl-dynamic-smem'] ??
      facts['said.nccl-topology-search'] ??
      facts['said.nccl-topology-other'] ??
      facts['said.nccl-no-local-path'] ??
      withoutCode(facts['said.nccl-cuda-failure'], context);
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
      const failure = facts['said.nccl-cuda-failure'];
      if (internal === undefined) {
        return failure === undefined || version === undefined || context.first('gpu.compute-capability') === undefined
          ? { kind: 'silent' }
          : { kind: 'cleared', because: `NCCL ${version.value} has code for this GPU`, seen: version.seen.slice(0, 1) };
      }
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

/** A CUDA failure inside NCCL that says that its library has no code for the GPU, where the GPU is newer than that release. */
function withoutCode(
  failure: Fact<'said.nccl-cuda-failure'> | undefined,
  context: RuleContext,
): Fact<'said.nccl-cuda-failure'> | undefined {
  const text = `${failure?.value.captures['code'] ?? ''} ${failure?.value.captures['error'] ?? ''}`;
  if (
    failure === undefined ||
    !/named symbol not found|no kernel image|invalid device function|\b(?:500|209|98)\b/i.test(text)
  )
    return undefined;
  const version = parseNccl(context.first('nccl.version')?.value ?? '');
  const capability = parseComputeCapability(context.first('gpu.compute-capability')?.value ?? '');
  if (version === null || capability === null) return failure;
  const below = (end: string | null): boolean => end === null || compareNccl(version, parseNccl(end) ?? version) < 0;
  const from = (start: string | null): boolean =>
    start === null || compareNccl(version, parseNccl(start) ?? version) >= 0;
  const builds = context.knowledge.ncclArchs.filter((row) => from(row.range.from) && below(row.range.below));
  return builds.some((row) => row.sms.some((sm) => Math.floor(sm / 10) === capability.major)) ? undefined : failure;
}

function cut(line: string): string {
  const warning = line.slice(Math.max(0, line.indexOf('WARN') + 4)).trim();
  return warning.length > 100 ? `${warning.slice(0, 97)}…` : warning;
}
