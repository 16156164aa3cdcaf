import type { Unknown, Verdict } from '../model/verdict.ts';

/** An input of which nothing could be read. */
export interface Unread {
  readonly name: string;
  readonly reason: string;
  /** What the reader can run to see more. */
  readonly ask: string;
}

const askAgain = 'culprit diagnose FILE';
/** Inputs that were read in part, and are named in a verdict. */
const mostPartial = 4;

/**
 * What could not be read is unknown, never cleared; and nothing is called healthy of which a part was not read.
 * @param partial names of inputs that were read up to a bound only
 */
export function withUnread(verdict: Verdict, unread: readonly Unread[], partial: readonly string[]): Verdict {
  const open: readonly Unknown[] = [
    ...unread.map(({ name, reason, ask }) => ({ layer: null, missing: [`what is in ${name}: ${reason}`], ask })),
    ...partial
      .slice(0, mostPartial)
      .map((each) => ({ layer: null, missing: [`the rest of the input (${each})`], ask: askAgain })),
  ];
  if (open.length === 0) return verdict;
  const unknown = [...open, ...verdict.unknown];
  if (verdict.status !== 'ok') return { ...verdict, unknown };
  return {
    ...verdict,
    status: 'cannot-tell',
    headline: `cannot tell: a part of the input was not read; in the rest ${verdict.headline}`,
    unknown,
  };
}
