// What tests ask of a verdict on traces.
import { defaultKnowledge } from '../knowledge/knowledge.ts';
import type { Trace } from './model.ts';
import type { TraceVerdict } from './verdict.ts';
import { traceVerdict } from './verdict.ts';

/** The verdict on some traces, and the causes of its wastes. */
export function judgedCauses(...traces: readonly Trace[]): TraceVerdict & { readonly causes: readonly string[] } {
  const answer = traceVerdict(traces, defaultKnowledge);
  return { ...answer, causes: answer.findings.filter(({ kind }) => kind === 'waste').map(({ cause }) => cause) };
}
