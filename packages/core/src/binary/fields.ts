// Numbers and strings out of bytes that came from strangers: nothing here throws, and what does not fit is null.

/** A 64-bit number; null where it is above 2^53 - 1 or the bytes end before it. */
export function u64(view: DataView, at: number, little: boolean): number | null {
  if (at < 0 || at + 8 > view.byteLength) return null;
  const low = view.getUint32(little ? at : at + 4, little);
  const high = view.getUint32(little ? at + 4 : at, little);
  return high > 0x1f_ffff ? null : high * 0x1_0000_0000 + low;
}

/** A NUL-terminated string of at most `most` bytes from `at` on; characters above 127 are read as Latin-1. */
export function stringAt(bytes: Uint8Array, at: number, most: number = 4096): string {
  if (at < 0 || at >= bytes.length) return '';
  const stop = Math.min(bytes.length, at + most);
  let end = at;
  while (end < stop && bytes[end] !== 0) end += 1;
  let text = '';
  for (let from = at; from < end; from += 1024) {
    text += String.fromCharCode(...bytes.subarray(from, Math.min(end, from + 1024)));
  }
  return text;
}

/** The same for many strings of one table, which is decoded once. */
export function stringsOf(bytes: Uint8Array, most: number = 4096): (at: number) => string {
  const all = new TextDecoder('latin1').decode(bytes);
  return (at) => {
    const text = all.slice(at, at + most);
    const end = text.indexOf('\0');
    return end < 0 ? text : text.slice(0, end);
  };
}

/** Does `[offset, offset + length)` lie inside `size` bytes? False also for what no file can hold. */
export function within(offset: number | null, length: number | null, size: number): boolean {
  return offset !== null && length !== null && offset >= 0 && length >= 0 && offset <= size && length <= size - offset;
}

/** Where something lies, as messages print it. */
export function hex(value: number): string {
  return `0x${value.toString(16)}`;
}
