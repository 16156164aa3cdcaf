import type { Line } from '../model/document.ts';

/*
 * step 1300 | 0.82 s/step
 * step 1400 | 1.93 s/step
 * iter 2000: 3.1 it/s
 */

const perStep = /(\d{1,7}(?:\.\d{1,6})?) {0,2}(ms|s|sec|secs|seconds)\/(?:step|it|iter|iteration|batch|update)\b/i;
const perSecond = /(\d{1,7}(?:\.\d{1,6})?) {0,2}(?:it|iter|steps?|batches|samples|tokens|tok)\/s(?:ec)?\b/i;
const mostShapes = 50;
/** Steps at the end that are all slower than at the start; a checkpoint or an evaluation slows one or two. */
const fewest = 3;
const factor = 1.7;

/**
 * True where the steps of one kind of line take much longer at the end than at the start, and go on to. Bars of
 * downloads and loaders speed up and slow down as they like.
 */
export function hasSlowed(lines: readonly Line[]): boolean {
  const times = new Map<string, number[]>();
  for (const line of lines) {
    if (line.prompt || line.told) continue;
    const text = line.clean.slice(0, 400);
    // Steps only: a server answers requests of all lengths.
    if (text.includes('%|') || !/\b(?:step|iter|iteration|update|batch)\b/i.test(text)) continue;
    const each = perStep.exec(text);
    const rate = each === null ? perSecond.exec(text) : null;
    const value = each === null ? (rate === null ? 0 : 1 / Number(rate[1])) : Number(each[1]);
    if (!Number.isFinite(value) || value <= 0) continue;
    const shape = `${line.origin.rank ?? ''}${text.replace(/\d[\d.,:e+-]*/g, '0').slice(0, 60)}`;
    const known = times.get(shape);
    if (known !== undefined) known.push(value);
    else if (times.size < mostShapes) times.set(shape, [value]);
  }
  return [...times.values()].some((values) => {
    if (values.length < fewest + 2) return false;
    const start = Math.max(...values.slice(0, 2));
    return values.slice(-fewest).every((value) => value > factor * start);
  });
}
