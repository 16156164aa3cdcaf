import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createDocument, diagnose } from '../packages/core/src/index.ts';

interface Row {
  readonly id: string;
  readonly kind: string;
  readonly text: string;
  readonly expected: {
    readonly status: string;
    /** Statuses that are right as well. */
    readonly also?: readonly string[];
    readonly layers: readonly string[];
    /** A command that decides holds one of these. */
    readonly ask?: string;
    /** Causes that both have to be named. */
    readonly both?: readonly string[];
  };
}

const rows = JSON.parse(
  readFileSync(join(import.meta.dirname, '../fixtures/corpus/gathered-doubtful.json'), 'utf8'),
) as readonly Row[];

const results = rows.map((row) => ({ row, verdict: diagnose([createDocument(row.text)]) }));
type Result = (typeof results)[number];
const named = (found: readonly Result[]): readonly string[] =>
  found.map(({ row, verdict }) => `${row.id}: ${verdict.status} ${verdict.cause ?? ''}`);
const accepted = ({ row, verdict }: Result): boolean =>
  [row.expected.status, ...(row.expected.also ?? [])].includes(verdict.status);
const accuses = ({ verdict }: Result): boolean => verdict.layer !== null;

describe('texts in doubt', () => {
  it('accuse nobody where all is well, over, or only spoken of', () => {
    const innocent = results.filter(({ row }) => /^(?:ok|cannot-tell)$/.test(row.expected.status));
    expect(named(innocent.filter((each) => accuses(each) && !accepted(each)))).toEqual([]);
  });

  it('are not called healthy where something failed or nobody can tell', () => {
    expect(named(results.filter((each) => each.verdict.status === 'ok' && !accepted(each)))).toEqual([]);
  });

  it('name no wrong layer', () => {
    const wrong = results.filter(
      ({ row, verdict }) =>
        verdict.layer !== null && row.expected.layers.length > 0 && !row.expected.layers.includes(verdict.layer),
    );
    expect(named(wrong)).toEqual([]);
  });

  it('are told, but for few', () => {
    const missed = results.filter((each) => !accepted(each));
    expect(missed.length / results.length, named(missed).join(', ')).toBeLessThanOrEqual(0.02);
  });

  it('name the command that decides where nobody can tell', () => {
    const useless = results.filter(({ row, verdict }) => {
      if (verdict.status !== 'cannot-tell') return false;
      const asks = verdict.unknown.map((each) => each.ask).join(' ');
      return asks === '' || (row.expected.ask !== undefined && !new RegExp(row.expected.ask).test(asks));
    });
    expect(named(useless)).toEqual([]);
  });

  it('name both faults where there are two', () => {
    const lacking = results.filter(({ row, verdict }) =>
      (row.expected.both ?? []).some((cause) => !verdict.findings.some((finding) => finding.cause === cause)),
    );
    expect(named(lacking)).toEqual([]);
  });
});

describe("a report in its writer's own words", () => {
  const reports = (
    JSON.parse(readFileSync(join(import.meta.dirname, '../fixtures/corpus/written.json'), 'utf8')) as readonly Row[]
  )
    .filter(({ expected }) => expected.status === 'fault')
    .slice(0, 24)
    .map(({ id, text }) => ({ id, text, alone: diagnose([createDocument(text)]) }))
    .filter(({ alone }) => alone.layer !== null);
  const deeper = (text: string): string => text.replace(/^(?=.)/gm, '    ');

  it.each([
    [
      'asked in a forum',
      (text: string) => `Hi all,\n\nsince yesterday my job fails here and I do not know why:\n\n${text}\nAny ideas?\n`,
    ],
    [
      'written as a bug report',
      (text: string) =>
        `## Bug report\n\nIt worked for us last week.\n\n### Logs\n\n\`\`\`\n${text}\n\`\`\`\n\n### Expected\n\nThe job runs.\n`,
    ],
    [
      'set off by indentation',
      (text: string) =>
        `My program stops, and it worked two weeks ago on this machine:\n\n${deeper(text)}\n\nWhat can I do?\n`,
    ],
    [
      'in German',
      (text: string) =>
        `Hallo zusammen,\n\nseit heute startet mein Auftrag nicht mehr, letzte Woche lief er noch:\n\n${text}\nWas kann ich tun?\n`,
    ],
  ])('is diagnosed as its output alone, %s', (_, wrap) => {
    const lost = reports.filter(({ text, alone }) => diagnose([createDocument(wrap(text))]).layer !== alone.layer);
    expect(lost.length / reports.length, lost.map((each) => each.id).join(', ')).toBeLessThanOrEqual(0.05);
  });
});
