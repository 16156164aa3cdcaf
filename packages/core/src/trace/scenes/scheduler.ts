// When the work of a program runs. Rules: CUDA Runtime API, "Stream synchronization behavior" and "API synchronization
// behavior"; CUDA programming guide, streams, events and graphs.
import type { Action, GraphNode, PlacedCall, PlacedWork, Played, Program, StreamKind } from './program.ts';

/** What calls take that start no work, µs. */
const smallCall = 1;
/** What a graph adds to one launch for each of its nodes, µs. */
const nodeCall = 0.2;

/** Streams that wait for the legacy default stream, and it for them. */
const waitsForLegacy: ReadonlySet<StreamKind> = new Set<StreamKind>(['blocking', 'per-thread']);

/**
 * Plays a program. Work of one stream runs in its order. Work in the legacy default stream waits for all that was asked
 * for in blocking streams, and what is asked for in these afterwards waits for it; non-blocking streams do neither.
 * Kernels run side by side as far as they leave room on the GPU; each direction has one copy engine. Of two threads the
 * one that is behind goes on first.
 * @throws RangeError where an action names a stream that the program does not have, or fills more than the GPU
 */
export function played(program: Program): Played {
  const run = new Run(program);
  const next = program.threads.map(() => 0);
  for (;;) {
    let thread = -1;
    for (const [each, actions] of program.threads.entries())
      if (next[each]! < actions.length && (thread < 0 || run.now[each]! < run.now[thread]!)) thread = each;
    if (thread < 0) return { streams: program.streams, work: run.work, calls: run.calls };
    run.act(thread, program.threads[thread]![next[thread]!]!);
    next[thread] = next[thread]! + 1;
  }
}

interface Busy {
  readonly from: number;
  readonly to: number;
  readonly share: number;
}

class Run {
  readonly work: PlacedWork[] = [];
  readonly calls: PlacedCall[] = [];
  /** Clock of each thread. */
  readonly now: number[];
  #program: Program;
  #kinds: ReadonlyMap<number, StreamKind>;
  /** When all that was asked for in a stream is done. */
  #tail = new Map<number, number>();
  /** What was asked for in the legacy default stream is done then. */
  #legacy = 0;
  #events = new Map<string, number>();
  #engines = { HtoD: 0, DtoH: 0 };
  /** Kernels that may still run beside others. */
  #running: Busy[] = [];

  constructor(program: Program) {
    this.#program = program;
    this.#kinds = new Map(program.streams.map(({ id, kind }) => [id, kind]));
    this.now = program.threads.map(() => 0);
  }

  act(thread: number, action: Action): void {
    switch (action.does) {
      case 'compute':
        this.now[thread] = this.now[thread]! + action.us;
        return;
      case 'kernel': {
        const call = this.#call(thread, this.#named('cudaLaunchKernel', action.stream), this.#program.launchUs);
        const ready = this.#ready(action.stream, this.calls[call]!.to + this.#program.latencyUs);
        this.#done(action.stream, this.#kernel(action, action.stream, ready, call, 0));
        return;
      }
      case 'copy':
        this.#copy(thread, action);
        return;
      case 'record':
        this.#call(thread, this.#named('cudaEventRecord', action.stream), smallCall);
        this.#events.set(action.event, this.#ready(action.stream, 0));
        this.#done(action.stream, this.#events.get(action.event)!);
        return;
      case 'wait':
        this.#call(thread, this.#named('cudaStreamWaitEvent', action.stream), smallCall);
        // An event that was never recorded counts as done.
        this.#done(action.stream, Math.max(this.#ready(action.stream, 0), this.#events.get(action.event) ?? 0));
        return;
      case 'synchronise': {
        const until = action.stream === null ? this.#end() : this.#ready(action.stream, 0);
        const name = action.stream === null ? 'cudaDeviceSynchronize' : 'cudaStreamSynchronize';
        this.#call(thread, name, Math.max(smallCall, until + smallCall - this.now[thread]!));
        return;
      }
      case 'graph':
        this.#graph(thread, action.stream, action.nodes);
    }
  }

  #kind(stream: number): StreamKind {
    const kind = this.#kinds.get(stream);
    if (kind === undefined) throw new RangeError(`the program has no stream ${stream}`);
    return kind;
  }

  /** Calls of the default stream of a thread have names of their own. */
  #named(name: string, stream: number): string {
    return this.#kind(stream) === 'per-thread' ? `${name}_ptsz` : name;
  }

  #call(thread: number, name: string, takes: number): number {
    const from = this.now[thread]!;
    this.now[thread] = from + takes;
    return this.calls.push({ name, thread, from, to: from + takes }) - 1;
  }

  /** When work that is asked for now may start in a stream. */
  #ready(stream: number, reaches: number): number {
    const kind = this.#kind(stream);
    const own = Math.max(reaches, this.#tail.get(stream) ?? 0);
    if (kind === 'legacy') return Math.max(own, this.#blockingEnd());
    return waitsForLegacy.has(kind) ? Math.max(own, this.#legacy) : own;
  }

  #done(stream: number, at: number): void {
    this.#tail.set(stream, at);
    if (this.#kind(stream) === 'legacy') this.#legacy = Math.max(this.#legacy, at);
  }

  #blockingEnd(): number {
    let end = this.#legacy;
    for (const [stream, at] of this.#tail) if (waitsForLegacy.has(this.#kind(stream))) end = Math.max(end, at);
    return end;
  }

  #end(): number {
    return Math.max(0, ...this.#tail.values());
  }

  /** Puts a kernel where the GPU first has room for it. @returns when it ends */
  #kernel(
    kernel: { readonly name: string; readonly us: number; readonly share: number },
    stream: number,
    ready: number,
    call: number,
    node: number,
  ): number {
    const { share, us, name } = kernel;
    if (!(share > 0 && share <= 1)) throw new RangeError(`a kernel fills ${share} of the GPU`);
    const soonest = Math.min(...this.now);
    this.#running = this.#running.filter(({ to }) => to > soonest);
    const from = [ready, ...this.#running.map(({ to }) => to).filter((to) => to > ready)]
      .sort((a, b) => a - b)
      .find((at) => this.#fits(at, at + us, share))!;
    this.#running.push({ from, to: from + us, share });
    this.work.push({
      kind: 'kernel',
      name,
      stream,
      from,
      to: from + us,
      call,
      bytes: 0,
      direction: null,
      memory: null,
      node,
    });
    return from + us;
  }

  #fits(from: number, to: number, share: number): boolean {
    const beside = this.#running.filter((each) => each.from < to && each.to > from);
    const steps = [from, ...beside.map((each) => each.from).filter((at) => at > from)];
    return steps.every(
      (at) =>
        beside.reduce((sum, each) => (each.from <= at && each.to > at ? sum + each.share : sum), share) <= 1 + 1e-9,
    );
  }

  #copy(thread: number, copy: Extract<Action, { does: 'copy' }>): void {
    const { stream, direction, memory, bytes, us, blocking } = copy;
    const { launchUs, latencyUs } = this.#program;
    const name = this.#named(blocking ? 'cudaMemcpy' : 'cudaMemcpyAsync', stream);
    const from = Math.max(this.#ready(stream, this.now[thread]! + launchUs + latencyUs), this.#engines[direction]);
    this.#engines[direction] = from + us;
    // The host stages pageable memory piece by piece, so that its call lasts as long as the copy.
    const kept = blocking || memory === 'pageable';
    const call = this.#call(thread, name, kept ? from + us + smallCall - this.now[thread]! : launchUs);
    this.work.push({
      kind: 'copy',
      name: `[CUDA memcpy ${direction === 'HtoD' ? 'Host-to-Device' : 'Device-to-Host'}]`,
      stream,
      from,
      to: from + us,
      call,
      bytes,
      direction,
      memory,
      node: 0,
    });
    this.#done(stream, from + us);
  }

  /** One call starts all nodes; each waits for those before it, and the stream for all of them. */
  #graph(thread: number, stream: number, nodes: readonly GraphNode[]): void {
    const { launchUs, latencyUs } = this.#program;
    const call = this.#call(thread, this.#named('cudaGraphLaunch', stream), launchUs + nodeCall * nodes.length);
    const ready = this.#ready(stream, this.calls[call]!.to + latencyUs);
    const ends: number[] = [];
    for (const [place, node] of nodes.entries()) {
      const after = Math.max(ready, ...node.after.map((each) => ends[each] ?? 0));
      ends.push(this.#kernel(node, node.stream, after, call, place + 1));
    }
    this.#done(stream, Math.max(ready, ...ends));
  }
}
