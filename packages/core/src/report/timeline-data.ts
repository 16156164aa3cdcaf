import type { Trace, TraceFinding } from '../trace/model.ts';
import { callKinds, workKinds } from '../trace/model.ts';

/** What an event of a time line is, as its column `kind` holds it; the order is that of the legend. */
export const timelineKinds = [
  'kernel',
  'collective',
  'graph',
  'copy to the GPU',
  'copy to the host',
  'other copy',
  'memset',
  'wait of the CPU',
  'launch',
  'allocation',
  'other call',
  'range',
] as const;

/**
 * Events of one stream or thread, in columns, sorted by their start: the distance to the start before and the length,
 * both in ns and in 32 bits. What is longer stands in `long` (index, ns).
 */
export interface PackedEvents<Columns = string> {
  readonly count: number;
  /** Bytes of: starts (u32), lengths (u32), names (u32), kinds (u8), as `pack` made text of them, or as they are. */
  readonly columns: Columns;
  /** First start, ns from the begin of the time line. */
  readonly from: number;
  readonly longGaps: readonly (readonly [index: number, ns: number])[];
  readonly longEvents: readonly (readonly [index: number, ns: number])[];
}

export interface TimelineTrack<Columns = string> {
  /** `stream 7`, `thread 4321`. */
  readonly title: string;
  /** Words about it: `legacy default stream`. */
  readonly note: string;
  /** What it belongs to: `rank 0, GPU 1`. */
  readonly group: string;
  readonly kind: 'stream' | 'thread' | 'ranges';
  readonly events: PackedEvents<Columns>;
}

export interface TimelineFinding {
  readonly cause: string;
  readonly kind: TraceFinding['kind'];
  readonly certainty: TraceFinding['certainty'];
  readonly message: string;
  readonly savingNs: number | null;
  readonly marks: readonly {
    readonly from: number;
    readonly to: number;
    /** Indices of tracks; empty for all of them. */
    readonly tracks: readonly number[];
    readonly label: string;
  }[];
}

/**
 * What the page of a trace draws. Times in ns from the begin of the time line. In a file the columns are text; what is
 * handed from one thread to another has their bytes (`Uint8Array`).
 */
export interface TimelineData<Columns = string> {
  readonly schema: 'culprit/timeline@1';
  readonly lengthNs: number;
  readonly events: number;
  /** Events that were left out, because there are too many. */
  readonly left: number;
  readonly names: readonly string[];
  readonly tracks: readonly TimelineTrack<Columns>[];
  readonly findings: readonly TimelineFinding[];
}

/** Events that one page holds. */
export const mostTimelineEvents = 2_000_000;
const mostName = 200;
const most32 = 0xffffffff;

/** Rows of one track, before they are packed. */
interface Rows {
  readonly title: string;
  readonly note: string;
  readonly group: string;
  readonly kind: TimelineTrack['kind'];
  readonly start: number[];
  readonly end: number[];
  readonly name: number[];
  readonly what: number[];
}

/**
 * Puts traces onto one time line: streams of the GPUs first, then ranges and threads of the CPU, rank by rank. Traces
 * that count from moments of one clock keep their distance.
 * @param pack turns the bytes of a track's columns into text (compressed or not, as the reader of the page expects), or
 *   gives them as they are
 */
export function timelineOf<Columns>(
  traces: readonly Trace[],
  findings: readonly TraceFinding[],
  pack: (bytes: Uint8Array<ArrayBuffer>) => Columns,
): TimelineData<Columns> {
  const names = new Names();
  const rows: Rows[] = [];
  const trackOf = new Map<string, number>();
  const shifts = shiftsOf(traces);
  let room = mostTimelineEvents;
  let left = 0;
  for (const [at, trace] of traces.entries()) {
    const taken = tracksOf(trace, at, traces.length > 1, shifts[at]!, names, room);
    for (const [key, track] of taken.tracks) {
      trackOf.set(`${at} ${key}`, rows.length);
      rows.push(track);
    }
    room -= taken.taken;
    left += taken.left;
  }
  const begin = least(rows.map((row) => row.start[0] ?? Infinity));
  const end = Math.max(0, ...rows.map((row) => row.end.reduce((most, each) => Math.max(most, each), 0)));
  const zero = Number.isFinite(begin) ? begin : 0;
  const tracks = rows.map(({ title, note, group, kind, ...columns }) => ({
    title,
    note,
    group,
    kind,
    events: packed(columns, zero, pack),
  }));
  return {
    schema: 'culprit/timeline@1',
    lengthNs: Math.max(1, end - zero),
    events: rows.reduce((sum, row) => sum + row.start.length, 0),
    left,
    names: names.list,
    tracks,
    findings: findings.map((finding) => findingOf(finding, traces, shifts, zero, trackOf)),
  };
}

const least = (values: readonly number[]): number => values.reduce((low, each) => Math.min(low, each), Infinity);

class Names {
  readonly list: string[] = [];
  #of = new Map<string, number>();

  at(name: string): number {
    const known = this.#of.get(name);
    if (known !== undefined) return known;
    this.#of.set(name, this.list.length);
    return this.list.push(name.length > mostName ? `${name.slice(0, mostName)}…` : name) - 1;
  }
}

/** How far each trace stands behind the earliest; 0 where the clocks cannot be of one time. */
function shiftsOf(traces: readonly Trace[]): readonly number[] {
  const zero = traces.reduce<bigint | null>((low, { zero: at }) => (low === null || at < low ? at : low), null) ?? 0n;
  const shifts = traces.map((trace) => Number(trace.zero - zero));
  // More than a day apart: one of them counts from something else.
  return shifts.some((shift) => shift > 86_400e9) ? traces.map(() => 0) : shifts;
}

function tracksOf(
  trace: Trace,
  at: number,
  several: boolean,
  shift: number,
  names: Names,
  room: number,
): { readonly tracks: ReadonlyMap<string, Rows>; readonly taken: number; readonly left: number } {
  const tracks = new Map<string, Rows>();
  const rank = several ? `rank ${trace.rank ?? at}` : '';
  const nameOf = new Int32Array(trace.names.length).fill(-1);
  const named = (name: number): number => {
    if (nameOf[name]! < 0) nameOf[name] = names.at(trace.names[name] ?? '');
    return nameOf[name]!;
  };
  const { work, calls, streams } = trace;
  const order = [...streams.keys()].sort(
    (a, b) =>
      streams[a]!.device - streams[b]!.device ||
      streams[a]!.process - streams[b]!.process ||
      streams[a]!.id - streams[b]!.id,
  );
  for (const index of order) tracks.set(`s${index}`, streamTrack(trace, index, rank));
  let taken = 0;
  let left = 0;
  const collective = trace.names.map((name) => /^nccl/i.test(name));
  for (let row = 0; row < work.count; row++) {
    if (taken >= room) {
      left += work.count - row;
      break;
    }
    const track = tracks.get(`s${work.stream[row]!}`);
    if (track === undefined) continue;
    push(
      track,
      work.start[row]! + shift,
      work.end[row]! + shift,
      named(work.name[row]!),
      workKind(trace, row, collective),
    );
    taken++;
  }
  for (const [row, range] of trace.ranges.entries()) {
    if (taken >= room) {
      left += trace.ranges.length - row;
      break;
    }
    const key = `r${range.thread}`;
    const track =
      tracks.get(key) ??
      emptyTrack(threadWords(trace, range.thread), 'ranges', rank === '' ? 'CPU' : `${rank}, CPU`, 'ranges');
    tracks.set(key, track);
    push(track, range.start + shift, range.end + shift, names.at(range.name), timelineKinds.indexOf('range'));
    taken++;
  }
  for (let row = 0; row < calls.count; row++) {
    if (taken >= room) {
      left += calls.count - row;
      break;
    }
    const key = `t${calls.thread[row]!}`;
    const track =
      tracks.get(key) ??
      emptyTrack(
        threadWords(trace, calls.thread[row]!),
        'calls of CUDA',
        rank === '' ? 'CPU' : `${rank}, CPU`,
        'thread',
      );
    tracks.set(key, track);
    push(
      track,
      calls.start[row]! + shift,
      calls.end[row]! + shift,
      named(calls.name[row]!),
      callKind(calls.kind[row]!),
    );
    taken++;
  }
  for (const [key, track] of tracks) if (track.start.length === 0) tracks.delete(key);
  return { tracks, taken, left };
}

function push(track: Rows, start: number, end: number, name: number, what: number): void {
  track.start.push(start);
  track.end.push(end);
  track.name.push(name);
  track.what.push(what);
}

const emptyTrack = (title: string, note: string, group: string, kind: Rows['kind']): Rows => ({
  title,
  note,
  group,
  kind,
  start: [],
  end: [],
  name: [],
  what: [],
});

function streamTrack(trace: Trace, index: number, rank: string): Rows {
  const stream = trace.streams[index]!;
  const device = trace.devices[stream.device];
  const gpu = `GPU ${device?.id ?? stream.device}${device?.name == null ? '' : ` (${device.name})`}`;
  const processes = new Set(trace.streams.map(({ process }) => process));
  const note = { legacy: 'legacy default stream', 'per-thread': 'default stream of its thread', other: '' }[
    stream.role
  ];
  return emptyTrack(
    `stream ${stream.id}${processes.size > 1 ? ` of process ${stream.process}` : ''}`,
    note,
    rank === '' ? gpu : `${rank}, ${gpu}`,
    'stream',
  );
}

function threadWords(trace: Trace, thread: number): string {
  const found = trace.threads[thread];
  if (found === undefined) return 'thread';
  return found.name === null || found.name === '' ? `thread ${found.thread}` : found.name;
}

function workKind(trace: Trace, row: number, collective: readonly boolean[]): number {
  const { work } = trace;
  const of = (kind: (typeof timelineKinds)[number]): number => timelineKinds.indexOf(kind);
  const kind = work.kind[row];
  if (kind === workKinds.kernel) return of(collective[work.name[row]!] === true ? 'collective' : 'kernel');
  if (kind === workKinds.graph) return of('graph');
  if (kind === workKinds.memset) return of('memset');
  const direction = trace.routes[work.detail[row]!]?.direction ?? 'unknown';
  if (direction.endsWith('HtoD')) return of('copy to the GPU');
  return of(direction.endsWith('DtoH') ? 'copy to the host' : 'other copy');
}

const waits: ReadonlySet<number> = new Set([callKinds.deviceSync, callKinds.streamSync, callKinds.eventSync]);
const launches: ReadonlySet<number> = new Set([callKinds.launch, callKinds.graphLaunch]);
const allocations: ReadonlySet<number> = new Set([
  callKinds.malloc,
  callKinds.free,
  callKinds.hostAlloc,
  callKinds.hostFree,
  callKinds.mallocManaged,
]);

function callKind(kind: number): number {
  const words = waits.has(kind)
    ? 'wait of the CPU'
    : launches.has(kind)
      ? 'launch'
      : allocations.has(kind)
        ? 'allocation'
        : 'other call';
  return timelineKinds.indexOf(words);
}

function packed<Columns>(
  rows: Pick<Rows, 'start' | 'end' | 'name' | 'what'>,
  zero: number,
  pack: (bytes: Uint8Array<ArrayBuffer>) => Columns,
): PackedEvents<Columns> {
  const count = rows.start.length;
  const bytes = new Uint8Array(count * 13);
  const [gaps, lengths, names] = [0, 1, 2].map((at) => new Uint32Array(bytes.buffer, at * 4 * count, count));
  const kinds = bytes.subarray(12 * count);
  const longGaps: [number, number][] = [];
  const longEvents: [number, number][] = [];
  const from = Math.round((rows.start[0] ?? zero) - zero);
  let before = from;
  for (let row = 0; row < count; row++) {
    const start = Math.round(rows.start[row]! - zero);
    const gap = Math.max(0, start - before);
    const length = Math.max(0, Math.round(rows.end[row]! - rows.start[row]!));
    before = start;
    if (gap >= most32) longGaps.push([row, gap]);
    if (length >= most32) longEvents.push([row, length]);
    gaps![row] = Math.min(gap, most32);
    lengths![row] = Math.min(length, most32);
    names![row] = rows.name[row]!;
    kinds[row] = rows.what[row]!;
  }
  return { count, columns: pack(bytes), from, longGaps, longEvents };
}

/** Times and kinds of packed events. @param bytes what `pack` was given */
export function unpackedTimes(
  packedEvents: Omit<PackedEvents, 'columns'>,
  bytes: Uint8Array,
): { readonly start: Float64Array; readonly end: Float64Array; readonly kind: Uint8Array } {
  const { count } = packedEvents;
  // The columns need bytes that begin where a number of four bytes may.
  const own = new Uint8Array(bytes).buffer;
  const [gaps, lengths] = [new Uint32Array(own, 0, count), new Uint32Array(own, 4 * count, count)];
  const longGaps = new Map(packedEvents.longGaps);
  const longEvents = new Map(packedEvents.longEvents);
  const [start, end] = [new Float64Array(count), new Float64Array(count)];
  let at = packedEvents.from;
  for (let row = 0; row < count; row++) {
    at += longGaps.get(row) ?? gaps[row]!;
    start[row] = at;
    end[row] = at + (longEvents.get(row) ?? lengths[row]!);
  }
  return { start, end, kind: new Uint8Array(own, 12 * count, count) };
}

function findingOf(
  finding: TraceFinding,
  traces: readonly Trace[],
  shifts: readonly number[],
  zero: number,
  trackOf: ReadonlyMap<string, number>,
): TimelineFinding {
  const file = finding.quotes[0]?.file ?? null;
  const at = Math.max(
    0,
    traces.findIndex((trace) => trace.file === file),
  );
  const shift = (shifts[at] ?? 0) - zero;
  const { cause, kind, certainty, message, saving } = finding;
  return {
    cause,
    kind,
    certainty,
    message,
    savingNs: saving?.upperBoundNs ?? null,
    marks: finding.marks.map(({ from, to, streams, label }) => ({
      from: from + shift,
      to: to + shift,
      tracks: streams.flatMap((stream) => trackOf.get(`${at} s${stream}`) ?? []),
      label,
    })),
  };
}
