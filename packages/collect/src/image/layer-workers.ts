// Threads that read layers: inflating, hashing and looking at the content take one processor each.
import { Worker } from 'node:worker_threads';
import type { LayerScan } from '@culprit/core/image/model';
import type { ImageErrorCode } from './errors.ts';
import { ImageError } from './errors.ts';
import { nodeTools } from './inflate.ts';
import type { LayerWant } from './layer-reader.ts';
import { LayerReader } from './layer-reader.ts';
import { workerCode } from './worker-code.ts';

/** Gets the stored bytes of a layer in order, here or in a thread. */
export interface Reading {
  push(chunk: Uint8Array): Promise<void>;
  end(cut: string | null): Promise<LayerScan>;
  close(): void;
}

export type ToWorker =
  | { readonly kind: 'layer'; readonly want: LayerWant }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | { readonly kind: 'end'; readonly cut: string | null }
  | { readonly kind: 'drop' };

export type FromWorker =
  | { readonly kind: 'taken'; readonly bytes: Uint8Array }
  | { readonly kind: 'scan'; readonly scan: LayerScan }
  | { readonly kind: 'failed'; readonly code: ImageErrorCode; readonly message: string; readonly hint: string | null };

/** A thread takes some 40 ms to begin: less than so many bytes are read sooner without. */
const worthThreads = 24 * 1024 ** 2;
/** Bytes that are on their way to one thread at a time. */
const mostOnTheWay = 2 * 1024 ** 2;
const blockLength = 512 * 1024;

/** Reads layers in threads where that is worth while. */
export class LayerWorkers {
  private readonly free: Thread[] = [];
  private readonly all: Thread[] = [];
  private readonly threads: boolean;

  /** @param bytes that all layers have together, as stored; null where not known */
  constructor(bytes: number | null) {
    this.threads = workerCode !== null && (bytes === null || bytes >= worthThreads);
  }

  /** Begins one layer. */
  begin(want: LayerWant): Reading {
    if (!this.threads) return new LayerReader(want, nodeTools);
    const thread = this.free.pop() ?? this.start();
    return thread.begin(want, () => this.free.push(thread));
  }

  close(): void {
    for (const thread of this.all) thread.close();
  }

  private start(): Thread {
    const thread = new Thread(workerCode!);
    this.all.push(thread);
    return thread;
  }
}

class Thread {
  private readonly worker: Worker;
  /** Buffers that came back. */
  private readonly spare: Uint8Array[] = [];
  private listener: ((message: FromWorker) => void) | null = null;

  constructor(code: string) {
    this.worker = new Worker(code, {
      eval: true,
      resourceLimits: { maxYoungGenerationSizeMb: 8, maxOldGenerationSizeMb: 384 },
    });
    this.worker.unref();
    this.worker.on('message', (message: FromWorker) => this.listener?.(message));
    this.worker.on('error', (error) =>
      this.listener?.({ kind: 'failed', code: 'too-much', message: `a thread ended: ${error.message}`, hint: null }),
    );
  }

  close(): void {
    void this.worker.terminate();
  }

  begin(want: LayerWant, done: () => void): Reading {
    let onTheWay = 0;
    let failed: ImageError | null = null;
    let scan: LayerScan | null = null;
    let wake: (() => void) | null = null;
    let block: Uint8Array | null = null;
    let filled = 0;
    let over = false;
    this.worker.ref();
    this.listener = (message) => {
      if (message.kind === 'taken') {
        onTheWay -= message.bytes.length;
        this.keep(message.bytes);
      }
      if (message.kind === 'scan') scan = message.scan;
      if (message.kind === 'failed') failed = new ImageError(message.code, message.message, message.hint);
      wake?.();
    };
    const until = async (ready: () => boolean): Promise<void> => {
      // oxlint-disable-next-line no-unmodified-loop-condition -- the listener changes it
      while (!ready() && failed === null) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        wake = null;
      }
      if (failed !== null) throw failed;
    };
    const post = async (bytes: Uint8Array): Promise<void> => {
      onTheWay += bytes.length;
      this.send({ kind: 'bytes', bytes }, [bytes.buffer as ArrayBuffer]);
      await until(() => onTheWay < mostOnTheWay);
    };
    const flush = async (): Promise<void> => {
      if (block === null || filled === 0) return;
      const bytes = block.subarray(0, filled);
      block = null;
      filled = 0;
      await post(bytes);
    };
    const finish = (): void => {
      if (over) return;
      over = true;
      this.listener = null;
      this.worker.unref();
      done();
    };
    this.send({ kind: 'layer', want });
    return {
      push: async (chunk) => {
        for (let at = 0; at < chunk.length;) {
          block ??= this.spare.pop() ?? new Uint8Array(blockLength);
          const count = Math.min(chunk.length - at, blockLength - filled);
          block.set(chunk.subarray(at, at + count), filled);
          filled += count;
          at += count;
          if (filled === blockLength) await flush();
        }
      },
      end: async (cut) => {
        await flush();
        this.send({ kind: 'end', cut });
        await until(() => scan !== null);
        finish();
        return scan!;
      },
      close: () => {
        if (!over) this.send({ kind: 'drop' });
        finish();
      },
    };
  }

  private keep(bytes: Uint8Array): void {
    if (this.spare.length * blockLength < mostOnTheWay) this.spare.push(new Uint8Array(bytes.buffer as ArrayBuffer));
  }

  private send(message: ToWorker, transfer: ArrayBuffer[] = []): void {
    this.worker.postMessage(message, transfer);
  }
}
