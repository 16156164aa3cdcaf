import type { Evidence } from '../model/document.ts';
import type { Cell, Column } from './columns.ts';
import type { Share, Shares } from './diff.ts';

/** A statement about a feature, and for which subjects it is true, false or not known. */
export interface Candidate {
  readonly column: Column;
  readonly holds: string;
  /** For each subject: 1 true, 0 false, -1 not known. */
  readonly truth: Int8Array;
  readonly shares: Shares;
  /** Whether a value is one that the statement is about. */
  readonly picks: (value: string | number) => boolean;
  /** Splits numbers at a threshold: many thresholds are tried, so only what is beyond chance counts. */
  readonly threshold: boolean;
}

const mostValues = 40;
/** More different values than this are numbers to be split, or names of single machines. */
const fewValues = 4;

/**
 * Every statement that a column allows: that it has a value, that it has one of a few, that a number lies at or above a
 * threshold. Columns that are the same everywhere give none.
 * @param first how many of the subjects belong to the first group
 */
export function statementsOf(column: Column, first: number): readonly Candidate[] {
  const counts = valuesOf(column.cells);
  const known = column.cells.filter((cell) => cell !== null).length;
  if (counts.size < 2 && !column.element) return [];
  const out: Candidate[] = [];
  const make: Make = (holds, picks, threshold = false) => {
    // A number lies above a threshold where its lowest value does.
    const test = (cell: NonNullable<Cell>): boolean =>
      threshold ? [...cell.keys()].every(picks) : [...cell.keys()].some(picks);
    const truth = Int8Array.from(column.cells, (cell) => (cell === null ? -1 : test(cell) ? 1 : 0));
    const shares = sharesOf(truth, first);
    const having = shares[0].with + shares[1].with;
    if (having > 0 && having < shares[0].known + shares[1].known) {
      out.push({ column, holds, truth, shares, picks, threshold });
    }
  };
  const unique = counts.size > fewValues && counts.size * 2 > known;
  if (!unique) {
    const shown = [...counts]
      .sort((a, b) => b[1] - a[1] || (String(a[0]) < String(b[0]) ? -1 : 1))
      .slice(0, mostValues);
    for (const [value] of shown) make(isWords(column, value), (each) => each === value);
    if (!column.element && known > 3) either(column, first, make);
  }
  if (counts.size > fewValues) thresholds(column, first, [...counts.keys()], make);
  return out;
}

type Make = (holds: string, picks: (value: string | number) => boolean, threshold?: boolean) => void;

function isWords(column: Column, value: string | number): string {
  if (value === column.absent) return `is ${value}`;
  if (column.element) return `contains ${value}`;
  return `is ${value}`;
}

/** Groups whose values do not overlap, where each has only a few. */
function either(column: Column, first: number, make: Make): void {
  const mine = [valuesOf(column.cells.slice(0, first)), valuesOf(column.cells.slice(first))] as const;
  if ([...mine[0].keys()].some((value) => mine[1].has(value))) return;
  for (const group of [0, 1] as const) {
    const values = [...mine[group].keys()].map(String).sort();
    if (values.length < 2 || values.length > 3) continue;
    make(`is ${values.slice(0, -1).join(', ')} or ${values[values.length - 1]!}`, (value) =>
      values.includes(String(value)),
    );
  }
}

/** Splits numbers and dotted versions where the groups part. */
function thresholds(column: Column, first: number, values: readonly (string | number)[], make: Make): void {
  const ordered = values.map((value) => ({ value, order: orderOf(value) }));
  if (ordered.some(({ order }) => order === null)) return;
  const number = typeof values[0] === 'number';
  const lowest = new Map<Cell, readonly number[]>();
  for (const cell of column.cells)
    if (cell !== null) lowest.set(cell, least([...cell.keys()].map((value) => orderOf(value)!)));
  const range = (cells: readonly Cell[]): { low: readonly number[]; high: readonly number[] } | null => {
    const found = cells.flatMap((cell) => (cell === null ? [] : [lowest.get(cell)!])).sort(compare);
    return found.length === 0 ? null : { low: found[0]!, high: found[found.length - 1]! };
  };
  const a = range(column.cells.slice(0, first));
  const b = range(column.cells.slice(first));
  if (a === null || b === null) return;
  const at = compare(a.low, b.high) > 0 ? a.low : compare(b.low, a.high) > 0 ? b.low : null;
  if (at === null) return;
  const words = number ? `is ${at[0]!} or more` : `is ${at.join('.')} or newer`;
  make(words, (value) => compare(orderOf(value)!, at) >= 0, true);
}

function orderOf(value: string | number): readonly number[] | null {
  if (typeof value === 'number') return [value];
  return /^\d{1,9}(?:\.\d{1,9}){1,4}$/.test(value) ? value.split('.').map(Number) : null;
}

function least(orders: readonly (readonly number[])[]): readonly number[] {
  return [...orders].sort(compare)[0]!;
}

function compare(a: readonly number[], b: readonly number[]): number {
  for (let i = 0; i < Math.max(a.length, b.length); i++) {
    const difference = (a[i] ?? 0) - (b[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** How many cells have each value. */
export function valuesOf(cells: readonly Cell[]): ReadonlyMap<string | number, number> {
  const counts = new Map<string | number, number>();
  for (const cell of cells)
    if (cell !== null) for (const value of cell.keys()) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}

/** How many of each group a truth holds for. */
export function sharesOf(truth: Int8Array, first: number): Shares {
  const share = (from: number, to: number): Share => {
    let having = 0;
    let unknown = 0;
    for (let i = from; i < to; i++) {
      if (truth[i] === 1) having++;
      else if (truth[i] === -1) unknown++;
    }
    return { with: having, known: to - from - unknown, unknown };
  };
  return [share(0, first), share(first, truth.length)];
}

/** A line of the first subject that it holds for, and one of the first that it does not hold for: those with the values. */
export function evidenceFor({ truth, column, picks }: Candidate): readonly Evidence[] {
  const of = (wanted: 0 | 1): Evidence | null => {
    for (let i = 0; i < truth.length; i++) {
      if (truth[i] !== wanted) continue;
      const values = [...column.cells[i]!].filter(([, feature]) => feature !== null);
      const own = values.find(([value]) => picks(value) === (wanted === 1)) ?? values[0];
      if (own !== undefined) return own[1]!.seen;
    }
    return null;
  };
  return [of(1), of(0)].filter((each) => each !== null);
}
