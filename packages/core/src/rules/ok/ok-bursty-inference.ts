import type { Rule } from '../../model/rule.ts';
import { healthySeriesRule } from '../_series.ts';

export const okBurstyInference: Rule = healthySeriesRule({
  id: 'ok/ok-bursty-inference',
  summary: 'Work comes in bursts, as requests do',
  citations: ['nvml-header', 'dcgm-fields'],
});
