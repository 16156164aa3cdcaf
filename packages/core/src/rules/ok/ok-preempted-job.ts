import type { Rule } from '../../model/rule.ts';
import { healthySeriesRule } from '../_series.ts';

export const okPreemptedJob: Rule = healthySeriesRule({
  id: 'ok/ok-preempted-job',
  summary: 'A job worked, and then ended or was taken away',
  citations: ['nvml-header', 'dcgm-fields'],
});
