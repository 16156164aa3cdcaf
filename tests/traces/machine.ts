// A machine in time: host threads that run programs, and GPUs that run streams by the rules of CUDA.
// Order within a stream, legacy default stream, events, copy engines, room on the SMs, collectives of several ranks.

/** What a host thread waits for: a time to pass, or work of a GPU to end. */
type Wait = number | Op;
export type Program<T = void> = Generator<Wait, T, void>;

export type Mode = 'legacy' | 'blocking' | 'non-blocking';

export interface Stream {
  readonly id: number;
  readonly device: Device;
  readonly mode: Mode;
  last: Op | null;
  /** Not started yet, oldest first: the room of a queue is limited. */
  readonly queue: Op[];
}

type Engine = 'compute' | 'h2d' | 'd2h' | 'p2p' | 'nccl' | 'none';

/** All ranks run it together: it ends when the last has come and the data has moved. */
export interface Collective {
  readonly ranks: number;
  readonly wireNs: number;
  readonly here: Op[];
}

export interface Op {
  readonly stream: Stream;
  readonly engine: Engine;
  /** Part of the SMs that it fills. */
  readonly share: number;
  ns: number;
  /** Earliest time at which the GPU knows of it. */
  readonly knownAt: number;
  readonly collective: Collective | null;
  readonly onStart: ((op: Op) => void) | null;
  start: number;
  end: number;
  done: boolean;
  missing: number;
  readonly after: Op[];
  readonly wakes: (() => void)[];
  /** End of the latest it waited for. */
  since: number;
}

export interface Device {
  readonly index: number;
  readonly sim: Simulation;
  readonly waiting: Record<Engine, Op[]>;
  readonly used: Record<Engine, number>;
  readonly legacy: Stream;
  readonly streams: Stream[];
  /** Pause between two kernels of one stream, ns. */
  readonly gap: () => number;
}

const queueRoom = 1000;

export class Simulation {
  now = 0;
  #heap: { readonly time: number; readonly order: number; readonly run: () => void }[] = [];
  #order = 0;

  at(time: number, run: () => void): void {
    const heap = this.#heap;
    const entry = { time: Math.max(Math.round(time), this.now), order: this.#order++, run };
    let at = heap.length;
    heap.push(entry);
    while (at > 0) {
      const up = (at - 1) >> 1;
      if (!before(entry, heap[up]!)) break;
      heap[at] = heap[up]!;
      at = up;
    }
    heap[at] = entry;
  }

  /** Starts a host thread. */
  spawn(program: Program): void {
    const step = (): void => {
      const { value, done } = program.next();
      if (done === true) return;
      if (typeof value === 'number') this.at(this.now + value, step);
      else if (value.done) step();
      else value.wakes.push(step);
    };
    this.at(this.now, step);
  }

  run(): void {
    for (let entry = this.#take(); entry !== undefined; entry = this.#take()) {
      this.now = entry.time;
      entry.run();
    }
  }

  #take(): { readonly time: number; readonly run: () => void } | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined || heap.length === 0) return first;
    let at = 0;
    for (;;) {
      let down = 2 * at + 1;
      if (down >= heap.length) break;
      if (down + 1 < heap.length && before(heap[down + 1]!, heap[down]!)) down++;
      if (!before(heap[down]!, last)) break;
      heap[at] = heap[down]!;
      at = down;
    }
    heap[at] = last;
    return first;
  }
}

const before = (a: { time: number; order: number }, b: { time: number; order: number }): boolean =>
  a.time < b.time || (a.time === b.time && a.order < b.order);

/** @param beside the same GPU, as another process has it: streams of their own, room in common */
export function createDevice(sim: Simulation, index: number, gap: () => number, beside: Device | null = null): Device {
  const lists = (): Record<Engine, Op[]> => ({ compute: [], h2d: [], d2h: [], p2p: [], nccl: [], none: [] });
  const used = { compute: 0, h2d: 0, d2h: 0, p2p: 0, nccl: 0, none: 0 };
  const device: Omit<Device, 'legacy'> & { legacy: Stream | null } = {
    index,
    sim,
    waiting: beside?.waiting ?? lists(),
    used: beside?.used ?? used,
    legacy: null,
    streams: [],
    gap,
  };
  device.legacy = createStream(device as Device, 7, 'legacy');
  return device as Device;
}

export function createStream(device: Device, id: number, mode: Mode): Stream {
  const stream: Stream = { id, device, mode, last: null, queue: [] };
  device.streams.push(stream);
  return stream;
}

/** What a stream must wait for before anything that is given to it now. */
function orderOf(stream: Stream): readonly Op[] {
  const own = stream.last === null ? [] : [stream.last];
  if (stream.mode === 'non-blocking') return own;
  if (stream.mode === 'blocking') return stream.device.legacy.last === null ? own : [...own, stream.device.legacy.last];
  return stream.device.streams.filter(({ mode }) => mode !== 'non-blocking').flatMap(({ last }) => last ?? []);
}

/** Gives work to a stream. */
export function submit(
  stream: Stream,
  work: {
    readonly engine: Engine;
    readonly ns: number;
    readonly knownAt: number;
    readonly share?: number;
    readonly after?: readonly Op[];
    readonly collective?: Collective;
    readonly onStart?: (op: Op) => void;
  },
): Op {
  const op: Op = {
    stream,
    engine: work.engine,
    share: work.share ?? 1,
    ns: Math.round(work.ns),
    knownAt: work.knownAt,
    collective: work.collective ?? null,
    onStart: work.onStart ?? null,
    start: Number.NaN,
    end: Number.NaN,
    done: false,
    missing: 0,
    after: [],
    wakes: [],
    since: 0,
  };
  const order = new Set([...orderOf(stream), ...(work.after ?? [])]);
  stream.last = op;
  stream.queue.push(op);
  for (const each of order)
    if (each.done) op.since = Math.max(op.since, each.end);
    else {
      op.missing++;
      each.after.push(op);
    }
  if (op.missing === 0) ready(op);
  return op;
}

/** The op that must have begun before there is room for one more; null where there is room. */
export function crowdedBy(stream: Stream): Op | null {
  const { queue } = stream;
  while (queue.length > 0 && queue[0]!.done) queue.shift();
  return queue.length < queueRoom ? null : queue[queue.length - queueRoom]!;
}

function ready(op: Op): void {
  const { device } = op.stream;
  const pause = op.engine === 'none' || op.since === 0 ? 0 : device.gap();
  device.sim.at(Math.max(op.knownAt, op.since + pause), () => {
    device.waiting[op.engine].push(op);
    begin(device, op.engine);
  });
}

/** Starts what has room, in the order of arrival. */
function begin(device: Device, engine: Engine): void {
  const waiting = device.waiting[engine];
  for (let op = waiting[0]; op !== undefined; op = waiting[0]) {
    const taken = device.used[engine];
    if (engine === 'compute' && taken > 0 && taken + op.share > 1.0001) return;
    if (['h2d', 'd2h', 'p2p'].includes(engine) && taken > 0) return;
    waiting.shift();
    device.used[engine] += op.share;
    op.start = device.sim.now;
    op.onStart?.(op);
    const { collective } = op;
    if (collective === null) finishAt(op, op.start + op.ns);
    else {
      collective.here.push(op);
      if (collective.here.length === collective.ranks)
        for (const each of collective.here) finishAt(each, device.sim.now + collective.wireNs);
    }
  }
}

function finishAt(op: Op, time: number): void {
  const { device } = op.stream;
  op.end = time;
  device.sim.at(time, () => {
    op.done = true;
    device.used[op.engine] -= op.share;
    for (const each of op.after) {
      each.since = Math.max(each.since, op.end);
      if (--each.missing === 0) ready(each);
    }
    for (const wake of op.wakes) wake();
    begin(device, op.engine);
  });
}
