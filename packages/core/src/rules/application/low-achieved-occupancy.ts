import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { atItsLimit, busiestOf, called, numberOf, worstOf } from './_metrics.ts';

export const lowAchievedOccupancy: Rule = defineRule({
  id: 'application/low-achieved-occupancy',
  summary: 'Far fewer warps are resident than the launch allows',
  needs: ['profile.metric'],
  citations: ['nsight-compute-guide', 'cuda-best-practices'],
  check(_, context) {
    const worst = worstOf(context, (kernel) => {
      const theory = numberOf(kernel, 'theoretical-occupancy');
      const achieved = numberOf(kernel, 'achieved-occupancy');
      if (theory === undefined || achieved === undefined) return null;
      const seen = ['theoretical-occupancy', 'achieved-occupancy', 'waves-per-sm'].flatMap(
        (name) => kernel.facts.get(name)?.seen.slice(0, 1) ?? [],
      );
      const busiest = busiestOf(kernel);
      if (busiest >= atItsLimit)
        return { kind: 'cleared', because: `the kernel uses ${busiest} % of a unit with the warps it has`, seen };
      if (theory < 50 || achieved >= theory * 0.65)
        return { kind: 'cleared', because: `${achieved} % are reached of ${theory} % that are possible`, seen };
      const waves = numberOf(kernel, 'waves-per-sm');
      const few = waves !== undefined && waves < 1;
      return {
        kind: 'fault',
        certainty: achieved <= theory * 0.55 ? 'proved' : 'possible',
        message: `${called(kernel)} reaches ${achieved} % occupancy of ${theory} % that its launch allows`,
        seen,
        remedies: [
          few
            ? { actor: 'developer', do: `give the GPU more blocks: this grid fills ${waves} of a wave` }
            : {
                actor: 'developer',
                do: 'even out the work of the blocks; blocks that end early leave their places empty',
              },
          {
            actor: 'developer',
            do: 'look at the spread of the work',
            command: 'ncu --section Occupancy --section WorkloadDistribution ./app',
          },
        ],
        ...(achieved <= theory * 0.55
          ? {}
          : { missing: [{ fact: 'what limits the kernel', ask: 'ncu --section SpeedOfLight ./app' }] }),
        weight: 0,
      };
    });
    if (worst !== null) return worst;
    return context.all('profile.metric').some((fact) => /^(?:theoretical|achieved)-occupancy$/.test(fact.value.name))
      ? {
          kind: 'unknown',
          missing: [{ fact: 'the other of theoretical and achieved occupancy', ask: 'ncu --section Occupancy ./app' }],
        }
      : { kind: 'silent' };
  },
});
