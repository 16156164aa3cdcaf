import type { Layer } from '../model/layer.ts';
import { layers } from '../model/layer.ts';
import type { Shares, Statement } from './diff.ts';
import { fisher } from './fisher.ts';
import type { Tier } from './shapes.ts';
import { leadOf, tiers } from './shapes.ts';
import type { Candidate } from './statements.ts';
import { evidenceFor, valuesOf } from './statements.ts';

/** From this probability on a division is called possibly chance. */
export const chanceFrom = 0.05;

/** What is known of the subjects beside their facts. */
export interface Surroundings {
  /** How many of the subjects belong to the first group. */
  readonly first: number;
  readonly names: readonly string[];
  layerOf(feature: string): Layer;
  /** What a feature is, in words. */
  wordsOf(feature: string): string;
  /** 0: about one thing; above: how general it is. */
  bluntnessOf(feature: string): number;
  /** Rule of which a statement's lines are evidence; null where there is none. */
  ruleOf(candidate: Candidate, group: 0 | 1): string | null;
}

export function patternOf(candidate: Candidate): string {
  return String.fromCharCode(...candidate.truth.map((each) => each + 49).slice(0, 4000));
}

/** The group of which all have it, while none of the other has; null where it does not separate. */
export function groupOf(candidate: Candidate): 0 | 1 | null {
  const [a, b] = candidate.shares;
  if (a.known === 0 || b.known === 0) return null;
  if (a.with === a.known && b.with === 0) return 0;
  return b.with === b.known && a.with === 0 ? 1 : null;
}

export function isKnown(candidate: Candidate): boolean {
  return candidate.shares.every((share) => share.known >= share.unknown);
}

export function probabilityOf([a, b]: Shares): number {
  return fisher(a.with, a.known - a.with, b.with, b.known - b.with);
}

export function adjustedOf(p: number, tried: number): number {
  return Math.min(1, p * tried);
}

/** Roots first: what a rule's finding rests on, then what was set or installed, the lowest layer first. */
export function rank(candidates: readonly Candidate[], around: Surroundings): readonly Candidate[] {
  const order = (tier: Tier): number => tiers.indexOf(tier);
  const keyed = candidates.map((each) => ({
    each,
    keys: [
      around.ruleOf(each, groupOf(each) ?? 0) !== null && each.column.tier !== 'symptom' ? 0 : 1,
      order(each.column.tier),
      around.bluntnessOf(each.column.id),
      each.column.tier === 'symptom' && around.ruleOf(each, groupOf(each) ?? 0) !== null ? 0 : 1,
      layers.indexOf(around.layerOf(each.column.id)),
      leadOf(each.column.id),
      each.column.id.startsWith('package') ? 1 : 0,
      each.shares[0].unknown + each.shares[1].unknown,
    ],
  }));
  keyed.sort((a, b) => {
    for (let i = 0; i < a.keys.length; i++) {
      const difference = a.keys[i]! - b.keys[i]!;
      if (difference !== 0) return difference;
    }
    return byText(a.each.column.id, b.each.column.id) || byText(a.each.holds, b.each.holds);
  });
  return keyed.map(({ each }) => each);
}

export function byText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** A statement as it is reported. */
export function statementOf(candidate: Candidate, around: Surroundings): Statement {
  const others = valuesOf(candidate.column.cells.filter((_, at) => candidate.truth[at] === 0));
  const otherwise = candidate.column.element
    ? []
    : [...others]
        .sort((a, b) => b[1] - a[1] || byText(String(a[0]), String(b[0])))
        .slice(0, 4)
        .map(([value]) => String(value));
  return {
    fact: candidate.column.id,
    title: around.wordsOf(candidate.column.id),
    layer: around.layerOf(candidate.column.id),
    holds: partly(candidate) ? candidate.holds.replace(/^is /, 'is in part ') : candidate.holds,
    otherwise,
    shares: candidate.shares,
    evidence: evidenceFor(candidate),
  };
}

/** Some subject that it holds for has other values beside: one GPU of eight. */
function partly({ column, truth, picks }: Candidate): boolean {
  if (column.element) return false;
  return column.cells.some(
    (cell, at) => truth[at] === 1 && cell !== null && [...cell.keys()].some((value) => !picks(value)),
  );
}

/** Three significant digits: more would say more than is known. */
export function rounded(p: number): number {
  return Number(p.toPrecision(3));
}
