import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { atItsLimit, busiestOf, called, numberOf, worstOf } from './_metrics.ts';

const others = ['block-limit-sm', 'block-limit-shared-memory', 'block-limit-warps', 'block-limit-barriers'] as const;

export const registersLimitOccupancy: Rule = defineRule({
  id: 'application/registers-limit-occupancy',
  summary: 'The registers of a kernel let few of its warps be resident',
  needs: ['profile.metric'],
  citations: ['cuda-compute-capabilities', 'cuda-occupancy-api'],
  check(_, context) {
    const worst = worstOf(context, (kernel) => {
      const registers = numberOf(kernel, 'block-limit-registers');
      const occupancy = numberOf(kernel, 'theoretical-occupancy');
      const limits = others.map((name) => numberOf(kernel, name)).filter((value) => value !== undefined);
      if (registers === undefined || occupancy === undefined || limits.length === 0) return null;
      const seen = ['block-limit-registers', 'registers-per-thread', 'theoretical-occupancy'].flatMap(
        (name) => kernel.facts.get(name)?.seen.slice(0, 1) ?? [],
      );
      if (busiestOf(kernel) >= atItsLimit)
        return { kind: 'cleared', because: `the warps that fit use ${busiestOf(kernel)} % of a unit`, seen };
      if (registers >= Math.min(...limits) || occupancy >= 50) {
        return { kind: 'cleared', because: 'registers are not the tightest limit, or the occupancy is fair', seen };
      }
      const each = numberOf(kernel, 'registers-per-thread');
      return {
        kind: 'fault',
        message: `${called(kernel)} reaches ${occupancy} % occupancy because of its registers${each === undefined ? '' : ` (${each} a thread)`}`,
        seen,
        remedies: [
          {
            actor: 'developer',
            do: 'bound the registers and look whether spilling costs less than it brings',
            command: '__launch_bounds__(THREADS, BLOCKS); nvcc -maxrregcount=N -Xptxas -v',
          },
          { actor: 'developer', do: 'or split the kernel' },
        ],
        weight: 1,
      };
    });
    if (worst !== null) return worst;
    return {
      kind: 'unknown',
      missing: [{ fact: 'the limits of the occupancy', ask: 'ncu --section Occupancy ./app' }],
    };
  },
});
