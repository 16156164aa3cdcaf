import type { Rule } from '../../model/rule.ts';
import { healthySeriesRule } from '../_series.ts';

export const okDiurnalInference: Rule = healthySeriesRule({
  id: 'ok/ok-diurnal-inference',
  summary: 'Work rises and falls slowly over hours',
  citations: ['nvml-header', 'dcgm-fields'],
});
