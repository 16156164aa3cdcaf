import type { TraceQuote } from '../model.ts';
import type { Place } from './scanner.ts';
import type { Fields } from './event-walk.ts';
import { field } from './event-walk.ts';

const mostQuotes = 5000;
const longestQuote = 2048;
const decoder = new TextDecoder();

/** Keeps the first event of each name, as it stands in the file. */
export class Quotes {
  #quotes: Map<string, TraceQuote>;
  /** The last stream that a name was quoted on: asked first, as neighbours are alike. */
  #lastStream: number[] = [];
  #seen = new Set<number>();

  constructor(quotes: Map<string, TraceQuote>) {
    this.#quotes = quotes;
  }

  work(name: number, stream: number, bytes: Uint8Array, from: number, to: number, fields: Fields, place: Place): void {
    if (this.#lastStream[name] === stream) return;
    this.#lastStream[name] = stream;
    const key = name * 65_536 + stream;
    if (this.#seen.has(key) || this.#quotes.size >= mostQuotes || from === to) return;
    this.#seen.add(key);
    this.#quotes.set(`work:${name}:${stream}`, quoteOf(bytes, from, to, fields, place));
  }

  call(name: number, bytes: Uint8Array, from: number, to: number, fields: Fields, place: Place): void {
    if (this.#lastStream[name] === -1) return;
    this.#lastStream[name] = -1;
    const key = `call:${name}`;
    if (this.#quotes.has(key) || this.#quotes.size >= mostQuotes || from === to) return;
    this.#quotes.set(key, quoteOf(bytes, from, to, fields, place));
  }

  /** An event whose stream is not known yet. */
  track(name: number, bytes: Uint8Array, from: number, to: number, fields: Fields, place: Place): void {
    if (this.#lastStream[name] === -2 || this.#quotes.size >= mostQuotes || from === to) return;
    this.#lastStream[name] = -2;
    const key = `track:${name}`;
    if (!this.#quotes.has(key)) this.#quotes.set(key, quoteOf(bytes, from, to, fields, place));
  }
}

/** The line with the name of the event; of a line that holds more than the event, the event. */
function quoteOf(bytes: Uint8Array, from: number, to: number, fields: Fields, place: Place): TraceQuote {
  let start = from;
  let end = to;
  const name = fields[field.name * 2]!;
  if (name !== 0) {
    const before = bytes.subarray(from, name).lastIndexOf(0x0a);
    if (before >= 0) start = from + before + 1;
    const behind = bytes.subarray(name, to).indexOf(0x0a);
    if (behind >= 0) end = name + behind;
  }
  if (bytes[end - 1] === 0x0d) end--;
  const cut = Math.min(end, start + longestQuote);
  const text = decoder.decode(bytes.subarray(start, cut));
  // A cut in the middle of a character leaves a mark that the file does not have.
  return { line: place.lineOf(start), text: cut < end ? text.replace(/\uFFFD$/, '') : text };
}
