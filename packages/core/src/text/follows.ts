import type { Evidence } from '../model/document.ts';
import type { Fact } from '../model/facts.ts';
import type { Moment } from './when.ts';
import { createDocument } from './document.ts';
import { momentOf, onOneClock } from './when.ts';

/**
 * The longest time after which one event is still called a consequence of another. Time-outs of collectives (10 and 30
 * minutes by default) and what schedulers wait for a job to end lie below it; of what comes later nobody knows.
 */
export const followsWithin: { readonly name: string; readonly seconds: number } = {
  name: 'follows-within',
  seconds: 7200,
};

/** When a fact was printed; null where its line tells no time. */
export function momentOfFact({ origin, seen }: Pick<Fact, 'origin' | 'seen'>): Moment | null {
  const [first] = seen;
  return first === undefined ? null : momentOf({ origin, clean: first.text });
}

/**
 * Whether one event may follow from another by their times: some two of them are near enough. Where one tells no time, or
 * the clocks are of different kinds, it may.
 */
export function mayFollow(one: readonly Moment[], other: readonly Moment[]): boolean {
  if (one.length === 0 || other.length === 0) return true;
  const all = onOneClock([...one, ...other]);
  if (all === null) return true;
  const [first, second] = [all.slice(0, one.length), all.slice(one.length)];
  return first.some((a) => second.some((b) => Math.abs(a - b) <= followsWithin.seconds * 1000));
}

/** Whether one may follow from the other by the lines that are quoted of both. */
export function mayFollowByLines(one: readonly Evidence[], other: readonly Evidence[]): boolean {
  return mayFollow(momentsOf(one), momentsOf(other));
}

function momentsOf(evidence: readonly Evidence[]): readonly Moment[] {
  return createDocument(evidence.map(({ text }) => text).join('\n')).lines.flatMap((line) => momentOf(line) ?? []);
}

/** Times of the lines that facts rest on. */
export class EventTimes {
  private readonly times = new Map<string, Moment>();

  constructor(facts: Iterable<Pick<Fact, 'origin' | 'seen'>>) {
    for (const fact of facts) {
      const [first] = fact.seen;
      if (first === undefined || this.times.has(keyOf(first))) continue;
      const moment = momentOfFact(fact);
      if (moment !== null) this.times.set(keyOf(first), moment);
    }
  }

  of(evidence: readonly Evidence[]): readonly Moment[] {
    return evidence.flatMap((each) => this.times.get(keyOf(each)) ?? []);
  }
}

function keyOf({ subject, file, line }: Evidence): string {
  return `${subject}\u0000${file ?? ''}\u0000${line}`;
}
