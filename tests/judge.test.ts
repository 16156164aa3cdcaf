import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { judge } from '../packages/core/src/compat/judge.ts';
import type { Question } from '../packages/core/src/compat/question.ts';
import { readQuestion } from '../packages/core/src/compat/read/read-question.ts';
import { defaultKnowledge } from '../packages/core/src/knowledge/knowledge.ts';

interface JudgeRow {
  readonly id: string;
  readonly question: Question;
  readonly asText: string;
  readonly expected: {
    readonly answer: string;
    readonly rule: string;
    readonly because?: string;
    readonly errorSeen?: string;
    readonly alsoAccept?: {
      readonly answer?: readonly string[];
      readonly rule?: readonly string[];
      readonly error?: readonly string[];
      readonly claim?: readonly string[];
    };
  };
}

const rows = JSON.parse(
  readFileSync(new URL('../fixtures/judge/judge.json', import.meta.url), 'utf8'),
) as readonly JudgeRow[];

describe.each(['row', 'text'] as const)('judge cases, asked by %s', (how) => {
  it.each(rows.map((row) => [row.id, row] as const))('%s', (_id, row) => {
    const question = how === 'row' ? row.question : readQuestion(row.asText, defaultKnowledge).question;
    const judgement = judge(question, defaultKnowledge);
    const { expected } = row;
    expect([expected.answer, ...(expected.alsoAccept?.answer ?? []), ...(expected.alsoAccept?.claim ?? [])]).toContain(
      judgement.answer,
    );
    expect([expected.rule, ...(expected.alsoAccept?.rule ?? [])]).toContain(judgement.rule);
    if (expected.because !== undefined) expect(judgement.because).toBe(expected.because);
    if (/^\d+$/.test(expected.errorSeen ?? '') && judgement.answer === expected.answer) {
      expect([expected.errorSeen, ...(expected.alsoAccept?.error ?? [])]).toContain(judgement.errorSeen);
    }
  });
});

describe('a typed line', () => {
  it.each(rows.filter((row) => row.question.claim === undefined).map((row) => [row.asText]))(
    '%s is understood to its last word',
    (text) => {
      expect(readQuestion(text, defaultKnowledge).unread.filter((word) => word !== 'compat')).toEqual([]);
    },
  );
});

interface Line {
  readonly line: string;
  readonly answers: readonly string[];
  readonly says?: readonly string[];
}

const lines = JSON.parse(
  readFileSync(new URL('../fixtures/judge/lines.json', import.meta.url), 'utf8'),
) as readonly Line[];

/**
 * As people write in chats, tickets and forums. Answers were written down before a line was first judged; ten were
 * widened afterwards, where a second answer is fair too or the tables do not decide.
 */
describe('lines in free wording', () => {
  it.each(lines.map((row) => [row.line, row] as const))('%s', (line, row) => {
    const judgement = judge(readQuestion(line, defaultKnowledge).question, defaultKnowledge);
    expect(row.answers).toContain(judgement.answer);
    if (row.says !== undefined)
      expect(row.says.some((one) => `${judgement.message} ${judgement.needs ?? ''}`.includes(one))).toBe(true);
  });
});

interface AskedRow {
  readonly text: string;
  readonly answers: readonly string[];
  /** Rule or reason, where only one answer is right. */
  readonly rules?: readonly string[];
}

const asked = JSON.parse(
  readFileSync(new URL('../fixtures/judge/asked.json', import.meta.url), 'utf8'),
) as readonly AskedRow[];

/**
 * Questions of operators, statements, questions with a fact left open, and lines that ask nothing of the kind. All but
 * a few were written down with their answers, by the published tables, before one of them was judged.
 */
describe('as operators ask', () => {
  it.each(asked.map((row) => [row.text, row] as const))('%s', (text, row) => {
    const judgement = judge(readQuestion(text, defaultKnowledge).question, defaultKnowledge);
    expect(row.answers).toContain(judgement.answer);
    if (row.rules !== undefined) expect(row.rules).toContain(judgement.because ?? judgement.rule);
  });
});
