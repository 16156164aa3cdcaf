import type { LiteralFinder } from './literals.ts';
import { plain } from './clean.ts';
import { sliceLength, sliceOverlap } from './document.ts';

const mostFirst = 400;
const mostLast = 100;
const step = sliceLength - sliceOverlap;

export interface Slice {
  /** First character of the slice in its line, from 1. */
  readonly column: number;
  readonly text: string;
}

/** Reads one line too long to be held: it keeps the slices that hold a literal, the first and the last of them. */
export class LongLine {
  private readonly finder: LiteralFinder;
  private readonly decoder: TextDecoder = new TextDecoder('utf-8', { ignoreBOM: true });
  private rest = '';
  /** Characters of the line before `rest`. */
  private offset = 0;
  private readonly first: Slice[] = [];
  private readonly last: Slice[] = [];
  hits = 0;

  constructor(finder: LiteralFinder) {
    this.finder = finder;
  }

  push(bytes: Uint8Array): void {
    this.scan(this.decoder.decode(bytes, { stream: true }), false);
  }

  /** @returns the slices that were kept, in order */
  finish(): readonly Slice[] {
    this.scan(this.decoder.decode(), true);
    return [...this.first, ...this.last];
  }

  get length(): number {
    return this.offset + this.rest.length;
  }

  private scan(more: string, end: boolean): void {
    const text = this.rest + more;
    let hit = text.includes('\u001b');
    if (!hit) this.finder.inText(text, () => (hit = true));
    let at = 0;
    while (text.length - at > (end ? 0 : sliceLength)) {
      const slice = text.slice(at, at + sliceLength);
      if (hit && this.matters(slice)) this.keep({ column: this.offset + at + 1, text: slice });
      if (at + sliceLength >= text.length) {
        at = text.length;
        break;
      }
      at += step;
    }
    this.offset += at;
    this.rest = text.slice(at);
  }

  private matters(slice: string): boolean {
    let found = false;
    this.finder.inText(plain(slice), () => (found = true));
    return found;
  }

  private keep(slice: Slice): void {
    this.hits++;
    if (this.first.length < mostFirst) this.first.push(slice);
    else {
      this.last.push(slice);
      if (this.last.length > mostLast) this.last.shift();
    }
  }
}
