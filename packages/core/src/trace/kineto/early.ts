import type { Place } from './scanner.ts';
import type { Fields } from './event-walk.ts';
import { fieldNames } from './event-walk.ts';

const most = 1000;

/** An event with bytes of its own. */
export interface Kept {
  readonly bytes: Uint8Array;
  readonly fields: Fields;
  readonly place: Place;
}

/** A copy of an event, to be read later. Its bytes begin at 1: a place of 0 says that a field is absent. */
export function keptEvent(bytes: Uint8Array, from: number, to: number, fields: Fields, place: Place): Kept {
  const own = new Uint8Array(to - from + 1);
  own.set(bytes.subarray(from, to), 1);
  const moved = fields.slice();
  for (let at = 0; at < fieldNames.length * 2; at++) if (fields[at & ~1] !== 0) moved[at] = fields[at]! - from + 1;
  const line = place.lineOf(from);
  return {
    bytes: own,
    fields: moved,
    place: {
      lineOf: (at) => {
        let lines = line;
        for (let byte = 1; byte < at; byte++) if (own[byte] === 0x0a) lines++;
        return lines;
      },
    },
  };
}

/**
 * Events at the time 0 before any other: the first ones of a trace that counts from its beginning, or ones of which the
 * profiler of a trace with absolute times does not know when they were.
 */
export class Early {
  #kept: Kept[] = [];
  #open = true;

  /** @returns false where it is not to be kept */
  add(make: () => Kept): boolean {
    if (!this.#open || this.#kept.length >= most) return false;
    this.#kept.push(make());
    return true;
  }

  /** The first time that is not 0 is there, or the trace is over: hands the events out. */
  close(): readonly Kept[] {
    const kept = this.#kept;
    this.#kept = [];
    this.#open = false;
    return kept;
  }
}
