// A file of machine code read while its bytes go by, as in a layer of an image: at most 8 MiB are held, whatever its size.
import { dynamicEntries, dynamicPlace, offsetOf } from './dynamic.ts';
import { elfOf, machineOfCuda, parseElfHeader, readElf } from './elf.ts';
import type { Elf } from './elf.ts';
import { gpuCodeSections, isContainer } from './fatbin.ts';
import { factsOfElf, tellingTexts } from './facts.ts';
import { mayHoard } from './hoards.ts';
import { guessedSymbols } from './guessed-symbols.ts';
import { keepParts } from './kept.ts';
import { libraryKindOf, mostCode, runtimeIn, versionSymbols } from './library.ts';
import { scanLiterals } from './literals.ts';
import type { FileFacts, PlacedEntry } from './model.ts';
import { passingCode } from './passing-code.ts';

/** Gets the bytes of one file in order. */
export interface PassingFile {
  /** The next bytes. The chunk is not kept; the caller may reuse it. Never throws. */
  push(chunk: Uint8Array): void;
  /** True once no further byte is of use: the rest need not be pushed. */
  readonly done: boolean;
  /** After the last byte. Null where the file is none of machine code. Never rejects. */
  end(): Promise<FileFacts | null>;
  /** After `end`: the code one by one, where it was asked for. */
  entries(): readonly PlacedEntry[];
}

const loadSegment = 1;
const dynamicSegment = 2;
const noteSegment = 4;
const executable = 1;
/** Longer than the code that is looked for. */
const seamLength = 32;
const mostPart = 64 * 1024;
const mostTable = 256 * 1024;
const mostStrings = 1024 ** 2;
/** Values of dynamic entries whose tables are needed: hash, strings, symbols, versions. */
const tables: readonly (readonly [tag: number, most: number])[] = [
  [5, mostStrings],
  [0x6ffffffe, mostPart],
  [6, mostStrings],
  [0x6ffffef5, mostPart],
  [4, mostPart],
];

/**
 * Begins a file that passes by.
 * @param path its name or path: file names of libraries hold versions
 * @param size its bytes, where the archive tells them; else null
 * @param options `list`: keep every entry of GPU code, not only which architectures there are
 */
export function passingFile(path: string, size: number | null, options: { readonly list?: boolean } = {}): PassingFile {
  const kept = keepParts(size);
  const literals = scanLiterals(tellingTexts);
  let done = false;
  let begun = false;
  /** Header and segments, as the head tells them. */
  let early: Elf | null = null;
  let dynamicDone = false;
  let guessed = false;
  let runtime: string | null = null;
  let found: readonly PlacedEntry[] = [];
  let seam: Uint8Array = new Uint8Array(0);
  let seamAt = 0;

  const plain = (bytes: Uint8Array, offset: number): void => {
    literals.push(bytes, offset);
    if (runtime !== null || early === null || !inCode(early, offset, bytes.length)) return;
    // A function may lie across two chunks.
    if (seam.length > 0 && seamAt + seam.length === offset) {
      const joined = new Uint8Array(seam.length + Math.min(bytes.length, seamLength));
      joined.set(seam);
      joined.set(bytes.subarray(0, joined.length - seam.length), seam.length);
      runtime = runtimeIn(joined, seamAt);
    }
    runtime ??= runtimeIn(bytes, offset);
    seam = bytes.slice(Math.max(0, bytes.length - seamLength));
    seamAt = offset + bytes.length - seam.length;
  };
  const code = passingCode(plain, size, options.list === true);

  /** At the first bytes: what file is it, and which parts of it will be needed. */
  const begin = (): void => {
    begun = true;
    const head = kept.head();
    const header = parseElfHeader(head);
    if (header === null) {
      done = !isContainer(head);
      return;
    }
    early = segmentsOnly(head);
    for (const segment of early?.segments ?? []) {
      if (segment.type === dynamicSegment || segment.type === noteSegment)
        kept.want(segment.offset, Math.min(segment.fileSize, mostPart));
    }
    if (header.sectionsAt !== null)
      kept.want(header.sectionsAt, Math.min(header.sectionCount * header.sectionSize, mostTable));
  };

  /** Once the dynamic section is there: tables behind it (as patchelf leaves them) are still to come. */
  const lookAhead = (): void => {
    const place = early === null ? null : dynamicPlace(early);
    if (early === null || place === null) return;
    const bytes = kept.held(place.offset, Math.min(place.length, mostPart));
    const addresses = new Map(dynamicEntries(bytes, early));
    for (const [tag, most] of tables) {
      const address = addresses.get(tag);
      const offset = address === undefined ? null : offsetOf(early, address);
      if (offset !== null) kept.want(offset, tag === 5 ? Math.min(most, addresses.get(10) ?? most) : most);
    }
  };

  const guess = (): void => {
    guessed = true;
    if (early === null || (libraryKindOf(null, path)?.kind.symbols.length ?? 0) === 0) return;
    for (const symbol of guessedSymbols(kept.head(), early, versionSymbols))
      kept.want(symbol.offset, Math.min(symbol.size, mostCode));
  };

  return {
    get done() {
      return done;
    },
    push(given) {
      if (done || given.length === 0) return;
      // Of one type, whatever subclass the host reads into: the loops below are then compiled for it.
      const chunk = new Uint8Array(given.buffer, given.byteOffset, given.length);
      const offset = kept.size;
      kept.push(chunk);
      if (!begun && kept.size >= 4096) begin();
      if (done) return;
      code.push(chunk, offset);
      if (!begun || early === null) return;
      if (!guessed && !kept.headOpen) guess();
      const place = dynamicDone ? null : dynamicPlace(early);
      if (place !== null && kept.size >= place.offset + place.length) {
        dynamicDone = true;
        lookAhead();
      }
    },
    async end() {
      if (!begun) begin();
      if (done) return null;
      done = true;
      const elf = await readElf(kept);
      const head = kept.head();
      const sections =
        elf === null ? [] : elf.sections.filter((one) => gpuCodeSections.includes(one.name) || mayHoard(one));
      const named = elf !== null && elf.sections.some((one) => one.name !== '');
      const ended = code.end((at) => !named || sections.some((one) => at >= one.offset && at - one.offset < one.size));
      found = ended.entries;
      if (elf === null) {
        return isContainer(head) ? { ...noFacts, kind: 'fatbin', code: ended.code, unread: ended.unread } : null;
      }
      const { neededVersions: _, ...facts } = await factsOfElf(kept, elf, path, {
        hits: literals.end(),
        // Of a bare cubin the code is the file itself; which one it is is told by those who read it whole.
        code: elf.header.machine === machineOfCuda ? null : ended.code,
        runtime: runtime ?? runtimeIn(head, 0),
        unread: ended.unread,
      });
      return facts;
    },
    entries: () => found,
  };
}

const noFacts = {
  machine: null,
  soname: null,
  needed: [],
  rpath: [],
  runpath: [],
  glibc: null,
  library: null,
  libcuda: null,
} as const;

/** The file as far as its first bytes tell: no sections yet. */
function segmentsOnly(head: Uint8Array): Elf | null {
  const elf = elfOf(head);
  return elf === null ? null : { ...elf, sections: [] };
}

function inCode(elf: Elf, offset: number, length: number): boolean {
  return elf.segments.some(
    (one) =>
      one.type === loadSegment &&
      (one.flags & executable) !== 0 &&
      offset < one.offset + one.fileSize &&
      offset + length > one.offset,
  );
}
