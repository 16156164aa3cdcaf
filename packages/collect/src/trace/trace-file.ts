import { KinetoReader } from '@culprit/core/trace/kineto/kineto-reader';
import type { Trace } from '@culprit/core/trace/model';
import type { TraceKind } from '@culprit/core/trace/trace-kind';
import { traceKindOf } from '@culprit/core/trace/trace-kind';
import { TraceUnreadable } from '@culprit/core/trace/unreadable';
import { sniff } from '@culprit/core/text/sniff';
import { openBytes } from '../bytes.ts';
import { unpacker } from '../unpack.ts';
import type { Spool } from './spool.ts';
import { openSpool } from './spool.ts';

/** What one file of a profile holds. */
export type TraceFile =
  | { readonly kind: 'trace'; readonly trace: Trace }
  | { readonly kind: 'table'; readonly of: 'ncu-csv'; readonly text: string }
  /** `empty` where there was nothing at all. */
  | { readonly kind: 'none'; readonly what: string; readonly hint: string | null };

/** Is told how far the reading is: bytes of the file, and of how many where that is known. */
export type TraceProgress = (done: number, size: number | null) => void;

/** Bytes by which the kind is told; a table may follow the program's own output. */
const headBytes = 256 * 1024;
/** Most bytes of a table that are held. */
const mostText = 256 * 1024 * 1024;
/** From this size on, what unpacks to more than so many times its size is no trace. */
const bombBytes = 4 * 1024 ** 3;
const bombRatio = 400;

class Enough extends Error {}

/**
 * Reads a profile of any kind: a trace of PyTorch or XLA (JSON), an export of Nsight Systems (SQLite), a table of Nsight
 * Compute or Systems; packed by gzip or zstd, and by xz, bzip2, lz4 where the system has the program. Traces of any size
 * are read in pieces. SQLite that comes from a pipe or packed is put into a temporary file, which is taken away.
 * @param name of a file, or `-` for standard input
 * @throws TraceUnreadable where it is a trace of which nothing can be read, and the system's error
 */
export async function readTraceFile(name: string, progress: TraceProgress = () => {}): Promise<TraceFile> {
  const reader = openBytes(name);
  const stage = new Stage(name);
  try {
    let done = 0;
    let first = reader.read();
    if (first === null) return { kind: 'none', what: 'empty', hint: null };
    const sniffed = sniff(first);
    if (name !== '-' && reader.size !== null && traceKindOf(latin(first)) === 'sqlite') {
      const { readNsysExport } = await import('../sqlite/index.ts');
      return { kind: 'trace', trace: await readNsysExport(name) };
    }
    let push = (bytes: Uint8Array): void | Promise<void> => stage.push(bytes);
    let end = async (): Promise<string | null> => null;
    if (sniffed.kind === 'compressed') {
      let unpacked = 0;
      const unpack = await unpacker(sniffed.format, async (bytes) => {
        unpacked += bytes.length;
        if (unpacked > bombBytes && unpacked > bombRatio * done)
          throw new Enough(`it unpacks to more than ${bombRatio} times its size, as no trace does; read up to there`);
        stage.push(bytes);
      });
      push = async (bytes) => unpack.push(bytes);
      end = async () => unpack.end();
    }
    try {
      for (; first !== null; first = reader.read()) {
        done += first.length;
        const pushed = push(first);
        if (pushed !== undefined) await pushed;
        progress(done, reader.size);
        if (stage.enough) break;
      }
      const wrong = stage.enough ? null : await end();
      if (wrong !== null && stage.bytes === 0)
        throw new TraceUnreadable('damaged', `${name} cannot be unpacked: ${wrong}`, 'copy the file again');
      if (wrong !== null) stage.left.push(wrong);
    } catch (error) {
      if (!(error instanceof Enough)) throw error;
      stage.left.push(error.message);
    }
    return await stage.finish();
  } finally {
    reader.close();
    stage.close();
  }
}

/** Takes the unpacked bytes; what they are is told when enough of them are there. */
class Stage {
  readonly left: string[] = [];
  /** Taken so far. */
  bytes = 0;
  /** Nothing more is of use. */
  enough = false;
  #name: string;
  #head: Uint8Array[] = [];
  #length = 0;
  #kind: TraceKind | null = null;
  #told = false;
  #events: KinetoReader | null = null;
  #spool: Spool | null = null;
  #text: Uint8Array[] = [];

  constructor(name: string) {
    this.#name = name;
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
    const head = Buffer.concat(this.#head);
    this.#head = [];
    this.#kind = traceKindOf(textOf(head), this.#name);
    if (this.#kind === 'events') this.#events = new KinetoReader(this.#name);
    else if (this.#kind === 'sqlite') this.#spool = openSpool('export.sqlite');
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
    if (this.#spool !== null) {
      const { readNsysExport } = await import('../sqlite/index.ts');
      return this.#withLeft(await readNsysExport(this.#spool.path, this.#name));
    }
    if (this.#kind !== null && typeof this.#kind === 'object')
      return { kind: 'none', what: this.#kind.foreign, hint: this.#kind.hint };
    const text = textOf(Buffer.concat(this.#text));
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

function latin(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 4096)).toString('latin1');
}

/** Shells of Windows write UTF-16. */
function textOf(bytes: Buffer): string {
  return bytes[0] === 0xff && bytes[1] === 0xfe ? bytes.subarray(2).toString('utf16le') : bytes.toString('utf8');
}
