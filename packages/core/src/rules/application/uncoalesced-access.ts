import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { called, numberOf, worstOf } from './_metrics.ts';

/** Sectors that one load of a warp touches where each thread reads neighbouring 16 bytes, the widest load there is. */
const widest = 16;

export const uncoalescedAccess: Rule = defineRule({
  id: 'application/uncoalesced-access',
  summary: 'Threads of a warp read scattered addresses, so that most of what is fetched is not used',
  needs: ['profile.metric'],
  citations: ['nsight-compute-guide', 'cuda-best-practices'],
  check(_, context) {
    const worst = worstOf(context, (kernel) => {
      const excess = numberOf(kernel, 'excessive-sectors-share');
      const used = numberOf(kernel, 'sector-bytes-used');
      const percent = numberOf(kernel, 'sector-use-percent') ?? (used === undefined ? undefined : (used * 100) / 32);
      const perRequest = numberOf(kernel, 'sectors-per-request');
      if (excess === undefined && percent === undefined && (perRequest === undefined || perRequest <= widest))
        return null;
      const seen = ['excessive-sectors-share', 'sector-bytes-used', 'sector-use-percent', 'sectors-per-request']
        .flatMap((name) => kernel.facts.get(name)?.seen.slice(0, 2) ?? [])
        .slice(0, 4);
      const scattered = excess === undefined && percent === undefined;
      const heavy = (excess ?? 0) >= 40 || (percent ?? 100) <= 40 || scattered;
      const some = heavy || (excess ?? 0) >= 20 || (percent ?? 100) <= 70;
      if (!some) return { kind: 'cleared', because: 'most of what is fetched from memory is used', seen };
      return {
        kind: 'fault',
        certainty: heavy ? 'proved' : 'possible',
        message: `${called(kernel)} ${scattered ? `touches ${perRequest} sectors with each load of a warp` : excess === undefined ? `uses ${(percent ?? 0).toFixed(0)} % of what it fetches` : `fetches ${excess} % of its sectors for nothing`}`,
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
        weight: 2 + (excess ?? 100 - (percent ?? 50)) / 200,
      };
    });
    if (worst !== null) return worst;
    return context.all('profile.metric').some((fact) => fact.value.name === 'memory-throughput')
      ? {
          kind: 'unknown',
          missing: [{ fact: 'how much of a fetched sector is used', ask: 'ncu --section SourceCounters ./app' }],
        }
      : { kind: 'silent' };
  },
});
