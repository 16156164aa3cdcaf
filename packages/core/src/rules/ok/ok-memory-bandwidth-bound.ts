import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { allAtALimit, called, kernelsOf, limitOf, numberOf } from '../application/_metrics.ts';
import { quiet } from './_healthy.ts';

export const okMemoryBandwidthBound: Rule = defineRule({
  id: 'ok/ok-memory-bandwidth-bound',
  summary: 'The kernel is limited by the memory of the device, and uses it well',
  needs: ['profile.metric'],
  citations: ['nsight-compute-guide'],
  check(_, context) {
    const kernels = kernelsOf(context);
    const throughputs = kernels.filter(
      (kernel) =>
        numberOf(kernel, 'memory-throughput') !== undefined || numberOf(kernel, 'dram-throughput') !== undefined,
    );
    if (throughputs.length === 0) {
      return kernels.some((kernel) => numberOf(kernel, 'sm-throughput') !== undefined)
        ? { kind: 'unknown', missing: [{ fact: 'the use of the memory', ask: 'ncu --section SpeedOfLight ./app' }] }
        : { kind: 'silent' };
    }
    const kernel = throughputs[0]!;
    if (limitOf(kernel) !== 'memory' || !quiet(context) || !allAtALimit(context)) return { kind: 'silent' };
    const fact = kernel.facts.get('dram-throughput') ?? kernel.facts.get('memory-throughput');
    return {
      kind: 'cleared',
      because: `${called(kernel)} uses ${fact?.value.value} % of what the memory can deliver`,
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
