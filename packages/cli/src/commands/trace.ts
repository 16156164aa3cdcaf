import type { Knowledge } from '@culprit/core/knowledge/knowledge';
import type { Document } from '@culprit/core/model/document';
import type { Verdict } from '@culprit/core/model/verdict';
import { exitStatusOf, worstExitStatus } from '@culprit/core/report/exit-status';
import { jsonText } from '@culprit/core/report/json-report';
import type { Redactor } from '@culprit/core/report/redact';
import { traceMarkdown, traceText } from '@culprit/core/report/trace-report';
import type { VerdictFormat } from '@culprit/core/report/verdict-report';
import { summaryMarkdown, summaryText } from '@culprit/core/report/trace-summary';
import { reportVerdict } from '@culprit/core/report/verdict-report';
import { visiblePage } from '@culprit/core/report/visible';
import type { Trace } from '@culprit/core/trace/model';
import type { TraceSummary } from '@culprit/core/trace/summary';
import { summaryOf } from '@culprit/core/trace/summary';
import type { TraceLimits } from '@culprit/core/trace/thresholds.rows';
import { traceThresholds } from '@culprit/core/trace/thresholds.rows';
import { ncuVerdict } from '@culprit/core/trace/trace';
import { traceVerdict } from '@culprit/core/trace/verdict';
import { toolError, usageError } from '../errors.ts';
import { reportTarget } from '../report-target.ts';
import { printThresholds, thresholdsOf } from '../thresholds.ts';
import { version } from '../version.ts';
import type { Call, Run } from './command.ts';
import type { Table } from './trace-inputs.ts';
import type { PicturedTrace } from './trace-pictures.ts';
import { readTraces } from './trace-inputs.ts';
import { checkPictureFlags, pictureFlags } from './trace-picture-flags.ts';

/** One verdict, and what is printed with it. */
interface Answer {
  readonly verdict: Verdict;
  readonly documents: readonly Document[];
  readonly left: readonly string[];
  /** The numbers behind it, as text or Markdown, with names redacted where it is asked for; empty where the format has none. */
  readonly numbers: (redactor: Redactor | null) => string;
  /** What pictures are made of; null for a table of kernels. */
  readonly pictured: PicturedTrace | null;
}

export const run: Run = async (call) => {
  if (call.flags['thresholds'] === true) {
    printThresholds(call, traceThresholds);
    return 0;
  }
  checkPictureFlags(call);
  const limits = thresholdsOf(call, traceThresholds, 'trace');
  if (call.positionals.length === 0 && process.stdin.isTTY)
    throw usageError('no-input', 'there is no profile', 'ncu --csv --page raw ./app | culprit trace -');
  const target = reportTarget(call);
  const top = Number(call.flags['top'] ?? '5');
  if (!Number.isInteger(top) || top < 0) throw usageError('bad-value', '--top is a whole number', null);
  const knowledge = await call.knowledge();
  const names = call.positionals.length === 0 ? ['-'] : call.positionals;
  if (call.flags['compare'] === true)
    return (await import('./trace-compare.ts')).compareFiles(call, names, knowledge, limits, target);
  const inputs = await readTraces(names, call);
  const answers = [
    ...inputs.tables.map((table) => tableAnswer(table, top, knowledge, call)),
    ...(inputs.traces.length === 0 ? [] : [jobAnswer(inputs.traces, inputs.left, knowledge, limits, top, call)]),
  ];
  const broken = inputs.failures.filter(({ damaged }) => damaged);
  // A trace of which nothing can be read is an answer too, unless others are judged.
  if (answers.length === 0 && broken.length === inputs.failures.length && broken.length > 0)
    answers.push(
      jobAnswer([], [...inputs.left, ...broken.map(({ message }) => message)], knowledge, limits, top, call),
    );
  const failures = answers.length === 1 && inputs.traces.length + inputs.tables.length === 0 ? [] : inputs.failures;
  const [failure] = failures;
  if (answers.length === 0 && failure !== undefined) throw toolError('no-input', failure.message, failure.hint);
  if (answers.length > 1 && !['text', 'markdown', 'json'].includes(call.format))
    throw usageError(
      'bad-value',
      `${call.format} holds one verdict; there are ${answers.length} of these profiles`,
      'one file at a time',
    );
  for (const { message, hint } of failures) call.output.error(message, hint);
  const statuses = failures.map(() => 4);
  const verdicts: Verdict[] = [];
  let masked: ReturnType<Redactor['masked']> = [];
  for (const answer of answers) {
    let { verdict, left } = answer;
    let redactor: Redactor | null = null;
    if (target.redact) {
      const { redactorOf } = await import('@culprit/core/report/redact');
      redactor = redactorOf(answer.documents);
      verdict = redactor.verdict(verdict);
      left = redactor.value(left);
    }
    const numbers = answer.numbers(redactor);
    if (redactor !== null) masked = [...masked, ...redactor.masked()];
    statuses.push(exitStatusOf(verdict.status));
    if (call.format === 'json' && names.length > 1 && inputs.tables.length > 0) {
      verdicts.push(verdict);
      continue;
    }
    if (call.format === 'html' && answer.pictured !== null) {
      const { tracePage } = await import('./trace-pictures.ts');
      target.write(tracePage(answer.pictured, target.redact));
      continue;
    }
    const options = { knowledge, version, color: target.color, columns: target.columns, left };
    target.write(reportVerdict(verdict, call.format as VerdictFormat, options));
    if (numbers !== '') target.write(`\n${visiblePage(numbers)}`);
    if (call.format !== 'text' && call.format !== 'markdown')
      for (const each of left) call.output.note(`culprit: ${each}`);
  }
  if (pictureFlags.some((flag) => call.flags[flag] !== undefined)) {
    const pictured = answers.find((answer) => answer.pictured !== null)?.pictured ?? null;
    if (pictured === null) throw toolError('no-input', 'there is no trace of events to draw', null);
    (await import('./trace-pictures.ts')).writeTracePictures(call, pictured);
  }
  if (verdicts.length > 0) target.write(`${jsonText(verdicts, 1)}\n`);
  target.done(target.redact ? masked : null);
  return worstExitStatus(statuses);
};

function tableAnswer(table: Table, top: number, knowledge: Knowledge, call: Call): Answer {
  const { verdict, kernels, document, left } = ncuVerdict(table.text, table.name, knowledge);
  const numbers =
    call.format === 'text'
      ? traceText(kernels, top, knowledge, call.output)
      : call.format === 'markdown'
        ? traceMarkdown(kernels, top, knowledge)
        : '';
  const numbersFor = (redactor: Redactor | null): string => redactor?.text(numbers) ?? numbers;
  return { verdict, documents: [document], left, numbers: numbersFor, pictured: null };
}

function jobAnswer(
  traces: readonly Trace[],
  left: readonly string[],
  knowledge: Knowledge,
  limits: TraceLimits,
  top: number,
  call: Call,
): Answer {
  const found = traceVerdict(traces, knowledge, limits);
  const { verdict, findings, documents } = found;
  const all = [...left, ...found.left];
  const tables = ['html', 'markdown', 'text'].includes(call.format) || call.flags['html'] !== undefined;
  const summary = tables ? summaryOf(traces, found.scenes, top) : null;
  const shown = (redactor: Redactor | null): TraceSummary | null =>
    redactor === null || summary === null ? summary : redactor.value(summary);
  const numbers = (redactor: Redactor | null): string => {
    const told = ['text', 'markdown'].includes(call.format) ? shown(redactor) : null;
    if (told === null) return '';
    return call.format === 'text' ? summaryText(told, call.output) : summaryMarkdown(told);
  };
  const pictured = { traces, findings, documents, verdict, left: all, knowledge, summary };
  return { verdict, documents, left: all, numbers, pictured };
}
