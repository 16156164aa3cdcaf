import type { Rule } from '../../model/rule.ts';
import { healthySeriesRule } from '../_series.ts';

export const okWellUsed: Rule = healthySeriesRule({
  id: 'ok/ok-well-used',
  summary: 'The GPU is well used',
  citations: ['nvml-header', 'dcgm-fields'],
});
