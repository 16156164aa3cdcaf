import type { FactValue } from '../model/facts.ts';

type Row = Pick<FactValue<'nccl.bandwidth'>, 'redop' | 'root' | 'algbw' | 'busbw'>;

/** Below this rate two printed digits say too little. */
const fewest = 1;
const near = 0.02;

/**
 * The operation of a table that does not name it, by what only it can have: whether it reduces, whether it has a root, and
 * the factor from algbw to busbw, which is 2(n-1)/n for all_reduce, (n-1)/n for reduce_scatter, 1 for broadcast and reduce.
 * Source: doc/PERFORMANCE.md of nccl-tests.
 * @param ranks null where it is not known
 * @returns null where several operations fit, as for all_gather and alltoall
 */
export function operationOf(
  rows: readonly Row[],
  ranks: number | null,
): 'all_reduce' | 'reduce_scatter' | 'broadcast' | 'reduce' | null {
  const factors = rows
    .filter((row) => row.algbw >= fewest)
    .map((row) => row.busbw / row.algbw)
    .sort((a, b) => a - b);
  const factor = factors[factors.length >> 1];
  const [first] = rows;
  if (factor === undefined || first === undefined) return null;
  if (rows.some((row) => (row.redop === null) !== (first.redop === null))) return null;
  if (rows.some((row) => (row.root === null) !== (first.root === null))) return null;
  const is = (expected: number): boolean => Math.abs(factor - expected) < near;
  if (first.root !== null) return is(1) ? (first.redop === null ? 'broadcast' : 'reduce') : null;
  if (first.redop === null) return null;
  if (ranks === null) {
    if (factor > 1 + near && factor < 2 + near) return 'all_reduce';
    return factor < 1 - near && factor >= 0.5 - near ? 'reduce_scatter' : null;
  }
  if (ranks < 2) return null;
  if (is((2 * (ranks - 1)) / ranks)) return 'all_reduce';
  return is((ranks - 1) / ranks) ? 'reduce_scatter' : null;
}
