import type { Rule, RuleContext } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { atItsLimit, busiestOf, called, numberOf, worstOf } from './_metrics.ts';

const limits = [
  'block-limit-registers',
  'block-limit-shared-memory',
  'block-limit-warps',
  'block-limit-barriers',
] as const;

const larger = [{ actor: 'developer', do: 'use larger blocks, so that fewer of them fill an SM' }] as const;

/** Most blocks that an SM of the GPU in the text holds. */
function mostBlocks(context: RuleContext): number | undefined {
  const capability = context.first('gpu.compute-capability')?.value;
  return context.knowledge.occupancy.find((row) => row.computeCapability === capability)?.maxBlocksPerSm;
}

export const blockLimitCapsOccupancy: Rule = defineRule({
  id: 'application/block-limit-caps-occupancy',
  summary: 'The number of blocks that an SM can hold caps the occupancy: the blocks are too small for it',
  needs: ['profile.metric'],
  citations: ['cuda-compute-capabilities', 'cuda-occupancy-api'],
  check(_, context) {
    const worst = worstOf(context, (kernel) => {
      const active = numberOf(kernel, 'active-blocks');
      const reached = numberOf(kernel, 'theoretical-occupancy');
      const most = numberOf(kernel, 'most-blocks') ?? mostBlocks(context);
      if (active !== undefined && reached !== undefined && most !== undefined) {
        const proof = ['active-blocks', 'most-blocks', 'theoretical-occupancy'].flatMap(
          (name) => kernel.facts.get(name)?.seen.slice(0, 1) ?? [],
        );
        if (active >= most && reached < 95) {
          return {
            kind: 'fault',
            message: `${called(kernel)} reaches ${reached} % occupancy because an SM holds ${most} blocks at most`,
            seen: proof,
            remedies: larger,
            weight: 1,
          };
        }
      }
      const blocks = numberOf(kernel, 'block-limit-sm');
      const occupancy = numberOf(kernel, 'theoretical-occupancy');
      const others = limits.map((name) => numberOf(kernel, name)).filter((value) => value !== undefined);
      if (blocks === undefined || occupancy === undefined || others.length === 0) return null;
      const seen = ['block-limit-sm', 'theoretical-occupancy', 'block-size'].flatMap(
        (name) => kernel.facts.get(name)?.seen.slice(0, 1) ?? [],
      );
      if (busiestOf(kernel) >= atItsLimit)
        return { kind: 'cleared', because: `the warps that fit use ${busiestOf(kernel)} % of a unit`, seen };
      if (blocks < Math.min(...others) && occupancy < 95) {
        return {
          kind: 'fault',
          message: `${called(kernel)} reaches ${occupancy} % occupancy because an SM holds ${blocks} blocks at most`,
          seen,
          remedies: larger,
          weight: 1,
        };
      }
      return { kind: 'cleared', because: `the limit of ${blocks} blocks is not the tightest one`, seen };
    });
    if (worst !== null) return worst;
    return {
      kind: 'unknown',
      missing: [{ fact: 'the limits of the occupancy', ask: 'ncu --section Occupancy ./app' }],
    };
  },
});
