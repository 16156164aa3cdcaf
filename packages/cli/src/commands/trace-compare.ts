import type { Knowledge } from '@culprit/core/knowledge/knowledge';
import { jsonReport } from '@culprit/core/report/json-report';
import { traceComparisonMarkdown, traceComparisonText } from '@culprit/core/report/trace-comparison';
import { visiblePage } from '@culprit/core/report/visible';
import { compareTraces } from '@culprit/core/trace/compare';
import type { TraceLimits } from '@culprit/core/trace/thresholds.rows';
import type { TraceVerdict } from '@culprit/core/trace/verdict';
import { traceVerdict } from '@culprit/core/trace/verdict';
import { toolError, usageError } from '../errors.ts';
import type { ReportTarget } from '../report-target.ts';
import type { Call } from './command.ts';
import { readTraces } from './trace-inputs.ts';

/** Compares two traces, or two folders with the ranks of a job each. @returns the exit status */
export async function compareFiles(
  call: Call,
  names: readonly string[],
  knowledge: Knowledge,
  limits: TraceLimits,
  target: ReportTarget,
): Promise<number> {
  const [before, after, more] = names;
  if (before === undefined || after === undefined || more !== undefined)
    throw usageError('bad-value', '--compare takes two traces', 'culprit trace --compare before.sqlite after.sqlite');
  if (!['text', 'json', 'markdown'].includes(call.format))
    throw usageError('bad-value', '--compare prints text, json or markdown', null);
  const sides: { readonly name: string; readonly judged: TraceVerdict }[] = [];
  for (const name of [before, after]) {
    const { traces, failures } = await readTraces([name], call);
    if (traces.length === 0)
      throw toolError('no-input', failures[0]?.message ?? `${name} is no trace of events`, failures[0]?.hint ?? null);
    sides.push({ name, judged: traceVerdict(traces, knowledge, limits) });
  }
  let comparison = compareTraces(sides[0]!, sides[1]!);
  if (target.redact) {
    const { redactorOf } = await import('@culprit/core/report/redact');
    comparison = redactorOf(sides.flatMap(({ judged }) => judged.documents)).value(comparison);
  }
  if (call.format === 'json') target.write(jsonReport(comparison));
  else if (call.format === 'markdown') target.write(traceComparisonMarkdown(comparison));
  else target.write(visiblePage(traceComparisonText(comparison, call.output)));
  target.done(target.redact ? [] : null);
  return { equal: 0, changed: 1, 'cannot-tell': 3 }[comparison.status];
}
