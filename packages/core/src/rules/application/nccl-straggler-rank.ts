import type { Rule } from '../../model/rule.ts';
import { traceRule } from '../_trace.ts';

export const ncclStragglerRank: Rule = traceRule({
  id: 'application/nccl-straggler-rank',
  summary: 'One rank comes last to every collective, and all others wait for it',
  citations: ['pytorch-distributed', 'nsight-systems-guide'],
  explains: ['application/nccl-exposed-communication'],
});
