// The loader's cache, /etc/ld.so.cache (glibc, sysdeps/generic/dl-cache.h): its binary form, and the text of
// `ldconfig -p` that stands for it in observations.

export interface CacheEntry {
  readonly soname: string;
  readonly path: string;
}

const magic = 'glibc-ld.so.cache1.1';
const oldMagic = 'ld.so-1.7.0';
/** More libraries than any image has. */
const mostEntries = 200_000;

/** Words of `ldconfig -p` for the flags of an entry; what is none of these is for another machine. */
const machines: Readonly<Record<number, string>> = {
  0x0303: 'libc6,x86-64',
  0x0a03: 'libc6,AArch64',
  0x0503: 'libc6,64bit',
  0x0003: 'libc6',
  0x0803: 'libc6,x32',
};

/**
 * The text that `ldconfig -p` prints for a cache.
 * @returns null where the bytes are no cache of a known form
 */
export function ldCacheText(bytes: Uint8Array): string | null {
  const start = startOf(bytes);
  if (start < 0 || bytes.length < start + 48) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const count = Math.min(view.getUint32(start + 20, true), mostEntries);
  const lines: string[] = [];
  for (let at = 0; at < count; at++) {
    const entry = start + 48 + at * 24;
    if (entry + 24 > bytes.length) break;
    const machine = machines[view.getInt32(entry, true) & 0xffff];
    const soname = stringAt(bytes, start + view.getUint32(entry + 4, true));
    const path = stringAt(bytes, start + view.getUint32(entry + 8, true));
    if (machine === undefined || soname === null || path === null) continue;
    lines.push(`\t${soname} (${machine}) => ${path}`);
  }
  return `${lines.length} libs found in cache \`/etc/ld.so.cache'\n${lines.join('\n')}\n`;
}

/**
 * Entries of 64-bit libraries, in the order of the cache.
 * @param given the text of `ldconfig -p`, or the bytes of the cache, one character each
 * @returns null where it is neither
 */
export function ldCacheEntries(given: string): readonly CacheEntry[] | null {
  const binary = given.startsWith(magic.slice(0, 17)) || given.startsWith(oldMagic);
  const text = binary ? ldCacheText(Uint8Array.from(given, (each) => each.charCodeAt(0) & 0xff)) : given;
  if (text === null || !text.includes(' libs found in cache ')) return null;
  const entries: CacheEntry[] = [];
  for (const line of text.split('\n')) {
    const open = line.indexOf(' (libc6');
    const arrow = line.indexOf(') => /', open);
    if (open < 0 || arrow < 0) continue;
    const machine = line.slice(open + 2, arrow);
    if (machine === 'libc6' || machine.startsWith('libc6,x32')) continue;
    entries.push({ soname: line.slice(0, open).trim(), path: line.slice(arrow + 5).trim() });
  }
  return entries;
}

/** Where the newer form begins: at once, or behind a table of the older one. */
function startOf(bytes: Uint8Array): number {
  if (hasText(bytes, 0, magic)) return 0;
  if (!hasText(bytes, 0, oldMagic) || bytes.length < 16) return -1;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = 16 + view.getUint32(12, true) * 12;
  const aligned = (end + 7) & ~7;
  return aligned > 0 && hasText(bytes, aligned, magic) ? aligned : -1;
}

function hasText(bytes: Uint8Array, at: number, text: string): boolean {
  if (at + text.length > bytes.length) return false;
  for (let i = 0; i < text.length; i++) if (bytes[at + i] !== text.charCodeAt(i)) return false;
  return true;
}

function stringAt(bytes: Uint8Array, at: number): string | null {
  if (at >= bytes.length) return null;
  let end = at;
  while (end < bytes.length && end - at < 4096 && bytes[end] !== 0) end++;
  let text = '';
  for (let i = at; i < end; i++) {
    const code = bytes[i]!;
    if (code < 32) return null;
    text += String.fromCharCode(code);
  }
  return text === '' ? null : text;
}
