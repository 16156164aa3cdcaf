import type { Fact } from '../../model/facts.ts';

const names: Readonly<Record<number, string>> = {
  2: 'SIGINT',
  4: 'SIGILL',
  6: 'SIGABRT',
  7: 'SIGBUS',
  8: 'SIGFPE',
  9: 'SIGKILL',
  11: 'SIGSEGV',
  15: 'SIGTERM',
};

/** `signal 9 (SIGKILL)`. */
export function signalWords(signal: number): string {
  const name = names[signal];
  return `signal ${signal}${name === undefined ? '' : ` (${name})`}`;
}

/** `rank 5`, `ranks 5 and 6`, `ranks 1, 2, 3 and 9 more`. */
export function rankWords(ranks: readonly number[]): string {
  if (ranks.length === 1) return `rank ${ranks[0]}`;
  const shown = ranks.length > 4 ? ranks.slice(0, 3) : ranks.slice(0, -1);
  const rest = ranks.length - shown.length;
  return `ranks ${shown.join(', ')} and ${rest === 1 ? ranks.at(-1) : `${rest} more`}`;
}

type End = Fact<'job.end'>;

/**
 * The process that a launcher saw end first: where it says so, else the first that did not end because it was told to.
 */
export function firstEnd(ends: readonly End[]): End | undefined {
  const own = ends.filter(
    (fact) => fact.scope !== 'other-host' && fact.scope !== 'after-fix' && fact.value.signal !== 15,
  );
  return (
    own.find((fact) => fact.value.first) ??
    own.find((fact) => fact.value.signal === 9 || fact.value.reason === 'node-failure') ??
    own.find((fact) => fact.value.rank !== null) ??
    own[0]
  );
}

/** What other lines tell of the same process: its node, its rank, its signal. */
export function merged(end: End, ends: readonly End[]): End['value'] {
  let value = end.value;
  for (const { value: other } of ends) {
    const same =
      (value.rank !== null && value.rank === other.rank) ||
      (value.pid !== null && value.pid === other.pid) ||
      (value.rank === null && value.node !== null && value.node === other.node);
    if (!same) continue;
    value = {
      ...value,
      rank: value.rank ?? other.rank,
      localRank: value.localRank ?? other.localRank,
      node: value.node ?? other.node,
      pid: value.pid ?? other.pid,
      exit: value.exit ?? other.exit,
      signal: value.signal ?? other.signal,
      reason: value.reason ?? other.reason,
      log: value.log ?? other.log,
    };
  }
  return value;
}
