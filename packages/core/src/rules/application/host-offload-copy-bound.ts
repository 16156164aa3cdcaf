import type { Rule } from '../../model/rule.ts';
import { seriesRule } from '../_series.ts';

export const hostOffloadCopyBound: Rule = seriesRule({
  id: 'application/host-offload-copy-bound',
  summary: 'Copies to and from the host take turns with kernels',
  citations: ['cuda-best-practices'],
  remedies: [
    {
      actor: 'developer',
      do: 'overlap copies with kernels: page-locked memory, a stream of their own, prefetching of the next layer',
    },
    { actor: 'developer', do: 'offload less: smaller batches, quantised weights, more GPUs' },
  ],
});
