import type { Document } from '@culprit/core/model/document';
import type { Status } from '@culprit/core/model/layer';
import type { Knowledge } from '@culprit/core/knowledge/knowledge';
import { readInputs } from '@culprit/collect';
import { compare, compareAlike } from '@culprit/core/compare/compare';
import type { Diff } from '@culprit/core/compare/diff';
import type { Platform } from '@culprit/core/compare/expected-bandwidth';
import { platformOf } from '@culprit/core/compare/expected-bandwidth';
import { splitBy } from '@culprit/core/compare/split';
import type { Subject, SubjectInput } from '@culprit/core/compare/subject';
import { subjectOf } from '@culprit/core/compare/subject';
import { recogniserOf } from '@culprit/core/diagnose/recognise';
import { parsers } from '@culprit/core/parse/parsers';
import type { DiffFormat } from '@culprit/core/report/diff-report';
import { reportDiff } from '@culprit/core/report/diff-report';
import { worstExitStatus } from '@culprit/core/report/exit-status';
import { Condenser } from '@culprit/core/text/condense';
import { usageError } from '../errors.ts';
import type { Call, Run } from './command.ts';
import type { Files } from './diff-subjects.ts';
import { listSubjects } from './diff-subjects.ts';

export const run: Run = async (call) => {
  const knowledge = await call.knowledge();
  const platform = platformFlag(call, knowledge);
  const each = (call.flags['each'] as 'file' | 'folder' | undefined) ?? null;
  const by = (call.flags['by'] as 'rank' | 'host' | undefined) ?? null;
  const against = call.flags['against'] as readonly string[] | undefined;
  const names = call.positionals;
  if (names.length === 0)
    throw usageError('missing-argument', 'there is nothing to compare', 'culprit diff good.log bad.log');
  const sides = sidesOf(names, against).map((side) => listSubjects([...new Set(side)], each));
  const reader = new Reader(call, knowledge, by);
  const groups: (readonly Subject[])[] = [];
  for (const side of sides) groups.push(await reader.subjects(side.subjects));
  call.output.progress(null);
  if (groups.flat().length === 0) {
    if (!reader.failed)
      call.output.error(
        'nothing could be read: there are no files to compare',
        'name files that hold text, or folders with such files',
      );
    return 4;
  }
  const labels = sides.map((side) => side.label);
  const left = [...sides.flatMap((side) => side.left), ...reader.left];
  const made = compared(groups, labels, platform, knowledge, names.length);
  if (made === null) {
    const at = groups.findIndex((group) => group.length === 0);
    const name = at === 0 ? 'the first group' : 'the group after --against';
    call.output.error(
      `nothing of ${against === undefined ? (sides[at]?.label ?? names[at] ?? name) : name} could be read, so there is nothing to compare`,
      'name files that hold text, or folders with such files',
    );
    return 4;
  }
  await print(call, made, knowledge, left, reader.kept);
  return worstExitStatus([statusOf(made), ...(reader.failed ? [4] : [])]);
};

/** Two names are one side each; more without --against are one, which is divided later. */
function sidesOf(names: readonly string[], against: readonly string[] | undefined): readonly (readonly string[])[] {
  if (against !== undefined) return [names, against];
  return names.length === 2 ? [[names[0]!], [names[1]!]] : [names];
}

function compared(
  groups: readonly (readonly Subject[])[],
  labels: readonly (string | null)[],
  platform: Platform | null,
  knowledge: Knowledge,
  names: number,
): Diff | null {
  const [first = [], second = []] = groups;
  if (groups.length === 2) {
    if (first.length === 0 || second.length === 0) return null;
    return compare(first, second, knowledge, { platform, labels: [labels[0] ?? null, labels[1] ?? null] });
  }
  if (first.length === 1) {
    if (first[0]!.bandwidth.length > 0) return compare(first, [], knowledge, { platform });
    throw usageError(
      'missing-argument',
      names === 1 ? 'one subject has nothing to be compared with' : 'only one subject could be read',
      'name another: culprit diff good.log bad.log, or --by rank for the ranks of one log',
    );
  }
  const { failing, passing } = divided(first);
  if (failing.length === 0 || passing.length === 0) {
    // Nothing divides them by itself: who differs from the rest?
    if (first.length > 2) return compareAlike(first, knowledge, { platform });
    return compare(first.slice(0, 1), first.slice(1), knowledge, { platform });
  }
  return compare(failing, passing, knowledge, { platform, byVerdict: true });
}

/** By their verdicts; where these are alike, those in which anything is found or ended with an exception are the failing. */
function divided(subjects: readonly Subject[]): { failing: readonly Subject[]; passing: readonly Subject[] } {
  const by = (test: (subject: Subject) => boolean): ReturnType<typeof divided> => ({
    failing: subjects.filter(test),
    passing: subjects.filter((subject) => !test(subject)),
  });
  const judged = by((subject) => wrong.has(subject.verdict.status));
  if (judged.failing.length > 0) return judged;
  return by(
    (subject) => subject.verdict.findings.length > 0 || subject.facts.some((fact) => fact.id === 'program.exception'),
  );
}

const wrong: ReadonlySet<Status> = new Set(['fault', 'performance', 'not-stack-fault']);

function statusOf(diff: Diff): 0 | 1 | 3 {
  switch (diff.answer) {
    case 'separated':
      return 1;
    case 'no-difference':
      return 0;
    case 'cannot-tell':
      return 3;
  }
}

async function print(
  call: Call,
  diff: Diff,
  knowledge: Knowledge,
  left: readonly string[],
  documents: readonly Document[],
): Promise<void> {
  let shown = diff;
  let missed = left;
  if (call.flags['redact'] === true) {
    const redactor = (await import('@culprit/core/report/redact')).redactorOf(documents);
    shown = redactor.value(diff);
    missed = redactor.value(left);
  }
  call.output.data(
    reportDiff(shown, call.format as DiffFormat, {
      color: call.output.color,
      columns: call.output.columns,
      citations: knowledge.citations,
      left: missed,
    }),
  );
  if (call.format === 'json' || call.format === 'csv') for (const each of missed) call.output.note(`culprit: ${each}`);
}

function platformFlag(call: Call, knowledge: Knowledge): Platform | null {
  const name = call.flags['platform'];
  if (typeof name !== 'string') return null;
  const found = platformOf(name, knowledge.ncclBandwidth);
  if (found !== null) return found;
  const names = [...new Set(knowledge.ncclBandwidth.map((row) => row.platform))];
  throw usageError('bad-value', `no row of the table nccl-bandwidth is about ${name}`, `it knows: ${names.join(', ')}`);
}

/** Ranks below the highest of which no line is: those that died or never said anything; null where there are none. */
function missingRanks(names: readonly string[]): string | null {
  const ranks = new Set(names.map((name) => Number(name.replace(/^rank /, ''))));
  const highest = Math.max(...ranks);
  if (!Number.isSafeInteger(highest) || highest >= 4 * ranks.size + 8) return null;
  const missing = Array.from({ length: highest }, (_, rank) => rank).filter((rank) => !ranks.has(rank));
  if (missing.length === 0) return null;
  const shown = missing.slice(0, 12).join(', ');
  return `no line is of rank ${shown}${missing.length > 12 ? ` and ${missing.length - 12} more` : ''}: not compared, which may itself be the difference`;
}

/** Reads one subject after the other; the texts are let go once their facts are known. */
class Reader {
  readonly left: string[] = [];
  /** Kept only where names in them must be replaced. */
  readonly kept: Document[] = [];
  failed = false;
  private readonly call: Call;
  private readonly knowledge: Knowledge;
  private readonly by: 'rank' | 'host' | null;
  private readonly started = performance.now();
  private shown = 0;

  constructor(call: Call, knowledge: Knowledge, by: 'rank' | 'host' | null) {
    this.call = call;
    this.knowledge = knowledge;
    this.by = by;
  }

  async subjects(listed: readonly Files[]): Promise<readonly Subject[]> {
    const out: Subject[] = [];
    for (const [at, { name, files }] of listed.entries()) {
      this.progress(`${at + 1} of ${listed.length}: ${name}`);
      const documents = await this.read(files);
      if (documents.length === 0) continue;
      if (this.call.flags['redact'] === true) this.kept.push(...documents);
      const parts = this.parts({ name, documents }, listed.length);
      for (const part of parts) out.push(subjectOf(part, this.knowledge, Math.max(parts.length, listed.length)));
    }
    return out;
  }

  private parts(input: SubjectInput, of: number): readonly SubjectInput[] {
    if (this.by === null) return [input];
    const parts = splitBy(input.documents, this.by);
    if (parts.length === 0) {
      this.left.push(`${input.name}: its lines do not name two or more ${this.by}s`);
      return [input];
    }
    const missing = this.by === 'rank' ? missingRanks(parts.map((part) => part.name)) : null;
    if (missing !== null) this.left.push(`${input.name}: ${missing}`);
    return of === 1 ? parts : parts.map((part) => ({ ...part, name: `${input.name}, ${part.name}` }));
  }

  private async read(files: readonly string[]): Promise<readonly Document[]> {
    const recogniser = recogniserOf(this.knowledge.signatures, parsers);
    const { documents, unreadable, left } = await readInputs(
      files,
      (file, allowance) => new Condenser(recogniser, file, allowance),
    );
    for (const { name, reason, hint } of unreadable) {
      this.failed = true;
      this.call.output.error(`${name === '-' ? 'standard input' : name} could not be read: ${reason}`, hint);
    }
    this.left.push(
      ...left,
      ...documents.flatMap((document) => document.left.map((each) => `${document.file ?? 'standard input'}: ${each}`)),
    );
    return documents;
  }

  private progress(text: string): void {
    const now = performance.now() - this.started;
    if (now < 1000 || now - this.shown < 200) return;
    this.shown = now;
    this.call.output.progress(`comparing: ${text}`);
  }
}
