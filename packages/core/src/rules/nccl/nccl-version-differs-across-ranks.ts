import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';

/** Host and process that NCCL puts before its lines; empty for the first rank's version line. */
function speaker(text: string): string {
  return (
    /(?:^|\s)([\w.-]{1,64}:\d{1,9}):\d{1,9} \[\d{1,4}\] NCCL/.exec(text)?.[1] ??
    /^\[([A-Za-z][\w.-]{1,62})\] /.exec(text)?.[1] ??
    ''
  );
}

export const ncclVersionDiffersAcrossRanks: Rule = defineRule({
  id: 'nccl/nccl-version-differs-across-ranks',
  summary: 'Ranks of one job run different NCCL releases',
  needs: [],
  anyOf: ['said.nccl-version-mismatch-ranks', 'nccl.version'],
  citations: ['nccl-init-source'],
  explains: ['said.nccl-*', 'said.pt-*', 'application/application-exception', 'network/nccl-peer-unreachable'],
  check(facts, context) {
    const said = facts['said.nccl-version-mismatch-ranks'];
    const versions = context
      .all('nccl.version')
      .filter((fact) => fact.scope !== 'other-host' && fact.scope !== 'after-fix');
    const remedies = [
      {
        actor: 'developer',
        do: 'start every rank from the same image or environment',
        command: 'python -c "import torch; print(torch.cuda.nccl.version())"  # on every node',
      },
    ] as const;
    if (said !== undefined) {
      const { va, vb, local, remote } = said.value.captures;
      const pair =
        va !== undefined && vb !== undefined
          ? ` (${va} and ${vb})`
          : local !== undefined && remote !== undefined
            ? ` (${local} and ${remote})`
            : '';
      return {
        kind: 'fault',
        certainty: 'proved',
        message: `ranks run different NCCL releases${pair}`,
        seen: said.seen.slice(0, 3),
        remedies,
        weight: 4,
      };
    }
    const printed = versions.filter((fact) => !fact.told);
    const releases = new Map(printed.map((fact) => [fact.value.split('+')[0]!, fact]));
    if (releases.size < 2) {
      return printed[0] === undefined
        ? { kind: 'silent' }
        : { kind: 'cleared', because: `one NCCL release, ${printed[0].value}`, seen: printed[0].seen };
    }
    const speakers = new Set(
      printed.map(
        (fact) =>
          `${fact.origin.rank ?? ''}${fact.origin.host ?? ''}${fact.origin.unit ?? ''}${speaker(fact.seen[0]?.text ?? '')}`,
      ),
    );
    const failed = context.said.some((fact) =>
      /^said\.(?:nccl-(?:internal|remote|unhandled|call|message|connection)|pt-(?:watchdog|nccl))/.test(fact.id),
    );
    return {
      kind: 'fault',
      certainty: speakers.size > 1 && failed ? 'likely' : 'possible',
      message: `NCCL reports itself as ${[...releases.keys()].join(' and ')}`,
      seen: [...releases.values()].flatMap((fact) => fact.seen.slice(0, 1)),
      remedies,
      missing: [
        { fact: 'nccl.version', ask: 'python -c "import torch; print(torch.cuda.nccl.version())"  # on every node' },
      ],
      weight: failed ? 0 : -4,
    };
  },
});
