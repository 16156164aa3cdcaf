import type { Redactor } from '@culprit/core/report/redact';
import type { VerdictFormat } from '@culprit/core/report/verdict-report';
import { lookupOf } from '@culprit/core/report/lookup';
import { reportVerdict } from '@culprit/core/report/verdict-report';
import { exitStatusOf, worstExitStatus } from '@culprit/core/report/exit-status';
import { usageError } from '../errors.ts';
import { inputName, judgedInputs } from '../judged-inputs.ts';
import { reportTarget } from '../report-target.ts';
import { version } from '../version.ts';
import type { Call, Run } from './command.ts';

export const run: Run = async (call) => {
  if (call.positionals.length === 0 && process.stdin.isTTY) {
    throw usageError(
      'no-input',
      'there is nothing to diagnose',
      'name a file, or pipe a log: kubectl logs POD | culprit diagnose -',
    );
  }
  const target = reportTarget(call);
  if (call.flags['share'] === true && (call.flags['follow'] === true || call.flags['format'] !== undefined))
    throw usageError('bad-value', '--share prints Markdown of its own', 'leave out --format and --follow');
  if (call.flags['follow'] === true) return (await import('../follow.ts')).follow(call, target);
  const names = call.positionals.length === 0 ? ['-'] : call.positionals;
  const knowledge = await call.knowledge();
  const judged = await judgedInputs(names, knowledge, progressOf(call));
  const { documents, unreadable } = judged;
  let { verdict, left } = judged;
  call.output.progress(null);
  for (const { name, reason, hint } of unreadable)
    call.output.error(`${inputName(name)} could not be read: ${reason}`, hint);
  if (documents.length === 0) return 4;
  let masked: ReturnType<Redactor['masked']> | null = null;
  if (target.redact) {
    const redactor = (await import('@culprit/core/report/redact')).redactorOf(documents);
    verdict = redactor.verdict(verdict);
    left = redactor.value(left);
    masked = redactor.masked();
  }
  const options = { knowledge, version, color: target.color, columns: target.columns, left };
  if (call.flags['share'] === true) {
    const { shareReport } = await import('@culprit/core/report/share-report');
    target.write(shareReport(verdict, lookupOf(knowledge, verdict), options, masked));
  } else target.write(reportVerdict(verdict, call.format as VerdictFormat, options));
  target.done(masked);
  if (call.format !== 'text' && call.format !== 'markdown' && call.flags['share'] !== true)
    for (const each of left) call.output.note(`culprit: ${each}`);
  return worstExitStatus([exitStatusOf(verdict.status), ...(unreadable.length > 0 ? [4] : [])]);
};

/** Says from the second second on how far the reading of a huge input is. */
function progressOf(call: Call): (name: string, done: number, size: number | null) => void {
  const started = performance.now();
  let last = 0;
  return (name, done, size) => {
    const now = performance.now() - started;
    if (now < 1000 || now - last < 200) return;
    last = now;
    const part = size === null ? '' : ` of ${Math.round(size / 1e6)}`;
    call.output.progress(`reading ${inputName(name)}: ${Math.round(done / 1e6)}${part} MB`);
  };
}
