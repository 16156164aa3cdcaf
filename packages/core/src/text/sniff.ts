/** How a stream of bytes is packed. */
export type Packing = 'gzip' | 'zstd' | 'xz' | 'bzip2' | 'lz4';

/** What the first bytes of an input say it is. */
export type Kind =
  | { readonly kind: 'text'; readonly encoding: 'utf-8' | 'utf-16le' | 'utf-16be' }
  | { readonly kind: 'compressed'; readonly format: Packing }
  | { readonly kind: 'tar' }
  /** Readable by no reader of this release; `what` names it, `hint` says how to get at its text. */
  | { readonly kind: 'foreign'; readonly what: string; readonly hint: string };

/** How many first bytes are looked at. */
export const headLength = 4096;

interface Magic {
  readonly bytes: readonly number[];
  readonly at?: number;
  readonly kind: Kind;
}

const foreign = (what: string, hint: string): Kind => ({ kind: 'foreign', what, hint });
const ascii = (text: string): readonly number[] => Array.from({ length: text.length }, (_, at) => text.charCodeAt(at));
const archive = 'unpack it and give the logs that are in it';

/**
 * File signatures: RFC 1952 (gzip), RFC 8878 (zstd and its skippable frames), the bzip2 and xz format descriptions,
 * the ELF specification (ELF header), CUDA's fat binary header, PKWARE APPNOTE (zip), POSIX pax (ustar), SQLite's file format.
 */
const magics: readonly Magic[] = [
  { bytes: [0x1f, 0x8b], kind: { kind: 'compressed', format: 'gzip' } },
  { bytes: [0x28, 0xb5, 0x2f, 0xfd], kind: { kind: 'compressed', format: 'zstd' } },
  ...Array.from({ length: 16 }, (_, nibble): Magic => ({
    bytes: [0x50 + nibble, 0x2a, 0x4d, 0x18],
    kind: { kind: 'compressed', format: 'zstd' },
  })),
  { bytes: ascii('BZh'), kind: { kind: 'compressed', format: 'bzip2' } },
  { bytes: [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0], kind: { kind: 'compressed', format: 'xz' } },
  { bytes: [0x04, 0x22, 0x4d, 0x18], kind: { kind: 'compressed', format: 'lz4' } },
  { bytes: [0x50, 0x4b, 0x03, 0x04], kind: foreign('a zip archive (or a wheel)', archive) },
  { bytes: ascii('ustar'), at: 257, kind: { kind: 'tar' } },
  {
    bytes: [0x7f, 0x45, 0x4c, 0x46],
    kind: foreign(
      'an ELF program or shared object',
      "diagnose reads text; give it the program's output, or what ldd FILE and cuobjdump --list-elf FILE print",
    ),
  },
  {
    bytes: [0x50, 0xed, 0x55, 0xba],
    kind: foreign('a CUDA fat binary', 'diagnose reads text; give it what cuobjdump --list-elf FILE prints'),
  },
  {
    bytes: ascii('!<arch>\n'),
    kind: foreign('a static library', 'diagnose reads text; give it what cuobjdump --list-elf FILE prints'),
  },
  {
    bytes: ascii('SQLite format 3\0'),
    kind: foreign(
      'an SQLite database (an Nsight Systems export?)',
      'culprit trace FILE reads an export of Nsight Systems; diagnose reads text',
    ),
  },
  { bytes: ascii('%PDF-'), kind: foreign('a PDF document', 'copy the text out of it') },
  { bytes: [0x89, 0x50, 0x4e, 0x47], kind: foreign('a PNG picture', 'a screenshot cannot be read; paste the text') },
  { bytes: [0xff, 0xd8, 0xff], kind: foreign('a JPEG picture', 'a screenshot cannot be read; paste the text') },
];

/**
 * Says what an input is by its first bytes.
 * @param start the first `headLength` bytes or more, fewer only where the input is shorter
 */
export function sniff(start: Uint8Array): Kind {
  const head = start.subarray(0, headLength);
  if (head[0] === 0xff && head[1] === 0xfe) return { kind: 'text', encoding: 'utf-16le' };
  if (head[0] === 0xfe && head[1] === 0xff) return { kind: 'text', encoding: 'utf-16be' };
  for (const magic of magics) {
    const at = magic.at ?? 0;
    if (magic.bytes.every((byte, i) => head[at + i] === byte)) return magic.kind;
  }
  const bare = bareUtf16(head);
  if (bare !== null) return { kind: 'text', encoding: bare };
  return isBinary(head)
    ? foreign('binary data', 'diagnose reads text: logs and what tools print')
    : { kind: 'text', encoding: 'utf-8' };
}

/** UTF-16 without a byte order mark: every second byte of ASCII text is 0. */
function bareUtf16(head: Uint8Array): 'utf-16le' | 'utf-16be' | null {
  const pairs = head.length >> 1;
  if (pairs < 8) return null;
  let even = 0;
  let odd = 0;
  for (let i = 0; i < pairs * 2; i += 2) {
    if (head[i] === 0) even++;
    if (head[i + 1] === 0) odd++;
  }
  if (odd > pairs * 0.8 && even < pairs * 0.02) return 'utf-16le';
  if (even > pairs * 0.8 && odd < pairs * 0.02) return 'utf-16be';
  return null;
}

/** More than one byte in a hundred is NUL, or more than one in 25 a control character that no text has. */
function isBinary(head: Uint8Array): boolean {
  let nul = 0;
  let control = 0;
  for (const byte of head) {
    if (byte === 0) nul++;
    else if (byte < 7 || (byte > 13 && byte < 27) || (byte > 27 && byte < 32) || byte === 127) control++;
  }
  return nul > Math.max(16, head.length / 100) || control > head.length / 25;
}
