import type { InspectOptions } from '@culprit/core/binary/inspect';
import { inspectPlain, kindOf } from '@culprit/core/binary/inspect';
import type { BinaryFile, UnreadPlace } from '@culprit/core/binary/report';
import type { ByteSource } from '@culprit/core/binary/source';
import { inspectWheel } from '@culprit/core/binary/wheel';

/** What one file gave. */
export interface ReadBinary {
  /** Null where it could not be read at all. */
  readonly file: BinaryFile | null;
  readonly unread: readonly UnreadPlace[];
}

/** Reads the machine code in a source, whatever form it has. Rejects only where the source cannot be read. */
export async function readSource(source: ByteSource, path: string, options: InspectOptions): Promise<ReadBinary> {
  const kind = kindOf(await source.read(0, 64));
  const found =
    kind === 'wheel' ? await inspectWheel(source, path, options) : await inspectPlain(source, path, options);
  if (found === null) {
    const reason =
      source.size === 0 ? 'the file is empty' : 'no ELF file, static library, fat binary, cubin or wheel begins here';
    return { file: null, unread: [{ path, offset: 0, reason }] };
  }
  return { file: found.file, unread: found.unread };
}
