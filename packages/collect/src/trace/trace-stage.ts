import { sniff } from '@culprit/core/text/sniff';
import { KinetoReader } from '@culprit/core/trace/kineto/kineto-reader';
import type { Trace } from '@culprit/core/trace/model';
import type { TraceKind } from '@culprit/core/trace/trace-kind';
import { traceKindOf } from '@culprit/core/trace/trace-kind';
import { TraceUnreadable } from '@culprit/core/trace/unreadable';
import { joined } from '../joined.ts';

/** What one file of a profile holds. */
export type TraceFile =
  | { readonly kind: 'trace'; readonly trace: Trace }
  | { readonly kind: 'table'; readonly of: 'ncu-csv'; readonly text: string }
  /** `empty` where there was nothing at all. */
  | { readonly kind: 'none'; readonly what: string; readonly hint: string | null };

/** Where the bytes of an SQLite database are put, to be read at any place. */
export interface TraceSpool {
  push(bytes: Uint8Array): void;
  /** @throws TraceUnreadable where it is no export of Nsight Systems */
  trace(called: string): Promise<Trace>;
  close(): void;
}

/** Bytes by which the kind is told; a table may follow the program's own output. */
const headBytes = 256 * 1024;
/** Most bytes of a table that are held. */
const mostText = 256 * 1024 * 1024;
/** Takes the unpacked bytes; what they are is told when enough of them are there. */
export class TraceStage {
  readonly left: string[] = [];
  /** Taken so far. */
  bytes = 0;
  /** Nothing more is of use. */
  enough = false;
  #name: string;
  #spoolOf: () => TraceSpool;
  #head: Uint8Array[] = [];
  #length = 0;
  #kind: TraceKind | null = null;
  #told = false;
  #events: KinetoReader | null = null;
  #spool: TraceSpool | null = null;
  #text: Uint8Array[] = [];

  /** @param spoolOf opens the place for an SQLite database, which can only be read as a whole */
  constructor(name: string, spoolOf: () => TraceSpool) {
    this.#name = name;
    this.#spoolOf = spoolOf;
  }

  push(bytes: Uint8Array): void {
    this.bytes += bytes.length;
    if (this.#told) {
      this.#give(bytes);
      return;
    }
    this.#head.push(bytes.slice());
    this.#length += bytes.length;
    if (this.#length >= headBytes) this.#tell();
  }

  #tell(): void {
    this.#told = true;
    const head = joined(this.#head);
    this.#head = [];
    this.#kind = traceKindOf(textOf(head), this.#name);
    if (this.#kind === 'events') this.#events = new KinetoReader(this.#name);
    else if (this.#kind === 'sqlite') this.#spool = this.#spoolOf();
    else if (this.#kind === null ? sniff(head).kind === 'foreign' : typeof this.#kind !== 'string') this.enough = true;
    this.#length = 0;
    this.#give(head);
  }

  #give(bytes: Uint8Array): void {
    if (this.#events !== null) this.#events.push(bytes);
    else if (this.#spool !== null) this.#spool.push(bytes);
    else if (!this.enough) {
      this.#length += bytes.length;
      if (this.#length > mostText) {
        this.left.push(`only its first ${mostText / 1024 ** 2} MiB were read`);
        this.enough = true;
      } else this.#text.push(bytes.slice());
    }
  }

  async finish(): Promise<TraceFile> {
    if (!this.#told) this.#tell();
    if (this.#events !== null) {
      const trace = this.#events.end();
      const [why] = [...this.left, ...trace.left];
      if (this.#events.progress.events === 0 && why !== undefined)
        throw new TraceUnreadable('damaged', `${this.#name} holds no whole event: ${why}`, 'take the trace again');
      return this.#withLeft(trace);
    }
    if (this.#spool !== null) return this.#withLeft(await this.#spool.trace(this.#name));
    if (this.#kind !== null && typeof this.#kind === 'object')
      return { kind: 'none', what: this.#kind.foreign, hint: this.#kind.hint };
    const text = textOf(joined(this.#text));
    // A table may begin behind megabytes of the program's own output.
    const kind = this.#kind ?? traceKindOf(text, this.#name);
    if (kind === 'ncu-csv') return { kind: 'table', of: kind, text };
    if (kind === 'nsys-stats') {
      const { readNsysStats } = await import('@culprit/core/trace/nsys-stats/read-stats');
      return this.#withLeft(readNsysStats(text, this.#name));
    }
    const what = text.trim() === '' ? 'empty' : 'no profile that is known';
    return { kind: 'none', what, hint: this.left[0] ?? null };
  }

  #withLeft(trace: Trace): TraceFile {
    return { kind: 'trace', trace: { ...trace, left: [...this.left, ...trace.left] } };
  }

  close(): void {
    this.#spool?.close();
  }
}

/** Shells of Windows write UTF-16. */
function textOf(bytes: Uint8Array): string {
  const wide = bytes[0] === 0xff && bytes[1] === 0xfe;
  return new TextDecoder(wide ? 'utf-16le' : 'utf-8', { ignoreBOM: !wide }).decode(bytes);
}
