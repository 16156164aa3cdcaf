import type { Contents, Sinks } from '@culprit/collect/anywhere/text';
import { Budget, Content, Enough, otherFolders, programText, skippedOf } from '@culprit/collect/anywhere/text';
import { recogniserOf } from '@culprit/core/diagnose/recognise';
import { defaultKnowledge } from '@culprit/core/knowledge/knowledge';
import type { Document } from '@culprit/core/model/document';
import { parsers } from '@culprit/core/parse/parsers';
import { Condenser } from '@culprit/core/text/condense';
import { createDocument } from '@culprit/core/text/document';
import { documentsOfSnapshot, looksLikeSnapshot } from '@culprit/core/text/snapshot';
import type { FileKind } from '../files/kind.ts';
import { kindOfFile } from '../files/kind.ts';
import { chunksOf } from '../files/blob-bytes.ts';
import { browserUnpacker } from '../files/unpackers.ts';
import type { DroppedFile, Input } from './protocol.ts';

/** What the inputs of one question gave. */
export interface Inputs {
  readonly documents: readonly Document[];
  /** What could not be read, and why, in words. */
  readonly unreadable: readonly { readonly name: string; readonly reason: string; readonly hint: string | null }[];
  /** What of folders and archives was left out, in words, beside what each document says of itself. */
  readonly left: readonly string[];
  /** Text of this question that was not read: a limit was reached, the data ends early. */
  readonly partial: readonly string[];
  /** Files that are no text of a log, by what reads them. */
  readonly others: readonly { readonly kind: Exclude<FileKind, 'text'>; readonly input: DroppedFile }[];
}

/** Bytes between two words of progress. */
const step = 8e6;

/**
 * Reads texts and files as `culprit diagnose` reads them: packed ones by what the browser can unpack, archives file by
 * file, huge ones in bounded memory, snapshots taken apart. Each file is told by its content.
 */
export async function readInputs(inputs: readonly Input[], progress: (words: string) => void): Promise<Inputs> {
  const recogniser = recogniserOf(defaultKnowledge.signatures, parsers);
  const sinks: Sinks = (file, allowance) => new Condenser(recogniser, file, allowance);
  const budget = new Budget(browserUnpacker);
  const documents: Document[] = [];
  const unreadable: Inputs['unreadable'][number][] = [];
  const left: string[] = [];
  const partial: string[] = [];
  const others: Inputs['others'][number][] = [];
  const skipped = skippedOf();
  for (const input of inputs) {
    const { name } = input;
    try {
      if ('text' in input) {
        documents.push(...documentsOfText(name, input.text, sinks, budget));
        continue;
      }
      const inFolder = name.includes('/');
      const why = inFolder ? whyNot(name) : null;
      if (why !== null) {
        skipped.add(name, why);
        continue;
      }
      const kind = await kindOfFile(name, input.file);
      if (kind === 'zip' && !name.endsWith('.whl')) {
        const { textsOfZip } = await import('../files/zip-texts.ts');
        const read = await textsOfZip(name, input.file, sinks, budget);
        documents.push(...read.documents);
        partial.push(...read.partial);
        left.push(...read.left);
        // One with texts is no wheel; there may be libraries besides.
        if (read.documents.length > 0 && !read.left.some((each) => each.includes('ELF'))) continue;
      }
      if (kind !== 'text') {
        others.push({ kind, input });
        continue;
      }
      const read = await contentsOf(input, sinks, budget, progress);
      partial.push(...read.partial);
      if (read.foreign === null) documents.push(...withLeft(read.documents, read.left));
      else if (inFolder) skipped.add(name, read.foreign.what);
      else unreadable.push({ name, reason: `it is ${read.foreign.what}`, hint: read.foreign.hint });
      if (read.foreign === null && read.documents.length === 0) left.push(...read.left);
    } catch (error) {
      unreadable.push({ name, reason: error instanceof Error ? error.message : String(error), hint: null });
    }
  }
  return { documents, unreadable, left: [...left, ...skipped.said('what was dropped')], partial, others };
}

function whyNot(name: string): string | null {
  if (programText(name)) return 'program text or documentation';
  return name.split('/').some((part) => otherFolders.has(part)) ? 'no logs are in such folders' : null;
}

/** Text that was typed or pasted is text, whatever it begins with. */
function documentsOfText(name: string, text: string, sinks: Sinks, budget: Budget): readonly Document[] {
  const sink = sinks(name, budget.allow());
  sink.push(new TextEncoder().encode(text));
  const made = sink.finish([]);
  const documents = !('text' in made)
    ? [made]
    : ((looksLikeSnapshot(made.text) ? documentsOfSnapshot(made.text, name) : null) ?? [
        createDocument(made.text, { file: name }),
      ]);
  for (const document of documents) budget.hold(document.lines);
  return documents;
}

async function contentsOf(
  { name, file }: DroppedFile,
  sinks: Sinks,
  budget: Budget,
  progress: (words: string) => void,
): Promise<Contents> {
  const content = new Content(name, sinks, budget);
  let enough: string | null = null;
  let done = 0;
  let said = 0;
  try {
    for await (const chunk of chunksOf(file)) {
      done += chunk.length;
      if (done - said >= step) {
        said = done;
        progress(`reading ${name}: ${Math.round(done / 1e6)} of ${Math.round(file.size / 1e6)} MB`);
      }
      const pushed = content.push(chunk);
      if (pushed !== undefined) await pushed;
      if (content.over) break;
    }
  } catch (error) {
    if (!(error instanceof Enough)) throw error;
    enough = error.message;
  }
  const contents = await content.end();
  if (enough === null) return contents;
  return { ...contents, left: [enough, ...contents.left], partial: [`${name}: ${enough}`, ...contents.partial] };
}

/** What was left out stands with the first document of a file. */
function withLeft(documents: readonly Document[], left: readonly string[]): readonly Document[] {
  const [first] = documents;
  if (first === undefined || left.length === 0) return documents;
  return [{ ...first, left: [...first.left, ...left] }, ...documents.slice(1)];
}
