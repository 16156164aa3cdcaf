import { createTarDecoder } from 'modern-tar';
import type { ParsedTarEntry } from 'modern-tar';
import type { Document } from '@culprit/core/model/document';
import type { Budget, Content, Contents } from './content.ts';
import { Enough } from './content.ts';
import { mostFiles, otherFolders, programText, skippedOf } from './folder-rules.ts';

/** Reads the texts in a tar archive (POSIX pax, GNU and ustar), one after the other; nothing is written to disk. */
export class TarStage {
  private readonly name: string;
  private readonly budget: Budget;
  private readonly inside: (name: string) => Content;
  private readonly writer: WritableStreamDefaultWriter<Uint8Array>;
  private readonly read: Promise<void>;
  private readonly documents: Document[] = [];
  private readonly left: string[] = [];
  private readonly partial: string[] = [];
  private readonly skipped = skippedOf();
  private stopped: Error | null = null;
  private entries = 0;

  /** @param inside makes the reader of one entry, by its name */
  constructor(name: string, budget: Budget, inside: (name: string) => Content) {
    this.name = name;
    this.budget = budget;
    this.inside = inside;
    const decoder = createTarDecoder({ strict: true });
    this.writer = decoder.writable.getWriter();
    this.writer.closed.catch(() => {});
    this.read = this.readAll(decoder.readable);
  }

  async push(chunk: Uint8Array): Promise<void> {
    if (this.stopped !== null) return;
    // The decoder may look at the bytes later.
    await Promise.race([this.writer.write(new Uint8Array(chunk)).catch(() => {}), this.read]);
  }

  async end(): Promise<Contents> {
    if (this.stopped === null) await Promise.race([this.writer.close().catch(() => {}), this.read]);
    await this.read;
    const left = [...this.left, ...this.skipped.said(this.name)];
    const partial = [...this.partial];
    if (this.budget.files >= mostFiles) partial.push(`${this.name}: more than ${mostFiles} files`);
    if (this.entries === 0 && this.documents.length === 0)
      return {
        documents: [],
        left,
        partial,
        foreign: { what: 'a tar archive of which no file can be read', hint: 'is it whole? tar -tvf FILE' },
      };
    return { documents: this.documents, left, partial, foreign: null };
  }

  private async readAll(entries: ReadableStream<ParsedTarEntry>): Promise<void> {
    try {
      for await (const entry of entries as unknown as AsyncIterable<ParsedTarEntry>) await this.entry(entry);
    } catch (error) {
      this.stopped = error as Error;
      const why =
        error instanceof Enough
          ? error.message
          : `the tar archive ${this.name} is damaged or ends early (${(error as Error).message}); what came before it was read`;
      this.left.push(why);
      this.partial.push(why);
      await this.writer.abort(error).catch(() => {});
    }
  }

  private async entry({ header, body }: ParsedTarEntry): Promise<void> {
    this.entries++;
    const plain = header.type === undefined || header.type === 'file';
    const why = this.whyNot(header.name);
    if (!plain || why !== null) {
      if (plain) this.skipped.add(header.name, why!);
      await body.cancel();
      return;
    }
    this.budget.files++;
    const content = this.inside(`${this.name}/${header.name.replace(/^(?:\.?\/){1,8}/, '')}`);
    // Leaving the loop cancels the body: the decoder then passes over the rest of the entry.
    for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
      await content.push(chunk);
      if (content.over) break;
    }
    const { documents, left, partial, foreign } = await content.end();
    this.partial.push(...partial);
    if (foreign !== null) this.skipped.add(header.name, foreign.what);
    this.documents.push(...documents);
    this.left.push(...left.map((each) => `${header.name}: ${each}`));
  }

  private whyNot(name: string): string | null {
    if (programText(name)) return 'program text or documentation';
    if (name.split('/').some((part) => otherFolders.has(part))) return 'no logs are in such folders';
    return this.budget.files >= mostFiles ? 'too many' : null;
  }
}
