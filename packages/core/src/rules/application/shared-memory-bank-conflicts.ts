import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { atItsLimit, called, numberOf, worstOf } from './_metrics.ts';

/** Percent of the accesses to shared memory below which conflicts do not matter. */
const few = 10;

export const sharedMemoryBankConflicts: Rule = defineRule({
  id: 'application/shared-memory-bank-conflicts',
  summary: 'Threads of a warp meet at the same bank of shared memory',
  needs: ['profile.metric'],
  citations: ['nsight-compute-guide', 'cuda-best-practices'],
  check(_, context) {
    const worst = worstOf(context, (kernel) => {
      const way = numberOf(kernel, 'bank-conflict-way');
      const share = numberOf(kernel, 'bank-conflict-share');
      if (way === undefined && share === undefined) return null;
      const seen = ['bank-conflict-way', 'bank-conflict-share']
        .flatMap((name) => kernel.facts.get(name)?.seen.slice(0, 2) ?? [])
        .slice(0, 4);
      // A high degree in a handful of accesses costs nothing either.
      if ((share ?? few) < few || ((way ?? 0) < 2 && (share ?? 0) < 30))
        return { kind: 'cleared', because: 'conflicts at the banks of shared memory are few', seen };
      const dram = numberOf(kernel, 'dram-throughput') ?? 0;
      if (dram >= atItsLimit && dram <= 105)
        return { kind: 'cleared', because: 'the device memory is at its limit; the conflicts cost nothing', seen };
      const heavy = (share ?? 0) >= 40 || (share === undefined && (way ?? 0) >= 8);
      return {
        kind: 'fault',
        certainty: heavy ? 'proved' : 'possible',
        message: `${called(kernel)} has ${way === undefined ? '' : `${way}-way `}bank conflicts${share === undefined ? '' : ` in ${share} % of its accesses to shared memory`}`,
        seen,
        remedies: [
          {
            actor: 'developer',
            do: 'pad the rows of the tile by one element or swizzle the index, so that a column lies in different banks',
            command: '__shared__ float tile[32][33];',
          },
        ],
        ...(heavy
          ? {}
          : {
              missing: [
                share === undefined
                  ? {
                      fact: 'what share of the accesses conflict',
                      ask: 'ncu --section MemoryWorkloadAnalysis_Tables ./app',
                    }
                  : {
                      fact: 'how long warps wait for shared memory',
                      ask: 'ncu --section WarpStateStats ./app',
                    },
              ],
            }),
        weight: 2 + (share ?? 0) / 200,
      };
    });
    if (worst !== null) return worst;
    return context.all('profile.metric').some((fact) => fact.value.name === 'memory-throughput')
      ? {
          kind: 'unknown',
          missing: [
            {
              fact: 'conflicts at the banks of shared memory',
              ask: 'ncu --section MemoryWorkloadAnalysis_Tables ./app',
            },
          ],
        }
      : { kind: 'silent' };
  },
});
