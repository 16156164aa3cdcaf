import type { Rule } from '../../model/rule.ts';
import { seriesRule } from '../_series.ts';

export const mpsClientsImbalanced: Rule = seriesRule({
  id: 'application/mps-clients-imbalanced',
  summary: 'One client of MPS has nearly all of the GPU',
  citations: ['mps-guide'],
  remedies: [
    {
      actor: 'developer',
      do: 'limit the share of each client, if all of them have work',
      command: 'export CUDA_MPS_ACTIVE_THREAD_PERCENTAGE=50',
    },
  ],
});
