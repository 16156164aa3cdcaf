import type { TraceFinding } from '../model.ts';
import { callKinds, workKinds } from '../model.ts';
import { bothOf, lengthOf } from '../spans.ts';
import type { TraceLimits } from '../thresholds.rows.ts';
import type { Detector } from './detector.ts';
import { against, healthy, unclear } from './detector.ts';
import { eventsShown } from './events-shown.ts';
import { libraryOfKernel } from './kernel-libraries.ts';
import type { Scene, StreamUse } from './scene.ts';

/*
 * Work in two streams is in no order unless something makes one (CUDA programming guide, asynchronous execution: streams and
 * events): an event that the second stream waits for, the CPU that waits for the first before it launches on the second, or
 * the legacy default stream, which waits for all blocking streams and they for it (CUDA runtime API, stream synchronization
 * behavior). Which buffers kernels use is in no trace, so a missing order is a suspicion and never more.
 */

/** Calls after which the CPU knows that work on the GPU has ended. */
const waiting: ReadonlySet<number> = new Set([
  callKinds.deviceSync,
  callKinds.streamSync,
  callKinds.eventSync,
  callKinds.copy,
  callKinds.free,
  // Asked until it is true, a question is a wait.
  callKinds.query,
]);

/** Calls that make a stream wait for a value in memory or for a semaphore of another API. */
const orderingNames = /^cu(?:da)?(?:Stream(?:WaitValue|BatchMemOp)|WaitExternalSemaphores)/;

/** How many turns from one stream to another were ordered, and how many were not. */
interface Turns {
  readonly from: number;
  readonly to: number;
  free: number;
  /** Of `free`: the kernel before had not ended when the next began. */
  together: number;
  byEvent: number;
  byWait: number;
  /** Calls of the first turn that nothing orders, or of the first at all. */
  first: readonly [number, number];
}

/** Why nothing is suspected of what two streams do from here on. */
const by = { nothing: 0, event: 1, wait: 2 } as const;

/** Streams of different libraries that one thread feeds in turn, and whether something orders them. */
export const order: Detector = (scene, limits) => {
  const shown = eventsShown(scene);
  if (shown === 'none' || scene.trace.notRecorded.includes('calls')) return [];
  const own = new Map<number, string>();
  for (const use of scene.streams) {
    if (use.kernels < limits['kernels']! || use.stream.role === 'legacy') continue;
    const library = libraryOf(scene, use);
    if (library !== null) own.set(use.index, library);
  }
  if (new Set(own.values()).size < 2) return [];
  const turns = [...turnsOf(scene, own).values()].sort((a, b) => b.free - a.free);
  const suspected = turns.find((turn) => isSuspect(turn, turns, limits));
  if (suspected !== undefined) return [suspicion(scene, suspected, own, limits)];
  const [most] = turns.toSorted((a, b) => b.byEvent + b.byWait - (a.byEvent + a.byWait));
  if (most === undefined || most.byEvent + most.byWait < limits['turns']!) return [];
  if (turns.some(({ free }) => free >= limits['turns']!)) return [];
  return [ordered(scene, most, own, limits)];
};

/** The library that most kernels of a stream are of; null where they are the program's own or of several. */
function libraryOf(scene: Scene, use: StreamUse): string | null {
  const { work, names } = scene.trace;
  const counts = new Map<number, number>();
  for (const row of use.rows)
    if (work.kind[row] === workKinds.kernel) counts.set(work.name[row]!, (counts.get(work.name[row]!) ?? 0) + 1);
  const libraries = new Map<string, number>();
  for (const [name, count] of counts) {
    const library = libraryOfKernel(names[name] ?? '');
    if (library !== null) libraries.set(library, (libraries.get(library) ?? 0) + count);
  }
  const [most] = [...libraries].sort((a, b) => b[1] - a[1]);
  return most !== undefined && most[1] >= 0.8 * use.kernels ? most[0] : null;
}

/** Streams that may be blocking: they were never seen to run beside the legacy default stream of their process. */
function blockingStreams(scene: Scene, own: ReadonlyMap<number, string>): ReadonlySet<number> {
  const legacy = scene.streams.filter(({ stream }) => stream.role === 'legacy');
  return new Set(
    scene.streams
      .filter(
        (use) =>
          own.has(use.index) &&
          !legacy.some(
            (other) =>
              other.stream.process === use.stream.process &&
              lengthOf(bothOf(other.busy, use.busy)) > 0.01 * Math.min(other.busyNs, use.busyNs),
          ),
      )
      .map(({ index }) => index),
  );
}

/** Walks the calls in their order, whatever thread makes them: a wait of one thread orders what another launches later. */
function turnsOf(scene: Scene, own: ReadonlyMap<number, string>): ReadonlyMap<string, Turns> {
  const { calls, work, names, synchronisations, routes, streams } = scene.trace;
  const rowOf = new Int32Array(calls.count).fill(-1);
  for (const row of scene.rows) {
    const call = work.call[row]!;
    // Kernels of a graph are ordered by its edges, and many have one call.
    if (call >= 0 && work.kind[row] !== workKinds.graph && !((work.graphNode?.[row] ?? 0) > 0)) rowOf[call] = row;
  }
  const blocking = blockingStreams(scene, own);
  const orders = names.map((name) => orderingNames.test(name));
  // The last launch of each thread, and what has ordered the streams since.
  const last = new Map<number, { readonly call: number; by: number }>();
  const clear = (reason: number, only?: ReadonlySet<number>): void => {
    for (const each of last.values()) {
      const row = rowOf[each.call]!;
      if (each.by === by.nothing && (only === undefined || only.has(work.stream[row]!))) each.by = reason;
    }
  };
  const turns = new Map<string, Turns>();
  let waits = 0;
  for (let call = 0; call < calls.count; call++) {
    for (; waits < synchronisations.length && synchronisations[waits]!.start <= calls.start[call]!; waits++) {
      const { kind } = synchronisations[waits]!;
      if (kind !== 'event-record') clear(kind === 'stream-wait-event' ? by.event : by.wait);
    }
    const kind = calls.kind[call]!;
    if (kind === callKinds.streamWaitEvent || orders[calls.name[call]!] === true) clear(by.event);
    else if (waiting.has(kind)) clear(by.wait);
    const row = rowOf[call]!;
    if (row < 0) continue;
    const stream = work.stream[row]!;
    if (streams[stream]!.role === 'legacy') clear(by.wait, blocking);
    const route = work.kind[row] === workKinds.copy ? routes[work.detail[row]!] : undefined;
    // A copy to pageable memory has ended when its call returns.
    if (route?.direction === 'DtoH' && route.to === 'pageable') clear(by.wait);
    if (work.kind[row] !== workKinds.kernel || !own.has(stream)) continue;
    const before = last.get(calls.thread[call]!);
    last.set(calls.thread[call]!, { call, by: by.nothing });
    if (before === undefined) continue;
    const other = rowOf[before.call]!;
    const from = work.stream[other]!;
    if (from === stream || own.get(from) === own.get(stream)) continue;
    const key = `${from} ${stream}`;
    let turn = turns.get(key);
    if (turn === undefined)
      turns.set(
        key,
        (turn = { from, to: stream, free: 0, together: 0, byEvent: 0, byWait: 0, first: [before.call, call] }),
      );
    if (before.by === by.event) turn.byEvent++;
    // A launch that returns after its kernel has ended has waited for it.
    else if (before.by === by.wait || calls.end[before.call]! >= work.end[other]!) turn.byWait++;
    else {
      if (turn.free === 0) turn.first = [before.call, call];
      turn.free++;
      if (work.start[row]! < work.end[other]!) turn.together++;
    }
  }
  return turns;
}

/**
 * Turns that nothing orders, of streams that nobody orders either way: where the program makes one of the two wait for the
 * other's events, it knows of both, and what it leaves free (as buffers that are used by turns) it may leave free on purpose.
 */
function isSuspect(turn: Turns, all: readonly Turns[], limits: TraceLimits): boolean {
  if (turn.free < limits['turns']!) return false;
  const back = all.find(({ from, to }) => from === turn.to && to === turn.from);
  const few = (part: number, each: Turns): boolean => part * 10 <= each.free + each.byEvent + each.byWait;
  return few(turn.byEvent + turn.byWait, turn) && (back === undefined || few(back.byEvent, back));
}

function suspicion(scene: Scene, turn: Turns, own: ReadonlyMap<number, string>, limits: TraceLimits): TraceFinding {
  const { from, to, free, together, first } = turn;
  const [one, other] = [called(scene, from, own), called(scene, to, own)];
  const times = together === free ? 'always' : `${together} times`;
  const beside = together === 0 ? '' : ` (${times} while the kernel before still runs)`;
  return {
    ...unclear(
      'streams-without-order',
      `${other} gets work after ${one} ${free} times${beside}, and no event or wait orders them: if they use the same buffers, that is a race`,
      {
        fact: `whether ${one} and ${other} use the same buffers`,
        ask: 'CUDA_LAUNCH_BLOCKING=1 ./app   # other results than without it: the streams race',
      },
      [scene.quoteCall(first[0]), scene.quoteCall(first[1])],
    ),
    measured: [against('turns that nothing orders', free, '>=', limits, 'turns', 'turns')],
  };
}

function ordered(scene: Scene, turn: Turns, own: ReadonlyMap<number, string>, limits: TraceLimits): TraceFinding {
  const { from, to, byEvent, byWait, first } = turn;
  const how = byWait === 0 ? 'by events' : byEvent === 0 ? 'by waits of the CPU' : 'by events and waits of the CPU';
  return healthy(
    'ok-streams-ordered',
    `${called(scene, to, own)} gets work after ${called(scene, from, own)} ${byEvent + byWait} times, and they are ordered ${how}`,
    [against('turns that are ordered', byEvent + byWait, '>=', limits, 'turns', 'turns')],
    first.map((call) => scene.quoteCall(call)),
    true,
  );
}

function called(scene: Scene, stream: number, own: ReadonlyMap<number, string>): string {
  return `stream ${scene.trace.streams[stream]!.id} (${own.get(stream) ?? ''})`;
}
