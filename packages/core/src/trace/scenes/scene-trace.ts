import { TraceBuilder } from '../builder.ts';
import type { Trace, TraceDevice } from '../model.ts';
import { workKinds } from '../model.ts';
import type { Played } from './program.ts';

const process = 1;

/** A trace of what was played, as a profiler would have recorded it. @param device what is known of the GPU */
export function traceOfScene(scene: Played, device: Partial<TraceDevice> = {}): Trace {
  const builder = new TraceBuilder('nsys-sqlite', null);
  builder.producer = 'simulated';
  const gpu = builder.device(0, device);
  for (const { id } of scene.streams) builder.stream(gpu, process, 1, id);
  for (const [at, { name, thread, from, to }] of scene.calls.entries())
    builder.call(ns(from), ns(to), builder.name(name), builder.thread(process, 100 + thread), at + 1);
  for (const each of scene.work)
    builder.work({
      kind: workKinds[each.kind],
      start: ns(each.from),
      end: ns(each.to),
      stream: builder.stream(gpu, process, 1, each.stream),
      name: builder.name(each.name),
      correlation: each.call + 1,
      detail:
        each.direction === null || each.memory === null
          ? -1
          : builder.route({
              direction: each.direction,
              from: each.direction === 'HtoD' ? each.memory : 'device',
              to: each.direction === 'HtoD' ? 'device' : each.memory,
              migrationCause: null,
            }),
      bytes: each.bytes,
      graphNode: each.node,
    });
  return builder.finish();
}

const ns = (us: number): number => Math.round(us * 1000);
