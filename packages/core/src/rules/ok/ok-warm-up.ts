import type { Rule } from '../../model/rule.ts';
import { healthySeriesRule } from '../_series.ts';

export const okWarmUp: Rule = healthySeriesRule({
  id: 'ok/ok-warm-up',
  summary: 'The GPU works after a start of its own',
  citations: ['nvml-header', 'dcgm-fields'],
});
