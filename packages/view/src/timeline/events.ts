import type { PackedEvents, TimelineData } from '@culprit/core/report/timeline-data';
import { unpackedTimes } from '@culprit/core/report/timeline-data';

/** Events of one track, unpacked. Times in ns from the begin of the time line. */
export interface Events {
  readonly count: number;
  readonly start: Float64Array;
  readonly end: Float64Array;
  /** Latest end of the events up to here: what may reach into a later stretch. */
  readonly reach: Float64Array;
  readonly name: Uint32Array;
  readonly kind: Uint8Array;
}

/** Columns of events: bytes, or those compressed with gzip and written in base64. */
type Columns = string | Uint8Array<ArrayBuffer>;

/** A time line as it is drawn. */
export type DrawnTimeline = TimelineData<Columns>;

/** Unpacks what `timelineOf` of core packed. */
export async function unpackedEvents(packed: PackedEvents<Columns>): Promise<Events> {
  const { columns } = packed;
  const bytes = typeof columns === 'string' ? await bytesOf(columns) : columns;
  const { start, end, kind } = unpackedTimes(packed, bytes);
  const reach = new Float64Array(packed.count);
  let most = -Infinity;
  for (let row = 0; row < packed.count; row++) {
    most = Math.max(most, end[row]!);
    reach[row] = most;
  }
  const name = new Uint32Array(bytes.buffer, bytes.byteOffset + 8 * packed.count, packed.count);
  return { count: packed.count, start, end, reach, name, kind };
}

async function bytesOf(text: string): Promise<Uint8Array> {
  if (text === '') return new Uint8Array(0);
  const binary = atob(text);
  const packed = new Uint8Array(binary.length);
  for (let at = 0; at < packed.length; at++) packed[at] = binary.charCodeAt(at);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Events of all tracks of a time line. */
export function allEvents(data: DrawnTimeline): Promise<readonly Events[]> {
  return Promise.all(data.tracks.map((track) => unpackedEvents(track.events)));
}

/** First row whose start is not before a time. */
export function firstFrom(values: Float64Array, time: number): number {
  let [low, high] = [0, values.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (values[middle]! < time) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The rows that may touch a stretch: first and one past the last. */
export function rowsIn(events: Events, from: number, to: number): readonly [number, number] {
  return [firstFrom(events.reach, from), firstFrom(events.start, to)];
}

/** The event at a time: of several the one that started last. @returns -1 where there is none */
export function eventAt(events: Events, time: number, slack: number): number {
  const [first, last] = rowsIn(events, time - slack, time + slack);
  for (let row = last - 1; row >= first && row >= last - 2000; row--)
    if (events.start[row]! - slack <= time && events.end[row]! + slack >= time) return row;
  return -1;
}
