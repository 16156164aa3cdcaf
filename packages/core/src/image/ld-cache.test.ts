import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ldCacheEntries, ldCacheText } from './ld-cache.ts';

/** A cache as glibc writes it: 48 bytes of head, 24 bytes an entry, then the texts. */
function cache(entries: readonly (readonly [number, string, string])[], before = 0): Uint8Array {
  const texts = new TextEncoder().encode(entries.map(([, soname, path]) => `${soname}\0${path}\0`).join(''));
  const bytes = new Uint8Array(before + 48 + entries.length * 24 + texts.length);
  const view = new DataView(bytes.buffer);
  bytes.set(new TextEncoder().encode('glibc-ld.so.cache1.1'), before);
  view.setUint32(before + 20, entries.length, true);
  view.setUint32(before + 24, texts.length, true);
  let at = 48 + entries.length * 24;
  entries.forEach(([flags, soname, path], index) => {
    const entry = before + 48 + index * 24;
    view.setInt32(entry, flags, true);
    view.setUint32(entry + 4, at, true);
    view.setUint32(entry + 8, at + soname.length + 1, true);
    at += soname.length + path.length + 2;
  });
  bytes.set(texts, before + 48 + entries.length * 24);
  return bytes;
}

const latin = (bytes: Uint8Array): string => Array.from(bytes, (each) => String.fromCharCode(each)).join('');
const entries = [
  [0x0303, 'libcuda.so.1', '/usr/local/cuda/compat/libcuda.so.1'],
  [0x0003, 'libcuda.so.1', '/usr/lib/i386-linux-gnu/libcuda.so.1'],
  [0x0a03, 'libcuda.so.1', '/usr/lib/aarch64-linux-gnu/libcuda.so.1'],
] as const;

describe("the loader's cache", () => {
  it('is read from its bytes, 64-bit libraries in their order', () => {
    expect(ldCacheEntries(latin(cache(entries)))?.map((each) => each.path)).toEqual([
      '/usr/local/cuda/compat/libcuda.so.1',
      '/usr/lib/aarch64-linux-gnu/libcuda.so.1',
    ]);
  });

  it('also behind a table of the older form', () => {
    const bytes = cache(entries, 16);
    bytes.set(new TextEncoder().encode('ld.so-1.7.0'), 0);
    expect(ldCacheEntries(latin(bytes))).toHaveLength(2);
  });

  it('is no cache where it is something else', () => {
    expect(ldCacheText(new Uint8Array(100))).toBe(null);
    expect(ldCacheEntries('hello')).toBe(null);
  });

  it('survives damage', () => {
    const good = cache(entries);
    fc.assert(
      fc.property(fc.nat(good.length), fc.array(fc.tuple(fc.nat(good.length - 1), fc.nat(255))), (cut, changes) => {
        const bytes = good.slice(0, cut);
        for (const [at, value] of changes) if (at < cut) bytes[at] = value;
        ldCacheText(bytes);
      }),
    );
  });
});
