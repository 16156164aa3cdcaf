import { TraceBuilder } from '../builder.ts';
import type { Trace } from '../model.ts';
import type { Counts } from './counts.ts';
import { countsInWords, newCounts } from './counts.ts';
import { Head } from './head.ts';
import { Rows } from './rows.ts';
import { EventScanner } from './scanner.ts';

const decoder = new TextDecoder();

/**
 * Reads a trace of PyTorch's profiler, or another trace in Chrome's format with work of a GPU (JAX, TensorFlow), in
 * pieces of any size. It holds columns of what it needs and one event, never the text. It does not throw for what is
 * wrong with the trace: `Trace.left` says it, and the rest is read. Format: Trace Event Format (JSON object and array),
 * https://github.com/pytorch/kineto for the categories.
 */
export class KinetoReader {
  #builder: TraceBuilder;
  #counts: Counts = newCounts();
  #head = new Head();
  #rows: Rows;
  #scanner: EventScanner;

  /** @param file its name, for the evidence */
  constructor(file: string | null = null) {
    this.#builder = new TraceBuilder('kineto', file);
    this.#rows = new Rows(this.#builder, this.#counts);
    this.#scanner = new EventScanner({
      member: (key, bytes, from, to) => {
        this.#head.member(key, decoder.decode(bytes.subarray(from, to)), this.#builder);
        if (this.#head.isPyTorch) this.#rows.loose.turnOff();
      },
      event: (bytes, from, to, fields, place) => this.#rows.event(bytes, from, to, fields, place),
    });
  }

  /** @param bytes valid during the call only */
  push(bytes: Uint8Array): void {
    this.#scanner.push(bytes);
  }

  /** Bytes and events so far. */
  get progress(): { readonly bytes: number; readonly events: number } {
    return { bytes: this.#scanner.bytes, events: this.#scanner.events };
  }

  /** The reader is used up. */
  end(): Trace {
    this.#scanner.end();
    const builder = this.#builder;
    this.#rows.finish();
    const size = builder.size;
    const isChrome = this.#rows.loose.work > 0 || (this.#rows.known === 0 && !this.#head.isPyTorch);
    if (!isChrome) this.#head.isPyTorch = true;
    this.#head.finish(builder, builder.usedDevices());
    if (this.#rows.rocm || this.#head.rocm) builder.legacyStream = 0;
    builder.zero = (this.#head.base ?? 0n) + BigInt(this.#rows.clock.zero ?? 0) * 1000n;
    builder.notRecorded.add('page-faults');
    if (!this.#rows.synchronised) builder.notRecorded.add('synchronisations');
    if (size.calls === 0) builder.notRecorded.add('calls');
    if (builder.ranges.length === 0) builder.notRecorded.add('ranges');
    builder.startAtZero();
    const built = builder.finish();
    this.#counts.overlapping = overlapsOf(built);
    const { passed, broken, gaveUp } = this.#scanner;
    const partial = broken !== null || gaveUp !== null || passed.damaged > 0;
    const trace = { ...built, partial, left: [...this.#said(), ...built.left] };
    return isChrome ? { ...trace, format: 'chrome' } : trace;
  }

  #said(): readonly string[] {
    const { passed, broken, behind, events, bytes, gaveUp } = this.#scanner;
    const said: string[] = [];
    if (broken !== null && gaveUp === null)
      said.push(`the JSON breaks off at byte ${broken}, behind ${events} events; what came before was read`);
    if (gaveUp !== null) said.push(`from byte ${gaveUp} on nothing was read of ${bytes}: too much of it is damaged`);
    if (passed.damaged > 0)
      said.push(
        `${passed.damaged} damaged ${passed.damaged === 1 ? 'place was' : 'places were'} passed over, the first at byte ${passed.firstDamaged}`,
      );
    if (passed.large > 0)
      said.push(
        `${passed.large} ${passed.large === 1 ? 'event or value is' : 'events or values are'} too large to be read, the first at byte ${passed.firstLarge}`,
      );
    if (behind > 0 && gaveUp === null) said.push(`${behind} bytes behind the end of the JSON were not read`);
    if (this.#rows.ids.lost > 0) said.push(`${this.#rows.ids.lost} ids were too many to be joined`);
    if (this.#rows.namesFull) said.push('names were too many to be kept; the rest are called …');
    return [...said, ...countsInWords(this.#counts)];
  }
}

/** Times of one clock may differ by so much: old profilers print whole microseconds. */
const tolerance = 2000;

/** Events that begin while the one before them on their stream runs. */
function overlapsOf({ work, streams }: Trace): number {
  const until = new Float64Array(streams.length).fill(-Infinity);
  let count = 0;
  for (let row = 0; row < work.count; row++) {
    const stream = work.stream[row]!;
    if (work.start[row]! < until[stream]! - tolerance) count++;
    if (work.end[row]! > until[stream]!) until[stream] = work.end[row]!;
  }
  return count;
}
