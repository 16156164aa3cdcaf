// Programs that are run for a transport: an array of arguments, never a shell; a time limit; a process group of its own,
// so that nothing of it stays; output that ends somewhere.
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';

export interface Command {
  /** Program and arguments, as they are handed to it. */
  readonly argv: readonly [string, ...string[]];
  readonly input?: string;
  readonly limitMs: number;
  /** Time between being asked to end and being killed. */
  readonly graceMs?: number;
  /** Most bytes of standard output. */
  readonly most?: number;
  /** Cleans up: it is run even while this process is being stopped. */
  readonly cleanup?: boolean;
}

export interface Ran {
  readonly stdout: string;
  readonly stderr: string;
  /** Null where it did not end by itself. */
  readonly exit: number | null;
  readonly ended: 'exit' | 'timeout' | 'too-much' | 'stopped' | 'missing' | 'not-run';
  readonly ms: number;
}

/** Most bytes of the output of one program. */
const mostOutput: number = 64 * 1024 * 1024;
const mostErrors = 256 * 1024;
/** After its end, output may still come through a pipe that somebody else holds open; not for longer than this. */
const lingerMs = 700;
const abandonMs = 1500;

const live = new Set<ChildProcess>();
/** How each of them is ended, so that what it printed is kept. */
const ends = new Map<ChildProcess, () => void>();
const cleanups = new Set<() => Promise<void>>();
let stopping = false;
/** Set where the first interrupt only ends what runs. */
let gentle: { early: boolean } | null = null;

/**
 * Does something that may be ended early: the first interrupt (Ctrl-C) ends the programs that run for it, and what they
 * printed until then is theirs. A second one ends this process.
 * @returns what it gave, and whether it was ended early
 */
export async function endingEarly<T>(work: () => Promise<T>): Promise<{ readonly value: T; readonly early: boolean }> {
  const own = { early: false };
  gentle = own;
  try {
    return { value: await work(), early: own.early };
  } finally {
    gentle = null;
  }
}

/**
 * Runs a program to its end or its limit. Never throws and never waits for what cannot be killed.
 * @returns what it printed and how it ended; `missing` where there is no such program
 */
export async function run(command: Command): Promise<Ran> {
  const began = performance.now();
  const result = (ended: Ran['ended'], exit: number | null, out: string, err: string): Ran => ({
    stdout: out,
    stderr: err,
    exit,
    ended,
    ms: Math.round(performance.now() - began),
  });
  if ((stopping || gentle?.early === true) && command.cleanup !== true) return result('stopped', null, '', '');
  const [program, ...args] = command.argv;
  let child: ChildProcess;
  try {
    child = spawn(program, args, {
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { ...process.env, LC_ALL: 'C' },
    });
  } catch (error) {
    return result('not-run', null, '', error instanceof Error ? error.message : String(error));
  }
  live.add(child);
  listen();
  try {
    return await follow(child, command, result);
  } finally {
    live.delete(child);
    ends.delete(child);
    listen();
  }
}

function follow(
  child: ChildProcess,
  command: Command,
  result: (ended: Ran['ended'], exit: number | null, out: string, err: string) => Ran,
): Promise<Ran> {
  return new Promise((resolve) => {
    const out = new Collected(command.most ?? mostOutput);
    const errors = new Collected(mostErrors);
    let ended: Ran['ended'] = 'exit';
    let exit: number | null = null;
    let done = false;
    const timers: NodeJS.Timeout[] = [];
    const later = (ms: number, what: () => void): void => {
      timers.push(setTimeout(what, ms));
    };
    const finish = (): void => {
      if (done) return;
      done = true;
      for (const timer of timers) clearTimeout(timer);
      // Whatever the program started and left in its group ends with it.
      if (child.pid !== undefined) endGroup(child.pid, 'SIGKILL');
      for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy();
      child.unref();
      resolve(result(ended, exit, out.text(), errors.text()));
    };
    const stop = (why: Ran['ended']): void => {
      if (ended !== 'exit' || done) return;
      ended = why;
      const grace = command.graceMs ?? 300;
      endGroup(child.pid, 'SIGTERM');
      later(grace, () => {
        endGroup(child.pid, 'SIGKILL');
      });
      later(grace + abandonMs, finish);
    };
    if (command.cleanup !== true) ends.set(child, () => stop('stopped'));
    child.on('error', (error: NodeJS.ErrnoException) => {
      if (child.pid === undefined) ended = error.code === 'ENOENT' ? 'missing' : 'not-run';
      if (child.pid === undefined) errors.add(Buffer.from(error.message));
      finish();
    });
    child.on('exit', (code) => {
      if (ended === 'exit') exit = code;
      if (stopping && code === null && ended === 'exit') ended = 'stopped';
      const left = performance.now();
      later(lingerMs, function wait() {
        // What came meanwhile is read first, however busy this process was.
        setImmediate(() => {
          if (performance.now() - Math.max(out.last, left) < lingerMs) later(lingerMs, wait);
          else finish();
        });
      });
    });
    child.on('close', finish);
    child.stdout?.on('data', (chunk: Buffer) => {
      if (!out.add(chunk)) stop('too-much');
    });
    child.stderr?.on('data', (chunk: Buffer) => errors.add(chunk));
    // A program that ends without reading is no error of its own.
    child.stdin?.on('error', () => {});
    child.stdin?.end(command.input ?? '');
    later(command.limitMs, () => {
      stop('timeout');
    });
  });
}

class Collected {
  private readonly chunks: Buffer[] = [];
  private size = 0;
  private readonly most: number;
  /** When something last came. */
  last = 0;

  constructor(most: number) {
    this.most = most;
  }

  /** @returns false where there is no room for all of it */
  add(chunk: Buffer): boolean {
    this.last = performance.now();
    const room = this.most - this.size;
    if (room > 0) this.chunks.push(chunk.length <= room ? chunk : chunk.subarray(0, room));
    this.size += Math.min(chunk.length, Math.max(room, 0));
    return chunk.length <= room;
  }

  text(): string {
    return Buffer.concat(this.chunks).toString('utf8');
  }
}

function endGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // It is gone.
  }
}

/**
 * Does something and afterwards, whatever happens, undoes it: also where this process is asked to end meanwhile.
 * @param undo is called once; what it runs must be a `cleanup`
 */
export async function undoing<T>(work: () => Promise<T>, undo: () => Promise<void>): Promise<T> {
  let undone: Promise<void> | null = null;
  const once = (): Promise<void> => (undone ??= undo());
  cleanups.add(once);
  listen();
  try {
    return await work();
  } finally {
    await once();
    cleanups.delete(once);
    listen();
  }
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const mostCleanup = 15_000;
let listening = false;

/** Signals are caught only while something runs that must not be left behind. */
function listen(): void {
  const needed = live.size + cleanups.size > 0;
  if (needed === listening || stopping) return;
  listening = needed;
  for (const signal of signals) {
    if (needed) process.on(signal, onSignal);
    else process.off(signal, onSignal);
  }
}

function onSignal(signal: NodeJS.Signals): void {
  if (stopping) return;
  if (signal === 'SIGINT' && gentle?.early === false) {
    gentle.early = true;
    for (const end of ends.values()) end();
    return;
  }
  stopping = true;
  for (const child of live) endGroup(child.pid, 'SIGTERM');
  void (async (): Promise<void> => {
    let timer: NodeJS.Timeout | undefined;
    const limit = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, mostCleanup);
    });
    await Promise.race([Promise.allSettled([...cleanups].map((each) => each())), limit]);
    clearTimeout(timer);
    for (const child of live) endGroup(child.pid, 'SIGKILL');
    for (const each of signals) process.off(each, onSignal);
    process.kill(process.pid, signal);
  })();
}
