import type { Rule } from '../../model/rule.ts';
import { healthySeriesRule } from '../_series.ts';

export const okComputeBound: Rule = healthySeriesRule({
  id: 'ok/ok-compute-bound',
  summary: 'Arithmetic is the limit, and the tensor cores work',
  citations: ['nvml-header', 'dcgm-fields'],
});
