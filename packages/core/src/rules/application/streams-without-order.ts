import type { Rule } from '../../model/rule.ts';
import { traceRule } from '../_trace.ts';

export const streamsWithoutOrder: Rule = traceRule({
  id: 'application/streams-without-order',
  summary: 'Streams of two libraries get work in turn, and no event or wait orders them',
  citations: ['cuda-programming-guide', 'cuda-stream-sync', 'pytorch-cuda-notes'],
});
