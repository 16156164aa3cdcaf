import type { TraceFinding, TraceMark } from '../model.ts';
import { callKinds, workKinds } from '../model.ts';
import type { Spans } from '../spans.ts';
import { orderOf } from '../columns.ts';
import { bothOf, lengthOf } from '../spans.ts';
import { mergedSpans, unsortedUnion } from '../unsorted-spans.ts';
import type { TraceLimits } from '../thresholds.rows.ts';
import { askFor } from './asks.ts';
import { against, shareText, timeText, waste } from './detector.ts';
import { createsBlockingStreams, eventsShown } from './events-shown.ts';
import { takenOf, launchShapeOf } from './launch-shape.ts';
import type { Scene, StreamUse } from './scene.ts';

/*
 * The legacy default stream waits for all blocking streams of its process, and they wait for it (CUDA Runtime API, Stream
 * synchronization behavior). It shows as kernels that were launched, have nothing before them on their own stream, and
 * start the moment the other side ends; and as no overlap at all. Streams that overlap with it were created non-blocking;
 * those that wait by an event, and those of NCCL, which frameworks create non-blocking and order by events, wait on purpose.
 * Where a trace could not show events, both look the same, and it is no more than possible. Behind a kernel whose grid
 * fills the GPU others find no room, whatever their stream: that wait costs nothing.
 */

/** A kernel may start this long after what held it, ns. */
const latency = 50_000;

/** The same where no launch is recorded: what starts later may have been launched later. */
const untoldLatency = 15_000;

/** Finds streams that take turns with the legacy default stream of their process. */
export function defaultStream(scene: Scene, limits: TraceLimits): readonly TraceFinding[] {
  const legacy = scene.streams.filter((use) => use.stream.role === 'legacy' && use.rows.length >= limits['repeats']!);
  return legacy.flatMap((use): readonly TraceFinding[] => {
    const found = serialisedBy(scene, limits, use);
    return found === null ? [] : [found];
  });
}

function serialisedBy(scene: Scene, limits: TraceLimits, legacy: StreamUse): TraceFinding | null {
  const others = scene.streams.filter(
    (use) =>
      use !== legacy &&
      use.stream.process === legacy.stream.process &&
      use.kernels > 0 &&
      use.stream.blocking !== false &&
      !isOfNccl(scene, use) &&
      lengthOf(bothOf(use.computing, legacy.busy)) <= 0.01 * Math.min(lengthOf(use.computing), legacy.busyNs),
  );
  if (others.length === 0) return null;
  const untold = isUntold(scene, [legacy, ...others]);
  if (untold && (scene.habitualIdle.share * 100 >= limits['idle-share']! || meet(legacy, others))) return null;
  // A copy or memset of the default stream is short, and holds up what waits for all that it has waited for itself.
  const brief = legacy.kernels < limits['repeats']!;
  const behind = others.map((use) => heldBy(scene, use, { by: [legacy], untold, through: brief }));
  const before = heldBy(scene, legacy, { by: others, untold, through: false });
  const all = [...behind, before];
  const held = all.reduce((sum, each) => sum + each.heads, 0);
  const ordered = all.reduce((sum, each) => sum + each.ordered, 0);
  if (held < limits['repeats']! || ordered * 2 >= held) return null;
  // Others must stand behind it too: a stream that only it waits for may be its input.
  const behindHeads = behind.reduce((sum, each) => sum + each.heads, 0);
  if (behindHeads === 0 || (untold && Math.min(behindHeads, before.heads) < limits['repeats']!)) return null;
  const cost = lengthOf(mergedSpans(all.map(({ waits }) => waits)));
  if (scene.percent(cost) < limits['serialised-share']!) return null;
  const busiest = scene.streams[0]!;
  const saved = Math.max(0, scene.spanNs - busiest.busyNs);
  const names = new Map<number, number>();
  for (const each of behind) for (const [name, count] of each.holders) names.set(name, (names.get(name) ?? 0) + count);
  const [top] = [...names].sort((a, b) => b[1] - a[1]);
  const topName = top === undefined ? 'its work' : `\`${short(scene.trace.names[top[0]] ?? '')}\``;
  const ids = others
    .slice(0, 4)
    .map(({ stream }) => stream.id)
    .sort((a, b) => a - b);
  const shown = eventsShown(scene);
  const decided =
    !untold &&
    (shown === 'seen' ||
      shown === 'complete' ||
      others.every(({ stream }) => stream.blocking === true) ||
      createsBlockingStreams(scene));
  return waste({
    cause: 'default-stream-serialisation',
    certainty: decided ? 'likely' : 'possible',
    message: `${topName} and others on the legacy default stream (stream ${legacy.stream.id}) take turns with ${
      others.length === 1 ? `stream ${ids[0]!}` : `streams ${ids.join(', ')}${others.length > 4 ? ' and others' : ''}`
    }: ${untold ? 'kernels' : 'launched kernels'} stand still ${held} times, ${lostText(scene, saved, cost, untold)}${
      decided ? '' : '; streams that wait for events on purpose look the same'
    }`,
    ...(decided
      ? {}
      : {
          missing: {
            fact: 'the calls that record events and wait for them: what the order of these streams comes from',
            ask: askFor(scene.trace, 'events'),
          },
        }),
    measured: [
      against('kernels held', scene.percent(cost), '>=', limits, 'serialised-share', '%'),
      against('kernels held', held, '>=', limits, 'repeats', 'times'),
    ],
    saving: {
      upperBoundNs: saved,
      how: `the whole time less the ${timeText(busiest.busyNs)} of work on the busiest stream (${busiest.stream.id})`,
    },
    costNs: cost,
    quotes: [
      ...(behind.find(({ holder }) => holder >= 0) === undefined
        ? []
        : [scene.quote(behind.find(({ holder }) => holder >= 0)!.holder)]),
      ...all.flatMap(({ first }) => (first < 0 ? [] : [scene.quote(first)])).slice(0, 2),
    ],
    marks: behind.flatMap(({ marks }) => marks).sort((a, b) => a.from - b.from),
  });
}

/** What that costs: kernels that stand still while others run lose no more than streams side by side would save. */
function lostText(scene: Scene, saved: number, cost: number, untold: boolean): string {
  const [ns, words] =
    saved < cost ? [saved, 'and side by side they would save at most'] : [cost, untold ? 'for up to' : 'for'];
  return `${words} ${timeText(ns)}, ${shareText(ns / scene.spanNs)} of the time`;
}

function isOfNccl(scene: Scene, use: StreamUse): boolean {
  const { work } = scene.trace;
  let own = 0;
  for (const row of use.rows) if (work.kind[row] === workKinds.kernel) own += scene.ofNccl[work.name[row]!]!;
  return own * 2 >= use.kernels;
}

interface Held {
  /** Kernels that only the other side held. */
  readonly heads: number;
  /** Of these, those that an event was waited for just before their launch. */
  readonly ordered: number;
  /** When such kernels stood while the other side ran. */
  readonly waits: Spans;
  /** How many kernels of each name held some. */
  readonly holders: ReadonlyMap<number, number>;
  readonly marks: readonly TraceMark[];
  /** First row that was held, and first that held; -1 where none. */
  readonly first: number;
  readonly holder: number;
}

interface Holding {
  /** The other side. */
  readonly by: readonly StreamUse[];
  /** No launch is recorded: what starts at that moment is taken for launched. */
  readonly untold: boolean;
  /** The time for which the other side waits itself counts too. */
  readonly through: boolean;
}

/** True where the trace holds no launch of any of these streams. */
function isUntold({ trace: { work } }: Scene, uses: readonly StreamUse[]): boolean {
  return uses.every((use) => use.rows.every((row) => work.call[row]! < 0));
}

/** True where work of the default stream and of others is ever under way at one time. */
function meet(legacy: StreamUse, others: readonly StreamUse[]): boolean {
  return others.some((use) => lengthOf(bothOf(use.computing, legacy.busy)) > 0);
}

/**
 * Kernels of a stream that were launched, had nothing before them on it, and started when a kernel of the others ended.
 * Of the legacy default stream copies and memsets hold others as kernels do.
 */
function heldBy(scene: Scene, use: StreamUse, { by, untold, through }: Holding): Held {
  const { work, calls } = scene.trace;
  const holding = holdingRows(scene, by);
  const from = new Float64Array(use.rows.length);
  const to = new Float64Array(use.rows.length);
  const holders = new Map<number, number>();
  const marks: TraceMark[] = [];
  const events = eventWaits(scene, use);
  const fills = fillsOf(scene);
  let [heads, ordered, before, place, first, holder] = [0, 0, 0, 0, -1, -1];
  let lastLaunch = -Infinity;
  for (let at = 0; at < use.rows.length; at++) {
    const row = use.rows[at]!;
    const free = before;
    const start = work.start[row]!;
    before = Math.max(before, work.end[row]!);
    const call = work.call[row]!;
    const launched = lastLaunch;
    if (call >= 0) lastLaunch = calls.start[call]!;
    else if (untold) lastLaunch = start;
    const holds = use.stream.role === 'legacy' && work.kind[row] !== workKinds.graph;
    if ((work.kind[row] !== workKinds.kernel && !holds) || (call < 0 && !untold)) continue;
    while (place < holding.length && work.end[holding[place]!]! <= start) place++;
    const last = holding[place - 1];
    if (last === undefined) continue;
    const ready = untold ? free : Math.max(calls.end[call]!, free);
    const ended = work.end[last]!;
    if (fills(last)) continue;
    if (ended <= ready || start - ended > (untold ? untoldLatency : latency)) continue;
    if (!untold && (waitsForEvent(scene, call) || events.hasIn(launched, calls.start[call]!))) ordered++;
    if (untold && events.hasIn(launched, start)) ordered++;
    from[heads] = ready;
    to[heads++] = start;
    holders.set(work.name[last]!, (holders.get(work.name[last]!) ?? 0) + 1);
    if (first < 0) [first, holder] = [row, last];
    if (marks.length < 500)
      marks.push({
        from: Math.max(ready, work.start[last]!),
        to: ended,
        streams: [work.stream[last]!, use.index],
        label: `stream ${use.stream.id} stands behind stream ${scene.trace.streams[work.stream[last]!]!.id}`,
      });
  }
  const running = through ? scene.busy : by.length === 1 ? by[0]!.busy : mergedSpans(by.map(({ busy }) => busy));
  const waits = bothOf(unsortedUnion(from.subarray(0, heads), to.subarray(0, heads)), running);
  return { heads, ordered, waits, holders, marks, first, holder };
}

/** True for rows of kernels whose blocks take nearly all places of the GPU, so that next to none beside them would start. */
function fillsOf(scene: Scene): (row: number) => boolean {
  const { work, shapes, devices } = scene.trace;
  const known = new Map<number, boolean>();
  return (row) => {
    const at = work.detail[row]!;
    if (work.kind[row] !== workKinds.kernel || at < 0) return false;
    let full = known.get(at);
    if (full === undefined) {
      const shape = shapes[at] === undefined ? null : launchShapeOf(shapes[at], devices[scene.device]);
      full = shape !== null && 100 * takenOf(shape) >= scene.limits['filled']!;
      known.set(at, full);
    }
    return full;
  };
}

/** Waits of a stream for events, where the trace records them apart from the calls. */
function eventWaits(scene: Scene, use: StreamUse): { hasIn(from: number, to: number): boolean } {
  const times = scene.trace.synchronisations
    .filter(({ kind, stream }) => kind === 'stream-wait-event' && stream === use.index)
    .map(({ start }) => start);
  return {
    hasIn(from, to) {
      let [low, high] = [0, times.length];
      while (low < high) {
        const middle = (low + high) >> 1;
        if (times[middle]! < from) low = middle + 1;
        else high = middle;
      }
      return low < times.length && times[low]! <= to;
    },
  };
}

/** Kernels of some streams, and all work of the legacy one, by their end: the last before a time is found by walking. */
function holdingRows(scene: Scene, by: readonly StreamUse[]): Uint32Array {
  const { work } = scene.trace;
  const all = ({ stream }: StreamUse): boolean => stream.role === 'legacy';
  const rows = new Uint32Array(by.reduce((sum, use) => sum + (all(use) ? use.rows.length : use.kernels), 0));
  const ends = new Float64Array(rows.length);
  let at = 0;
  for (const use of by)
    for (let place = 0; place < use.rows.length; place++) {
      const row = use.rows[place]!;
      if (work.kind[row] !== workKinds.kernel && !all(use)) continue;
      ends[at] = work.end[row]!;
      rows[at++] = row;
    }
  const order = orderOf(ends);
  return order === null ? rows : order.map((place) => rows[place]!);
}

/** Looked back over calls of other threads too. */
const mostBack = 64;

/** True where the thread waited for an event on a stream after its launch before this one. */
function waitsForEvent(scene: Scene, call: number): boolean {
  const { calls } = scene.trace;
  for (let back = call - 1; back >= 0 && back >= call - mostBack; back--) {
    if (calls.thread[back] !== calls.thread[call]) continue;
    const kind = calls.kind[back]!;
    if (kind === callKinds.streamWaitEvent) return true;
    if (kind === callKinds.launch || kind === callKinds.graphLaunch) return false;
  }
  return false;
}

/** A name without its arguments. */
export function short(name: string): string {
  const plain = name.split('(')[0]!.replace(/^void /, '');
  return plain.length > 60 ? `${plain.slice(0, 59)}…` : plain;
}
