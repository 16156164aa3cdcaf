import type { Rule } from '../../model/rule.ts';
import { seriesRule } from '../_series.ts';

export const migInstancesImbalanced: Rule = seriesRule({
  id: 'application/mig-instances-imbalanced',
  summary: 'One MIG instance of a job is full, and its others do nothing',
  citations: ['mig-user-guide', 'dcgm-fields'],
  remedies: [
    {
      actor: 'developer',
      do: 'start one process for each instance: a CUDA process uses one MIG instance only',
      command: 'CUDA_VISIBLE_DEVICES=MIG-UUID ./app',
    },
    { actor: 'cluster-admin', do: 'give a job that needs more one larger instance instead of several small ones' },
  ],
});
