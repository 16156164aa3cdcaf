/** Stretches of time, sorted by their start, that neither touch nor overlap. Nanoseconds. */
export interface Spans {
  readonly count: number;
  readonly start: Float64Array;
  readonly end: Float64Array;
}

const none: Spans = { count: 0, start: new Float64Array(0), end: new Float64Array(0) };

/**
 * The union of stretches that are sorted by their start.
 * @param take which rows count; all where it is left out
 */
export function unionOf(start: Float64Array, end: Float64Array, take?: (row: number) => boolean): Spans {
  let [from, to] = [new Float64Array(1024), new Float64Array(1024)];
  let count = 0;
  for (let row = 0; row < start.length; row++) {
    if (end[row]! <= start[row]! || (take !== undefined && !take(row))) continue;
    if (count > 0 && start[row]! <= to[count - 1]!) {
      if (end[row]! > to[count - 1]!) to[count - 1] = end[row]!;
      continue;
    }
    if (count === from.length) {
      const [longerFrom, longerTo] = [new Float64Array(count * 2), new Float64Array(count * 2)];
      longerFrom.set(from);
      longerTo.set(to);
      [from, to] = [longerFrom, longerTo];
    }
    from[count] = start[row]!;
    to[count++] = end[row]!;
  }
  return { count, start: from.subarray(0, count), end: to.subarray(0, count) };
}

/** Sum of the lengths, ns. */
export function lengthOf(spans: Spans): number {
  let sum = 0;
  for (let at = 0; at < spans.count; at++) sum += spans.end[at]! - spans.start[at]!;
  return sum;
}

/** What lies in both. */
export function bothOf(a: Spans, b: Spans): Spans {
  const [from, to]: [number[], number[]] = [[], []];
  let [left, right] = [0, 0];
  while (left < a.count && right < b.count) {
    const low = Math.max(a.start[left]!, b.start[right]!);
    const high = Math.min(a.end[left]!, b.end[right]!);
    if (low < high) {
      from.push(low);
      to.push(high);
    }
    if (a.end[left]! < b.end[right]!) left++;
    else right++;
  }
  return { count: from.length, start: Float64Array.from(from), end: Float64Array.from(to) };
}

/** What lies in the first and not in the second. */
export function without(a: Spans, b: Spans): Spans {
  const [from, to]: [number[], number[]] = [[], []];
  let right = 0;
  for (let left = 0; left < a.count; left++) {
    let low = a.start[left]!;
    const high = a.end[left]!;
    while (right < b.count && b.end[right]! <= low) right++;
    for (let at = right; at < b.count && b.start[at]! < high; at++) {
      if (b.start[at]! > low) {
        from.push(low);
        to.push(b.start[at]!);
      }
      low = Math.max(low, b.end[at]!);
    }
    if (low < high) {
      from.push(low);
      to.push(high);
    }
  }
  return { count: from.length, start: Float64Array.from(from), end: Float64Array.from(to) };
}

/** What lies between the stretches. */
export function gapsOf(spans: Spans): Spans {
  if (spans.count < 2) return none;
  return { count: spans.count - 1, start: spans.end.subarray(0, -1), end: spans.start.subarray(1) };
}
