import { recogniserOf } from '@culprit/core/diagnose/recognise';
import { defaultKnowledge } from '@culprit/core/knowledge/knowledge';
import type { Document } from '@culprit/core/model/document';
import { parsers } from '@culprit/core/parse/parsers';
import { Condenser } from '@culprit/core/text/condense';
import { createDocument } from '@culprit/core/text/document';
import { documentsOfSnapshot, looksLikeSnapshot } from '@culprit/core/text/snapshot';
import { headLength, sniff } from '@culprit/core/text/sniff';
import type { Input } from './protocol.ts';

/** What the inputs of one question gave. */
export interface Inputs {
  readonly documents: readonly Document[];
  /** What could not be read, and why, in words. */
  readonly unreadable: readonly { readonly name: string; readonly reason: string }[];
}

/** Bytes between two words of progress. */
const step = 16e6;

/**
 * Reads texts and files as `culprit diagnose` reads them: packed ones by what the browser can unpack, huge ones in
 * bounded memory, snapshots taken apart.
 */
export async function readInputs(inputs: readonly Input[], progress: (words: string) => void): Promise<Inputs> {
  const documents: Document[] = [];
  const unreadable: { readonly name: string; readonly reason: string }[] = [];
  for (const input of inputs) {
    try {
      documents.push(...(await documentsOf(input, progress)));
    } catch (error) {
      unreadable.push({ name: input.name, reason: error instanceof Error ? error.message : String(error) });
    }
  }
  return { documents, unreadable };
}

async function documentsOf(input: Input, progress: (words: string) => void): Promise<readonly Document[]> {
  const condenser = new Condenser(recogniserOf(defaultKnowledge.signatures, parsers), input.name, {});
  const left: string[] = [];
  if ('text' in input) condenser.push(new TextEncoder().encode(input.text));
  else await readFile(input, condenser, progress, left);
  const read = condenser.finish(left);
  if (!('text' in read)) return [read];
  const snapshot = looksLikeSnapshot(read.text) ? documentsOfSnapshot(read.text, input.name) : null;
  if (snapshot !== null) return snapshot;
  const document = createDocument(read.text, { file: input.name });
  return [left.length === 0 ? document : { ...document, left: [...document.left, ...left] }];
}

async function readFile(
  { name, file }: Extract<Input, { file: Blob }>,
  condenser: Condenser,
  progress: (words: string) => void,
  left: string[],
): Promise<void> {
  let source = file.stream() as ReadableStream<Uint8Array<ArrayBuffer>>;
  let kind = sniff(new Uint8Array(await file.slice(0, headLength).arrayBuffer()));
  let packed = 0;
  if (kind.kind === 'compressed') {
    if (kind.format !== 'gzip') throw new Error(`it is packed as ${kind.format}, which a browser cannot unpack`);
    source = counted(source, (bytes) => (packed += bytes)).pipeThrough(new DecompressionStream('gzip'));
    kind = { kind: 'text', encoding: 'utf-8' };
  }
  if (kind.kind === 'foreign') throw new Error(`it is ${kind.what}; ${kind.hint}`);
  if (kind.kind === 'tar') throw new Error('it is a tar archive; unpack it and drop the files');
  const decoder = kind.encoding === 'utf-8' ? null : new TextDecoder(kind.encoding);
  const encoder = new TextEncoder();
  const reader = source.getReader();
  let done = 0;
  let said = 0;
  try {
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
      const bytes = chunk.value;
      condenser.push(decoder === null ? bytes : encoder.encode(decoder.decode(bytes, { stream: true })));
      done += bytes.length;
      if (done - said < step) continue;
      said = done;
      const read = packed === 0 ? done : packed;
      progress(`reading ${name}: ${Math.round(read / 1e6)} of ${Math.round(file.size / 1e6)} MB`);
    }
  } catch (error) {
    if (done === 0) throw error;
    left.push(`${name} ends early: ${error instanceof Error ? error.message : String(error)}`);
  } finally {
    reader.releaseLock();
  }
}

function counted(
  source: ReadableStream<Uint8Array<ArrayBuffer>>,
  count: (bytes: number) => void,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  return source.pipeThrough(
    new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform(chunk, controller) {
        count(chunk.length);
        controller.enqueue(chunk);
      },
    }),
  );
}
