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
  /** Turns UTF-16 into UTF-8; null where the input is not in it. */
  #wide: InstanceType<typeof TextDecoder> | null = null;
  /** What the first bytes are, where they are no text. */
  #foreign: string | null = null;

  /** @param spoolOf opens the place for an SQLite database, which can only be read as a whole */
  constructor(name: string, spoolOf: () => TraceSpool) {
    this.#name = name;
    this.#spoolOf = spoolOf;
  }

  push(bytes: Uint8Array): void {
    if (this.bytes === 0 && bytes.length > 0) this.#wide = wideDecoder(bytes);
    this.bytes += bytes.length;
    this.#take(this.#wide === null ? bytes : encoder.encode(this.#wide.decode(bytes, { stream: true })));
  }

  #take(bytes: Uint8Array): void {
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
    else if (this.#kind === null) {
      this.#foreign = notText(head);
      this.enough = this.#foreign !== null;
    } else this.enough = typeof this.#kind !== 'string';
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
    if (this.#foreign !== null) return { kind: 'none', what: this.#foreign, hint: null };
    const text = textOf(joined(this.#text));
    // A table may begin behind megabytes of the program's own output.
    const kind = this.#kind ?? traceKindOf(text, this.#name);
    if (kind === 'ncu-csv') return { kind: 'table', of: kind, text };
    if (kind === 'nsys-stats' || kind === 'profiler-output') {
      const { readNsysStats } = await import('@culprit/core/trace/nsys-stats/read-stats');
      return this.#withLeft(readNsysStats(text, this.#name));
    }
    const what = text.trim() === '' ? 'empty' : 'no profile that is known';
    return { kind: 'none', what, hint: this.left[0] ?? null };
  }

  #withLeft(trace: Trace): TraceFile {
    const partial = trace.partial || this.left.length > 0;
    return { kind: 'trace', trace: { ...trace, partial, left: [...this.left, ...trace.left] } };
  }

  close(): void {
    this.#spool?.close();
  }
}

const encoder = new TextEncoder();

/** Shells of Windows write UTF-16. @returns null for other inputs */
function wideDecoder(first: Uint8Array): InstanceType<typeof TextDecoder> | null {
  const sniffed = sniff(first);
  return sniffed.kind === 'text' && sniffed.encoding !== 'utf-8' ? new TextDecoder(sniffed.encoding) : null;
}

/** What bytes of no known kind are, where they are no text. */
function notText(head: Uint8Array): string | null {
  const sniffed = sniff(head);
  if (sniffed.kind === 'compressed') return `packed twice: what was unpacked is packed by ${sniffed.format} again`;
  if (sniffed.kind === 'tar') return 'a tar archive: the traces in it are to be unpacked';
  return sniffed.kind === 'foreign' ? sniffed.what : null;
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}
