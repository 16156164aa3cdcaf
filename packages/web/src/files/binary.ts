import { readSource } from '@culprit/collect/anywhere/binary';
import { toldBeside } from '@culprit/core/binary/neighbours';
import type { BinaryFile, BinaryReport, UnreadPlace } from '@culprit/core/binary/report';
import { holdsCode } from '@culprit/core/report/binary-report';
import { sourceOfBlob } from './blob-bytes.ts';

/** A file of machine code; of a folder, it is listed only where it has GPU code. */
export interface MachineCode {
  readonly name: string;
  readonly file: Blob;
  readonly inFolder: boolean;
}

/** Reads machine code as `culprit binary` reads it. What cannot be read is in the report. */
export async function reportOfBinaries(
  files: readonly MachineCode[],
  progress: (words: string) => void,
): Promise<BinaryReport> {
  const found: BinaryFile[] = [];
  const unread: UnreadPlace[] = [];
  for (const [at, { name, file, inFolder }] of files.entries()) {
    progress(`reading ${name} (${at + 1} of ${files.length})`);
    try {
      const read = await readSource(sourceOfBlob(file), name, { kernels: 'auto', inflate: inflateRaw });
      unread.push(...read.unread);
      if (read.file !== null && (!inFolder || holdsCode(read.file) || read.file.library !== null))
        found.push(read.file);
    } catch (error) {
      unread.push({ path: name, offset: 0, reason: error instanceof Error ? error.message : String(error) });
    }
  }
  return { schema: 'culprit/binary@1', files: toldBeside(found), unread };
}

/** Unpacks a raw deflate stream. Rejects with what is wrong; what came before was given. */
export async function* inflateRaw(packed: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const { Inflate } = await import('fflate');
  let ready: Uint8Array[] = [];
  const stream = new Inflate((chunk) => void ready.push(chunk));
  const piece = 16 * 1024;
  for await (const chunk of packed)
    for (let at = 0; at < chunk.length; at += piece) {
      stream.push(chunk.slice(at, at + piece), false);
      const some = ready;
      ready = [];
      for (const each of some) if (each.length > 0) yield each;
    }
  stream.push(new Uint8Array(0), true);
  for (const each of ready) if (each.length > 0) yield each;
}
