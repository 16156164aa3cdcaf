/** Stretches of time, sorted by their start, that neither touch nor overlap. Nanoseconds. */
export interface Spans {
  readonly count: number;
  readonly start: Float64Array;
  readonly end: Float64Array;
}

const none: Spans = { count: 0, start: new Float64Array(0), end: new Float64Array(0) };

/** Stretches that are added in order, in arrays that grow. */
class SpanList {
  readonly #most: number;
  #from: Float64Array;
  #to: Float64Array;
  #count = 0;

  /** @param most how many there can be */
  constructor(most: number) {
    this.#most = most;
    this.#from = new Float64Array(Math.min(most, 4096));
    this.#to = new Float64Array(this.#from.length);
  }

  add(from: number, to: number): void {
    const at = this.#count;
    if (at === this.#from.length) {
      const length = Math.min(this.#most, at * 8);
      const longerFrom = new Float64Array(length);
      longerFrom.set(this.#from);
      this.#from = longerFrom;
      const longerTo = new Float64Array(length);
      longerTo.set(this.#to);
      this.#to = longerTo;
    }
    this.#from[at] = from;
    this.#to[at] = to;
    this.#count = at + 1;
  }

  done(): Spans {
    return {
      count: this.#count,
      start: this.#from.subarray(0, this.#count),
      end: this.#to.subarray(0, this.#count),
    };
  }
}

/**
 * The union of stretches that are sorted by their start.
 * @param take which rows count; all where it is left out
 */
export function unionOf(start: Float64Array, end: Float64Array, take?: (row: number) => boolean): Spans {
  const list = new SpanList(start.length);
  let [from, to, open] = [0, 0, false];
  for (let row = 0; row < start.length; row++) {
    const begins = start[row]!;
    const ends = end[row]!;
    if (ends <= begins || (take !== undefined && !take(row))) continue;
    if (open && begins <= to) {
      if (ends > to) to = ends;
      continue;
    }
    if (open) list.add(from, to);
    [from, to, open] = [begins, ends, true];
  }
  if (open) list.add(from, to);
  return list.done();
}

/** The union of some rows, given in the order of their start. */
export function unionOfRows(
  start: Float64Array,
  end: Float64Array,
  rows: Uint32Array,
  take?: (row: number) => boolean,
): Spans {
  const list = new SpanList(rows.length);
  let [from, to, open] = [0, 0, false];
  for (let at = 0; at < rows.length; at++) {
    const row = rows[at]!;
    const begins = start[row]!;
    const ends = end[row]!;
    if (ends <= begins || (take !== undefined && !take(row))) continue;
    if (open && begins <= to) {
      if (ends > to) to = ends;
      continue;
    }
    if (open) list.add(from, to);
    [from, to, open] = [begins, ends, true];
  }
  if (open) list.add(from, to);
  return list.done();
}

/** Sum of the lengths, ns. */
export function lengthOf(spans: Spans): number {
  let sum = 0;
  for (let at = 0; at < spans.count; at++) sum += spans.end[at]! - spans.start[at]!;
  return sum;
}

/** What lies in both. */
export function bothOf(a: Spans, b: Spans): Spans {
  const list = new SpanList(a.count + b.count);
  let [left, right] = [0, 0];
  while (left < a.count && right < b.count) {
    const low = Math.max(a.start[left]!, b.start[right]!);
    const high = Math.min(a.end[left]!, b.end[right]!);
    if (low < high) list.add(low, high);
    if (a.end[left]! < b.end[right]!) left++;
    else right++;
  }
  return list.done();
}

/** What lies in the first and not in the second. */
export function without(a: Spans, b: Spans): Spans {
  const list = new SpanList(a.count + b.count);
  let right = 0;
  for (let left = 0; left < a.count; left++) {
    let low = a.start[left]!;
    const high = a.end[left]!;
    while (right < b.count && b.end[right]! <= low) right++;
    for (let at = right; at < b.count && b.start[at]! < high; at++) {
      if (b.start[at]! > low) list.add(low, b.start[at]!);
      low = Math.max(low, b.end[at]!);
    }
    if (low < high) list.add(low, high);
  }
  return list.done();
}

/** What lies between the stretches. */
export function gapsOf(spans: Spans): Spans {
  if (spans.count < 2) return none;
  return { count: spans.count - 1, start: spans.end.subarray(0, -1), end: spans.start.subarray(1) };
}
