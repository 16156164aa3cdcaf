import type { Rule } from '../../model/rule.ts';
import { seriesRule } from '../_series.ts';

export const busyLabelIdleSms: Rule = seriesRule({
  id: 'application/busy-label-idle-sms',
  summary: 'Utilisation is near 100 %, and few SMs have work',
  citations: ['nvml-header', 'dcgm-fields'],
  remedies: [
    { actor: 'developer', do: 'give kernels more blocks: larger batches, or several of them at once in streams' },
    {
      actor: 'developer',
      do: 'look at the grid of the heaviest kernel',
      command: 'ncu --section LaunchStats --section Occupancy ./app',
    },
  ],
});
