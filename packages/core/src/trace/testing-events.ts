// Traces of events for tests: a program is told call by call, and the GPU works through its streams as CUDA would.
import { TraceBuilder } from './builder.ts';
import type { Collective, Direction, MemoryKind, Range, Shape, Trace } from './model.ts';
import { workKinds } from './model.ts';

const us = 1000;

/** Where and how long a piece of work runs; times in µs. */
export interface WorkOptions {
  readonly name?: string;
  readonly stream?: number;
  readonly device?: number;
  readonly process?: number;
  /** Name of the call; null where none is in the trace. */
  readonly call?: string | null;
  readonly graphNode?: number;
  readonly shape?: Partial<Shape>;
  readonly collective?: Collective;
  /** Starts no sooner than this. */
  readonly after?: number;
}

export interface CopyOptions extends WorkOptions {
  readonly direction?: Direction;
  readonly from?: MemoryKind;
  readonly to?: MemoryKind;
  readonly bytes?: number;
  readonly cause?: number;
}

/** Tells one trace. Times are µs; `now` is the clock of the thread that calls. */
export class TestScene {
  #trace: Trace | null = null;
  readonly builder: TraceBuilder;
  now = 0;
  thread = 1;
  process = 100;
  /** How long a launch takes, and how long until the work may start. */
  launchTakes = 3;
  launchLatency = 2;
  #correlation = 1;
  #free = new Map<string, number>();

  constructor(
    options: { readonly rank?: number; readonly ranks?: number; readonly file?: string; readonly zero?: bigint } = {},
  ) {
    this.builder = new TraceBuilder('nsys-sqlite', options.file ?? 'run.sqlite');
    this.builder.rank = options.rank ?? null;
    this.builder.ranks = options.ranks ?? null;
    this.builder.zero = options.zero ?? 0n;
  }

  /** Work at exact times, whose call has been made at exact times; the clock stays. */
  at(
    kind: keyof typeof workKinds,
    from: number,
    to: number,
    options: CopyOptions & { readonly called?: readonly [number, number] } = {},
  ): this {
    const { builder } = this;
    const device = builder.device(options.device ?? 0);
    const process = options.process ?? this.process;
    const stream = builder.stream(device, process, 1, options.stream ?? 7);
    const correlation = this.#correlation++;
    const detail = this.#detail(kind, options);
    if (options.called !== undefined) {
      const word = options.call ?? callOf[kind];
      const thread = builder.thread(process, this.thread);
      builder.call(options.called[0] * us, options.called[1] * us, builder.name(word), thread, correlation);
    }
    builder.work(
      {
        kind: workKinds[kind],
        start: from * us,
        end: to * us,
        stream,
        name: builder.name(options.name ?? defaultName(kind, options)),
        correlation: options.called === undefined ? -1 : correlation,
        detail,
        bytes: options.bytes ?? 0,
        graphNode: options.graphNode ?? 0,
      },
      options.collective ?? null,
    );
    return this;
  }

  /** Launches work that takes `lasts`; it starts when its stream is free. @returns when it ends */
  launch(kind: keyof typeof workKinds, lasts: number, options: CopyOptions = {}): number {
    const key = `${options.device ?? 0} ${options.stream ?? 7}`;
    const called: readonly [number, number] = [this.now, this.now + this.launchTakes];
    this.now = called[1];
    const from = Math.max(called[1] + this.launchLatency - 1, this.#free.get(key) ?? 0, options.after ?? 0);
    this.#free.set(key, from + lasts);
    this.at(kind, from, from + lasts, options.call === null ? options : { ...options, called });
    return from + lasts;
  }

  kernel(lasts: number, options: WorkOptions = {}): number {
    return this.launch('kernel', lasts, options);
  }

  copy(lasts: number, options: CopyOptions = {}): number {
    return this.launch('copy', lasts, options);
  }

  /** Several kernels, one after another. */
  kernels(count: number, lasts: number, options: WorkOptions = {}): this {
    for (let index = 0; index < count; index++) this.kernel(lasts, options);
    return this;
  }

  /** When all work so far, or that of one stream, is done. */
  done(stream?: number): number {
    const ends = [...this.#free].filter(([key]) => stream === undefined || key.endsWith(` ${stream}`));
    return Math.max(0, ...ends.map(([, end]) => end));
  }

  /** A call that takes some time. */
  call(name: string, takes: number): this {
    const { builder } = this;
    builder.call(
      this.now * us,
      (this.now + takes) * us,
      builder.name(name),
      builder.thread(this.process, this.thread),
      this.#correlation++,
    );
    this.now += takes;
    return this;
  }

  /** Waits for all work, or that of one stream. */
  wait(name = 'cudaDeviceSynchronize', stream?: number): this {
    return this.call(name, Math.max(2, this.done(stream) + 2 - this.now));
  }

  /** The CPU does something that the trace does not show. */
  pause(takes: number): this {
    this.now += takes;
    return this;
  }

  range(kind: Range['kind'], name: string, from: number, to: number): this {
    const thread = this.builder.thread(this.process, this.thread);
    this.builder.ranges.push({ kind, name, start: from * us, end: to * us, thread });
    return this;
  }

  /** The trace; nothing is added to it any more. */
  finish(): Trace {
    return (this.#trace ??= this.builder.finish());
  }

  #detail(kind: keyof typeof workKinds, options: CopyOptions): number {
    const { direction = 'HtoD', from = 'pinned', to = 'device', cause, shape } = options;
    if (kind === 'copy') return this.builder.route({ direction, from, to, migrationCause: cause ?? null });
    if (shape === undefined) return -1;
    const none = { registers: null, staticShared: null, dynamicShared: null };
    return this.builder.shape({ grid: [1000, 1, 1], block: [256, 1, 1], ...none, ...shape });
  }
}

const callOf = {
  kernel: 'cudaLaunchKernel',
  copy: 'cudaMemcpyAsync',
  memset: 'cudaMemsetAsync',
  graph: 'cudaGraphLaunch',
};

function defaultName(kind: string, { direction = 'HtoD' }: CopyOptions): string {
  return kind === 'copy' ? `[CUDA memcpy ${direction}]` : kind === 'kernel' ? 'axpy' : kind;
}
