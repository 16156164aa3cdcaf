import type { Feature } from './features.ts';
import type { Subject } from './subject.ts';
import type { Tier } from './shapes.ts';
import { tierOf } from './shapes.ts';

/** What one subject shows of a feature; null where it was not read. */
export type Cell = ReadonlyMap<string | number, Feature | null> | null;

/** One feature over all subjects: those of the first group, then those of the second. */
export interface Column {
  readonly id: string;
  readonly tier: Tier;
  readonly element: boolean;
  readonly absent: string;
  readonly cells: readonly Cell[];
}

/**
 * Releases that some tools cut short (`570.133` of `570.133.20`) are taken for the longer one that was seen, so that a
 * shorter word is never a difference; null where several longer ones fit.
 */
function lengthen(cells: readonly Cell[]): readonly Cell[] {
  const all = new Set(cells.flatMap((cell) => (cell === null ? [] : [...cell.keys()])));
  const longer = new Map<string | number, string | null>();
  for (const value of all) {
    if (typeof value !== 'string' || !/^\d[\d.]{0,20}$/.test(value)) continue;
    const fits = [...all].filter((each): each is string => typeof each === 'string' && each.startsWith(`${value}.`));
    if (fits.length > 0) longer.set(value, fits.length === 1 ? fits[0]! : null);
  }
  if (longer.size === 0) return cells;
  return cells.map((cell) => {
    if (cell === null) return null;
    const out = new Map<string | number, Feature | null>();
    for (const [value, seen] of cell) if (!longer.has(value)) out.set(value, seen);
    for (const [value, seen] of cell) {
      const full = longer.get(value);
      if (typeof full === 'string' && ![...out.keys()].some((each) => String(each).startsWith(`${value}.`)))
        out.set(full, seen);
    }
    return out.size === 0 ? null : out;
  });
}

/** The table of all features over all subjects, in the order of their ids. */
export function columnsOf(subjects: readonly Subject[]): readonly Column[] {
  const sample = new Map<string, Feature>();
  for (const subject of subjects)
    for (const [id, values] of subject.features) {
      if (sample.has(id)) continue;
      const [feature] = values.values();
      if (feature !== undefined) sample.set(id, feature);
    }
  return [...sample.keys()].sort().map((id) => {
    const feature = sample.get(id)!;
    return {
      id,
      tier: tierOf(feature.id),
      element: feature.element,
      absent: feature.absent,
      cells: feature.fact.startsWith('driver.')
        ? lengthen(subjects.map((subject) => cellOf(subject, feature)))
        : subjects.map((subject) => cellOf(subject, feature)),
    };
  });
}

function cellOf(subject: Subject, feature: Feature): Cell {
  const values = subject.features.get(feature.id);
  if (values !== undefined) return values;
  if (feature.space === null || !subject.spaces.has(feature.space)) return null;
  return new Map([[feature.absent, null]]);
}
