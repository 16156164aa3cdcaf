import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { documentOfProbe } from '@culprit/core/text/snapshot';
import { compare } from '@culprit/core/compare/compare';
import { skewOf } from '@culprit/core/compare/skew';
import type { Subject } from '@culprit/core/compare/subject';
import { subjectOf } from '@culprit/core/compare/subject';
import type { Document } from '@culprit/core/model/document';
import type { Remedy } from '@culprit/core/model/rule';
import { reportDiff } from '@culprit/core/report/diff-report';
import { exitStatusOf, worstExitStatus } from '@culprit/core/report/exit-status';
import { inOrder, jsonReport } from '@culprit/core/report/json-report';
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
  let skew = skewOf(
    judged.flatMap(({ subject }) => subject ?? []),
    { job: call.flags['job'] !== undefined },
  );
  let common = commonOf(failing);
  const statuses = judged.map(({ subject }) => (subject === null ? 4 : exitStatusOf(subject.verdict.status)));
  // Nodes that are well one by one need not go together.
  if (skew.some((each) => each.certainty === 'proved' || each.certainty === 'likely')) statuses.push(1);
  let shown = judged.map(({ target, subject }) => ({
    target: target.name,
    failure: target.failure,
    verdict: subject === null ? null : inOrder(subject.verdict),
  }));
  let difference = diff;
  if (call.flags['redact'] === true) {
    const redactor = await redactorFor(documents);
    shown = redactor.value(shown);
    difference = redactor.value(diff);
    skew = redactor.value(skew);
    common = redactor.value(common);
  }
  if (call.format === 'json') {
    const made = { schema: 'culprit/targets@1', targets: shown, common, skew, diff: difference };
    call.output.data(jsonReport(made));
    return worstExitStatus(statuses);
  }
  const width = Math.min(40, Math.max(...shown.map((each) => each.target.length)));
  const lines = shown.map(({ target, failure, verdict }) => {
    const words = verdict === null ? 'unknown' : statusWords(verdict);
    const answer = verdict === null ? (failure ?? 'not reached') : verdict.headline;
    // Where nothing can be told the headline says so itself.
    return visible(`${target.padEnd(width)}  ${words === null ? '' : `${words}: `}${answer}`);
  });
  for (const each of common) lines.push('', visible(commonWords(each, failing.length)));
  if (skew.length > 0) lines.push('', 'What differs among them:');
  for (const { rule, certainty, message, remedies } of skew) {
    lines.push(visible(`  ${message}${rule === null ? '' : ` (${certainty ?? ''}, ${rule})`}`));
    for (const remedy of remedies)
      lines.push(visible(`    ${remedy.do}${remedy.command === undefined ? '' : `: ${remedy.command}`}`));
  }
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

/** A cause that several targets share. */
interface Common {
  readonly rule: string;
  readonly targets: readonly string[];
  readonly remedies: readonly Remedy[];
}

/** The causes that lead in several targets, each once, the most frequent first. */
function commonOf(failing: readonly Subject[]): readonly Common[] {
  const by = new Map<string, Common>();
  for (const { name, verdict } of failing) {
    const [lead] = verdict.findings;
    if (lead === undefined) continue;
    const known = by.get(lead.rule);
    by.set(lead.rule, {
      rule: lead.rule,
      targets: [...(known?.targets ?? []), name],
      remedies: known?.remedies ?? lead.remedies,
    });
  }
  return [...by.values()].filter((each) => each.targets.length > 1).sort((a, b) => b.targets.length - a.targets.length);
}

function commonWords({ rule, targets, remedies }: Common, failing: number): string {
  const who =
    targets.length === failing
      ? `all ${failing}`
      : `${targets.length} of ${failing}: ${targets.slice(0, 8).join(', ')}`;
  const fix = remedies.map((each) => each.do).join('; then ');
  return `one cause for ${who}: ${rule}${fix === '' ? '' : `; ${fix}`}`;
}

export function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true });
  } catch (error) {
    throw toolError('not-written', `${folder} is no folder that can be written: ${(error as Error).message}`);
  }
}

export function fileName(name: string, at: number): string {
  const plain = name.replaceAll(/[^\w.-]{1,200}/g, '_').slice(0, 80);
  return `${plain === '' || plain.startsWith('.') ? 'target' : plain}-${at + 1}.json`;
}
