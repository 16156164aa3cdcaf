/** Number of single-character edits (insert, delete, replace, swap of neighbours) between two short words. */
export function distance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      let best = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + same);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        best = Math.min(best, beforeLast[j - 2]! + 1);
      row.push(best);
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length]!;
}

/**
 * The words of a list that a mistyped word most likely meant, nearest first.
 * @param word at most 80 characters of it are compared
 */
export function nearest(word: string, words: readonly string[], most = 3): readonly string[] {
  const wanted = word.slice(0, 80).toLowerCase();
  if (wanted === '') return [];
  const limit = Math.max(1, Math.floor(wanted.length / 3));
  return words
    .map((each) => {
      const other = each.toLowerCase();
      const starts = wanted.length >= 3 && (other.startsWith(wanted) || wanted.startsWith(other));
      return {
        each,
        cost: starts ? 0.5 : Math.abs(other.length - wanted.length) > limit ? limit + 1 : distance(wanted, other),
      };
    })
    .filter((each) => each.cost <= limit)
    .sort((a, b) => a.cost - b.cost || (a.each < b.each ? -1 : 1))
    .slice(0, most)
    .map((each) => each.each);
}
