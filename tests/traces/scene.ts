// What a scene is: a program on a machine, and what is true of it.
import type { Dialect } from './dialects.ts';
import { plainDialect } from './dialects.ts';
import type { Collective, Program, Stream } from './machine.ts';
import { Simulation } from './machine.ts';
import type { Gpu, HostPace, KernelSpec, Thread } from './program.ts';
import { Process } from './program.ts';
import type { Random } from './random.ts';
import { randomOf } from './random.ts';

export type Format = 'nsys' | 'kineto';

/** What is true of a scene. */
interface Truth {
  /** Causes that a fair expert may name; the first is the best. */
  readonly accepted: readonly string[];
  /** One trace each: the ranks of a job, or the one process. */
  readonly processes: readonly Process[];
  /** A clock of a rank that goes wrong: ns that its times are late. */
  readonly offsets?: readonly number[];
  readonly formats?: readonly Format[];
  /** Ranks of the job, where not all of them were traced. */
  readonly world?: number;
  /** Numbers that follow from how the program is made, for both formats or for one of them. */
  readonly numbers?: Readonly<Record<string, number>>;
  /** A scene whose numbers follow from no single device. */
  readonly skip?: readonly string[];
  /** Causes that must not be named, except as possible; then every other answer is right. */
  readonly not?: readonly string[];
  /** All processes were recorded into one file. */
  readonly together?: boolean;
  /** There is no way to do this work right that could be run beside it. */
  readonly alone?: boolean;
}

export interface Setting {
  readonly seed: number;
  /** The same work done right. */
  readonly right: boolean;
  readonly sim: Simulation;
  /** Decides the program: the same for the work done right. */
  readonly work: Random;
  /** Decides what varies from call to call. */
  readonly noise: Random;
}

export type Build = (setting: Setting) => Truth;

export interface Scene extends Truth {
  readonly name: string;
  readonly seed: number;
  readonly healthy: boolean;
  readonly dialect: Dialect;
}

/** Runs the program of a scene. */
export function playScene(
  name: string,
  build: Build,
  seed: number,
  right: boolean,
  dialect: Dialect = plainDialect,
): Scene {
  const sim = new Simulation();
  const work = randomOf(seed, `${name} work`);
  const truth = build({ seed, right, sim, work, noise: randomOf(seed, `${name} noise`) });
  sim.run();
  return { ...truth, name, seed, dialect, healthy: truth.accepted[0]!.startsWith('ok-') && truth.not === undefined };
}

/** A process on one GPU, that starts at some time. */
export function processOf(
  setting: Setting,
  gpu: Gpu,
  more: {
    readonly pace?: HostPace;
    readonly devices?: readonly number[];
    readonly suffix?: 'per-thread';
    readonly launchedBy?: string;
    /** A process on the same GPU. */
    readonly beside?: Process;
  } = {},
): Process {
  const pace = more.pace ?? { launch: setting.work.real(3200, 5200), spread: 1.35 };
  return new Process(
    setting.sim,
    gpu,
    setting.work.whole(900, 90_000),
    setting.noise,
    pace,
    more.devices ?? [0],
    more.suffix ?? 'new',
    more.launchedBy ??
      setting.work.pick(['cudaLaunchKernel', 'cudaLaunchKernel', 'cudaLaunchKernelExC', 'cuLaunchKernel']),
    more.beside ?? null,
  );
}

/** Host work between two calls. */
export function* busy(thread: Thread, ns: number): Program {
  yield Math.max(1, Math.round(thread.short(ns)));
}

/** Kernels one after the other, with host work before each. */
export function* launchAll(thread: Thread, stream: Stream, specs: readonly KernelSpec[], hostNs: number): Program {
  for (const spec of specs) {
    yield* busy(thread, hostNs);
    yield* thread.launch(stream, spec);
  }
}

export const collective = (ranks: number, wireNs: number): Collective => ({
  ranks,
  wireNs: Math.round(wireNs),
  here: [],
});

/** Starts the program of the process on its main thread, after what every program does first. */
export function main(process: Process, body: (thread: Thread) => Program): Thread {
  const thread = process.thread(process.pid);
  process.sim.spawn(
    (function* (): Program {
      yield* busy(thread, 2_000_000);
      yield* thread.call('cudaGetDeviceCount', 2000);
      yield* thread.malloc(180_000);
      yield* body(thread);
      yield* thread.syncDevice();
      yield* busy(thread, 500_000);
    })(),
  );
  return thread;
}

export const total = (specs: readonly KernelSpec[]): number => specs.reduce((sum, { ns }) => sum + ns, 0);
export const range = (count: number): readonly number[] => Array.from({ length: count }, (_, at) => at);
