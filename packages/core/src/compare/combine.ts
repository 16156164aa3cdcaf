import type { Separator, Shares } from './diff.ts';
import { fisher } from './fisher.ts';
import type { Surroundings } from './ranking.ts';
import { adjustedOf, chanceFrom, isKnown, patternOf, probabilityOf, rank, rounded, statementOf } from './ranking.ts';
import type { Candidate } from './statements.ts';
import { sharesOf } from './statements.ts';

const mostParts = 3;
const mostCandidates = 800;

/**
 * Looks for a few statements that separate the groups together: `any` of them holds for each subject of one group and
 * none for the other, or `all` of them hold for one group and never together for the other. Greedy: the statement that
 * covers most of what is left comes next; one that turns out to be needless is taken out again.
 * @returns null where nothing separates, or only what chance could bring about
 */
export function combine(candidates: readonly Candidate[], around: Surroundings, tried: number): Separator | null {
  const pool = distinct(candidates, around);
  const found: Separator[] = [];
  for (const group of [0, 1] as const) {
    const any = anyOf(pool, group, around);
    if (any !== null) found.push(separatorOf('any', group, any, around, tried));
    const all = allOf([...pool, ...pool.map((each) => negated(each, around.first))], group, around);
    if (all !== null) found.push(separatorOf('all', group, all, around, tried));
  }
  const sound = found.filter((each) => !each.chance);
  sound.sort((a, b) => a.statements.length - b.statements.length || unknownOf(a) - unknownOf(b));
  return sound[0] ?? null;
}

function unknownOf(separator: Separator): number {
  return separator.shares[0].unknown + separator.shares[1].unknown;
}

/** One statement for each division, the likeliest root of it. */
function distinct(candidates: readonly Candidate[], around: Surroundings): readonly Candidate[] {
  const ranked = rank(
    candidates.filter((each) => isKnown(each) && !each.threshold),
    around,
  );
  const byPattern = new Map<string, Candidate>();
  for (const each of ranked) {
    const pattern = patternOf(each);
    if (!byPattern.has(pattern)) byPattern.set(pattern, each);
  }
  const kept = [...byPattern.values()];
  if (kept.length <= mostCandidates) return kept;
  return kept
    .map((each, at) => ({ each, at, p: probabilityOf(each.shares) }))
    .sort((a, b) => a.p - b.p || a.at - b.at)
    .slice(0, mostCandidates)
    .map(({ each }) => each);
}

function membersOf(group: 0 | 1, around: Surroundings): readonly number[] {
  const all = around.names.map((_, at) => at);
  return group === 0 ? all.slice(0, around.first) : all.slice(around.first);
}

/** Statements that never hold for the other group and together hold for all of this one. */
function anyOf(pool: readonly Candidate[], group: 0 | 1, around: Surroundings): readonly Candidate[] | null {
  const mine = membersOf(group, around);
  const usable = pool.filter((each) => each.shares[1 - group]!.with === 0 && each.shares[group].with > 1);
  return cover(mine, usable, (candidate, at) => candidate.truth[at] === 1);
}

/** Statements that hold for all of this group and of which each of the other group lacks one. */
function allOf(pool: readonly Candidate[], group: 0 | 1, around: Surroundings): readonly Candidate[] | null {
  const others = membersOf(group === 0 ? 1 : 0, around);
  const usable = pool.filter((each) => each.shares[group].with === membersOf(group, around).length);
  return cover(others, usable, (candidate, at) => candidate.truth[at] === 0);
}

function cover(
  what: readonly number[],
  usable: readonly Candidate[],
  covers: (candidate: Candidate, at: number) => boolean,
): readonly Candidate[] | null {
  let left = what;
  const chosen: Candidate[] = [];
  while (left.length > 0 && chosen.length < mostParts) {
    let best: { readonly each: Candidate; readonly rest: readonly number[] } | null = null;
    for (const each of usable) {
      const rest = left.filter((at) => !covers(each, at));
      if (rest.length < (best?.rest.length ?? left.length)) best = { each, rest };
    }
    if (best === null) return null;
    chosen.push(best.each);
    left = best.rest;
  }
  if (left.length > 0 || chosen.length < 2) return null;
  const needed = chosen.filter((each) => {
    const others = chosen.filter((other) => other !== each);
    return what.some((at) => others.every((other) => !covers(other, at)));
  });
  return needed.length < 2 ? null : needed;
}

function negated(candidate: Candidate, first: number): Candidate {
  const truth = candidate.truth.map((each) => (each === -1 ? -1 : 1 - each));
  return {
    ...candidate,
    truth,
    shares: sharesOf(truth, first),
    picks: (value) => !candidate.picks(value),
    holds: candidate.holds.replace(/^is /, 'is not ').replace(/^contains /, 'does not contain '),
  };
}

function separatorOf(
  how: 'any' | 'all',
  group: 0 | 1,
  parts: readonly Candidate[],
  around: Surroundings,
  tried: number,
): Separator {
  const truth = Int8Array.from(around.names, (_, at) => {
    const values = parts.map((each) => each.truth[at]!);
    if (how === 'any') return values.includes(1) ? 1 : values.includes(-1) ? -1 : 0;
    return values.includes(0) ? 0 : values.includes(-1) ? -1 : 1;
  });
  const shares: Shares = sharesOf(truth, around.first);
  const [a, b] = shares;
  const p = fisher(a.with, a.known - a.with, b.with, b.known - b.with);
  // As many sets of so many statements could have been chosen, each of them or its contrary.
  let sets = 1;
  for (let i = 0; i < parts.length; i++) sets *= (2 * tried) / (i + 1);
  const adjusted = adjustedOf(p, sets);
  return {
    how,
    group,
    statements: parts.map((each) => statementOf(each, around)),
    shares,
    p: rounded(p),
    adjusted: rounded(adjusted),
    chance: adjusted >= chanceFrom,
    with: [],
    rule: null,
    changes: [],
    covers:
      how === 'any'
        ? parts.map((each) =>
            membersOf(group, around).flatMap((at) => (each.truth[at] === 1 ? [around.names[at]!] : [])),
          )
        : [],
  };
}
