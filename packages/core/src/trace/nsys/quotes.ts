import type { Reading } from './reading.ts';
import { nothing } from './tables.ts';

/** Quotes that are kept of one table: a report shows a handful. */
const mostQuotes = 4096;
/** Streams that are told apart, a power of two. */
const streamsTold = 128;

/** Keeps the first row of each name on each stream, as a text that can be quoted. */
export class Quotes {
  readonly #reading: Reading;
  readonly #table: string;
  /** By name and stream, `streamsTold` of them. */
  #seen = new Uint8Array(1 << 16);
  #count = 0;

  constructor(reading: Reading, table: string) {
    this.#reading = reading;
    this.#table = table;
  }

  /** True for the first row of a name on a stream, which is then to be given to `work`. */
  isFirst(name: number, stream: number): boolean {
    const slot = name * streamsTold + (stream & (streamsTold - 1));
    if (slot >= this.#seen.length) {
      const longer = new Uint8Array(2 ** Math.ceil(Math.log2(slot + 1)));
      longer.set(this.#seen);
      this.#seen = longer;
    }
    if (this.#seen[slot] === 1) return false;
    this.#seen[slot] = 1;
    return true;
  }

  /** @param columns the numbers of the row by the names of their columns */
  work(name: number, stream: number, row: number, columns: Readonly<Record<string, number>>): void {
    this.#put(`work:${name}:${stream}`, row, columns);
  }

  call(name: number, row: number, columns: Readonly<Record<string, number>>): void {
    this.#put(`call:${name}`, row, columns);
  }

  #put(key: string, line: number, columns: Readonly<Record<string, number>>): void {
    if (this.#count >= mostQuotes || this.#reading.builder.quotes.has(key)) return;
    this.#count++;
    const told = Object.entries(columns).map(([column, value]) => `${column}=${value === nothing ? 'NULL' : value}`);
    this.#reading.builder.quotes.set(key, { line, text: `${this.#table} ${told.join(' ')}` });
  }
}
