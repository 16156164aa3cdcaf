import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';

export const okProfilingOverheadLow: Rule = defineRule({
  id: 'ok/ok-profiling-overhead-low',
  summary: 'Collecting the profiling metric costs next to nothing',
  needs: ['profile.overhead'],
  citations: ['dcgm-structs'],
  check({ 'profile.overhead': overhead }) {
    const { with: on, without: off } = overhead.value;
    const percent = Math.round((10_000 * (on - off)) / off) / 100;
    if (percent > 3) return { kind: 'silent' };
    return {
      kind: 'cleared',
      because: `with the metric the work takes ${percent} % longer`,
      seen: overhead.seen,
      layer: 'driver',
      weight: 3,
    };
  },
});
