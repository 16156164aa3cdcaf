import { orderOf } from './columns.ts';
import type { Spans } from './spans.ts';
import { unionOf, unionOfRows } from './spans.ts';

/** The union of stretches in any order. */
export function unsortedUnion(start: Float64Array, end: Float64Array): Spans {
  const order = orderOf(start);
  if (order === null) return unionOf(start, end);
  return unionOfRows(start, end, order);
}

/** The union of several unions. */
export function mergedSpans(all: readonly Spans[]): Spans {
  if (all.length === 1) return all[0]!;
  const count = all.reduce((sum, spans) => sum + spans.count, 0);
  const [start, end] = [new Float64Array(count), new Float64Array(count)];
  let at = 0;
  for (const spans of all) {
    start.set(spans.start, at);
    end.set(spans.end, at);
    at += spans.count;
  }
  return unsortedUnion(start, end);
}
