import type { Document, Line } from '@culprit/core/model/document';
import { headLength, sniff } from '@culprit/core/text/sniff';
import { documentsOfSnapshot, looksLikeSnapshot } from '@culprit/core/text/snapshot';
import type { Packing } from '@culprit/core/text/sniff';
import { joined } from './joined.ts';
import type { OpenUnpacker, Unpacker } from './unpacking.ts';
import { NoUnpacker } from './unpacking.ts';

/** Collects the bytes of one text and makes a document of them; huge texts are condensed while they come. */
export interface TextSink {
  push(bytes: Uint8Array): void;
  finish(left: readonly string[]): Document | { readonly text: string };
}

/** How much of one text may be held. */
export interface Allowance {
  /** Bytes up to which it is held whole. */
  readonly whole: number;
  /** Part of the usual room that a longer text gets, above 0, at most 1. */
  readonly share: number;
}

/** Makes the collector of one text. */
export type Sinks = (file: string, allowance: Allowance) => TextSink;

/** What all inputs of one question share: how much is held, and what has been read. */
export class Budget {
  /** Bytes of text that are held whole so far. */
  private held = 0;
  private texts = 0;
  /** Bytes of text in all, unpacked. */
  private read = 0;
  files = 0;
  readonly unpacker: OpenUnpacker;

  /** @param unpacker unpacks what is packed */
  constructor(unpacker: OpenUnpacker) {
    this.unpacker = unpacker;
  }

  /** For the next text. The first ones get all they want; a hundred logs of ranks do not need it. */
  allow(): Allowance {
    if (this.held < mostHeld) return { whole: this.texts++ === 0 ? mostWhole : mostWhole / 4, share: 1 };
    return { whole: fewestWhole, share: this.held < 2 * mostHeld ? 0.05 : 0.01 };
  }

  /** Counts lines that are held: their text, and what is known of each. */
  hold(lines: readonly Line[]): void {
    this.held += lines.reduce((sum, line) => sum + 2 * line.text.length + lineBytes, 0);
  }

  /** @throws Enough beyond the limit */
  count(bytes: number): void {
    this.read += bytes;
    if (this.read > mostRead) throw new Enough(`read up to ${mostRead / 1024 ** 3} GiB; the rest was left out`);
  }
}

/** What is known of a line takes about so much. */
const lineBytes = 400;
const mostHeld = 6 * 1024 ** 2;
const mostWhole = 8 * 1024 ** 2;
const fewestWhole = 128 * 1024;
/** Bytes of text that are read in all; more is of no use, and it is said. */
const mostRead = 64 * 1024 ** 3;
/** From this size on, what unpacks to more than so many times its size is a compression bomb. */
const bombBytes = 1024 ** 3;
const bombRatio = 200;
/** NUL bytes before a text; more are no log. */
const mostNuls = 64 * 1024 ** 2;
/** Packings in one another: a gzip file in a tar archive in a zstd file. */
const deepest = 3;

/** What the bytes of one name turned out to be. */
export interface Contents {
  readonly documents: readonly Document[];
  /** What was not read, in words. */
  readonly left: readonly string[];
  /** Those parts of `left` that are text of this question: a limit was reached, the data ends early. */
  readonly partial: readonly string[];
  /** No text: what it is, and how to get at its text; null where it was read. */
  readonly foreign: { readonly what: string; readonly hint: string } | null;
}

/** Ends the reading; what was read up to here counts. */
export class Enough extends Error {}

/** Ends the unpacking of what is no text. */
class Over extends Error {}

interface Stage {
  /** More bytes would change nothing. */
  readonly over?: boolean;
  push(chunk: Uint8Array): void | Promise<void>;
  end(): Contents | Promise<Contents>;
}

/** Takes the bytes of one file, sees what they are, and unpacks and decodes as that asks for. */
export class Content {
  private readonly name: string;
  private readonly sinks: Sinks;
  private readonly budget: Budget;
  private readonly depth: number;
  private head: Uint8Array[] = [];
  private length = 0;
  /** NUL bytes before the text, as a log has that was cut while its writer went on. */
  private nuls = 0;
  private stage: Stage | null = null;

  constructor(name: string, sinks: Sinks, budget: Budget, depth: number = 0) {
    this.name = name;
    this.sinks = sinks;
    this.budget = budget;
    this.depth = depth;
  }

  /** No more bytes are wanted: it is no text, or a limit is reached. */
  get over(): boolean {
    return this.stage?.over === true;
  }

  /** @param chunk valid only until the promise is kept */
  push(chunk: Uint8Array): void | Promise<void> {
    if (this.stage !== null) return this.stage.push(chunk);
    let from = 0;
    if (this.length === 0) {
      while (from < chunk.length && chunk[from] === 0) from++;
      // Text in UTF-16 may begin with one NUL.
      if (from < 2 && this.nuls === 0) from = 0;
      this.nuls += from;
      if (this.nuls > mostNuls)
        this.stage = new Nothing('NUL bytes and nothing else', 'is it a device, or a file that was never written?');
      if (from === chunk.length) return;
    }
    this.head.push(chunk.slice(from));
    this.length += chunk.length - from;
    if (this.length >= headLength) return this.decide();
  }

  async end(): Promise<Contents> {
    if (this.stage === null) await this.decide();
    const contents = await this.stage!.end();
    if (this.nuls === 0) return contents;
    return { ...contents, left: [`${this.nuls} NUL bytes before the text`, ...contents.left] };
  }

  private async decide(): Promise<void> {
    const head = this.head.length === 1 ? this.head[0]! : joined(this.head);
    this.head = [];
    const kind = sniff(head);
    if (kind.kind === 'text') this.stage = new TextStage(this.name, this.sinks, this.budget, kind.encoding);
    else if (kind.kind === 'foreign') this.stage = new Nothing(kind.what, kind.hint);
    else if (this.depth >= deepest) {
      this.stage = new Nothing('packed in too many layers', 'unpack it first');
    } else if (kind.kind === 'tar') {
      const { TarStage } = await import('./tar-stage.ts');
      this.stage = new TarStage(this.name, this.budget, (name) => this.inside(name));
    } else this.stage = await packed(kind.format, this.inside(this.name), this.budget.unpacker);
    await this.stage.push(head);
  }

  private inside(name: string): Content {
    return new Content(name, this.sinks, this.budget, this.depth + 1);
  }
}

/** What cannot be read as text. */
class Nothing implements Stage {
  readonly over: boolean = true;
  private readonly foreign: { readonly what: string; readonly hint: string };

  constructor(what: string, hint: string) {
    this.foreign = { what, hint };
  }

  push(): void {}

  end(): Contents {
    return { documents: [], left: [], partial: [], foreign: this.foreign };
  }
}

class TextStage implements Stage {
  private readonly name: string;
  private readonly sink: TextSink;
  private readonly budget: Budget;
  private readonly decoder: InstanceType<typeof TextDecoder> | null;
  private readonly encoder: InstanceType<typeof TextEncoder> = new TextEncoder();

  constructor(name: string, sinks: Sinks, budget: Budget, encoding: 'utf-8' | 'utf-16le' | 'utf-16be') {
    this.name = name;
    this.sink = sinks(name, budget.allow());
    this.budget = budget;
    this.decoder = encoding === 'utf-8' ? null : new TextDecoder(encoding);
  }

  push(chunk: Uint8Array): void {
    this.budget.count(chunk.length);
    this.sink.push(this.decoder === null ? chunk : this.encoder.encode(this.decoder.decode(chunk, { stream: true })));
  }

  async end(): Promise<Contents> {
    if (this.decoder !== null) this.sink.push(this.encoder.encode(this.decoder.decode()));
    const made = this.sink.finish([]);
    if (!('text' in made)) {
      this.budget.hold(made.lines);
      return { documents: [made], left: [], partial: [], foreign: null };
    }
    const { createDocument } = await import('@culprit/core/text/document');
    const fromSnapshot = looksLikeSnapshot(made.text) ? documentsOfSnapshot(made.text, this.name) : null;
    const documents = fromSnapshot ?? [createDocument(made.text, { file: this.name })];
    for (const document of documents) this.budget.hold(document.lines);
    return {
      documents,
      left: [],
      partial: [],
      foreign: null,
    };
  }
}

/** The stage of packed bytes; what they unpack to is looked at again. */
async function packed(format: Packing, inner: Content, unpacker: OpenUnpacker): Promise<Stage> {
  const left: string[] = [];
  let packedBytes = 0;
  let bytes = 0;
  let full = false;
  const again = 'is the file whole? copy it again';
  let unpack: Unpacker;
  try {
    unpack = await unpacker(format, async (chunk) => {
      bytes += chunk.length;
      if (bytes > bombBytes && bytes > bombRatio * packedBytes) {
        throw new Enough(
          `it unpacks to more than ${bombRatio} times its size, as no log does; read up to ${bombBytes / 1024 ** 3} GiB`,
        );
      }
      await inner.push(chunk);
      if (inner.over) throw new Over();
    });
  } catch (error) {
    if (!(error instanceof NoUnpacker)) throw error;
    const { program } = error;
    return new Nothing(
      `${format}-compressed data`,
      `${error.message}; unpack it first: ${program} -dc FILE | culprit diagnose -`,
    );
  }
  const unlessEnough = async <T>(work: Promise<T>): Promise<T | null> => {
    try {
      return await work;
    } catch (error) {
      if (!(error instanceof Enough || error instanceof Over)) throw error;
      if (!full && error instanceof Enough) left.push(error.message);
      full = true;
      return null;
    }
  };
  return {
    get over(): boolean {
      return full;
    },
    push: async (chunk) => {
      packedBytes += chunk.length;
      if (!full) await unlessEnough(unpack.push(chunk));
    },
    end: async () => {
      const wrong = full ? null : await unlessEnough(unpack.end());
      if (wrong !== null && bytes === 0)
        return {
          documents: [],
          left: [],
          partial: [],
          foreign: { what: `${format}-compressed data that is damaged`, hint: again },
        };
      if (wrong !== null) left.push(wrong);
      const contents = await inner.end();
      const { foreign } = contents;
      if (foreign !== null && wrong !== null)
        return {
          ...contents,
          foreign: { what: `${format}-compressed data that is damaged or ends early`, hint: again },
        };
      return {
        ...contents,
        left: [...left, ...contents.left],
        partial: [...left, ...contents.partial],
        foreign: foreign === null ? null : { ...foreign, what: `${format}-compressed, and inside is ${foreign.what}` },
      };
    },
  };
}
