import type { Rule } from '../../model/rule.ts';
import { seriesRule } from '../_series.ts';

export const stragglerGpu: Rule = seriesRule({
  id: 'hardware/straggler-gpu',
  summary: 'One GPU is slower than the others at the same load',
  citations: ['nvml-clock-reasons'],
  remedies: [
    {
      actor: 'node-admin',
      do: 'see what holds its clocks down',
      command: 'nvidia-smi -q -d PERFORMANCE,CLOCK,POWER,TEMPERATURE',
    },
    { actor: 'cluster-admin', do: 'keep jobs off it until it is as fast as the others', command: 'dcgmi diag -r 3' },
  ],
});
