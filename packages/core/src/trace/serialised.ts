import type { Scene } from './findings/scene.ts';
import { workKinds } from './model.ts';
import type { Spans } from './spans.ts';
import { bothOf } from './spans.ts';
import { mergedSpans, unsortedUnion } from './unsorted-spans.ts';

/** The number under which CUPTI shows the legacy default stream. */
const legacyStream = 7;

/**
 * When a kernel of stream 7 runs while a kernel of another stream of the same process, whose launch call has returned,
 * has not started.
 */
export function serialisedOf(scene: Scene): Spans {
  const { streams, work } = scene.trace;
  const processes = new Set(
    scene.streams.filter((use) => use.stream.id === legacyStream && use.kernels > 0).map((use) => use.stream.process),
  );
  const all: Spans[] = [];
  for (const process of processes) {
    const isOf = (row: number, legacy: boolean): boolean => {
      const stream = streams[work.stream[row]!]!;
      return (
        work.kind[row] === workKinds.kernel && stream.process === process && (stream.id === legacyStream) === legacy
      );
    };
    const held = waitingOf(scene, (row) => isOf(row, false));
    const both = bothOf(
      scene.union((row) => isOf(row, true)),
      held,
    );
    all.push(both);
  }
  return mergedSpans(all);
}

/** When a kernel that was launched has not started: union of the end of its call to its own start. */
export function waitingOf(scene: Scene, take: (row: number) => boolean): Spans {
  const { calls, work } = scene.trace;
  const start = new Float64Array(scene.rows.length);
  const end = new Float64Array(scene.rows.length);
  let count = 0;
  for (const row of scene.rows) {
    const call = work.call[row]!;
    if (call < 0 || !take(row) || calls.end[call]! >= work.start[row]!) continue;
    start[count] = calls.end[call]!;
    end[count++] = work.start[row]!;
  }
  return unsortedUnion(start.subarray(0, count), end.subarray(0, count));
}
