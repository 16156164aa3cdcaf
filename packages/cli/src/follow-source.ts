import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';

/** Takes what a growing text gives. */
export interface FollowSink {
  /** @param bytes valid until the call returns */
  bytes(bytes: Uint8Array): void;
  /** What happened to the file. Before `replaced` and `truncated` all bytes of the old text were given. */
  file(what: 'waiting' | 'opened' | 'replaced' | 'truncated' | 'gone'): void;
  /** The text has ended: standard input or a pipe was closed. */
  end(): void;
  /** It cannot be read. */
  failed(error: Error): void;
}

/** A source that is being read until `stop`. */
export interface FollowSource {
  stop(): void;
}

const chunkLength = 1024 * 1024;
/** How often a file is looked at: soon after something came, seldom when nothing does. */
const shortestPause = 100;
const longestPause = 1000;
/** Bytes before the place of reading that tell whether the file is still the same. */
const markLength = 256;

/**
 * Follows standard input for `-`, else a file, as `tail -F` does: by name, from its start; a file that is not there is
 * waited for; one that is replaced (rename) or cut (truncate) is noticed, also where it has grown again beyond the place.
 */
export function followSource(name: string, sink: FollowSink): FollowSource {
  if (name === '-') return ofStream(process.stdin, sink);
  const state = statSync(name, { throwIfNoEntry: false });
  if (state?.isDirectory() === true) {
    queueMicrotask(() => sink.failed(Object.assign(new Error('it is a directory (EISDIR)'), { code: 'EISDIR' })));
    return { stop: () => {} };
  }
  // A pipe, a device: it ends by itself or never, and has no size.
  if (state !== undefined && !state.isFile())
    return ofStream(createReadStream(name, { highWaterMark: chunkLength }), sink);
  return new FileTail(name, sink);
}

function ofStream(stream: Readable, sink: FollowSink): FollowSource {
  let over = false;
  const once = (then: () => void): void => {
    if (over) return;
    over = true;
    then();
  };
  stream.on('data', (chunk: Uint8Array) => {
    if (!over) sink.bytes(chunk);
  });
  stream.on('end', () => once(() => sink.end()));
  stream.on('error', (error: Error) => once(() => sink.failed(error)));
  return {
    stop: () => {
      over = true;
      stream.destroy();
    },
  };
}

class FileTail implements FollowSource {
  private readonly name: string;
  private readonly sink: FollowSink;
  private readonly buffer: Uint8Array = new Uint8Array(chunkLength);
  private fd: number | null = null;
  private offset = 0;
  /** The bytes before `offset`. */
  private mark: Uint8Array = new Uint8Array(0);
  private pause = shortestPause;
  private timer: NodeJS.Timeout | NodeJS.Immediate | null = null;
  private stopped = false;
  private told: 'waiting' | 'gone' | 'denied' | null = null;
  /** Identity and size of the file that is open. */
  private id = '';

  constructor(name: string, sink: FollowSink) {
    this.name = name;
    this.sink = sink;
    this.timer = setImmediate(() => this.look());
  }

  stop(): void {
    this.stopped = true;
    if (this.timer !== null) {
      clearTimeout(this.timer as NodeJS.Timeout);
      clearImmediate(this.timer as NodeJS.Immediate);
    }
    this.close();
  }

  private close(): void {
    if (this.fd !== null) closeSync(this.fd);
    this.fd = null;
  }

  private look(): void {
    if (this.stopped) return;
    let more = false;
    try {
      more = this.step();
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      // A file system that hiccups is asked again; a directory is none to follow.
      if (code === 'EISDIR') {
        this.sink.failed(error as Error);
        return;
      }
      this.close();
    }
    if (this.stopped) return;
    if (more) {
      this.pause = shortestPause;
      this.timer = setImmediate(() => this.look());
      return;
    }
    this.timer = setTimeout(() => this.look(), this.pause);
    this.pause = Math.min(longestPause, this.pause * 1.5);
  }

  /** @returns true where there is more to read at once */
  private step(): boolean {
    if (this.fd === null && !this.open()) return false;
    const fd = this.fd!;
    const { size } = fstatSync(fd);
    if (size < this.offset || (size > this.offset && !this.sameText(fd))) {
      this.sink.file('truncated');
      this.offset = 0;
      this.mark = new Uint8Array(0);
    }
    const count = readSync(fd, this.buffer, 0, chunkLength, this.offset);
    if (count > 0) {
      const bytes = this.buffer.subarray(0, count);
      this.offset += count;
      this.mark = count >= markLength ? bytes.slice(count - markLength) : lastOf(this.mark, bytes);
      this.sink.bytes(bytes);
      return true;
    }
    // All of it is read; does its name still stand for it?
    const now = statSync(this.name, { throwIfNoEntry: false, bigint: true });
    if (now === undefined) {
      if (this.told !== 'gone') this.sink.file('gone');
      this.told = 'gone';
      return false;
    }
    if (`${now.dev}:${now.ino}` === this.id) {
      this.told = null;
      return false;
    }
    // What was written between the last read and the rename.
    if (readSync(fd, this.buffer, 0, 1, this.offset) > 0) return true;
    this.close();
    if (!this.open()) return false;
    this.sink.file('replaced');
    return true;
  }

  private open(): boolean {
    let fd: number;
    try {
      fd = openSync(this.name, 'r');
    } catch (error) {
      if (this.told === null) this.sink.file('waiting');
      this.told ??= (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'waiting' : 'denied';
      return false;
    }
    const state = fstatSync(fd, { bigint: true });
    if (state.isDirectory()) {
      closeSync(fd);
      throw Object.assign(new Error('it is a directory (EISDIR)'), { code: 'EISDIR' });
    }
    this.fd = fd;
    this.id = `${state.dev}:${state.ino}`;
    this.offset = 0;
    this.mark = new Uint8Array(0);
    if (this.told === 'waiting' || this.told === 'denied') this.sink.file('opened');
    this.told = null;
    return true;
  }

  /** False where the bytes before the place of reading are others than those that were read: cut and written anew. */
  private sameText(fd: number): boolean {
    const { mark } = this;
    if (mark.length === 0) return true;
    const now = new Uint8Array(mark.length);
    const count = readSync(fd, now, 0, now.length, this.offset - mark.length);
    return count === now.length && now.every((byte, at) => byte === mark[at]);
  }
}

function lastOf(before: Uint8Array, more: Uint8Array): Uint8Array {
  const both = new Uint8Array(before.length + more.length);
  both.set(before);
  both.set(more, before.length);
  return both.slice(Math.max(0, both.length - markLength));
}
