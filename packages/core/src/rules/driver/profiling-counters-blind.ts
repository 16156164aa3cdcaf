import type { Rule } from '../../model/rule.ts';
import { seriesRule } from '../_series.ts';

export const profilingCountersBlind: Rule = seriesRule({
  id: 'driver/profiling-counters-blind',
  summary: 'The profiling counters say zero while the GPU is busy',
  citations: ['dcgm-fields'],
  remedies: [
    {
      actor: 'node-admin',
      do: 'see who else uses the counters (Nsight, another DCGM), and give them back',
      command: 'dcgmi profile --resume; ps ax | grep -E "ncu|nsys|nv-hostengine"',
    },
  ],
});
