import type { TraceBuilder } from '../builder.ts';
import type { Counts } from './counts.ts';
import { wholeOf } from './numbers.ts';
import { stringOf } from './words.ts';

/** More GPUs than any host has. */
const mostDevices = 1024;

/**
 * Processes, threads, devices and streams of a trace. Their ids are numbers or texts; texts that are no number
 * (`Spans`, `thread 12 (python)`) get a negative one.
 */
export class Tracks {
  #builder: TraceBuilder;
  #counts: Counts;
  #texts = new Map<string, number>();
  #lastThread = { process: Number.NaN, thread: Number.NaN, index: 0 };
  #streams = new Map<number, number>();

  constructor(builder: TraceBuilder, counts: Counts) {
    this.#builder = builder;
    this.#counts = counts;
  }

  /** @param from 0 where the event has none */
  id(bytes: Uint8Array, from: number, to: number): number {
    if (from === 0) return 0;
    const number = wholeOf(bytes, from, to);
    if (number !== null && Number.isSafeInteger(number)) return number;
    const text = stringOf(bytes, from, Math.min(to, from + 200));
    const known = this.#texts.get(text);
    if (known !== undefined) return known;
    const given = -1000 - this.#texts.size;
    if (this.#texts.size < 100_000) this.#texts.set(text, given);
    return given;
  }

  thread(process: number, thread: number): number {
    const last = this.#lastThread;
    if (last.process === process && last.thread === thread) return last.index;
    const index = this.#builder.thread(process, thread);
    this.#lastThread = { process, thread, index };
    return index;
  }

  /** @param context null where not told */
  stream(device: number, context: number | null, id: number): number {
    if (!(device >= 0 && device < mostDevices)) {
      this.#counts.device++;
      device = 0;
    }
    const key = device * 2 ** 40 + ((context ?? -1) + 1) * 2 ** 24 + id;
    const exact = (context ?? 0) < 65_535 && id >= 0 && id < 2 ** 24;
    const known = exact ? this.#streams.get(key) : undefined;
    if (known !== undefined) return known;
    const index = this.#builder.stream(this.#builder.device(device), 0, context, id);
    if (exact) this.#streams.set(key, index);
    return index;
  }
}
