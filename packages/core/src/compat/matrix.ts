import type { Knowledge } from '../knowledge/knowledge.ts';
import type { Judgement } from './judgement.ts';
import { judgeQuestion } from './run.ts';
import type { Question } from './question.ts';
import { tablesOf } from './tables.ts';

/** A row or a column: what it is called and what it adds to the question. */
export interface MatrixAxis {
  readonly label: string;
  readonly question: Question;
}

/** A table of judgements: one cell for each pair, rows first. */
export interface Matrix {
  readonly schema: 'culprit/matrix@1';
  readonly title: string;
  readonly rows: readonly string[];
  readonly columns: readonly string[];
  readonly cells: readonly (readonly Judgement[])[];
  readonly asOf: string;
}

/** Judges every pair of a row and a column on top of what they share. */
export function matrix(
  title: string,
  shared: Question,
  rows: readonly MatrixAxis[],
  columns: readonly MatrixAxis[],
  knowledge: Knowledge,
): Matrix {
  return {
    schema: 'culprit/matrix@1',
    title,
    rows: rows.map((row) => row.label),
    columns: columns.map((column) => column.label),
    cells: rows.map((row) =>
      columns.map((column) => judgeQuestion({ ...shared, ...row.question, ...column.question }, knowledge)),
    ),
    asOf: tablesOf(knowledge).asOf,
  };
}

/** Newest known build of every branch from `from` on, as rows. */
export function driverAxis(knowledge: Knowledge, from = 450): readonly MatrixAxis[] {
  return knowledge.branches
    .filter((row) => row.branch >= from)
    .map((row) => {
      const driver = row.lastKnown ?? String(row.branch);
      return { label: driver, question: { driver } };
    });
}

/** One column for every toolkit release line from `from` on. */
export function toolkitAxis(knowledge: Knowledge, from = 11): readonly MatrixAxis[] {
  const lines = [...tablesOf(knowledge).toolkits.values()].filter((row) => Number(row.cuda.split('.')[0]) >= from);
  return lines.map((row) => ({ label: `CUDA ${row.cuda}`, question: { toolkit: row.cuda } }));
}

/** One column for every build of the torch releases named, or of the newest `count`. */
export function torchAxis(knowledge: Knowledge, releases: readonly string[] | number): readonly MatrixAxis[] {
  const all = [...tablesOf(knowledge).torch.keys()];
  const wanted = typeof releases === 'number' ? all.slice(-releases) : releases;
  return wanted.flatMap((release) =>
    (tablesOf(knowledge).torch.get(release) ?? []).map((row) => ({
      label: `torch ${row.torch} ${row.variant}`,
      question: { wheel: { name: 'torch', version: row.torch, variant: row.variant } },
    })),
  );
}
