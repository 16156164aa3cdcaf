import type { Reading } from './reading.ts';
import { nothing } from './tables.ts';

/** Quotes that are kept of one table: a report shows a handful. */
const mostQuotes = 4096;

/** Keeps the first row of each name on each stream, as a text that can be quoted. */
export class Quotes {
  readonly #reading: Reading;
  readonly #table: string;
  #seen: (Uint8Array | undefined)[] = [];
  #count = 0;

  constructor(reading: Reading, table: string) {
    this.#reading = reading;
    this.#table = table;
  }

  /** True for the first row of a name on a stream, which is then to be given to `work`. */
  isFirst(name: number, stream: number): boolean {
    const slot = stream & 127;
    const seen = (this.#seen[name] ??= new Uint8Array(128));
    if (seen[slot] === 1) return false;
    seen[slot] = 1;
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
