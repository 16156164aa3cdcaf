// Zstandard frames of any length while they come: RFC 8878. What is held is the window that a frame asks for, as far as it
// was filled, and no more than the reference decoder grants unasked.
import { viewOf } from './bytes.ts';
import { beginFrame, blockHead, frameBuffers, largestBlock, notZstandard, refusal, takeBlock } from './zstd.ts';
import type { BlockHead } from './zstd.ts';

export interface ZstdStream {
  /** Takes the next bytes; they are no longer looked at afterwards. @returns what is wrong with them; null if nothing */
  push(chunk: Uint8Array): string | null;
  /** After the last byte. @returns what was wrong; null if nothing */
  end(): string | null;
}

const mostWindow = 128 * 1024 ** 2;
/** Room beyond the window: what was given away is dropped each time it is full. */
const mostSpare = 8 * 1024 ** 2;
const leastRoom = 4 * largestBlock;

/**
 * Begins to unpack. Checksums are not compared.
 * @param take gets what it unpacks to, in order, each piece its own; gives false where nothing more is wanted
 */
export function zstdStream(take: (bytes: Uint8Array) => boolean): ZstdStream {
  const buffers = frameBuffers();
  const held = new Uint8Array(largestBlock);
  let heldLength = 0;
  let stage: 'magic' | 'skippable' | 'descriptor' | 'header' | 'block' | 'body' | 'checksum' = 'magic';
  /** Bytes of this stage. */
  let wanted = 4;
  let skip = 0;
  let frames = 0;
  let failed: string | null = null;
  let over = false;
  let descriptor = 0;
  let window = 0;
  let frame = beginFrame(new Uint8Array(leastRoom), 0, buffers);
  let block: BlockHead = { last: true, kind: 0, length: 0, stored: 0 };

  const go = (next: typeof stage, bytes: number): void => {
    stage = next;
    wanted = bytes;
  };

  const header = (bytes: Uint8Array): void => {
    const view = viewOf(bytes);
    if (((descriptor >> 5) & 1) === 0) {
      const base = 2 ** (10 + (bytes[0]! >> 3));
      window = base + (base / 8) * (bytes[0]! & 7);
    } else {
      const size = bytes.length;
      window =
        size === 1
          ? bytes[0]!
          : size === 2
            ? view.getUint16(0, true) + 256
            : size === 4
              ? view.getUint32(0, true)
              : view.getUint32(0, true) + view.getUint32(4, true) * 2 ** 32;
    }
    if (window > mostWindow) failed = `the Zstandard data needs a window of ${window} bytes`;
    frame = beginFrame(frame.out, 0, buffers);
    go('block', 3);
  };

  /** Room for one block, with the window before it. */
  const makeRoom = (): void => {
    const { out, to, from } = frame;
    if (out.length - to >= largestBlock) return;
    const most = window + Math.max(leastRoom, Math.min(window, mostSpare));
    if (out.length < most) {
      const larger = new Uint8Array(Math.min(most, out.length * 2));
      larger.set(out.subarray(0, to));
      frame.out = larger;
      makeRoom();
      return;
    }
    const kept = Math.min(to - from, window);
    out.copyWithin(0, to - kept, to);
    frame.from = 0;
    frame.to = kept;
  };

  const body = (bytes: Uint8Array): void => {
    makeRoom();
    const before = frame.to;
    failed = takeBlock(block, bytes, frame);
    if (failed === null && frame.to > before && !take(frame.out.slice(before, frame.to))) over = true;
    if (!block.last) go('block', 3);
    else if ((descriptor & 4) !== 0) go('checksum', 4);
    else go('magic', 4);
  };

  const step = (bytes: Uint8Array): void => {
    switch (stage) {
      case 'magic': {
        const magic = viewOf(bytes).getUint32(0, true);
        frames += 1;
        if (magic >>> 4 === 0x184d2a5) go('skippable', 4);
        else if (magic === 0xfd2fb528) go('descriptor', 1);
        else failed = notZstandard;
        break;
      }
      case 'skippable':
        skip = viewOf(bytes).getUint32(0, true);
        go('magic', 4);
        break;
      case 'descriptor': {
        descriptor = bytes[0]!;
        failed = refusal(descriptor);
        const single = (descriptor >> 5) & 1;
        go('header', 1 - single + [single, 2, 4, 8][descriptor >> 6]!);
        break;
      }
      case 'header':
        header(bytes);
        break;
      case 'block': {
        const head = blockHead(bytes, 0);
        if (typeof head === 'string') failed = head;
        else {
          block = head;
          go('body', head.stored);
        }
        break;
      }
      case 'body':
        body(bytes);
        break;
      case 'checksum':
        go('magic', 4);
        break;
      default:
        stage satisfies never;
    }
  };

  return {
    push(chunk) {
      let at = 0;
      while (failed === null && !over) {
        const skipped = Math.min(skip, chunk.length - at);
        skip -= skipped;
        at += skipped;
        if (skip > 0) return null;
        if (heldLength === 0 && chunk.length - at >= wanted) {
          at += wanted;
          step(chunk.subarray(at - wanted, at));
          continue;
        }
        const count = Math.min(wanted - heldLength, chunk.length - at);
        held.set(chunk.subarray(at, at + count), heldLength);
        heldLength += count;
        at += count;
        if (heldLength < wanted) return null;
        const whole = held.subarray(0, wanted);
        heldLength = 0;
        step(whole);
      }
      return failed;
    },
    end() {
      if (failed !== null || over) return failed;
      return stage === 'magic' && heldLength === 0 && skip === 0 && frames > 0 ? null : 'the Zstandard data ends early';
    },
  };
}
