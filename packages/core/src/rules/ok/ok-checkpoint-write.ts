import type { Rule } from '../../model/rule.ts';
import { healthySeriesRule } from '../_series.ts';

export const okCheckpointWrite: Rule = healthySeriesRule({
  id: 'ok/ok-checkpoint-write',
  summary: 'The GPU pauses once while a checkpoint is written',
  citations: ['nvml-header', 'dcgm-fields'],
});
