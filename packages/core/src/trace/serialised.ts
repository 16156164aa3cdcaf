import type { Scene } from './findings/scene.ts';
import { workKinds } from './model.ts';
import type { Spans } from './spans.ts';
import { bothOf, unionOf } from './spans.ts';
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
  // Only where another stream of the process has kernels can one wait.
  const waiting = [...processes].filter((process) =>
    scene.streams.some(
      ({ stream, kernels }) => stream.process === process && stream.id !== legacyStream && kernels > 0,
    ),
  );
  const all = waiting.map((process) => {
    /** By stream: 1 the default stream of the process, 2 another of its streams, 0 one of another process. */
    const role = Uint8Array.from(streams, (stream) =>
      stream.process !== process || stream.device !== scene.device ? 0 : stream.id === legacyStream ? 1 : 2,
    );
    const running = unionOf(
      work.start,
      work.end,
      (row) => role[work.stream[row]!] === 1 && work.kind[row] === workKinds.kernel,
    );
    return bothOf(running, waitingOf(scene, role));
  });
  return mergedSpans(all);
}

/** When a kernel of another stream that was launched has not started: union of the end of its call to its own start. */
function waitingOf(scene: Scene, role: Uint8Array): Spans {
  const { calls, work } = scene.trace;
  const start = new Float64Array(work.count);
  const end = new Float64Array(work.count);
  let count = 0;
  for (let row = 0; row < work.count; row++) {
    const call = work.call[row]!;
    if (call < 0 || role[work.stream[row]!] !== 2 || work.kind[row] !== workKinds.kernel) continue;
    const from = calls.end[call]!;
    const to = work.start[row]!;
    if (from >= to) continue;
    start[count] = from;
    end[count++] = to;
  }
  return unsortedUnion(start.subarray(0, count), end.subarray(0, count));
}
