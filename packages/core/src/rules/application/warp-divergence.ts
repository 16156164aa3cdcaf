import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { atItsLimit, called, numberOf, worstOf } from './_metrics.ts';

export const warpDivergence: Rule = defineRule({
  id: 'application/warp-divergence',
  summary: 'Threads of a warp take different branches, so that few of them work at a time',
  needs: ['profile.metric'],
  citations: ['nsight-compute-guide', 'cuda-best-practices'],
  check(_, context) {
    const worst = worstOf(context, (kernel) => {
      const threads = numberOf(kernel, 'active-threads-per-warp');
      if (threads === undefined || threads <= 0) return null;
      const seen = kernel.facts.get('active-threads-per-warp')?.seen.slice(0, 2) ?? [];
      if (threads >= 24) return { kind: 'cleared', because: `${threads} of 32 threads of a warp work at a time`, seen };
      const size = numberOf(kernel, 'block-size');
      // A block that does not fill its warps idles lanes without any branch.
      const lanes = size === undefined ? 32 : size / Math.ceil(size / 32);
      if (threads >= 0.9 * lanes || lanes < 16)
        return { kind: 'cleared', because: `a block has ${size} threads only: lanes are empty, not diverged`, seen };
      if ((numberOf(kernel, 'dram-throughput') ?? 0) >= atItsLimit && (numberOf(kernel, 'dram-throughput') ?? 0) <= 105)
        return { kind: 'cleared', because: 'the device memory is at its limit; lanes that idle cost nothing', seen };
      return {
        kind: 'fault',
        certainty: threads < 16 ? 'proved' : 'possible',
        message: `${called(kernel)} keeps ${threads} of the 32 threads of a warp at work`,
        seen,
        remedies: [
          {
            actor: 'developer',
            do: 'sort or group the work so that neighbouring threads take the same branch and loop equally often',
          },
          {
            actor: 'developer',
            do: 'look where the branches part',
            command: 'ncu --section SourceCounters --import-source yes ./app',
          },
        ],
        ...(threads < 16
          ? {}
          : {
              missing: [
                {
                  fact: 'how much of the time it costs',
                  ask: 'ncu --section WarpStateStats --section SourceCounters ./app',
                },
              ],
            }),
        weight: 2,
      };
    });
    if (worst !== null) return worst;
    return context
      .all('profile.metric')
      .some((fact) => fact.value.name === 'achieved-occupancy' || fact.value.name === 'sm-throughput')
      ? { kind: 'unknown', missing: [{ fact: 'threads at work in a warp', ask: 'ncu --section WarpStateStats ./app' }] }
      : { kind: 'silent' };
  },
});
