import type { Side, SeriesChange } from './compare.ts';
import { compareSides, sameBoards } from './compare.ts';
import { compareNodes } from './compare-nodes.ts';
import { momentOf } from './moments.ts';
import type { Thresholds } from './thresholds.rows.ts';

/** What was compared with what, and the answer. */
export interface SeriesComparison {
  readonly schema: 'culprit/series-comparison@1';
  readonly by: 'input' | 'period' | 'node';
  readonly answer: 'changed' | 'equal' | 'cannot-tell';
  readonly headline: string;
  readonly sides: readonly {
    readonly name: string;
    readonly from: string | null;
    readonly to: string | null;
    readonly gpus: number;
    readonly samples: number;
  }[];
  readonly changed: readonly SeriesChange[];
  readonly equal: readonly SeriesChange[];
  readonly unclear: readonly SeriesChange[];
  /** GPUs that only the first or only the second side has. */
  readonly gone: readonly string[];
  readonly added: readonly string[];
  /** What could not be read or joined. */
  readonly left: readonly string[];
}

/** Compares sides: two inputs or periods, or any number of nodes. */
export function comparisonOf(
  by: SeriesComparison['by'],
  given: readonly Side[],
  limits: Thresholds,
  left: readonly string[] = [],
): SeriesComparison {
  const sides = by === 'period' ? sameBoards(given[0]!, given[1]!) : given;
  const [before, after] = [sides[0]!, sides[1]!];
  const all = by === 'node' ? compareNodes(sides, limits) : compareSides(before, after, limits);
  const two = sides.length === 2;
  const gone = two ? [...before.gpus.keys()].filter((gpu) => !after.gpus.has(gpu)) : [];
  const added = two ? [...after.gpus.keys()].filter((gpu) => !before.gpus.has(gpu)) : [];
  const state = (wanted: SeriesChange['state']): readonly SeriesChange[] => all.filter((each) => each.state === wanted);
  const changed = state('changed').toSorted((a, b) => weightOf(b) - weightOf(a));
  const [equal, unclear] = [state('equal'), state('cannot-tell')];
  const answer =
    changed.length > 0 || gone.length > 0 || added.length > 0
      ? 'changed'
      : equal.length > 0 && !unclear.some(({ before: one, after: other }) => one !== null && other !== null)
        ? 'equal'
        : 'cannot-tell';
  return {
    schema: 'culprit/series-comparison@1',
    by,
    answer,
    headline: headlineOf(by, answer, { changed, equal, unclear, gone, added }),
    sides: sides.map(shownSide),
    changed,
    equal,
    unclear,
    gone,
    added,
    left,
  };
}

/** How far a change is, in its own size. */
function weightOf({ before, after, difference }: SeriesChange): number {
  const size = Math.max(Math.abs(before?.value ?? 0), Math.abs(after?.value ?? 0));
  return size === 0 ? 0 : Math.abs(difference ?? 0) / size;
}

function shownSide({ name, gpus, counted }: Side): SeriesComparison['sides'][number] {
  let [from, to, samples] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0];
  for (const series of gpus.values()) {
    const { start, stretch, length } = series.grid;
    samples += series.rows;
    if (length === 0) continue;
    from = Math.min(from, start);
    to = Math.max(to, start + stretch * length);
  }
  const known = Number.isFinite(from);
  return {
    name,
    from: known ? momentOf(from, counted) : null,
    to: known ? momentOf(to, counted) : null,
    gpus: gpus.size,
    samples,
  };
}

/** `GPU 3`, `node-a` */
export function calledIn(by: SeriesComparison['by'], gpu: string): string {
  const at = gpu.startsWith('GPU-') ? -1 : gpu.lastIndexOf(':');
  if (at > 0 && /^\d+(?: \(GPU-[\w-]+\))?$/.test(gpu.slice(at + 1)))
    return `GPU ${gpu.slice(at + 1)} of ${gpu.slice(0, at)}`;
  return (by === 'node' && !/^\d+$/.test(gpu)) || gpu.startsWith('GPU-') ? gpu : `GPU ${gpu}`;
}

/** A number as it is read: more digits the smaller it is. */
export function numberIn(value: number): string {
  return String(Math.abs(value) >= 100 ? Math.round(value) : Math.round(value * 10) / 10);
}

function headlineOf(
  by: SeriesComparison['by'],
  answer: SeriesComparison['answer'],
  found: Pick<SeriesComparison, 'changed' | 'equal' | 'unclear' | 'gone' | 'added'>,
): string {
  const { changed, equal, unclear, gone, added } = found;
  if (answer === 'equal') return `nothing changed: ${equal.length} counters are equal within their noise`;
  if (answer === 'cannot-tell') {
    const [first] = unclear;
    return `cannot tell: ${unclear.length === 0 ? 'nothing was measured on both sides' : `${first!.metric} of ${calledIn(by, first!.gpu)} ${first!.because!}`}`;
  }
  const parts = [
    ...(gone.length === 0 ? [] : [`gone: ${gone.map((gpu) => calledIn(by, gpu)).join(', ')}`]),
    ...(added.length === 0 ? [] : [`new: ${added.map((gpu) => calledIn(by, gpu)).join(', ')}`]),
  ];
  const [lead] = changed;
  if (lead !== undefined) {
    const own = changed.filter(({ gpu }) => gpu === lead.gpu).slice(0, 3);
    const others = new Set(changed.map(({ gpu }) => gpu)).size - 1;
    const since = own.find((each) => each.since !== null)?.since;
    const words = own.map(
      ({ metric, before, after, unit }) =>
        `${metric} ${numberIn(before!.value)} → ${numberIn(after!.value)}${unit === '' ? '' : ` ${unit}`}`,
    );
    parts.unshift(
      `${calledIn(by, lead.gpu)}${others > 0 ? ` and ${others} more` : ''} ${by !== 'node' ? 'changed' : others > 0 ? 'differ' : 'differs'}${since == null ? '' : ` since ${since.text}`}: ${others > 0 ? `${calledIn(by, lead.gpu)} ` : ''}${words.join(', ')}`,
    );
  }
  return parts.join('; ');
}
