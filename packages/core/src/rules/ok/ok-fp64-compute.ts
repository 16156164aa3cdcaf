import type { Rule } from '../../model/rule.ts';
import { healthySeriesRule } from '../_series.ts';

export const okFp64Compute: Rule = healthySeriesRule({
  id: 'ok/ok-fp64-compute',
  summary: 'Double precision keeps the GPU busy',
  citations: ['nvml-header', 'dcgm-fields'],
});
