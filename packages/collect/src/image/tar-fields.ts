// Fields of tar headers.

/** The tar is damaged: where and how. */
export class TarError extends Error {}

const decoder: InstanceType<typeof TextDecoder> = new TextDecoder();

/** Text of a field, up to its NUL. */
export function ascii(bytes: Uint8Array, from: number, length: number): string {
  let end = from;
  const most = Math.min(from + length, bytes.length);
  let plain = true;
  while (end < most && bytes[end] !== 0) {
    if (bytes[end]! > 127) plain = false;
    end++;
  }
  if (plain && end - from < 256)
    return String.fromCharCode.apply(null, bytes.subarray(from, end) as unknown as number[]);
  return decoder.decode(bytes.subarray(from, end));
}

/**
 * A number: octal digits, or base 256 where the first bit is set (GNU).
 * @throws TarError where it is negative, too large or none
 */
export function numberOf(head: Uint8Array, from: number, length: number, header: number): number {
  const first = head[from]!;
  let value = 0;
  if ((first & 0x80) !== 0) {
    if ((first & 0x40) !== 0) throw new TarError(`header ${header} has a negative number`);
    value = first & 0x3f;
    for (let at = from + 1; at < from + length; at++) {
      value = value * 256 + head[at]!;
      if (value > Number.MAX_SAFE_INTEGER) throw new TarError(`header ${header} has a number that is too large`);
    }
    return value;
  }
  let at = from;
  const end = from + length;
  while (at < end && (head[at] === 0x20 || head[at] === 0)) at++;
  for (; at < end && head[at] !== 0x20 && head[at] !== 0; at++) {
    const digit = head[at]! - 0x30;
    if (digit < 0 || digit > 7) throw new TarError(`header ${header} has a number that is none`);
    value = value * 8 + digit;
  }
  return value;
}

/** @throws TarError where it is no whole number that can be counted with */
export function decimalOf(text: string, header: number): number {
  const value = /^\d{1,16}$/.test(text) ? Number(text) : NaN;
  if (!Number.isSafeInteger(value)) throw new TarError(`header ${header} has a number that is none`);
  return value;
}

/** The sum of the header is the one that it holds, counted with or without sign. */
export function sumsAgree(head: Uint8Array): boolean {
  let unsigned = 8 * 0x20;
  for (let at = 0; at < 512; at++) unsigned += head[at]!;
  for (let at = 148; at < 156; at++) unsigned -= head[at]!;
  let said: number;
  try {
    said = numberOf(head, 148, 8, 0);
  } catch {
    return false;
  }
  if (said === unsigned) return true;
  let signed = unsigned;
  for (let at = 0; at < 512; at++) if (head[at]! > 127 && (at < 148 || at >= 156)) signed -= 256;
  return said === signed;
}

/**
 * Records of a pax header: `LENGTH KEY=VALUE\n`, the length in bytes and counting itself. Sparse records that repeat are
 * joined by commas.
 * @throws TarError where they are damaged
 */
export function paxRecords(bytes: Uint8Array, header: number): ReadonlyMap<string, string> {
  const records = new Map<string, string>();
  let at = 0;
  while (at < bytes.length && bytes[at] !== 0) {
    const space = bytes.indexOf(0x20, at);
    const length = space > at && space - at < 10 ? decimalOf(ascii(bytes, at, space - at), header) : 0;
    const end = at + length;
    if (length < 5 || end > bytes.length || bytes[end - 1] !== 0x0a || end - 1 <= space)
      throw new TarError(`pax header ${header} is damaged`);
    const equals = bytes.indexOf(0x3d, space);
    if (equals < 0 || equals >= end) throw new TarError(`pax header ${header} is damaged`);
    const key = decoder.decode(bytes.subarray(space + 1, equals));
    if (key === 'path' || key === 'linkpath' || key === 'size' || key.startsWith('GNU.sparse.')) {
      const value = decoder.decode(bytes.subarray(equals + 1, end - 1));
      const repeats = key === 'GNU.sparse.offset' || key === 'GNU.sparse.numbytes';
      if (value === '') records.delete(key);
      else if (repeats && records.has('GNU.sparse.map'))
        records.set('GNU.sparse.map', `${records.get('GNU.sparse.map')!},${value}`);
      else if (repeats) records.set('GNU.sparse.map', value);
      else records.set(key, value);
    }
    at = end;
  }
  return records;
}
