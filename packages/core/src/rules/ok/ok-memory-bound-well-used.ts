import type { Rule } from '../../model/rule.ts';
import { healthySeriesRule } from '../_series.ts';

export const okMemoryBoundWellUsed: Rule = healthySeriesRule({
  id: 'ok/ok-memory-bound-well-used',
  summary: 'The memory of the GPU is the limit, and it is used',
  citations: ['nvml-header', 'dcgm-fields'],
});
