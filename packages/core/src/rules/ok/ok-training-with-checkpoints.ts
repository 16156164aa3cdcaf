import type { Rule } from '../../model/rule.ts';
import { healthySeriesRule } from '../_series.ts';

export const okTrainingWithCheckpoints: Rule = healthySeriesRule({
  id: 'ok/ok-training-with-checkpoints',
  summary: 'A training run with short pauses for checkpoints',
  citations: ['nvml-header', 'dcgm-fields'],
});
