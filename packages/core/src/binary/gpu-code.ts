// Lists the GPU code of a file by its headers: read one, hop over the code, read the next. Of a file of 1.3 GB with 5,757
// entries less than 3 % is read. Crafted sizes end in `unread`, never in a loop: each step goes forward, and entries,
// containers and the bytes that are searched are counted.
import {
  compareArch,
  containerAlignment,
  containerHeaderBytes,
  entryHeaderBytes,
  isContainer,
  parseContainerHeader,
  parseEntryHeader,
} from './fatbin.ts';
import { hex } from './fields.ts';

import type { CodeEntry, GpuCode, PlacedEntry, Unread } from './model.ts';
import { windowOf } from './window.ts';
import type { Window } from './window.ts';
import type { ByteSource } from './source.ts';

/** Part of a source. */
export interface ByteRange {
  readonly offset: number;
  readonly length: number;
}

/** GPU code of a source, where each entry lies, and what could not be read. */
export interface GpuCodeRead {
  readonly code: Omit<GpuCode, 'entries'> & { readonly entries: readonly PlacedEntry[] };
  readonly unread: readonly Unread[];
}

/** Entries of one file; the largest known library has 6,000. */
const mostEntries = 200_000;
const mostContainers = 200_000;
const mostUnread = 100;
/** Bytes between containers that are looked at for the next one, where a section says that code is here. */
const mostGap = 256 * 1024 ** 2;
/** The same in a file without a section table. */
const mostSearched = 8 * 1024 ** 3;
const searchStep = 1024 ** 2;
/** One page: an entry's header and, where the code is small, the next one's. */
const headerWindow = 4096;

interface Walk {
  readonly window: Window;
  readonly source: ByteSource;
  readonly search: boolean;
  readonly entries: PlacedEntry[];
  readonly unread: Unread[];
  containers: number;
  searched: number;
}

/**
 * GPU code in `ranges` of a source: sections named in `gpuCodeSections`, or the whole of a bare fat binary.
 * `search`: the ranges are loadable segments of a file without a section table, in which containers lie anywhere.
 * Never rejects for what the bytes say; rejects where the source cannot be read.
 */
export async function readGpuCode(
  source: ByteSource,
  ranges: readonly ByteRange[],
  options: { readonly search?: boolean } = {},
): Promise<GpuCodeRead> {
  const walk: Walk = {
    window: windowOf(source, headerWindow),
    source,
    search: options.search === true,
    entries: [],
    unread: [],
    containers: 0,
    searched: 0,
  };
  let covered = 0;
  for (const range of ranges.toSorted((left, right) => left.offset - right.offset)) {
    // Sections that overlap are crafted; no byte is read as two of them.
    const from = Math.max(range.offset, covered);
    const to = Math.min(range.offset + range.length, source.size);
    if (range.offset + range.length > source.size)
      note(walk, source.size, `the file ends here; GPU code should go on to ${hex(range.offset + range.length)}`);
    if (from >= to) continue;
    covered = to;
    if (!(await walkRange(walk, from, to))) break;
  }
  return { code: summarize(walk.entries), unread: walk.unread };
}

function note(walk: Walk, offset: number, reason: string): void {
  if (walk.unread.length < mostUnread) walk.unread.push({ offset, reason });
  else if (walk.unread.length === mostUnread)
    walk.unread.push({ offset, reason: 'more that could not be read; not listed' });
}

/** Containers of one range. False where a bound ended it all. */
async function walkRange(walk: Walk, from: number, to: number): Promise<boolean> {
  let at = from;
  while (at + containerHeaderBytes <= to) {
    const head = await walk.window.take(at, containerHeaderBytes);
    const container = parseContainerHeader(head);
    if (typeof container === 'string') {
      if (!walk.search && isContainer(head)) note(walk, at, container);
      else if (!walk.search && head.some((byte, i) => byte !== 0 && i < containerAlignment)) note(walk, at, container);
      const next = await findContainer(walk, at + containerAlignment, to);
      if (next === null) return false;
      at = next;
      continue;
    }
    walk.containers += 1;
    if (walk.containers > mostContainers) {
      note(walk, at, `more than ${mostContainers} containers of GPU code; the rest was not read`);
      return false;
    }
    const bodyAt = at + container.headerBytes;
    const end = bodyAt + container.bodyBytes;
    if (walk.search && !(await looksReal(walk, bodyAt, Math.min(end, to)))) {
      at += containerAlignment;
      continue;
    }
    if (end > to)
      note(
        walk,
        at,
        `a container of GPU code of ${container.bodyBytes} bytes goes past the end of its place, ${hex(to)}`,
      );
    if (!(await walkEntries(walk, bodyAt, Math.min(end, to)))) return false;
    at = from + Math.ceil((end - from) / containerAlignment) * containerAlignment;
  }
  return true;
}

/** In a file that is searched, the magic may stand in code that handles fat binaries: an entry must follow it. */
async function looksReal(walk: Walk, at: number, end: number): Promise<boolean> {
  if (at + entryHeaderBytes > end) return false;
  const entry = parseEntryHeader(await walk.window.take(at, entryHeaderBytes));
  return typeof entry !== 'string' && entry.kind !== 'other' && at + entry.headerBytes + entry.bytes <= end;
}

/** Entries of one container. False where a bound ended it all. */
async function walkEntries(walk: Walk, from: number, end: number): Promise<boolean> {
  let at = from;
  while (at < end) {
    const entry = parseEntryHeader(
      at + entryHeaderBytes <= end ? await walk.window.take(at, entryHeaderBytes) : new Uint8Array(0),
    );
    if (typeof entry === 'string') {
      note(walk, at, entry);
      return true;
    }
    const { kind, headerBytes, ...rest } = entry;
    const payloadOffset = at + headerBytes;
    if (payloadOffset + entry.bytes > end) {
      note(walk, at, `code for ${entry.arch} of ${entry.bytes} bytes goes past the end of its container, ${hex(end)}`);
      return true;
    }
    if (kind === 'other') note(walk, at, `an entry of a kind that is not known, for ${entry.arch}`);
    else if (entry.bytes === 0) note(walk, at, `an entry for ${entry.arch} holds no code`);
    else walk.entries.push({ kind, ...rest, offset: at, payloadOffset });
    if (walk.entries.length >= mostEntries) {
      note(walk, at, `more than ${mostEntries} entries of GPU code; the rest was not read`);
      return false;
    }
    at = payloadOffset + entry.bytes;
  }
  return true;
}

/** Next place in 8-byte steps from `from` at which a container may begin, or `to`; null where the search was ended. */
async function findContainer(walk: Walk, from: number, to: number): Promise<number | null> {
  let at = from;
  while (at + containerHeaderBytes <= to) {
    // A gap is mostly a few bytes: look at what is at hand before a large piece is read.
    const wanted = at === from ? 64 : searchStep;
    const bytes = await walk.window.take(at, Math.min(wanted, to - at));
    if (bytes.length < containerHeaderBytes) return to;
    const last = bytes.length - containerHeaderBytes;
    for (let i = 0; i <= last; i += containerAlignment) {
      if (bytes[i] === 0x50 && isContainer(bytes, i)) return at + i;
    }
    const step = (Math.floor(last / containerAlignment) + 1) * containerAlignment;
    at += step;
    walk.searched += step;
    if (walk.searched > (walk.search ? mostSearched : mostGap)) {
      note(walk, at, 'too many bytes that are no GPU code; the rest was not read');
      return null;
    }
  }
  return to;
}

/** What a list of entries amounts to: each architecture once, ascending. */
function summarize<Entry extends CodeEntry>(
  entries: readonly Entry[],
): Omit<GpuCode, 'entries'> & { readonly entries: readonly Entry[] } {
  const archs = (kind: CodeEntry['kind']): readonly string[] =>
    [...new Set(entries.filter((entry) => entry.kind === kind).map((entry) => entry.arch))].sort(compareArch);
  const lto = archs('lto');
  return { sass: archs('cubin'), ptx: archs('ptx'), ...(lto.length > 0 && { lto }), entries };
}
