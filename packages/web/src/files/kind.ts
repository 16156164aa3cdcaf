import { kindOf } from '@culprit/core/binary/inspect';
import { sniff } from '@culprit/core/text/sniff';
import { traceKindOf } from '@culprit/core/trace/trace-kind';
import { bytesAt } from './blob-bytes.ts';
import { unpackedHead } from './unpacked.ts';

/** By what a file is read. `trace`: nothing of it is text of a log. */
export type FileKind = 'text' | 'binary' | 'zip' | 'image' | 'trace';

const headBytes = 64 * 1024;
const ownFormat = /\.(?:nsys-rep|qdrep|qdstrm|ncu-rep)$/i;

/** Says by its content what a file is. What no reader knows is a text: the reader of texts says what it is. */
export async function kindOfFile(name: string, file: Blob): Promise<FileKind> {
  const head = await bytesAt(file, 0, 4096);
  const binary = kindOf(head);
  if (binary === 'wheel') return 'zip';
  if (binary !== null) return 'binary';
  const sniffed = sniff(head);
  if (sniffed.kind === 'text' && sniffed.encoding !== 'utf-8') return 'text';
  const inside = sniffed.kind === 'compressed' || file.size > head.length ? await unpackedHead(file, headBytes) : head;
  const within = sniff(inside);
  if (within.kind === 'tar') return (await isImage(file, inside)) ? 'image' : 'text';
  const kind = traceKindOf(new TextDecoder('latin1').decode(inside), name);
  if (kind === 'events' || kind === 'sqlite') return 'trace';
  // A log may speak of profilers; their own formats are no text.
  const own = kind !== null && typeof kind === 'object' && (within.kind === 'foreign' || ownFormat.test(name));
  return own ? 'trace' : 'text';
}

/**
 * Whether a tar archive is a saved image (`docker save`, `podman save`, an OCI layout). Its first entries are parts of an
 * image; in a tar that is not packed the index is looked for besides.
 */
async function isImage(file: Blob, head: Uint8Array): Promise<boolean> {
  const name = new TextDecoder('latin1').decode(head.subarray(0, 100)).replace(/\0.*$/s, '').replace(/^\.\//, '');
  const likely =
    /^(?:blobs(?:\/|$)|oci-layout$|index\.json$|manifest\.json$|repositories$)/.test(name) ||
    /^[0-9a-f]{64}(?:\/|\.json$|\.tar$)/.test(name);
  if (likely) return true;
  if (sniff(await bytesAt(file, 0, 512)).kind !== 'tar') return false;
  const { archiveOf } = await import('@culprit/collect/anywhere/image');
  const { openBlob } = await import('./blob-bytes.ts');
  const { browserTools } = await import('./layer-tools.ts');
  try {
    const archive = await archiveOf('archive', openBlob(file), browserTools.inflaterOf);
    return (
      archive.sizeOf('manifest.json') !== null ||
      (archive.sizeOf('index.json') !== null && archive.sizeOf('oci-layout') !== null)
    );
  } catch {
    return false;
  }
}
