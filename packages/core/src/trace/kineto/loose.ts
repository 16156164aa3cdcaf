/*
 * Events without a category: XLA (JAX, TensorFlow) names the tracks instead, in events of their own that may follow.
 * Processes are called `/device:GPU:0`, threads `Stream #7(Compute,MemcpyH2D)`; the other threads of a device repeat the
 * same time by module, operation and step and are no work. Profiler of XLA: tsl/profiler/convert, xla/backends/profiler/gpu.
 */
import type { TraceBuilder } from '../builder.ts';
import { workKinds } from '../model.ts';
import { isCollectiveKernel, operationOfKernel } from './collective-names.ts';
import { routeOfDetails } from './copies.ts';
import type { Counts } from './counts.ts';
import { rangeKindOf } from './range-kind.ts';
import type { Tracks } from './tracks.ts';

export interface LooseEvent {
  readonly process: number;
  readonly thread: number;
  readonly name: number;
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly correlation: number;
  readonly details: string | null;
}

const mostEvents = 1_000_000;
const mostTracks = 100_000;
const apiCall = /^(?:cuda|cu|hip)[A-Z]/;

/** Device of a process by its name: `/device:GPU:0`, `/job:w/replica:0/task:0/device:GPU:1/stream:all Compute`; null where it is none. */
export function deviceOfProcess(name: string): number | null {
  const device = /\/device:(?:GPU|CUDA|ROCM):(\d{1,4})/i.exec(name.slice(0, 400));
  return device === null ? null : Number(device[1]);
}

/** Stream of a thread or process by its name: `Stream #7(Compute)`, `… /stream:13 Compute`; null where it is none. */
export function streamOfTrack(name: string): number | null {
  const stream = /^\s{0,4}stream ?#? ?(\d{1,9})\b/i.exec(name.slice(0, 200)) ?? /\/stream:(\d{1,9})\b/.exec(name);
  return stream === null ? null : Number(stream[1]);
}

/** Holds events until the names of their tracks are known. */
export class Loose {
  /** Work of the GPU that was found among them. */
  work = 0;
  #builder: TraceBuilder;
  #tracks: Tracks;
  #counts: Counts;
  #processes = new Map<number, string>();
  #threads = new Map<string, string>();
  #events: LooseEvent[] = [];
  #off = false;

  constructor(builder: TraceBuilder, tracks: Tracks, counts: Counts) {
    this.#builder = builder;
    this.#tracks = tracks;
    this.#counts = counts;
  }

  process(id: number, name: string): void {
    if (this.#processes.size < mostTracks) this.#processes.set(id, name.slice(0, 400));
  }

  thread(process: number, id: number, name: string): void {
    if (this.#threads.size < mostTracks) this.#threads.set(`${process} ${id}`, name.slice(0, 400));
  }

  /** The trace is one of PyTorch, whose work has categories. */
  turnOff(): void {
    this.#off = true;
    this.#events = [];
  }

  wanted(process: number): boolean {
    if (this.#off) return false;
    const name = this.#processes.get(process);
    return name === undefined || deviceOfProcess(name) !== null || /host|CPU|python/i.test(name);
  }

  add(event: LooseEvent): void {
    const process = this.#processes.get(event.process);
    if (process !== undefined && deviceOfProcess(process) === null && !this.#ofHost(event)) return;
    if (this.#events.length >= mostEvents) this.#counts.pending++;
    else this.#events.push(event);
  }

  #ofHost(event: LooseEvent): boolean {
    return apiCall.test(event.text) || rangeKindOf(event.text) !== 'other';
  }

  /** Sorts the events out, now that all names are there. */
  finish(): void {
    for (const [key, name] of this.#threads) {
      const [process, thread] = key.split(' ');
      this.#builder.thread(Number(process), Number(thread), name);
    }
    const streams = this.#namedStreams();
    for (const event of this.#events) {
      const process = this.#processes.get(event.process) ?? '';
      const device = deviceOfProcess(process);
      if (device === null) this.#host(event);
      else {
        const track = this.#threads.get(`${event.process} ${event.thread}`);
        const stream = streamOfTrack(track ?? '') ?? streamOfTrack(process);
        const isAll = /\/stream:all\b/.test(process);
        // A device without any named stream has its work on threads without a name, or by operation.
        const isWork = track === undefined || isAll || track === 'XLA Ops';
        if (stream === null && (streams.has(device) || !isWork)) continue;
        this.#gpu(event, device, stream ?? event.thread);
      }
    }
    this.#events = [];
    for (const key of this.#builder.quotes.keys()) if (key.startsWith('track:')) this.#builder.quotes.delete(key);
  }

  /** Devices with a stream that is told by its name. */
  #namedStreams(): ReadonlySet<number> {
    const found = new Set<number>();
    for (const [key, name] of this.#threads) {
      const device = deviceOfProcess(this.#processes.get(Number(key.split(' ')[0])) ?? '');
      if (device !== null && streamOfTrack(name) !== null) found.add(device);
    }
    for (const name of this.#processes.values()) {
      const device = deviceOfProcess(name);
      if (device !== null && streamOfTrack(name) !== null) found.add(device);
    }
    return found;
  }

  #host(event: LooseEvent): void {
    const thread = this.#builder.thread(event.process, event.thread);
    if (apiCall.test(event.text)) {
      this.#builder.call(event.start, event.end, event.name, thread, event.correlation);
      this.#quote(event.name, `call:${event.name}`);
      return;
    }
    const kind = rangeKindOf(event.text);
    if (kind === 'other') return;
    this.#builder.ranges.push({ start: event.start, end: event.end, name: event.text, thread, kind });
  }

  #gpu(event: LooseEvent, device: number, id: number): void {
    const isCopy = /memcpy/i.test(event.text);
    const isMemset = /memset/i.test(event.text);
    const stream = this.#tracks.stream(device, null, id);
    const copy = isCopy ? routeOfDetails(event.text, event.details ?? '') : null;
    this.#builder.work(
      {
        kind: isCopy ? workKinds.copy : isMemset ? workKinds.memset : workKinds.kernel,
        start: event.start,
        end: event.end,
        stream,
        name: event.name,
        correlation: event.correlation,
        detail: copy === null ? this.#shape(event.details, isMemset) : this.#builder.route(copy.route),
        bytes: copy?.bytes ?? 0,
        graphNode: 0,
      },
      isCollectiveKernel(event.text)
        ? { operation: operationOfKernel(event.text), group: null, elements: null, type: null }
        : null,
    );
    this.work++;
    this.#quote(event.name, `work:${event.name}:${stream}`);
  }

  /** `regs:32 static_shared:0 dynamic_shared:1024 grid:128,1,1 block:256,1,1 occ_pct:100` */
  #shape(details: string | null, isMemset: boolean): number {
    if (details === null || isMemset) return -1;
    const axes = (key: string): readonly [number, number, number] | null => {
      const found = new RegExp(`\\b${key}:(\\d{1,10}),(\\d{1,10}),(\\d{1,10})`).exec(details);
      return found === null ? null : [Number(found[1]), Number(found[2]), Number(found[3])];
    };
    const number = (key: string): number | null => {
      const found = new RegExp(`\\b${key}:(\\d{1,10})`).exec(details);
      return found === null ? null : Number(found[1]);
    };
    const [grid, block] = [axes('grid'), axes('block')];
    if (grid === null || block === null) return -1;
    return this.#builder.shape({
      grid,
      block,
      registers: number('regs'),
      staticShared: number('static_shared'),
      dynamicShared: number('dynamic_shared'),
    });
  }

  #quote(name: number, key: string): void {
    const quote = this.#builder.quotes.get(`track:${name}`);
    if (quote !== undefined && !this.#builder.quotes.has(key)) this.#builder.quotes.set(key, quote);
  }
}
