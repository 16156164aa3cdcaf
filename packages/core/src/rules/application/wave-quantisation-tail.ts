import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { atItsLimit, busiestOf, called, numberOf, worstOf } from './_metrics.ts';

export const waveQuantisationTail: Rule = defineRule({
  id: 'application/wave-quantisation-tail',
  summary: 'The last wave of blocks is nearly empty and takes as long as a full one',
  needs: ['profile.metric'],
  citations: ['cuda-programming-guide', 'cuda-occupancy-api'],
  check(_, context) {
    const worst = worstOf(context, (kernel) => {
      const waves = numberOf(kernel, 'waves-per-sm');
      if (waves === undefined) return null;
      const seen = ['waves-per-sm', 'grid-size', 'sm-count'].flatMap(
        (name) => kernel.facts.get(name)?.seen.slice(0, 1) ?? [],
      );
      const tail = waves - Math.floor(waves);
      if (busiestOf(kernel) >= atItsLimit)
        return { kind: 'cleared', because: `a unit is at ${busiestOf(kernel)} % of its limit all the same`, seen };
      if (waves > 1 && waves < 5 && tail > 0 && tail < 0.35) {
        const lost = Math.round((1 - waves / Math.ceil(waves)) * 100);
        return {
          kind: 'fault',
          message: `${called(kernel)} runs ${waves} waves of blocks; the last one leaves ${lost} % of the time slots empty`,
          seen,
          remedies: [
            { actor: 'developer', do: 'choose a grid that fills whole waves, smaller blocks, or a persistent kernel' },
          ],
          weight: 0,
        };
      }
      // Below one wave there is no tail; whether SMs stay idle is told by the size of the grid.
      const because =
        waves < 1
          ? `the grid is ${waves} of one wave, so no last wave is half empty`
          : `${waves} waves leave little idle at the end`;
      return { kind: 'cleared', because, seen };
    });
    if (worst !== null) return worst;
    return { kind: 'unknown', missing: [{ fact: 'the waves per SM', ask: 'ncu --section LaunchStats ./app' }] };
  },
});
