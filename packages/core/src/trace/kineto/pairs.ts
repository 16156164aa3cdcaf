import type { Counts } from './counts.ts';
import type { Fields } from './event-walk.ts';
import { fieldNames, newFields } from './event-walk.ts';

/** An event that began; its bytes are its own. */
export interface Begun {
  readonly start: number;
  readonly category: number;
  readonly bytes: Uint8Array;
  readonly fields: Fields;
}

const deepest = 4096;
const mostOpen = 100_000;
const mostBytes = 64 * 1024 * 1024;

/** Joins events that begin (`B`) with those that end (`E`), on each thread the last with the first. */
export class Pairs {
  #open = new Map<number, Begun[]>();
  #counts: Counts;
  #size = 0;
  #bytes = 0;

  constructor(counts: Counts) {
    this.#counts = counts;
  }

  begin(thread: number, bytes: Uint8Array, fields: Fields, category: number, start: number): void {
    const stack = this.#open.get(thread) ?? [];
    this.#open.set(thread, stack);
    if (stack.length >= deepest || this.#size >= mostOpen || this.#bytes >= mostBytes) {
      this.#counts.unpaired++;
      return;
    }
    let low = bytes.length;
    let high = 0;
    const places = fieldNames.length * 2;
    for (let at = 0; at < places; at += 2) {
      if (fields[at] === 0) continue;
      low = Math.min(low, fields[at]!);
      high = Math.max(high, fields[at + 1]!);
    }
    // One byte stays before the first value: a place of 0 says that there is none.
    const kept = newFields();
    for (let at = 0; at < places; at++) kept[at] = fields[at & ~1] === 0 ? 0 : fields[at]! - low + 1;
    const own = bytes.slice(low - 1, Math.max(low, high));
    this.#bytes += own.length;
    stack.push({ start, category, bytes: own, fields: kept });
    this.#counts.unpaired++;
    this.#size++;
  }

  end(thread: number): Begun | null {
    const begun = this.#open.get(thread)?.pop() ?? null;
    if (begun === null) this.#counts.unpaired++;
    else {
      this.#counts.unpaired--;
      this.#size--;
      this.#bytes -= begun.bytes.length;
    }
    return begun;
  }
}
