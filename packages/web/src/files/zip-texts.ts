import type { Budget, Contents, Sinks } from '@culprit/collect/anywhere/text';
import { Content, mostFiles, otherFolders, programText, skippedOf } from '@culprit/collect/anywhere/text';
import { partOf } from '@culprit/core/binary/parts';
import type { ByteSource } from '@culprit/core/binary/source';
import { placeOfMember, readZip } from '@culprit/core/binary/zip';
import type { ZipMember } from '@culprit/core/binary/zip';
import type { Document } from '@culprit/core/model/document';
import { inflateRaw } from './binary.ts';
import { sourceOfBlob } from './blob-bytes.ts';

const step = 1024 * 1024;
/** Unpacked bytes of one zip archive that are read. */
const mostUnpacked = 8 * 1024 ** 3;

/** The texts in a zip archive; what is none is passed over. */
export async function textsOfZip(
  name: string,
  file: Blob,
  sinks: Sinks,
  budget: Budget,
): Promise<Omit<Contents, 'foreign'>> {
  const source = sourceOfBlob(file);
  const { members, unread } = await readZip(source);
  const documents: Document[] = [];
  const skipped = skippedOf();
  const partial: string[] = unread.map(({ reason }) => `${name}: ${reason}`);
  let unpacked = 0;
  for (const member of members) {
    if (member.name.endsWith('/')) continue;
    const why = whyNot(member, budget);
    unpacked += member.bytes;
    if (why !== null || unpacked > mostUnpacked) {
      skipped.add(member.name, why ?? 'too much');
      continue;
    }
    budget.files++;
    const at = await placeOfMember(source, member);
    if (typeof at === 'string') {
      partial.push(`${name}/${member.name}: ${at}`);
      continue;
    }
    const content = new Content(`${name}/${member.name}`, sinks, budget, 1);
    try {
      for await (const chunk of bytesOf(source, at, member)) {
        await content.push(chunk);
        if (content.over) break;
      }
    } catch (error) {
      partial.push(`${name}/${member.name}: ${error instanceof Error ? error.message : String(error)}`);
    }
    const read = await content.end();
    partial.push(...read.partial);
    if (read.foreign !== null) skipped.add(member.name, read.foreign.what);
    documents.push(...read.documents);
  }
  return { documents, left: skipped.said(name), partial };
}

function whyNot({ name, encrypted, method }: ZipMember, budget: Budget): string | null {
  if (programText(name)) return 'program text or documentation';
  if (name.split('/').some((part) => otherFolders.has(part))) return 'no logs are in such folders';
  if (encrypted) return 'encrypted';
  if (method !== 0 && method !== 8) return 'packed in an unusual way';
  return budget.files >= mostFiles ? 'too many' : null;
}

function bytesOf(source: ByteSource, at: number, { packedBytes, method }: ZipMember): AsyncIterable<Uint8Array> {
  const stored = chunksOf(partOf(source, at, packedBytes));
  return method === 0 ? stored : inflateRaw(stored);
}

async function* chunksOf(source: ByteSource): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < source.size; at += step) yield await source.read(at, step);
}
