import type { Document, Line } from '../model/document.ts';
import { streamOf } from '../text/speaker.ts';

/** A document of one process's lines only, and where each stands in the whole. */
export interface Stream {
  readonly document: Document;
  /** Lines of the whole document, by their place in the stream. */
  readonly whole: readonly Line[];
}

/** The lines of several processes that one text holds, taken apart: a traceback of one is cut up by the others. */
export interface Streams {
  readonly of: readonly Stream[];
  /** Stream and place of each line of the whole. */
  readonly stream: Int32Array;
  readonly place: Int32Array;
}

const mostStreams = 4096;

/** @returns null where one process speaks, or nobody's name is told */
export function streamsOf(document: Document): Streams | null {
  const keys = new Map<string, number>();
  const stream = new Int32Array(document.lines.length);
  const place = new Int32Array(document.lines.length);
  const counts: number[] = [];
  for (const line of document.lines) {
    // What stands at a prompt is another program's output than the lines before it.
    const key = line.prompt || line.told ? '' : streamOf(line);
    let at = keys.get(key);
    if (at === undefined) {
      if (keys.size >= mostStreams) return null;
      keys.set(key, (at = keys.size));
      counts.push(0);
    }
    stream[line.index] = at;
    place[line.index] = counts[at]!++;
  }
  if (keys.size < 2) return null;
  const whole: Line[][] = counts.map(() => []);
  const lines: Line[][] = counts.map(() => []);
  for (const line of document.lines) {
    const at = stream[line.index]!;
    whole[at]!.push(line);
    lines[at]!.push({ ...line, index: place[line.index]! });
  }
  return {
    of: lines.map((each, at) => ({ document: { ...document, lines: each }, whole: whole[at]! })),
    stream,
    place,
  };
}

/** Calls `read` for each stream with those of the lines that belong to it. */
export function eachStream(
  streams: Streams,
  hits: readonly Line[],
  read: (stream: Stream, hits: readonly Line[]) => void,
): void {
  const byStream = new Map<number, Line[]>();
  for (const line of hits) {
    const at = streams.stream[line.index]!;
    const own = streams.of[at]!.document.lines[streams.place[line.index]!]!;
    const lines = byStream.get(at);
    if (lines === undefined) byStream.set(at, [own]);
    else lines.push(own);
  }
  for (const [at, lines] of byStream) read(streams.of[at]!, lines);
}
