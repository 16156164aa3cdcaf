import type { Rule } from '../../model/rule.ts';
import { healthySeriesRule } from '../_series.ts';

export const okPcieCollectives: Rule = healthySeriesRule({
  id: 'ok/ok-pcie-collectives',
  summary: 'GPUs exchange data over PCIe, and work meanwhile',
  citations: ['nvml-header', 'dcgm-fields'],
});
