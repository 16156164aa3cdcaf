// Managed memory that is used in turn: what moves, and what waits for it. CUDA programming guide, unified memory:
// pages move on a fault, in blocks of up to 2 MiB; where the memory of the GPU is full, the block that was used longest
// ago goes back to the host first.
import { TraceBuilder } from '../builder.ts';
import type { Trace, TraceDevice } from '../model.ts';
import { workKinds } from '../model.ts';

export const blockBytes: number = 2 << 20;
/** What the driver takes to answer the faults of one block, µs: an assumption, of the order that measurements show. */
export const faultUs = 30;
const pageBytes = 64 << 10;
/** CUPTI: why managed memory moved. */
const causes = { coherence: 2, prefetch: 3, eviction: 4 } as const;

export interface ManagedScene {
  /** Of the memory of the GPU and of the data; in blocks of 2 MiB, fractions are rounded up. */
  readonly memoryBytes: number;
  readonly workingBytes: number;
  /** Bytes a second. */
  readonly memoryRate: number;
  readonly linkRate: number;
  /** How often a step reads each byte once it is there. */
  readonly reuse: number;
  /** `demand`: pages move on faults; `prefetch`: cudaMemPrefetchAsync fetches each block before its turn. */
  readonly how: 'demand' | 'prefetch';
  /** Part of the data that the host reads after each step, 0 to 1. */
  readonly hostShare: number;
  readonly steps: number;
}

/** What moved, beside the trace. Bytes. */
export interface ManagedPlay {
  readonly trace: Trace;
  readonly toDevice: number;
  readonly toHost: number;
  readonly faults: number;
  /** Time of the steps with all data in the memory of the GPU, ns. */
  readonly neededNs: number;
  /** Time that they took, ns. */
  readonly spanNs: number;
}

/** Plays steps that read all the data from its begin to its end. */
export function managedPlay(scene: ManagedScene, device: Partial<TraceDevice> = {}): ManagedPlay {
  const blocks = Math.max(1, Math.ceil(scene.workingBytes / blockBytes));
  const room = Math.max(1, Math.floor(scene.memoryBytes / blockBytes));
  const out = new Recorder(device);
  /** Blocks on the GPU; the one that was used longest ago is first. */
  const here = new Set<number>();
  const moves = (blockBytes / scene.linkRate) * 1e6;
  const works = (scene.reuse * blockBytes * 1e6) / scene.memoryRate;
  // The host launches ahead, unless it reads what the GPU made.
  let [host, gpu, link, faults] = [0, 0, 0, 0];
  for (let step = 0; step < scene.steps; step++) {
    if (scene.how === 'prefetch') out.call('cudaMemPrefetchAsync', host, (host += 3), 0);
    const called = host;
    host += 3;
    const begins = Math.max(called + 6, gpu + 1);
    gpu = begins;
    for (let block = 0; block < blocks; block++) {
      if (!here.has(block)) {
        let ready = scene.how === 'demand' ? gpu : Math.max(link, called);
        if (scene.how === 'demand') {
          out.fault(ready, ready + faultUs, block);
          faults += blockBytes / pageBytes;
          ready += faultUs;
        }
        if (here.size >= room) {
          const [oldest] = here;
          here.delete(oldest!);
          out.move('UVM_DtoH', causes.eviction, ready, ready + moves);
          ready += moves;
        }
        out.move('UVM_HtoD', scene.how === 'demand' ? causes.coherence : causes.prefetch, ready, ready + moves);
        link = ready + moves;
        gpu = Math.max(gpu, link);
      }
      here.delete(block);
      here.add(block);
      gpu += works;
    }
    out.kernel(called, begins, gpu);
    const read = Math.ceil(blocks * scene.hostShare);
    if (read === 0) continue;
    out.call('cudaDeviceSynchronize', host, (host = gpu + 2), 0);
    for (let block = 0; block < read; block++) {
      if (!here.delete(block)) continue;
      out.move('UVM_DtoH', causes.coherence, host + faultUs / 2, host + faultUs / 2 + moves);
      host += faultUs / 2 + moves;
    }
  }
  out.call('cudaDeviceSynchronize', host, Math.max(host, gpu) + 2, 0);
  const neededNs = scene.steps * blocks * works * 1000;
  return { trace: out.finish(), ...out.moved, faults, neededNs, spanNs: Math.max(host, gpu) * 1000 };
}

class Recorder {
  readonly moved = { toDevice: 0, toHost: 0 };
  #builder = new TraceBuilder('nsys-sqlite', null);
  #gpu: number;
  #stream: number;
  #copies: number;
  #correlation = 0;

  constructor(device: Partial<TraceDevice>) {
    this.#builder.producer = 'simulated';
    this.#gpu = this.#builder.device(0, device);
    this.#stream = this.#builder.stream(this.#gpu, 1, 1, 13);
    this.#copies = this.#builder.stream(this.#gpu, 1, 1, 20);
  }

  kernel(called: number, from: number, to: number): void {
    const correlation = this.call('cudaLaunchKernel', called, called + 3, ++this.#correlation);
    this.#work(workKinds.kernel, this.#stream, 'sweep', from, to, correlation, -1, 0);
  }

  move(direction: 'UVM_HtoD' | 'UVM_DtoH', migrationCause: number, from: number, to: number): void {
    const host = direction === 'UVM_HtoD';
    const route = this.#builder.route({
      direction,
      from: host ? 'managed' : 'device',
      to: host ? 'device' : 'managed',
      migrationCause,
    });
    this.moved[host ? 'toDevice' : 'toHost'] += blockBytes;
    const name = `[CUDA Unified Memory memcpy ${host ? 'HtoD' : 'DtoH'}]`;
    this.#work(workKinds.copy, this.#copies, name, from, to, -1, route, blockBytes);
  }

  fault(from: number, to: number, block: number): void {
    this.#builder.fault(ns(from), ns(to), blockBytes / pageBytes, this.#gpu, (block + 1) * blockBytes);
  }

  call(name: string, from: number, to: number, correlation: number): number {
    this.#builder.call(ns(from), ns(to), this.#builder.name(name), this.#builder.thread(1, 100), correlation);
    return correlation;
  }

  #work(
    kind: number,
    stream: number,
    name: string,
    from: number,
    to: number,
    correlation: number,
    detail: number,
    bytes: number,
  ): void {
    const text = this.#builder.name(name);
    this.#builder.work({
      kind,
      start: ns(from),
      end: ns(to),
      stream,
      name: text,
      correlation,
      detail,
      bytes,
      graphNode: 0,
    });
  }

  finish(): Trace {
    return this.#builder.finish();
  }
}

const ns = (us: number): number => Math.round(us * 1000);
