import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { allAtALimit, called, kernelsOf, limitOf, numberOf } from '../application/_metrics.ts';
import { quiet } from './_healthy.ts';

export const okComputeBoundWellUsed: Rule = defineRule({
  id: 'ok/ok-compute-bound-well-used',
  summary: 'The kernel is limited by arithmetic, and uses it well',
  needs: ['profile.metric'],
  citations: ['nsight-compute-guide'],
  check(_, context) {
    const kernel = kernelsOf(context)[0];
    if (kernel === undefined || numberOf(kernel, 'sm-throughput') === undefined) {
      return context.all('profile.metric').some((fact) => fact.value.name === 'dram-throughput')
        ? {
            kind: 'unknown',
            missing: [{ fact: 'the use of the multiprocessors', ask: 'ncu --section SpeedOfLight ./app' }],
          }
        : { kind: 'silent' };
    }
    if (limitOf(kernel) !== 'compute' || !quiet(context) || !allAtALimit(context)) return { kind: 'silent' };
    const fact = kernel.facts.get('sm-throughput');
    return {
      kind: 'cleared',
      because: `${called(kernel)} uses ${fact?.value.value} % of what the multiprocessors can do`,
      seen: fact?.seen.slice(0, 1) ?? [],
      layer: 'application',
      weight: 2,
      explains: [
        'application/low-achieved-occupancy',
        'application/registers-limit-occupancy',
        'application/block-limit-caps-occupancy',
      ],
    };
  },
});
