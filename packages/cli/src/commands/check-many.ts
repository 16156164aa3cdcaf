import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { documentOfProbe } from '@culprit/collect';
import { compare } from '@culprit/core/compare/compare';
import type { Subject } from '@culprit/core/compare/subject';
import { subjectOf } from '@culprit/core/compare/subject';
import type { Document } from '@culprit/core/model/document';
import { reportDiff } from '@culprit/core/report/diff-report';
import { exitStatusOf, worstExitStatus } from '@culprit/core/report/exit-status';
import { visible } from '@culprit/core/report/visible';
import { statusWords } from '@culprit/core/report/words';
import { toolError, usageError } from '../errors.ts';
import type { Target } from './check-targets.ts';
import { redactorFor, save } from './check.ts';
import type { Call } from './command.ts';

interface Judged {
  readonly target: Target;
  readonly subject: Subject | null;
}

/** Several targets: a table with one verdict each, a common cause once, and what tells failing from passing ones. */
export async function checkMany(call: Call, targets: readonly Target[]): Promise<number> {
  if (call.format !== 'text' && call.format !== 'json')
    throw usageError('unknown-format', `several targets cannot be printed as ${call.format}`, 'formats: text, json');
  if (call.flags['inventory'] === true) throw usageError('bad-value', '--inventory is of one target', null);
  const knowledge = await call.knowledge();
  const documents: Document[] = [];
  const judged: Judged[] = [];
  const folder = call.flags['save'] as string | undefined;
  if (folder !== undefined) makeFolder(folder);
  for (const [at, target] of targets.entries()) {
    if (target.snapshot === null) {
      judged.push({ target, subject: null });
      continue;
    }
    const document = documentOfProbe(target.snapshot, null);
    documents.push(document);
    judged.push({ target, subject: subjectOf({ name: target.name, documents: [document] }, knowledge) });
    if (folder !== undefined) await save(call, join(folder, fileName(target.name, at)), target, document);
  }
  const failing = judged.flatMap(({ subject }) => (subject !== null && isWrong(subject) ? [subject] : []));
  const passing = judged.flatMap(({ subject }) =>
    subject !== null && subject.verdict.status === 'ok' ? [subject] : [],
  );
  const diff =
    failing.length > 0 && passing.length > 0 ? compare(failing, passing, knowledge, { byVerdict: true }) : null;
  const statuses = judged.map(({ subject }) => (subject === null ? 4 : exitStatusOf(subject.verdict.status)));
  let shown = judged.map(({ target, subject }) => ({
    target: target.name,
    failure: target.failure,
    verdict: subject?.verdict ?? null,
  }));
  let difference = diff;
  if (call.flags['redact'] === true) {
    const redactor = await redactorFor(documents);
    shown = redactor.value(shown);
    difference = redactor.value(diff);
  }
  if (call.format === 'json') {
    call.output.data(`${JSON.stringify({ schema: 'culprit/targets@1', targets: shown, diff: difference }, null, 2)}\n`);
    return worstExitStatus(statuses);
  }
  const width = Math.min(40, Math.max(...shown.map((each) => each.target.length)));
  const lines = shown.map(({ target, failure, verdict }) => {
    const words = verdict === null ? 'unknown' : (statusWords(verdict) ?? 'cannot tell');
    return visible(
      `${target.padEnd(width)}  ${words}: ${verdict === null ? (failure ?? 'not reached') : verdict.headline}`,
    );
  });
  const common = commonOf(failing);
  if (common !== null) lines.push('', visible(common));
  call.output.data(`${lines.join('\n')}\n`);
  if (difference !== null) {
    const { color, columns } = call.output;
    call.output.data(
      `\n${reportDiff(difference, 'text', { color, columns, citations: knowledge.citations, left: [] })}`,
    );
  }
  return worstExitStatus(statuses);
}

function isWrong(subject: Subject): boolean {
  return ['fault', 'performance', 'not-stack-fault'].includes(subject.verdict.status);
}

/** One cause of several targets, said once with its fix. */
function commonOf(failing: readonly Subject[]): string | null {
  const [first] = failing;
  if (first === undefined || failing.length < 2) return null;
  const same = failing.filter((each) => each.verdict.cause === first.verdict.cause);
  if (same.length < failing.length) return null;
  const remedies = first.verdict.findings[0]?.remedies.map((each) => each.do) ?? [];
  return `one cause for all ${failing.length}: ${first.verdict.findings[0]?.rule ?? first.verdict.cause}${remedies.length === 0 ? '' : `; ${remedies.join('; then ')}`}`;
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true });
  } catch (error) {
    throw toolError('not-written', `${folder} is no folder that can be written: ${(error as Error).message}`);
  }
}

function fileName(name: string, at: number): string {
  const plain = name.replaceAll(/[^\w.-]{1,200}/g, '_').slice(0, 80);
  return `${plain === '' || plain.startsWith('.') ? 'target' : plain}-${at + 1}.json`;
}
