import type { Diff, Separator, Statement } from '../compare/diff.ts';
import { isPair, pairWords, sharesWords } from '../compare/headline.ts';

/** Says how sure a division is. */
export function chanceWords(separator: Separator, diff: Diff): string {
  if (isPair(diff.groups)) return 'one against one: every difference separates them';
  const p = `p = ${separator.p}`;
  return separator.chance
    ? `could be chance: ${p} for groups of this size, ${separator.adjusted} with all that was tried`
    : `hardly chance: ${p}, ${separator.adjusted} with all that was tried`;
}

/** What a separating fact proves. */
export function proofWords(separator: Separator): string {
  return separator.rule === null
    ? 'it separates them, which does not prove that it is the cause'
    : `the finding of ${separator.rule} rests on it`;
}

/** A statement and what the others have instead. */
export function statementWords(statement: Statement): string {
  const others = statement.otherwise.filter((each) => !statement.holds.endsWith(` ${each}`));
  return `${statement.fact} ${statement.holds}${others.length === 0 ? '' : `; else ${others.join(', ')}`}`;
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
    if (ranks.length > 1) out[at] = { ...old, fact: old.fact.replace(/\[rank \d{1,7}\]/, `[ranks ${runs(ranks)}]`) };
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

/** A separating statement with its counts; between two subjects, what each of them has. */
export function countedWords(statement: Statement, separator: Separator, diff: Diff): string {
  if (isPair(diff.groups)) return pairWords(statement, diff.groups, statement.shares[0].with > 0 ? 0 : 1);
  return `${countWords(separator, diff)}: ${statementWords(statement)}`;
}

/** The shares of a separator in words. */
export function countWords(separator: Separator, diff: Diff): string {
  return sharesWords(separator.shares, diff.groups, separator.group);
}
