// The parts of a passing file that are held: its head, its tail, and ranges that were asked for before they came.
import type { ByteSource } from './source.ts';

export interface Kept extends ByteSource {
  /** The next bytes of the file. */
  push(chunk: Uint8Array): void;
  /** Holds a range when it comes by; too late for what has passed, unless the head has it. */
  want(offset: number, length: number): void;
  /** Bytes that have gone by. */
  readonly size: number;
  /** What is held of the head. */
  head(): Uint8Array;
  /** As `read`, at once. */
  held(offset: number, length: number): Uint8Array;
  /** True while the head still grows. */
  readonly headOpen: boolean;
}

/** Together at most 7 MiB. */
const mostHead: number = 4 * 1024 ** 2;
const mostTail = 256 * 1024;
const mostWanted = 2.5 * 1024 ** 2;

interface Range {
  readonly offset: number;
  readonly bytes: Uint8Array;
  filled: number;
}

/**
 * Begins to keep. `total`: bytes of the file, where they are known: its tail is then kept as it comes. A read gives what is held: fewer
 * bytes than asked for, or none, where they are gone.
 */
export function keepParts(total: number | null): Kept {
  let head: Uint8Array = new Uint8Array(total === null ? 16 * 1024 : Math.min(Math.max(total, 0), mostHead));
  let headLength = 0;
  let tail: Uint8Array = new Uint8Array(0);
  let tailLength = 0;
  let size = 0;
  let wantedBytes = 0;
  const wanted: Range[] = [];

  if (total !== null && total > mostHead) {
    const offset = Math.max(mostHead, total - mostTail);
    wanted.push({ offset, bytes: new Uint8Array(total - offset), filled: 0 });
  }

  const keepHead = (chunk: Uint8Array): void => {
    const count = Math.min(chunk.length, mostHead - headLength);
    if (count <= 0) return;
    if (headLength + count > head.length) {
      const next = new Uint8Array(Math.min(mostHead, Math.max(head.length * 2, headLength + count)));
      next.set(head.subarray(0, headLength));
      head = next;
    }
    head.set(chunk.subarray(0, count), headLength);
    headLength += count;
  };

  const keepTail = (chunk: Uint8Array): void => {
    if (total !== null || size + chunk.length <= mostHead) return;
    if (tail.length === 0) tail = new Uint8Array(2 * mostTail);
    const last = chunk.subarray(Math.max(0, chunk.length - mostTail));
    if (tailLength + last.length > tail.length) {
      const from = Math.max(0, tailLength - mostTail);
      tail.copyWithin(0, from, tailLength);
      tailLength -= from;
    }
    if (last.length < chunk.length) tailLength = 0;
    tail.set(last, tailLength);
    tailLength += last.length;
  };

  const held = (offset: number, length: number): Uint8Array => {
    if (offset < headLength) return head.subarray(offset, Math.min(headLength, offset + length));
    let best: Uint8Array = new Uint8Array(0);
    const tailAt = size - tailLength;
    if (offset >= tailAt && offset < size)
      best = tail.subarray(offset - tailAt, Math.min(tailLength, offset - tailAt + length));
    for (const range of wanted) {
      const from = offset - range.offset;
      if (from < 0 || from >= range.filled || best.length === length) continue;
      const part = range.bytes.subarray(from, Math.min(range.filled, from + length));
      if (part.length > best.length) best = part;
    }
    return best;
  };

  return {
    get size() {
      return size;
    },
    get headOpen() {
      return headLength < mostHead;
    },
    head: () => head.subarray(0, headLength),
    want(offset, length) {
      if (length <= 0 || offset + length <= Math.max(size, mostHead) || wantedBytes + length > mostWanted) return;
      if (offset < size) return;
      wantedBytes += length;
      wanted.push({ offset, bytes: new Uint8Array(length), filled: 0 });
    },
    push(chunk) {
      keepHead(chunk);
      keepTail(chunk);
      for (const range of wanted) {
        const from = range.offset + range.filled;
        if (from < size || from >= size + chunk.length || range.filled >= range.bytes.length) continue;
        const part = chunk.subarray(from - size, from - size + range.bytes.length - range.filled);
        range.bytes.set(part, range.filled);
        range.filled += part.length;
      }
      size += chunk.length;
    },
    held,
    read: async (offset, length) => held(offset, length),
  };
}
