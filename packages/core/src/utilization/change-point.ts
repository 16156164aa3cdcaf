/** Where the level of a series changes, and the levels on both sides. */
export interface ChangePoint {
  /** Index of the first value of the new level. */
  readonly at: number;
  readonly before: number;
  readonly after: number;
}

/** The middle value; null of none. */
export function medianOf(values: readonly number[]): number | null {
  if (values.length === 0) return null;
  const sorted = values.toSorted((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2;
}

/** Half-width that holds half of the values, as a standard deviation would be of noise without outliers. */
export function spreadOf(values: readonly number[]): number {
  const middle = medianOf(values);
  if (middle === null || values.length < 2) return 0;
  return 1.4826 * medianOf(values.map((value) => Math.abs(value - middle)))!;
}

/** Fewest values on each side of a change. */
const least = 3;

/**
 * The one time at which a series changes its level most: where the cumulative sum of the deviations from the mean is
 * farthest from zero (CUSUM). Outliers count no more than the twentieth part of the values at each end does.
 */
export function changePoint(values: readonly number[]): ChangePoint | null {
  const count = values.length;
  if (count < 2 * least) return null;
  const sorted = values.toSorted((a, b) => a - b);
  const cut = Math.floor(count / 20);
  const [low, high] = [sorted[cut]!, sorted[count - 1 - cut]!];
  const bounded = values.map((value) => Math.min(high, Math.max(low, value)));
  const mean = bounded.reduce((sum, value) => sum + value, 0) / count;
  let [sum, most, at] = [0, -1, -1];
  for (let i = 0; i < count - least; i++) {
    sum += bounded[i]! - mean;
    // Ends that are short weigh less in a sum; the weight makes all places alike.
    const weight = 1 / Math.sqrt(((i + 1) / count) * (1 - (i + 1) / count));
    if (i + 1 >= least && Math.abs(sum) * weight > most) {
      most = Math.abs(sum) * weight;
      at = i + 1;
    }
  }
  if (at < 0 || most <= 1e-9) return null;
  return { at, before: medianOf(values.slice(0, at))!, after: medianOf(values.slice(at))! };
}
