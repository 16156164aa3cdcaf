import type { Rule } from '../../model/rule.ts';
import { healthySeriesRule } from '../_series.ts';

export const okMigInstances: Rule = healthySeriesRule({
  id: 'ok/ok-mig-instances',
  summary: 'MIG instances have work of their own',
  citations: ['mig-user-guide', 'dcgm-fields'],
});
