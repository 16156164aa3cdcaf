import type { Rule } from '../../model/rule.ts';
import { healthySeriesRule } from '../_series.ts';

export const okPipelineStages: Rule = healthySeriesRule({
  id: 'ok/ok-pipeline-stages',
  summary: 'GPUs work at levels of their own, as stages of a pipeline',
  citations: ['nvml-header', 'dcgm-fields'],
});
