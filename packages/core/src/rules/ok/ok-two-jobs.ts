import type { Rule } from '../../model/rule.ts';
import { healthySeriesRule } from '../_series.ts';

export const okTwoJobs: Rule = healthySeriesRule({
  id: 'ok/ok-two-jobs',
  summary: 'Two jobs share the node or the GPU, and both are well',
  citations: ['nvml-header', 'dcgm-fields'],
});
