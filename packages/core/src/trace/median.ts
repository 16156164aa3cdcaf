/**
 * The middle of some values, of an even number of them the mean of the two in the middle. Takes linear time on average
 * and leaves the values in another order.
 * @param values at least one
 */
export function median(values: Float64Array): number {
  const middle = values.length >> 1;
  const upper = select(values, middle);
  if (values.length % 2 === 1) return upper;
  let lower = -Infinity;
  for (let at = 0; at < middle; at++) if (values[at]! > lower) lower = values[at]!;
  return (lower + upper) / 2;
}

/** The value that stands at a place when they are sorted; what lies before that place is not greater. Quickselect (Hoare). */
export function select(values: Float64Array, place: number): number {
  let [low, high] = [0, values.length - 1];
  let rounds = 0;
  while (low < high) {
    // An input made to be slow is sorted instead.
    if (++rounds > 100) {
      values.subarray(low, high + 1).sort();
      break;
    }
    const pivot = middleOf(values[low]!, values[(low + high) >> 1]!, values[high]!);
    let [left, right] = [low, high];
    while (left <= right) {
      while (values[left]! < pivot) left++;
      while (values[right]! > pivot) right--;
      if (left > right) break;
      const kept = values[left]!;
      values[left++] = values[right]!;
      values[right--] = kept;
    }
    if (place <= right) high = right;
    else if (place >= left) low = left;
    else break;
  }
  return values[place]!;
}

function middleOf(a: number, b: number, c: number): number {
  return Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
}
