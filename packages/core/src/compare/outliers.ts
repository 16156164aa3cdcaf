import type { Column } from './columns.ts';
import type { Outlier } from './diff.ts';
import type { Surroundings } from './ranking.ts';
import { byText, rank, statementOf } from './ranking.ts';
import { tiers } from './shapes.ts';
import type { Candidate } from './statements.ts';

/** As many of so many may differ from the rest; more are no exception. */
const mostShare = 0.25;
/** So many of those that were read have the usual value. */
const usualShare = 0.65;
/** One of three that differs is no exception. */
const fewest = 4;
const mostOutliers = 6;
const mostSets = 6;
const mostStatements = 12;

interface Odd {
  /** Places of the subjects that differ. */
  readonly who: readonly number[];
  readonly column: Column;
  /** What the others have. */
  readonly usual: readonly (string | number)[];
}

/** What a search for outliers gives. */
export interface Outliers {
  readonly found: readonly (Outlier & { readonly who: readonly number[] })[];
  /** Facts that were read in two or more, and how many of them are not the same everywhere. */
  readonly facts: number;
  readonly varying: number;
}

/**
 * Looks for few subjects that differ from all others in the same facts, where nothing else makes groups of them. A fact
 * singles some out where most have one and the same value: what differs from subject to subject, as process numbers
 * do, singles out nobody. The cleanest comes first: read in most subjects, a fact before a message, what is about one thing
 * before what is general, few subjects before many, and those that more facts single out.
 */
export function outliersOf(columns: readonly Column[], around: Surroundings): Outliers {
  const firm = columns.filter((column) => column.tier !== 'loose' && column.id !== 'host');
  const odd = firm.flatMap((column) => oddOf(column));
  const bySet = new Map<string, Odd[]>();
  for (const each of odd) {
    const key = each.who.join(' ');
    const known = bySet.get(key);
    if (known === undefined) bySet.set(key, [each]);
    else known.push(each);
  }
  // A list that singles out one here and another there is one that differs between any two.
  const often = new Map<string, number>();
  for (const each of odd) often.set(each.column.id, (often.get(each.column.id) ?? 0) + 1);
  const sets = [...bySet.values()].map((members) => {
    const who = members[0]!.who;
    const candidates = rank(
      members.map((each) => candidateOf(each, around.names.length)),
      around,
    );
    const lead = candidates[0]!;
    const unknown = lead.shares[0].unknown + lead.shares[1].unknown;
    return {
      who,
      candidates,
      keys: [
        members.every((each) => often.get(each.column.id)! > mostSets) ? 1 : 0,
        Math.round((10 * unknown) / around.names.length),
        tiers.indexOf(lead.column.tier),
        around.bluntnessOf(lead.column.id),
        who.length,
        -members.length,
      ],
    };
  });
  sets.sort((a, b) => {
    for (let i = 0; i < a.keys.length; i++) {
      const difference = a.keys[i]! - b.keys[i]!;
      if (difference !== 0) return difference;
    }
    return byText(around.names[a.who[0]!]!, around.names[b.who[0]!]!);
  });
  const read = firm.filter(
    (column) => column.tier !== 'symptom' && column.cells.filter((cell) => cell !== null).length > 1,
  );
  return {
    found: sets.slice(0, mostOutliers).map(({ who, candidates }) => ({
      who,
      subjects: who.map((at) => around.names[at]!),
      statements: candidates.slice(0, mostStatements).map((each) => statementOf(each, around)),
    })),
    facts: read.length,
    varying: firm.filter(
      (column) => new Set(column.cells.flatMap((cell) => (cell === null ? [] : [keyOf(cell)]))).size > 1,
    ).length,
  };
}

function keyOf(cell: NonNullable<Column['cells'][number]>): string {
  return [...cell.keys()].map(String).sort().join('\u0000');
}

/** The subjects that one column singles out; of a list, for each of its elements. */
function oddOf(column: Column): readonly Odd[] {
  const known = column.cells.flatMap((cell, at) => (cell === null ? [] : [{ at, cell }]));
  if (known.length < fewest || known.length * 2 < column.cells.length) return [];
  const most = Math.max(1, Math.floor(known.length * mostShare));
  if (column.element) {
    const values = new Set(known.flatMap(({ cell }) => [...cell.keys()]));
    return [...values].flatMap((value): readonly Odd[] => {
      const having = known.filter(({ cell }) => cell.has(value));
      const without = known.filter(({ cell }) => !cell.has(value));
      if (having.length > 0 && having.length <= most && without.length > having.length)
        return [{ who: having.map(({ at }) => at), column: only(column, value), usual: ['not'] }];
      if (without.length > 0 && without.length <= most && having.length > without.length)
        return [{ who: without.map(({ at }) => at), column: only(column, value), usual: [value] }];
      return [];
    });
  }
  const groups = new Map<string, { readonly at: number; readonly cell: NonNullable<Column['cells'][number]> }[]>();
  for (const each of known) {
    const key = keyOf(each.cell);
    const own = groups.get(key);
    if (own === undefined) groups.set(key, [each]);
    else own.push(each);
  }
  const [usual, ...others] = [...groups.values()].sort((a, b) => b.length - a.length);
  if (usual === undefined || others.length === 0) return [];
  const values = [...usual[0]!.cell.keys()];
  // Each other value by itself: rank 11 here and rank 3 there differ for reasons of their own.
  return others.flatMap((group): readonly Odd[] =>
    group.length <= most && usual.length >= known.length * usualShare && usual.length > group.length
      ? [{ who: group.map(({ at }) => at), column, usual: values }]
      : [],
  );
}

/** A list as the question whether it has one element. */
function only(column: Column, value: string | number): Column {
  return {
    ...column,
    cells: column.cells.map((cell) =>
      cell === null ? null : cell.has(value) ? new Map([[value, cell.get(value)!]]) : new Map([['not', null]]),
    ),
  };
}

function candidateOf({ who, column, usual }: Odd, count: number): Candidate {
  const chosen = new Set(who);
  const known = (at: number): boolean => column.cells[at] !== null;
  const own = [...column.cells[who[0]!]!.keys()];
  const differing = own.filter((value) => !usual.includes(value));
  const shown = differing.length > 0 ? differing : own;
  const lacks = column.element && shown[0] === 'not';
  const holds = lacks
    ? `does not contain ${String(usual[0])}`
    : column.element
      ? `contains ${String(shown[0])}`
      : `is ${shown.slice(0, 3).map(String).join(' and ')}`;
  const others = Array.from({ length: count }, (_, at) => at).filter((at) => !chosen.has(at));
  const knownOthers = others.filter(known).length;
  return {
    column,
    holds,
    // Subjects that have a third value differ too, but not in this way.
    truth: Int8Array.from({ length: count }, (_, at) => (!known(at) ? -1 : chosen.has(at) ? 1 : 0)),
    shares: [
      { with: who.length, known: who.length, unknown: 0 },
      { with: 0, known: knownOthers, unknown: others.length - knownOthers },
    ],
    picks: (value) => shown.includes(value),
    threshold: false,
  };
}
