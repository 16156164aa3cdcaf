import type { Ask, Asks, Reply, Request } from './protocol.ts';

interface Waiting {
  readonly resolve: (answer: never) => void;
  readonly reject: (error: Error) => void;
  readonly progress: ((words: string) => void) | undefined;
}

let worker: Worker | null = null;
let last = 0;
const waiting = new Map<number, Waiting>();

function started(): Worker {
  if (worker !== null) return worker;
  worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });
  worker.addEventListener('message', (event: MessageEvent<Reply>) => {
    const reply = event.data;
    const asked = waiting.get(reply.id);
    if (asked === undefined) return;
    if ('progress' in reply) {
      asked.progress?.(reply.progress);
      return;
    }
    waiting.delete(reply.id);
    if ('error' in reply) asked.reject(new Error(reply.error));
    else asked.resolve(reply.answer as never);
  });
  worker.addEventListener('error', (event) => {
    for (const asked of waiting.values()) asked.reject(new Error(event.message || 'the worker ended'));
    waiting.clear();
    worker = null;
  });
  return worker;
}

/**
 * Asks the core, in its own thread.
 * @param progress is told in words how far it is
 * @throws Error where the question cannot be answered; its message is for the reader
 */
export function ask<Name extends Ask>(
  name: Name,
  question: Asks[Name]['question'],
  progress?: (words: string) => void,
): Promise<Asks[Name]['answer']> {
  const id = ++last;
  return new Promise((resolve, reject) => {
    waiting.set(id, { resolve, reject, progress });
    started().postMessage({ id, ask: name, question } satisfies Request<Name>);
  });
}

/** Ends all work that goes on; who asked is told that it was stopped. */
export function stop(): void {
  if (waiting.size === 0) return;
  worker?.terminate();
  worker = null;
  for (const asked of waiting.values()) asked.reject(new Stopped());
  waiting.clear();
}

/** The reader stopped the work. */
export class Stopped extends Error {
  constructor() {
    super('stopped');
    this.name = 'Stopped';
  }
}

/** Starts the worker and has it fetch rules and tables, so that they are there when the first text comes. */
export function warmUp(): void {
  if (worker === null) ask('stack', {}).catch(() => undefined);
}
