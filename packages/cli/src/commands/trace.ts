import type { Verdict } from '@culprit/core/model/verdict';
import { jsonText } from '@culprit/core/report/json-report';
import type { Redactor } from '@culprit/core/report/redact';
import { exitStatusOf, worstExitStatus } from '@culprit/core/report/exit-status';
import { traceMarkdown, traceText } from '@culprit/core/report/trace-report';
import type { VerdictFormat } from '@culprit/core/report/verdict-report';
import { reportVerdict } from '@culprit/core/report/verdict-report';
import { visiblePage } from '@culprit/core/report/visible';
import { kindOfTrace, ncuVerdict } from '@culprit/core/trace/trace';
import type { TraceAnswer } from '@culprit/core/trace/trace';
import type { Knowledge } from '@culprit/core/knowledge/knowledge';
import { CulpritError, toolError, usageError } from '../errors.ts';
import { readText } from '../read-text.ts';
import { reportTarget } from '../report-target.ts';
import { version } from '../version.ts';
import type { Call, Run } from './command.ts';

export const run: Run = async (call) => {
  if (call.positionals.length === 0 && process.stdin.isTTY)
    throw usageError('no-input', 'there is no profile', 'ncu --csv --page raw ./app | culprit trace -');
  const target = reportTarget(call);
  const top = Number(call.flags['top'] ?? '5');
  if (!Number.isInteger(top) || top < 0) throw usageError('bad-value', '--top is a whole number', null);
  const knowledge = await call.knowledge();
  const names = call.positionals.length === 0 ? ['-'] : [...new Set(call.positionals)];
  if (names.length > 1 && !['text', 'markdown', 'json'].includes(call.format))
    throw usageError(
      'bad-value',
      `${call.format} holds one verdict; there are ${names.length} files`,
      'one file at a time',
    );
  const statuses: number[] = [];
  const verdicts: Verdict[] = [];
  let masked: ReturnType<Redactor['masked']> = [];
  for (const name of names) {
    let answer: TraceAnswer;
    try {
      answer = answerOf(name, knowledge);
    } catch (error) {
      if (!(error instanceof CulpritError) || error.exit !== 4 || names.length === 1) throw error;
      call.output.error(error.message, error.hint);
      statuses.push(4);
      continue;
    }
    let { verdict } = answer;
    if (target.redact) {
      const { redactorOf } = await import('@culprit/core/report/redact');
      const redactor = redactorOf([answer.document]);
      verdict = redactor.verdict(verdict);
      masked = [...masked, ...redactor.masked()];
    }
    if (call.format === 'json' && names.length > 1) {
      verdicts.push(verdict);
      statuses.push(exitStatusOf(verdict.status));
      continue;
    }
    const options = { knowledge, version, color: target.color, columns: target.columns, left: answer.left };
    target.write(reportVerdict(verdict, call.format as VerdictFormat, options));
    const numbers = numbersOf(answer, top, knowledge, call);
    if (numbers !== '') target.write(`\n${visiblePage(numbers)}`);
    if (call.format !== 'text' && call.format !== 'markdown')
      for (const each of answer.left) call.output.note(`culprit: ${each}`);
    statuses.push(exitStatusOf(verdict.status));
  }
  if (verdicts.length > 0) target.write(`${jsonText(verdicts, 1)}\n`);
  target.done(target.redact ? masked : null);
  return worstExitStatus(statuses);
};

function numbersOf(answer: TraceAnswer, top: number, knowledge: Knowledge, call: Call): string {
  if (call.format === 'text') return traceText(answer.kernels, top, knowledge, call.output);
  return call.format === 'markdown' ? traceMarkdown(answer.kernels, top, knowledge) : '';
}

function answerOf(name: string, knowledge: Knowledge): TraceAnswer {
  const called = name === '-' ? 'standard input' : name;
  const text = readText(name);
  const kind = kindOfTrace(text);
  if (kind === null)
    throw toolError(
      'no-input',
      `${called} is no profile that is known`,
      text.trim() === ''
        ? 'it is empty'
        : 'read are profiles of Nsight Compute as CSV: ncu --csv --page raw ./app; for logs there is culprit diagnose',
    );
  if (kind !== 'ncu-csv') throw toolError('no-input', `${called} is ${kind.foreign}`, kind.hint);
  return ncuVerdict(text, name === '-' ? '-' : name, knowledge);
}
