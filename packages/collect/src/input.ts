import type { Document } from '@culprit/core/model/document';
import type { ByteReader } from './bytes.ts';
import { openBytes } from './bytes.ts';
import { headLength, sniff } from './sniff.ts';
import { documentsOfSnapshot, looksLikeSnapshot } from './snapshot.ts';

/** An input that could not be read at all. */
export interface Unreadable {
  readonly name: string;
  readonly reason: string;
  readonly hint: string | null;
}

/** What one target gave. */
export type Input = { readonly documents: readonly Document[] } | { readonly unreadable: Unreadable };

/** Collects the bytes of one text and makes a document of them; huge texts are condensed while they come. */
export interface TextSink {
  push(bytes: Uint8Array): void;
  finish(left: readonly string[]): Document | { readonly text: string };
}

/** Is told how far the reading is: bytes read, and of how many where that is known. */
export type Progress = (done: number, size: number | null) => void;

/** Bytes of text that are read of one input; more is a compression bomb or of no use, and it is said. */
const mostBytes = 64 * 1024 ** 3;

class Enough extends Error {}

/**
 * Reads a file, or standard input for `-`, as text: unpacks gzip and zstd, decodes UTF-16, takes snapshots apart.
 * It does not throw for what is wrong with an input; that is its answer.
 * @param sink makes the collector of one text
 * @param progress is called for every chunk
 */
export async function readInput(
  name: string,
  sink: (file: string) => TextSink,
  progress: Progress = () => {},
): Promise<Input> {
  let reader: ByteReader | null = null;
  try {
    const opened = openBytes(name);
    let done = 0;
    reader = {
      ...opened,
      read: () => {
        const chunk = opened.read();
        done += chunk?.length ?? 0;
        progress(done, opened.size);
        return chunk;
      },
    };
    return await readAll(name, reader, sink(name));
  } catch (error) {
    return { unreadable: { name, ...whyUnreadable(error) } };
  } finally {
    reader?.close();
  }
}

async function readAll(name: string, reader: ByteReader, sink: TextSink): Promise<Input> {
  const unreadable = (what: string, hint: string): Input => ({ unreadable: { name, reason: `it is ${what}`, hint } });
  const head = readHead(reader);
  const kind = sniff(head);
  if (kind.kind === 'foreign') return unreadable(kind.what, kind.hint);
  const left: string[] = [];
  let total = 0;
  const count = (chunk: Uint8Array): void => {
    total += chunk.length;
    if (total > mostBytes) throw new Enough();
  };
  try {
    if (kind.kind === 'text') {
      const decode = decoderTo(sink, kind.encoding);
      for (let chunk: Uint8Array | null = head; chunk !== null; chunk = reader.read()) {
        count(chunk);
        decode.push(chunk);
      }
      decode.end();
    } else {
      const inner = new Inner(sink);
      const { unpacker } = await import('./unpack.ts');
      const unpack = await unpacker(kind.format, (chunk) => {
        count(chunk);
        inner.push(chunk);
      });
      for (let chunk: Uint8Array | null = head; chunk !== null; chunk = reader.read()) await unpack.push(chunk);
      const wrong = await unpack.end();
      if (wrong !== null) left.push(wrong);
      const found = inner.end();
      if (found !== null) return unreadable(`${kind.format}-compressed, and inside is ${found.what}`, found.hint);
    }
  } catch (error) {
    if (!(error instanceof Enough)) throw error;
    left.push(`read up to ${mostBytes / 1024 ** 3} GiB; the rest was left out`);
  }
  const made = sink.finish(left);
  if (!('text' in made)) return { documents: [made] };
  const { createDocument } = await import('@culprit/core/text/document');
  const fromSnapshot = looksLikeSnapshot(made.text) ? documentsOfSnapshot(made.text, name) : null;
  const documents = fromSnapshot ?? [createDocument(made.text, { file: name })];
  const first = documents[0]!;
  return {
    documents: left.length === 0 ? documents : [{ ...first, left: [...first.left, ...left] }, ...documents.slice(1)],
  };
}

/** The first bytes, however small the parts they come in. */
function readHead(reader: ByteReader): Uint8Array {
  let head: Uint8Array = new Uint8Array(0);
  while (head.length < headLength) {
    const chunk = reader.read();
    if (chunk === null) break;
    const joined = new Uint8Array(head.length + chunk.length);
    joined.set(head);
    joined.set(chunk, head.length);
    head = joined;
  }
  return head;
}

/** The unpacked side of a compressed input: its first bytes are looked at again. */
class Inner {
  private head: Uint8Array[] = [];
  private length = 0;
  private decode: { push(chunk: Uint8Array): void; end(): void } | null = null;
  private foreign: { readonly what: string; readonly hint: string } | null = null;
  private readonly sink: TextSink;

  constructor(sink: TextSink) {
    this.sink = sink;
  }

  push(chunk: Uint8Array): void {
    if (this.foreign !== null) return;
    if (this.decode !== null) {
      this.decode.push(chunk);
      return;
    }
    this.head.push(chunk);
    this.length += chunk.length;
    if (this.length >= headLength) this.decide();
  }

  end(): { readonly what: string; readonly hint: string } | null {
    if (this.decode === null && this.foreign === null) this.decide();
    this.decode?.end();
    return this.foreign;
  }

  private decide(): void {
    const head = Buffer.concat(this.head);
    this.head = [];
    const kind = sniff(head.subarray(0, headLength));
    if (kind.kind === 'foreign') this.foreign = kind;
    else if (kind.kind === 'compressed')
      this.foreign = { what: `${kind.format}-compressed again`, hint: 'unpack it once first' };
    else {
      this.decode = decoderTo(this.sink, kind.encoding);
      this.decode.push(head);
    }
  }
}

function decoderTo(
  sink: TextSink,
  encoding: 'utf-8' | 'utf-16le' | 'utf-16be',
): { push(chunk: Uint8Array): void; end(): void } {
  if (encoding === 'utf-8') return { push: (chunk) => sink.push(chunk), end: () => {} };
  const decoder = new TextDecoder(encoding);
  return {
    push: (chunk) => sink.push(Buffer.from(decoder.decode(chunk, { stream: true }), 'utf8')),
    end: () => sink.push(Buffer.from(decoder.decode(), 'utf8')),
  };
}

const reasons: Readonly<Record<string, readonly [string, string | null]>> = {
  ENOENT: ['there is no such file', null],
  ENOTDIR: ['a part of its path is not a directory', null],
  EACCES: ['reading it is not permitted', 'run culprit as a user who may read it'],
  EPERM: ['reading it is not permitted', 'run culprit as a user who may read it'],
  EISDIR: ['it is a directory', 'name the files in it'],
  ELOOP: ['its symbolic links run in a circle', null],
  ENAMETOOLONG: ['its name is too long', null],
  EMFILE: ['too many files are open', null],
  ENXIO: ['nothing is behind this device or socket', null],
};

function whyUnreadable(error: unknown): { readonly reason: string; readonly hint: string | null } {
  const code = (error as NodeJS.ErrnoException | null)?.code;
  const known = code === undefined ? undefined : reasons[code];
  if (known !== undefined) return { reason: `${known[0]} (${code})`, hint: known[1] };
  return { reason: error instanceof Error ? error.message : String(error), hint: null };
}
