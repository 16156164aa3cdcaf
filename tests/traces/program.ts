// What a program does with the machine, and what a profiler records of it.
import type { Collective, Device, Op, Program, Simulation, Stream } from './machine.ts';
import { createDevice, createStream, crowdedBy, submit } from './machine.ts';
import type { Random } from './random.ts';

export interface Gpu {
  readonly name: string;
  readonly chip: string;
  readonly sms: number;
  readonly major: number;
  readonly minor: number;
  readonly memory: number;
  /** Rates of copies in bytes a ns: from page-locked and from pageable memory, and between GPUs. */
  readonly pinned: number;
  readonly pageable: number;
  readonly peer: number;
}

export interface KernelSpec {
  readonly name: string;
  readonly ns: number;
  readonly share?: number;
  readonly grid: number;
  readonly block: number;
  readonly registers: number;
  readonly shared: number;
  /** The last blocks run for so long while there is room for the next kernel. */
  readonly tailNs?: number;
}

type Memory = 'pageable' | 'pinned' | 'device' | 'managed';
type CopyKind = 'HtoD' | 'DtoH' | 'DtoD' | 'PtoP' | 'UVM_HtoD' | 'UVM_DtoH';

export interface CallRecord {
  readonly name: string;
  readonly tid: number;
  readonly start: number;
  readonly end: number;
  readonly correlation: number;
}
interface WorkBase {
  readonly device: number;
  readonly stream: number;
  readonly correlation: number;
  readonly start: number;
  readonly end: number;
}
export type WorkRecord =
  | (WorkBase & { readonly kind: 'kernel'; readonly spec: KernelSpec; readonly node: number | null })
  | (WorkBase & {
      readonly kind: 'copy';
      readonly copy: CopyKind;
      readonly bytes: number;
      readonly from: Memory;
      readonly to: Memory;
      readonly cause: number | null;
    })
  | (WorkBase & { readonly kind: 'memset'; readonly bytes: number })
  | (WorkBase & { readonly kind: 'graph'; readonly graph: number });
export interface SyncRecord extends WorkBase {
  readonly type: 1 | 2 | 3 | 4;
}
export interface RangeRecord {
  readonly name: string;
  readonly tid: number;
  readonly start: number;
  readonly end: number;
}
export interface FaultRecord {
  readonly start: number;
  readonly end: number;
  readonly device: number;
  readonly faults: number;
}

/** How fast a host thread is, in ns. */
export interface HostPace {
  /** Length of a launch call. */
  readonly launch: number;
  readonly spread: number;
}

/** One process, and what was recorded of it. */
export class Process {
  readonly calls: CallRecord[] = [];
  readonly syncs: SyncRecord[] = [];
  readonly ranges: RangeRecord[] = [];
  readonly gpuFaults: FaultRecord[] = [];
  readonly cpuFaults: number[] = [];
  readonly devices: Device[] = [];
  readonly pid: number;
  readonly gpu: Gpu;
  readonly sim: Simulation;
  readonly random: Random;
  readonly suffix: 'new' | 'per-thread';
  /** The call that launches kernels. */
  readonly launchedBy: string;
  readonly pace: HostPace;
  #work: (() => WorkRecord | readonly WorkRecord[])[] = [];
  #ran: readonly WorkRecord[] | null = null;
  #correlation: number;
  #streamId = 12;
  #graphs = 0;

  constructor(
    sim: Simulation,
    gpu: Gpu,
    pid: number,
    random: Random,
    pace: HostPace,
    devices: readonly number[] = [0],
    suffix: 'new' | 'per-thread' = 'new',
    launchedBy = 'cudaLaunchKernel',
    beside: Process | null = null,
  ) {
    this.launchedBy = launchedBy;
    this.sim = sim;
    this.gpu = gpu;
    this.pid = pid;
    this.random = random;
    this.pace = pace;
    this.suffix = suffix;
    this.#correlation = random.whole(60, 4000);
    for (const index of devices)
      this.devices.push(
        createDevice(
          sim,
          index,
          () => Math.round(random.real(700, 1300)),
          beside?.devices.find((other) => other.index === index) ?? null,
        ),
      );
  }

  get device(): Device {
    return this.devices[0]!;
  }

  /** The work that ran, by start; asked for when all has run. */
  get work(): readonly WorkRecord[] {
    this.#ran ??= this.#work
      .flatMap((make) => make())
      .toSorted((a, b) => a.start - b.start || a.correlation - b.correlation);
    return this.#ran;
  }

  record(make: () => WorkRecord | readonly WorkRecord[]): void {
    this.#work.push(make);
  }

  correlation(): number {
    return this.#correlation++;
  }

  graph(): number {
    return ++this.#graphs;
  }

  stream(mode: 'blocking' | 'non-blocking', device: Device = this.device): Stream {
    this.#streamId += this.random.whole(1, 3);
    return createStream(device, this.#streamId, mode);
  }

  thread(tid: number): Thread {
    return new Thread(this, tid);
  }
}

const baseOf = (op: Op, correlation: number): WorkBase => ({
  device: op.stream.device.index,
  stream: op.stream.id,
  correlation,
  start: op.start,
  end: op.end,
});

/** A host thread: every method takes the time that the call takes. */
export class Thread {
  readonly process: Process;
  readonly tid: number;

  constructor(process: Process, tid: number) {
    this.process = process;
    this.tid = tid;
  }

  get sim(): Simulation {
    return this.process.sim;
  }

  /** A call of the length; `body` waits inside of it. @returns the correlation */
  *call(name: string, ns: number, body: ((correlation: number) => Program) | null = null): Program<number> {
    const start = this.sim.now;
    const correlation = this.process.correlation();
    yield Math.max(600, Math.round(ns));
    if (body !== null) yield* body(correlation);
    this.process.calls.push({ name, tid: this.tid, start, end: this.sim.now, correlation });
    return correlation;
  }

  short(ns: number): number {
    const { random, pace } = this.process;
    return random.around(ns, pace.spread);
  }

  *launch(
    stream: Stream,
    spec: KernelSpec,
    more: {
      readonly after?: readonly Op[];
      readonly collective?: Collective;
      readonly onStart?: (op: Op, correlation: number) => void;
    } = {},
  ): Program<Op> {
    const full = crowdedBy(stream);
    let op: Op | null = null;
    const { process } = this;
    const { random, pace } = process;
    yield* this.call(process.launchedBy, this.short(pace.launch), function* (correlation): Program {
      if (full !== null) yield full;
      op = submit(stream, {
        engine: more.collective === undefined ? 'compute' : 'nccl',
        ns: spec.ns,
        knownAt: stream.device.sim.now + Math.round(random.real(-300, 1900)),
        share: spec.share ?? 1,
        ...(more.after === undefined ? {} : { after: more.after }),
        ...(more.collective === undefined ? {} : { collective: more.collective }),
        ...(more.onStart === undefined ? {} : { onStart: (started: Op) => more.onStart!(started, correlation) }),
      });
      const made = op;
      process.record(() => {
        const base = baseOf(made, correlation);
        return { ...base, end: base.end + (spec.tailNs ?? 0), kind: 'kernel', spec, node: null };
      });
    });
    return op!;
  }

  /** A copy by cudaMemcpyAsync or cudaMemcpy, which wait by the rules for the memory they are given. */
  *copy(
    stream: Stream,
    copy: 'HtoD' | 'DtoH' | 'DtoD' | 'PtoP',
    bytes: number,
    host: 'pageable' | 'pinned' = 'pinned',
    async = true,
  ): Program<Op> {
    const { process } = this;
    const { gpu, random } = process;
    const rate = copy === 'PtoP' ? gpu.peer : copy === 'DtoD' ? 900 : host === 'pinned' ? gpu.pinned : gpu.pageable;
    const ns = 1100 + (bytes / rate) * random.real(0.97, 1.03);
    const engine = copy === 'HtoD' ? 'h2d' : copy === 'DtoH' ? 'd2h' : copy === 'PtoP' ? 'p2p' : 'compute';
    const from: Memory = copy === 'HtoD' ? host : 'device';
    const to: Memory = copy === 'DtoH' ? host : 'device';
    let op: Op | null = null;
    yield* this.call(async ? 'cudaMemcpyAsync' : 'cudaMemcpy', this.short(4200), function* (correlation): Program {
      const made = submit(stream, {
        engine,
        ns,
        share: engine === 'compute' ? 0.3 : 1,
        knownAt: process.sim.now + Math.round(random.real(200, 1500)),
      });
      op = made;
      process.record(() => ({ ...baseOf(made, correlation), kind: 'copy', copy, bytes, from, to, cause: null }));
      // Small pageable uploads are put aside at once; all else that is pageable or not asynchronous is waited for.
      if (copy === 'PtoP' || copy === 'DtoD' || (async && host === 'pinned')) return;
      if (copy === 'HtoD' && host === 'pageable' && bytes <= 65536) return;
      yield made;
      yield Math.round(random.real(1500, 4000));
    });
    return op!;
  }

  *memset(stream: Stream, bytes: number): Program<Op> {
    const { process } = this;
    let op: Op | null = null;
    yield* this.call('cudaMemsetAsync', this.short(3200), function* (correlation): Program {
      const made = submit(stream, {
        engine: 'compute',
        ns: 1000 + bytes / 1200,
        share: 0.2,
        knownAt: process.sim.now + 400,
      });
      op = made;
      process.record(() => ({ ...baseOf(made, correlation), kind: 'memset', bytes }));
      yield 1;
    });
    return op!;
  }

  *syncStream(stream: Stream): Program {
    yield* this.#sync('cudaStreamSynchronize', 3, stream, () => (stream.last === null ? [] : [stream.last]));
  }

  *syncDevice(device: Device = this.process.device): Program {
    yield* this.#sync('cudaDeviceSynchronize', 4, device.legacy, () =>
      device.streams.flatMap(({ last }) => last ?? []),
    );
  }

  *#sync(name: string, type: 3 | 4, stream: Stream, ops: () => readonly Op[]): Program {
    const { process } = this;
    yield* this.call(name, this.short(1500), function* (correlation): Program {
      const start = process.sim.now;
      for (const op of ops()) yield op;
      yield Math.round(process.random.real(900, 2500));
      process.syncs.push({
        type,
        device: stream.device.index,
        stream: type === 4 ? -1 : stream.id,
        correlation,
        start,
        end: process.sim.now,
      });
    });
  }

  /** Records an event. @returns what waits for it wait for */
  *record(stream: Stream): Program<Op> {
    yield* this.call('cudaEventRecord', this.short(1100));
    return submit(stream, { engine: 'none', ns: 0, knownAt: this.sim.now });
  }

  *wait(stream: Stream, event: Op): Program {
    const { process } = this;
    yield* this.call('cudaStreamWaitEvent', this.short(900), function* (correlation): Program {
      const op = submit(stream, { engine: 'none', ns: 0, knownAt: process.sim.now, after: [event] });
      const start = process.sim.now;
      process.syncs.push({
        type: 2,
        device: stream.device.index,
        stream: stream.id,
        correlation,
        start,
        end: start + 1,
      });
      void op;
      yield 1;
    });
  }

  /** Takes memory. It does not wait for the GPU. */
  *malloc(ns: number): Program {
    yield* this.call('cudaMalloc', this.short(ns));
  }

  /** Gives memory back: it waits for all work of the device. */
  *free(ns: number): Program {
    const { process } = this;
    const { random, device } = process;
    const length = this.short(ns);
    yield* this.call('cudaFree', 800, function* (): Program {
      for (const { last } of device.streams) if (last !== null) yield last;
      yield Math.round(length * random.real(0.9, 1.1));
    });
  }

  /** Launches kernels that stand in one graph. */
  *graph(stream: Stream, specs: readonly KernelSpec[], graph: number): Program<Op> {
    const { process } = this;
    const starts: number[] = [];
    let ns = 0;
    for (const spec of specs) {
      starts.push(ns);
      ns += spec.ns + Math.round(process.random.real(500, 1100));
    }
    ns -= specs.length > 0 ? ns - starts.at(-1)! - specs.at(-1)!.ns : 0;
    let op: Op | null = null;
    yield* this.call('cudaGraphLaunch', this.short(6000 + 30 * specs.length), function* (correlation): Program {
      const made = submit(stream, {
        engine: 'compute',
        ns,
        share: 1,
        knownAt: process.sim.now + Math.round(process.random.real(500, 3000)),
      });
      op = made;
      process.record(() => {
        const base = baseOf(made, correlation);
        return [
          { ...base, kind: 'graph', graph },
          ...specs.map((spec, at) => ({
            ...base,
            kind: 'kernel' as const,
            spec,
            node: graph * 1000 + at,
            start: base.start + starts[at]!,
            end: base.start + starts[at]! + spec.ns,
          })),
        ];
      });
      yield 1;
    });
    return op!;
  }

  *range<T>(name: string, body: () => Program<T>): Program<T> {
    const start = this.sim.now;
    const result = yield* body();
    this.process.ranges.push({ name, tid: this.tid, start, end: this.sim.now });
    return result;
  }
}
