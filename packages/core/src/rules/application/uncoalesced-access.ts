import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { called, kernelsOf, numberOf } from './_metrics.ts';

export const uncoalescedAccess: Rule = defineRule({
  id: 'application/uncoalesced-access',
  summary: 'Threads of a warp read scattered addresses, so that most of what is fetched is not used',
  needs: ['profile.metric'],
  citations: ['nsight-compute-guide', 'cuda-best-practices'],
  check(_, context) {
    for (const kernel of kernelsOf(context)) {
      const excess = numberOf(kernel, 'excessive-sectors-share');
      const used = numberOf(kernel, 'sector-bytes-used');
      const percent = numberOf(kernel, 'sector-use-percent') ?? (used === undefined ? undefined : (used * 100) / 32);
      if (excess === undefined && percent === undefined) continue;
      const seen = ['excessive-sectors-share', 'sector-bytes-used', 'sector-use-percent']
        .flatMap((name) => kernel.facts.get(name)?.seen.slice(0, 2) ?? [])
        .slice(0, 4);
      const heavy = (excess ?? 0) >= 40 || (percent ?? 100) <= 40;
      const some = (excess ?? 0) >= 20 || (percent ?? 100) <= 70;
      if (!some) return { kind: 'cleared', because: 'most of what is fetched from memory is used', seen };
      return {
        kind: 'fault',
        certainty: heavy ? 'proved' : 'possible',
        message: `${called(kernel)} ${excess === undefined ? `uses ${(percent ?? 0).toFixed(0)} % of what it fetches` : `fetches ${excess} % of its sectors for nothing`}`,
        seen,
        remedies: [
          {
            actor: 'developer',
            do: 'let neighbouring threads read neighbouring addresses: structure of arrays, another loop order, or a tile in shared memory',
          },
          {
            actor: 'developer',
            do: 'see which line does it',
            command: 'ncu --section SourceCounters --import-source yes ./app',
          },
        ],
        ...(heavy
          ? {}
          : {
              missing: [
                {
                  fact: 'what limits the kernel',
                  ask: 'ncu --section SpeedOfLight --section MemoryWorkloadAnalysis ./app',
                },
              ],
            }),
        weight: 2,
      };
    }
    return context.all('profile.metric').some((fact) => fact.value.name === 'memory-throughput')
      ? {
          kind: 'unknown',
          missing: [{ fact: 'how much of a fetched sector is used', ask: 'ncu --section SourceCounters ./app' }],
        }
      : { kind: 'silent' };
  },
});
