import type { Rule } from '../../model/rule.ts';
import { healthySeriesRule } from '../_series.ts';

export const okIdle: Rule = healthySeriesRule({
  id: 'ok/ok-idle',
  summary: 'The GPU is idle',
  citations: ['nvml-header', 'dcgm-fields'],
});
