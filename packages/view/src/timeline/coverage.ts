import type { Events } from './events.ts';
import { rowsIn } from './events.ts';

/** How much of each of some equal stretches is covered, and by which kind most. */
export interface Coverage {
  /** 0 to 1 and above where events overlap. */
  readonly share: Float32Array;
  /** Kind with the most time, plus one; 0 where nothing is. */
  readonly kind: Uint8Array;
}

const kinds = 12;
/** Stretches of the whole time line that are counted ahead. */
const ahead = 1 << 14;
/** Visible events above which the stretches that were counted ahead are taken. */
const manyEvents = 60_000;

/** Covers the stretches between two times; a million events stay quick, because far views use counts made ahead. */
export class Coverer {
  readonly #events: Events;
  readonly #length: number;
  #whole: Float32Array | null = null;

  constructor(events: Events, length: number) {
    this.#events = events;
    this.#length = length;
  }

  /** @param into as many stretches as it is long */
  cover(from: number, to: number, into: Coverage): void {
    into.share.fill(0);
    into.kind.fill(0);
    const [first, last] = rowsIn(this.#events, from, to);
    const stretches = into.share.length;
    if (last - first > manyEvents && (to - from) / stretches >= this.#length / ahead) this.#fromCounts(from, to, into);
    else {
      const sums = new Float32Array(stretches * kinds);
      accumulate(this.#events, first, last, from, to, sums);
      strongest(sums, (to - from) / stretches, into);
    }
  }

  #fromCounts(from: number, to: number, into: Coverage): void {
    if (this.#whole === null) {
      this.#whole = new Float32Array(ahead * kinds);
      accumulate(this.#events, 0, this.#events.count, 0, this.#length, this.#whole);
    }
    const stretches = into.share.length;
    const sums = new Float32Array(stretches * kinds);
    const step = this.#length / ahead;
    const low = Math.max(0, Math.floor(from / step));
    const high = Math.min(ahead, Math.ceil(to / step));
    for (let at = low; at < high; at++) {
      const stretch = Math.floor((((at + 0.5) * step - from) / (to - from)) * stretches);
      if (stretch < 0 || stretch >= stretches) continue;
      for (let kind = 0; kind < kinds; kind++)
        sums[stretch * kinds + kind] = sums[stretch * kinds + kind]! + this.#whole[at * kinds + kind]!;
    }
    strongest(sums, (to - from) / stretches, into);
  }
}

function accumulate(events: Events, first: number, last: number, from: number, to: number, sums: Float32Array): void {
  const stretches = sums.length / kinds;
  const scale = stretches / (to - from);
  for (let row = first; row < last; row++) {
    const begin = Math.max(0, (events.start[row]! - from) * scale);
    const end = Math.min(stretches, (events.end[row]! - from) * scale);
    if (end < begin) continue;
    const kind = events.kind[row]!;
    let at = Math.min(stretches - 1, Math.floor(begin));
    const stop = Math.floor(end);
    if (at === stop || stop >= stretches + 1) {
      sums[at * kinds + kind] = sums[at * kinds + kind]! + Math.max(end - begin, 0.02) / scale;
      continue;
    }
    sums[at * kinds + kind] = sums[at * kinds + kind]! + (at + 1 - begin) / scale;
    for (at++; at < stop && at < stretches; at++) sums[at * kinds + kind] = sums[at * kinds + kind]! + 1 / scale;
    if (stop < stretches) sums[stop * kinds + kind] = sums[stop * kinds + kind]! + (end - stop) / scale;
  }
}

function strongest(sums: Float32Array, stretch: number, into: Coverage): void {
  for (let at = 0; at < into.share.length; at++) {
    let [most, which, sum] = [0, -1, 0];
    for (let kind = 0; kind < kinds; kind++) {
      const value = sums[at * kinds + kind]!;
      sum += value;
      if (value > most) [most, which] = [value, kind];
    }
    into.share[at] = sum / stretch;
    into.kind[at] = which + 1;
  }
}
