import type { Rule } from '../../model/rule.ts';
import { healthySeriesRule } from '../_series.ts';

export const okStreamingInput: Rule = healthySeriesRule({
  id: 'ok/ok-streaming-input',
  summary: 'Input streams in over PCIe as fast as it is used',
  citations: ['nvml-header', 'dcgm-fields'],
});
