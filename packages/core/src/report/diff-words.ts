import type { Diff, Separator, Statement } from '../compare/diff.ts';
import { holdsWords, isMessage, isPair, pairWords, sharesWords } from '../compare/headline.ts';

interface Division {
  readonly p: number;
  readonly adjusted: number;
  readonly chance: boolean;
}

/** Says how sure a division is, in words that need no statistics. */
export function chanceWords(division: Division, diff: Diff): string {
  if (isPair(diff.groups)) return 'one against one: every difference separates them';
  if (diff.outliers.length > 0) return 'the groups were made by what differs, so how they divide is no test of it';
  if (diff.byVerdict) return 'the groups were made of verdicts, so a finding divides them by itself';
  const groups = diff.groups.map((group) => group.subjects.length).join(' and ');
  const alone = `a fact that has nothing to do with it would divide ${groups} like this ${oddsWords(division.p)}`;
  const all = oddsWords(division.adjusted);
  const tried = division.adjusted === division.p ? '' : `, and one of all that was compared ${all}`;
  return `${division.chance ? 'could be chance' : 'hardly chance'}: ${alone}${tried}`;
}

const scales: readonly (readonly [number, string])[] = [
  [1e12, 'million million'],
  [1e9, 'thousand million'],
  [1e6, 'million'],
  [1e3, 'thousand'],
];

/** A probability as odds: `once in 145 million`, `more often than not`. */
export function oddsWords(p: number): string {
  if (p > 0.9) return 'nearly always';
  if (p > 0.5) return 'more often than not';
  const times = 1 / Math.max(p, 1e-15);
  if (p < 1e-15) return 'less than once in 1000 million million';
  const scale = scales.find(([from]) => times >= from);
  if (scale === undefined) return `once in ${times < 10 ? Number(times.toFixed(1)) : Math.round(times)}`;
  const shown = times / scale[0];
  return `once in ${shown < 10 ? Number(shown.toFixed(1)) : Math.round(shown)} ${scale[1]}`;
}

/** What a separating fact proves. */
export function proofWords(separator: Separator): string {
  return separator.rule === null
    ? 'it separates them, which does not prove that it is the cause'
    : `the finding of ${separator.rule} rests on it`;
}

/** A statement and what the others have instead. */
export function statementWords(statement: Statement, id: string = ''): string {
  const others = statement.otherwise.filter((each) => !statement.holds.endsWith(` ${each}`));
  if (isMessage(statement)) return `${holdsWords(statement)}${id}`;
  return `${statement.title} ${statement.holds}${others.length === 0 ? '' : `; else ${others.join(', ')}`}${id}`;
}

/** Statements about single ranks that say the same, as one about all of these ranks. */
export function byRanks(statements: readonly Statement[]): readonly Statement[] {
  const out: Statement[] = [];
  const places = new Map<string, { at: number; ranks: number[] }>();
  for (const each of statements) {
    const rank = /\[rank (\d{1,7})\]/.exec(each.fact)?.[1];
    if (rank === undefined) {
      out.push(each);
      continue;
    }
    const key = JSON.stringify([each.fact.replace(/\[rank \d{1,7}\]/, ''), each.holds, each.otherwise]);
    const known = places.get(key);
    if (known === undefined) {
      places.set(key, { at: out.length, ranks: [Number(rank)] });
      out.push(each);
    } else known.ranks.push(Number(rank));
  }
  for (const { at, ranks } of places.values()) {
    const old = out[at]!;
    const all = `ranks ${runs(ranks)}`;
    if (ranks.length > 1)
      out[at] = {
        ...old,
        fact: old.fact.replace(/\[rank \d{1,7}\]/, `[${all}]`),
        title: old.title.replace(/\brank \d{1,7}/, all),
      };
  }
  return out;
}

/** `0–7, 12`. */
function runs(ranks: readonly number[]): string {
  const sorted = [...ranks].sort((a, b) => a - b);
  const parts: string[] = [];
  let from = 0;
  for (let i = 1; i <= sorted.length; i++) {
    if (i < sorted.length && sorted[i] === sorted[i - 1]! + 1) continue;
    const [a, b] = [sorted[from]!, sorted[i - 1]!];
    parts.push(a === b ? String(a) : `${a}–${b}`);
    from = i;
  }
  return parts.length > 6 ? `${parts.slice(0, 6).join(', ')} …` : parts.join(', ');
}

/** `failing: 16 subjects (16 fault)`. */
export function groupWords(diff: Diff): readonly string[] {
  return diff.groups.map((group) => {
    const statuses = Object.entries(group.statuses).map(([status, count]) => `${count} ${status}`);
    const count = group.subjects.length;
    return `${group.label}: ${count} ${count === 1 ? 'subject' : 'subjects'} (${statuses.join(', ')})`;
  });
}

/** A separating statement with its counts and the id of its fact; between two subjects, what each of them has. */
export function countedWords(statement: Statement, separator: Separator, diff: Diff): string {
  const id = ` [${statement.fact}]`;
  if (isPair(diff.groups)) return `${pairedWords(statement, diff)}${id}`;
  return `${countWords(separator, diff)}: ${statementWords(statement, id)}`;
}

/** A statement that goes together with a separating one. */
export function togetherWords(statement: Statement, diff: Diff): string {
  return isPair(diff.groups) ? pairedWords(statement, diff) : statementWords(statement);
}

function pairedWords(statement: Statement, diff: Diff): string {
  return pairWords(statement, diff.groups, statement.shares[0].with > 0 ? 0 : 1);
}

/** The shares of a separator in words. */
export function countWords(separator: Separator, diff: Diff): string {
  if (diff.outliers.length > 0) {
    const [own, others] = diff.groups.map((group) => group.label);
    const unknown = separator.shares[0].unknown + separator.shares[1].unknown;
    const rest = unknown === 0 ? '' : ` (${unknown} not read)`;
    if (separator.group === 0) return `${own!} alone${rest}`;
    return `all of ${others!}, and not ${own!}${rest}`;
  }
  return sharesWords(separator.shares, diff.groups, separator.group);
}
