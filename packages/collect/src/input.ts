import { statSync } from 'node:fs';
import type { Document } from '@culprit/core/model/document';
import type { ByteReader } from './bytes.ts';
import { openBytes } from './bytes.ts';
import type { Contents, Sinks } from './content.ts';
import { Budget, Content, Enough } from './content.ts';
import { listFolder } from './folder.ts';
import { mostFiles, skippedOf } from './folder-rules.ts';
import { filesOf } from './names.ts';
import { whyUnreadable } from './unreadable.ts';

export type { Sinks, TextSink } from './content.ts';

/** An input that could not be read at all. */
export interface Unreadable {
  readonly name: string;
  readonly reason: string;
  readonly hint: string | null;
}

/** What the names of one question gave. */
export interface Inputs {
  /** In the order of the names; those of a folder in natural order of their paths. */
  readonly documents: readonly Document[];
  /** Files, folders and names of which nothing could be read. */
  readonly unreadable: readonly Unreadable[];
  /** What of folders and archives was not read, in words, beside what each document says of itself. */
  readonly left: readonly string[];
  /** Text that belongs to the question was not read: too many files, a limit reached, data that is damaged or ends early. */
  readonly partial: readonly string[];
}

/** Is told how far the reading of one file is: bytes read, and of how many where that is known. */
export type Progress = (name: string, done: number, size: number | null) => void;

/**
 * Reads files, folders, archives and standard input (`-`) as text: unpacks gzip, zstd, and where the system has the
 * program xz, bzip2 and lz4; reads tar archives and folders file by file; decodes UTF-16; takes snapshots apart.
 * It does not throw for what is wrong with an input; that is part of its answer.
 * @param names files, folders, patterns that no shell expanded, `-`
 * @param sinks makes the collector of one text
 * @param progress is called for every chunk
 */
export async function readInputs(
  names: readonly string[],
  sinks: Sinks,
  progress: Progress = () => {},
): Promise<Inputs> {
  const documents: Document[] = [];
  const unreadable: Unreadable[] = [];
  const left: string[] = [];
  const partial: string[] = [];
  // What unpacks is loaded where something is packed.
  const budget = new Budget(async (packing, take) => (await import('./unpack.ts')).unpacker(packing, take));
  const seen = new Set<string>();
  for (const name of names) {
    const files = await filesOf(name);
    if (files.length === 0)
      unreadable.push({ name, reason: 'no such file, and no file fits it as a pattern', hint: null });
    for (const file of files) {
      if (seen.has(file)) continue;
      seen.add(file);
      const input = isFolder(file)
        ? await readFolder(file, sinks, budget, progress)
        : await readFile(file, sinks, budget, progress);
      documents.push(...input.documents);
      unreadable.push(...input.unreadable);
      left.push(...input.left);
      partial.push(...input.partial);
    }
  }
  return { documents, unreadable, left, partial };
}

/** One file; no text is unreadable. */
async function readFile(name: string, sinks: Sinks, budget: Budget, progress: Progress): Promise<Inputs> {
  const failed = (each: Unreadable): Inputs => ({ documents: [], unreadable: [each], left: [], partial: [] });
  try {
    const { documents, left, partial, foreign } = await contentsOf(name, sinks, budget, progress);
    if (foreign !== null) return failed({ name, reason: `it is ${foreign.what}`, hint: foreign.hint });
    return {
      documents: withLeft(documents, left),
      unreadable: [],
      left: documents.length === 0 ? left : [],
      partial,
    };
  } catch (error) {
    return failed({ name, ...whyUnreadable(error) });
  }
}

/** Every text below a folder; other files are named, and no fault. */
async function readFolder(folder: string, sinks: Sinks, budget: Budget, progress: Progress): Promise<Inputs> {
  const documents: Document[] = [];
  const unreadable: Unreadable[] = [];
  const partial: string[] = [];
  const skipped = skippedOf();
  let listing;
  try {
    listing = listFolder(folder);
  } catch (error) {
    return { documents, unreadable: [{ name: folder, ...whyUnreadable(error) }], left: [], partial: [] };
  }
  for (const { name, error } of listing.closed) unreadable.push({ name, ...whyUnreadable(error) });
  for (const file of listing.files) {
    try {
      const { documents: read, left, partial: some, foreign } = await contentsOf(file, sinks, budget, progress);
      partial.push(...some);
      if (foreign === null) documents.push(...withLeft(read, left));
      else skipped.add(file, foreign.what);
    } catch (error) {
      unreadable.push({ name: file, ...whyUnreadable(error) });
    }
  }
  const nothing = documents.length === 0 && unreadable.length === 0;
  if (nothing) unreadable.push({ name: folder, reason: 'no text is in this folder', hint: null });
  if (listing.tooMany) partial.push(`${folder}: more than ${mostFiles} files`);
  return { documents, unreadable, left: [...listing.left, ...skipped.said(folder)], partial };
}

async function contentsOf(name: string, sinks: Sinks, budget: Budget, progress: Progress): Promise<Contents> {
  const content = new Content(name, sinks, budget);
  let enough: string | null = null;
  let reader: ByteReader | null = null;
  try {
    reader = openBytes(name);
    let done = 0;
    for (let chunk = reader.read(); chunk !== null && !content.over; chunk = reader.read()) {
      done += chunk.length;
      progress(name, done, reader.size);
      const pushed = content.push(chunk);
      if (pushed !== undefined) await pushed;
    }
  } catch (error) {
    if (!(error instanceof Enough)) throw error;
    enough = error.message;
  } finally {
    reader?.close();
  }
  const contents = await content.end();
  if (enough === null) return contents;
  return { ...contents, left: [enough, ...contents.left], partial: [`${name}: ${enough}`, ...contents.partial] };
}

/** What was left out stands with the first document of a file. */
function withLeft(documents: readonly Document[], left: readonly string[]): readonly Document[] {
  const first = documents[0];
  if (first === undefined || left.length === 0) return documents;
  return [{ ...first, left: [...first.left, ...left] }, ...documents.slice(1)];
}

/** True for the name of a folder that can be looked at; `-` is standard input. */
export function isFolder(name: string): boolean {
  if (name === '-') return false;
  try {
    return statSync(name).isDirectory();
  } catch {
    return false;
  }
}
