import type { Rule } from '../../model/rule.ts';
import { healthySeriesRule } from '../_series.ts';

export const okIdleInference: Rule = healthySeriesRule({
  id: 'ok/ok-idle-inference',
  summary: 'A loaded model waits for requests',
  citations: ['nvml-header', 'dcgm-fields'],
});
