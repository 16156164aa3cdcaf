import type { CallKind } from '../model.ts';
import { callKinds } from '../model.ts';
import type { Scene } from './scene.ts';

/*
 * Order between streams is made by events, and a trace shows it by the calls that record them and wait for them, or by rows
 * of synchronisation. A trace that holds none of these may come from a program that uses none, or from a recording that
 * leaves them out; only the first says something of the program.
 */

/**
 * `seen`: events or waits for them stand in the trace. `complete`: there are none, and the calls around them were recorded,
 * so that they would stand there. `bare`: the only calls in the trace are those that start work on the GPU, so others may
 * have been left out. `none`: calls were not recorded, or by a profiler that leaves out those of events.
 */
export type EventsShown = 'seen' | 'complete' | 'bare' | 'none';

const ofEvents: ReadonlySet<CallKind> = new Set([
  callKinds.streamWaitEvent,
  callKinds.eventRecord,
  callKinds.eventSync,
]);

const startsWork: ReadonlySet<CallKind> = new Set([
  callKinds.launch,
  callKinds.graphLaunch,
  callKinds.copy,
  callKinds.copyAsync,
  callKinds.memset,
  callKinds.prefetch,
]);

const known = new WeakMap<Scene['trace'], EventsShown>();

/** How far a trace shows the events that order streams. */
export function eventsShown({ trace }: Scene): EventsShown {
  const shown = known.get(trace) ?? judged(trace);
  known.set(trace, shown);
  return shown;
}

function judged({ calls, names, synchronisations, format }: Scene['trace']): EventsShown {
  if (synchronisations.some(({ kind }) => kind === 'event' || kind === 'stream-wait-event' || kind === 'event-record'))
    return 'seen';
  if (calls.count === 0) return 'none';
  const kinds = new Set<number>();
  const used = new Uint8Array(names.length);
  for (let call = 0; call < calls.count; call++) {
    kinds.add(calls.kind[call]!);
    used[calls.name[call]!] = 1;
  }
  if ([...ofEvents].some((kind) => kinds.has(kind))) return 'seen';
  // Timelines of XLA hold launches and copies only; Kineto records of the driver's calls those that launch.
  if (format === 'chrome') return 'none';
  const launchedBy = (prefix: string): boolean => names.some((name, at) => used[at] === 1 && name.startsWith(prefix));
  if (format === 'kineto' && launchedBy('cuLaunch') && !launchedBy('cudaLaunch')) return 'none';
  return [...kinds].every((kind) => startsWork.has(kind as CallKind)) ? 'bare' : 'complete';
}

/** True where the program created a stream that the legacy default stream waits for: `cudaStreamCreate` takes no flags. */
export function createsBlockingStreams({ trace: { calls, names } }: Scene): boolean {
  const created = names.flatMap((name, at) =>
    /^cudaStreamCreate(?:_pt(?:sz|ds))?(?:_v\d{1,6})?$/.test(name) ? [at] : [],
  );
  if (created.length === 0) return false;
  for (let call = 0; call < calls.count; call++) if (created.includes(calls.name[call]!)) return true;
  return false;
}
