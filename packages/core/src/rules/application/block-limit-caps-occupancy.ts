import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { called, kernelsOf, numberOf } from './_metrics.ts';

const limits = [
  'block-limit-registers',
  'block-limit-shared-memory',
  'block-limit-warps',
  'block-limit-barriers',
] as const;

export const blockLimitCapsOccupancy: Rule = defineRule({
  id: 'application/block-limit-caps-occupancy',
  summary: 'The number of blocks that an SM can hold caps the occupancy: the blocks are too small for it',
  needs: ['profile.metric'],
  citations: ['cuda-compute-capabilities', 'cuda-occupancy-api'],
  check(_, context) {
    for (const kernel of kernelsOf(context)) {
      const blocks = numberOf(kernel, 'block-limit-sm');
      const occupancy = numberOf(kernel, 'theoretical-occupancy');
      const others = limits.map((name) => numberOf(kernel, name)).filter((value) => value !== undefined);
      if (blocks === undefined || occupancy === undefined || others.length === 0) continue;
      const seen = ['block-limit-sm', 'theoretical-occupancy', 'block-size'].flatMap(
        (name) => kernel.facts.get(name)?.seen.slice(0, 1) ?? [],
      );
      if (blocks < Math.min(...others) && occupancy < 95) {
        return {
          kind: 'fault',
          message: `${called(kernel)} reaches ${occupancy} % occupancy because an SM holds ${blocks} blocks at most`,
          seen,
          remedies: [{ actor: 'developer', do: 'use larger blocks, so that fewer of them fill an SM' }],
          weight: 1,
        };
      }
      return { kind: 'cleared', because: `the limit of ${blocks} blocks is not the tightest one`, seen };
    }
    return {
      kind: 'unknown',
      missing: [{ fact: 'the limits of the occupancy', ask: 'ncu --section Occupancy ./app' }],
    };
  },
});
