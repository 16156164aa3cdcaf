import type { Rule } from '../../model/rule.ts';
import { healthySeriesRule } from '../_series.ts';

export const okTrainingWithEvaluation: Rule = healthySeriesRule({
  id: 'ok/ok-training-with-evaluation',
  summary: 'A training run with short pauses',
  citations: ['nvml-header', 'dcgm-fields'],
});
