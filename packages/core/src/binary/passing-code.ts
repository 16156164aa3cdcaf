// Fat binaries in a file that passes by: a container is known by its header, its entries are hopped over as they come.
import {
  compareArch,
  containerHeaderBytes,
  entryHeaderBytes,
  parseContainerHeader,
  parseEntryHeader,
} from './fatbin.ts';
import { viewOf } from './bytes.ts';
import { hex } from './fields.ts';
import type { FileFacts, PlacedEntry, Unread } from './model.ts';

export interface PassingCode {
  /** The next bytes, which stand at `offset`. */
  push(chunk: Uint8Array, offset: number): void;
  /** Code found; `kept` says which places of containers count. */
  end(counts: (offset: number) => boolean): {
    readonly code: NonNullable<FileFacts['code']>;
    readonly lto: readonly string[];
    readonly entries: readonly PlacedEntry[];
    readonly unread: readonly Unread[];
  };
}

const magic = 0xba55ed50;
const step = 8;
const mostEntries = 100_000;
const mostUnread = 20;
const candidateBytes = containerHeaderBytes + entryHeaderBytes;

/** Entries of one kind and architecture inside one container. */
interface Seen {
  readonly container: number;
  readonly kind: PlacedEntry['kind'];
  readonly arch: string;
}

/**
 * Begins to look for GPU code.
 * @param plain gets the bytes that are no GPU code, in order
 * @param size bytes of the file; null where not known
 * @param list entries are kept one by one, not only by architecture
 */
export function passingCode(
  plain: (bytes: Uint8Array, offset: number) => void,
  size: number | null,
  list: boolean,
): PassingCode {
  const seen = new Map<string, Seen>();
  const entries: { readonly container: number; readonly entry: PlacedEntry }[] = [];
  const unread: Unread[] = [];
  const header = new Uint8Array(candidateBytes);
  const most = size ?? Number.MAX_SAFE_INTEGER;
  /** Place of the header that is being collected; null: none is. */
  let headerAt: number | null = null;
  let headerLength = 0;
  let container = 0;
  let containerEnd = 0;
  /** Place of the next entry; beyond `containerEnd` outside of containers. */
  let next = 0;
  let inside = false;

  const note = (offset: number, reason: string): void => {
    if (unread.length < mostUnread) unread.push({ offset, reason });
  };

  const leave = (): void => {
    inside = false;
    headerAt = null;
  };

  const takeEntry = (at: number, bytes: Uint8Array): void => {
    const entry = parseEntryHeader(bytes);
    if (typeof entry === 'string' || at + entry.headerBytes + entry.bytes > containerEnd) {
      note(
        at,
        typeof entry === 'string'
          ? entry
          : `code for ${entry.arch} of ${entry.bytes} bytes goes past the end of its container, ${hex(containerEnd)}`,
      );
      next = containerEnd;
      return;
    }
    const { kind, headerBytes, ...rest } = entry;
    next = at + headerBytes + entry.bytes;
    if (kind === 'other' || entry.bytes === 0) return;
    const key = `${kind} ${entry.arch}`;
    const known = seen.get(key);
    if (known === undefined && seen.size < 1000) seen.set(key, { container, kind, arch: entry.arch });
    if (list && entries.length < mostEntries) {
      entries.push({ container, entry: { kind, ...rest, offset: at, payloadOffset: at + headerBytes } });
    } else if (list && entries.length === mostEntries) {
      note(at, `more than ${mostEntries} entries of GPU code; the rest was not listed`);
    }
  };

  /** The header is whole: is it a container, with a first entry that makes sense? */
  const takeCandidate = (at: number): boolean => {
    const found = parseContainerHeader(header);
    if (typeof found === 'string' || found.headerBytes !== containerHeaderBytes) return false;
    const end = at + found.headerBytes + found.bodyBytes;
    const entry = parseEntryHeader(header, containerHeaderBytes);
    if (typeof entry === 'string' || entry.kind === 'other' || end > most) return false;
    if (at + containerHeaderBytes + entry.headerBytes + entry.bytes > end) return false;
    container = at;
    containerEnd = end;
    inside = true;
    takeEntry(at + containerHeaderBytes, header.subarray(containerHeaderBytes));
    return true;
  };

  return {
    push(chunk, offset) {
      const view = viewOf(chunk);
      let i = 0;
      while (i < chunk.length) {
        const at = offset + i;
        if (headerAt !== null) {
          const wanted = inside ? entryHeaderBytes : candidateBytes;
          const count = Math.min(wanted - headerLength, chunk.length - i);
          header.set(chunk.subarray(i, i + count), headerLength);
          headerLength += count;
          i += count;
          if (headerLength < wanted) break;
          const place: number = headerAt;
          headerAt = null;
          if (inside) takeEntry(place, header.subarray(0, entryHeaderBytes));
          else if (!takeCandidate(place)) plain(header.slice(), place);
          continue;
        }
        if (inside) {
          if (next >= containerEnd) {
            if (at >= containerEnd) leave();
            else i += Math.min(chunk.length - i, containerEnd - at);
          } else if (at < next) {
            i += Math.min(chunk.length - i, next - at);
          } else {
            headerAt = at;
            headerLength = 0;
          }
          continue;
        }
        const found = findMagic(chunk, view, i, offset);
        if (found > i) plain(chunk.subarray(i, found), at);
        i = found;
        if (found < chunk.length) {
          headerAt = offset + found;
          headerLength = 0;
        }
      }
    },
    end(counts) {
      const valid = [...seen.values()].filter((one) => counts(one.container));
      const archs = (kind: PlacedEntry['kind']): readonly string[] =>
        [...new Set(valid.filter((one) => one.kind === kind).map((one) => one.arch))].sort(compareArch);
      if (inside && next > 0 && size !== null && containerEnd > size)
        note(container, 'the file ends inside a container of GPU code');
      return {
        code: { sass: archs('cubin'), ptx: archs('ptx') },
        lto: archs('lto'),
        entries: entries.filter((one) => counts(one.container)).map((one) => one.entry),
        unread,
      };
    },
  };
}

/** The magic number as a typed array of this machine shows it. */
const magicWord = new Int32Array(Uint8Array.of(0x50, 0xed, 0x55, 0xba).buffer)[0];

/** Next place in steps of 8 bytes of the file where a container may begin; the length of the chunk where there is none. */
function findMagic(chunk: Uint8Array, view: DataView, from: number, offset: number): number {
  let i = from + ((step - ((offset + from) % step)) % step);
  const last = chunk.length - 4;
  if (i <= last && (chunk.byteOffset + i) % 4 === 0) {
    // Nearly always: archives and buffers begin at multiples of 512.
    const words = new Int32Array(chunk.buffer, chunk.byteOffset + i, (chunk.length - i) >> 2);
    const found = nextMagic(words);
    if (found < words.length) return i + found * 4;
    i += found * 4;
  } else {
    for (; i <= last; i += step) if (view.getUint32(i, true) === magic) return i;
  }
  // The first bytes of a magic may end the chunk.
  if (i < chunk.length && chunk[i] === 0x50 && (i + 1 >= chunk.length || chunk[i + 1] === 0xed)) return i;
  return chunk.length;
}

function nextMagic(words: Int32Array): number {
  let at = 0;
  while (at < words.length && words[at] !== magicWord) at += 2;
  return at;
}
