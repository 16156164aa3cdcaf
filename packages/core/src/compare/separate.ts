import { combine } from './combine.ts';
import type { Column } from './columns.ts';
import type { Separator } from './diff.ts';
import type { Surroundings } from './ranking.ts';
import {
  adjustedOf,
  byText,
  chanceFrom,
  groupOf,
  isKnown,
  patternOf,
  probabilityOf,
  rank,
  rounded,
  statementOf,
} from './ranking.ts';
import { familyOf } from './shapes.ts';
import type { Candidate } from './statements.ts';
import { statementsOf } from './statements.ts';

export interface Separation {
  readonly separators: readonly Separator[];
  readonly nearest: readonly Separator[];
  /** Facts that were read in both groups, and how many of them are not the same everywhere. */
  readonly facts: number;
  readonly varying: number;
}

const nearestBelow = 0.01;
const mostSeparators = 60;
const mostWith = 200;

/** Finds the facts that tell the first group from the second. */
export function separate(columns: readonly Column[], around: Surroundings): Separation {
  const { first } = around;
  const shared = columns.filter((column) => isShared(column, first));
  const candidates = shared.flatMap((column) => statementsOf(column, first));
  const firm = candidates.filter((each) => each.column.tier !== 'loose');
  const tried = Math.max(1, new Set(firm.map(patternOf)).size);
  const facts = shared.filter((column) => column.tier !== 'loose' && column.tier !== 'symptom').length;
  const varying = new Set(firm.map((each) => each.column.id)).size;
  const done = (separators: readonly Separator[], nearest: readonly Separator[]): Separation => ({
    separators: separators.slice(0, mostSeparators),
    nearest,
    facts,
    varying,
  });
  const perfect = onePerColumn(candidates.filter((each) => groupOf(each) !== null && isFair(each, around, tried)));
  const hard = perfect.filter((each) => each.column.tier !== 'loose');
  if (hard.length > 0 || perfect.length > 0) {
    return done(separatorsOf(hard.length > 0 ? hard : perfect, around, tried), []);
  }
  const several = combine(firm, around, tried);
  if (several !== null) return done([several], []);
  return done([], nearestOf(firm, around, tried));
}

/** Read in both groups, so that it can be compared. */
function isShared(column: Column, first: number): boolean {
  return (
    column.cells.some((cell, at) => cell !== null && at < first) &&
    column.cells.some((cell, at) => cell !== null && at >= first)
  );
}

/** Known for at least half of each group; thresholds and loose facts only where they are beyond chance. */
function isFair(candidate: Candidate, around: Surroundings, tried: number): boolean {
  if (!isKnown(candidate)) return false;
  if (!candidate.threshold && candidate.column.tier !== 'loose') return true;
  return adjustedOf(probabilityOf(candidate.shares), tried) < chanceFrom;
}

/** Of the statements about one value the one that says most; every element of a list for itself. */
function onePerColumn(candidates: readonly Candidate[]): readonly Candidate[] {
  const best = new Map<string, Candidate>();
  for (const each of candidates) {
    const key = each.column.element ? `${each.column.id}\u0000${each.holds}` : each.column.id;
    const old = best.get(key);
    if (old === undefined || preferred(each, old)) best.set(key, each);
  }
  return [...best.values()];
}

function preferred(a: Candidate, b: Candidate): boolean {
  if (a.threshold !== b.threshold) return !a.threshold;
  const absent = (each: Candidate): number => (each.holds === `is ${each.column.absent}` ? 1 : 0);
  if (absent(a) !== absent(b)) return absent(a) < absent(b);
  return (groupOf(a) ?? 2) < (groupOf(b) ?? 2);
}

function separatorsOf(candidates: readonly Candidate[], around: Surroundings, tried: number): readonly Separator[] {
  const ranked = rank(candidates, around);
  const root = ranked[0]!;
  const p = probabilityOf(root.shares);
  // Beyond chance all of them are one and the same division: the root stands for it.
  if (adjustedOf(p, tried) < chanceFrom) return [separatorOf(root, ranked.slice(1), around, tried)];
  const families = new Map<string, Candidate[]>();
  for (const each of ranked) {
    // What one finding rests on is one difference; else what one change brings about.
    const rule = around.ruleOf(each, groupOf(each) ?? 0);
    const own = each.column.tier === 'symptom' ? each.column.id : familyOf(each.column.id);
    const family = rule === null ? own : `rule ${rule}`;
    const members = families.get(family);
    if (members === undefined) families.set(family, [each]);
    else members.push(each);
  }
  return [...families.values()].map(([lead, ...rest]) => separatorOf(lead!, rest, around, tried));
}

function separatorOf(lead: Candidate, rest: readonly Candidate[], around: Surroundings, tried: number): Separator {
  const p = probabilityOf(lead.shares);
  const group = groupOf(lead) ?? 0;
  const adjusted = adjustedOf(p, tried);
  return {
    how: 'one',
    group,
    statements: [statementOf(lead, around)],
    shares: lead.shares,
    p: rounded(p),
    adjusted: rounded(adjusted),
    chance: adjusted >= chanceFrom,
    with: rest.slice(0, mostWith).map((each) => statementOf(each, around)),
    rule: around.ruleOf(lead, group),
    changes: [],
    covers: [],
  };
}

/** What divides most of them, far beyond chance. */
function nearestOf(candidates: readonly Candidate[], around: Surroundings, tried: number): readonly Separator[] {
  const close = candidates
    .filter((each) => isKnown(each))
    .map((each) => ({ each, p: probabilityOf(each.shares) }))
    .filter(({ p }) => adjustedOf(p, tried) < nearestBelow)
    .sort(
      (a, b) =>
        a.p - b.p ||
        sideOf(a.each) - sideOf(b.each) ||
        byText(a.each.column.id, b.each.column.id) ||
        byText(a.each.holds, b.each.holds),
    );
  const out: Separator[] = [];
  const seen = new Set<string>();
  for (const { each } of close) {
    const family = familyOf(each.column.id);
    if (seen.has(family) || out.length >= 3) continue;
    seen.add(family);
    out.push({ ...separatorOf(each, [], around, tried), group: sideOf(each) });
  }
  return out;
}

/** The group that more of have it. */
function sideOf({ shares: [a, b] }: Candidate): 0 | 1 {
  return a.with / a.known >= b.with / b.known ? 0 : 1;
}
