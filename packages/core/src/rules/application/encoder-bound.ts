import type { Rule } from '../../model/rule.ts';
import { seriesRule } from '../_series.ts';

export const encoderBound: Rule = seriesRule({
  id: 'application/encoder-bound',
  summary: 'The video engine is the limit, and the SMs wait for it',
  citations: ['nvml-header'],
  remedies: [
    {
      actor: 'developer',
      do: 'spread streams over more GPUs, lower preset or resolution, or decode elsewhere',
      command: 'nvidia-smi dmon -s u',
    },
  ],
});
