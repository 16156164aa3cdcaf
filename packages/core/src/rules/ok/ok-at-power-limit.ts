import type { Rule } from '../../model/rule.ts';
import { healthySeriesRule } from '../_series.ts';

export const okAtPowerLimit: Rule = healthySeriesRule({
  id: 'ok/ok-at-power-limit',
  summary: 'The GPU works at the power limit of its board',
  citations: ['nvml-header', 'dcgm-fields'],
});
