import type { Trace } from '../model.ts';
import { workKinds } from '../model.ts';

export type BarKind = 'kernel' | 'copy' | 'fault' | 'call' | 'wait';

/** A stretch of a lane, ns. */
export interface Bar {
  readonly from: number;
  readonly to: number;
  readonly name: string;
  readonly kind: BarKind;
}

export interface Lane {
  readonly title: string;
  readonly bars: readonly Bar[];
}

/** A part of a small time line, ready to be drawn: threads of the host first, then streams, then faults. */
export interface Picture {
  readonly from: number;
  readonly to: number;
  readonly lanes: readonly Lane[];
}

const waits = /Synchronize|^cudaMemcpy$/;

/** What a trace holds between two times; bars that reach over them are cut. Meant for traces of some thousand events. */
export function pictureOf(trace: Trace, from: number, to: number): Picture {
  const lanes: Lane[] = [];
  const inside = (bar: Bar): readonly Bar[] =>
    bar.to > from && bar.from < to ? [{ ...bar, from: Math.max(from, bar.from), to: Math.min(to, bar.to) }] : [];
  const { calls, work, faults, names } = trace;
  const text = (name: number): string => names[name] ?? '';
  for (const [at, { thread }] of trace.threads.entries())
    lanes.push({
      title: trace.threads.length === 1 ? 'host' : `thread ${thread}`,
      bars: rows(calls.count).flatMap((row) => {
        const name = text(calls.name[row]!);
        const kind = waits.test(name) || calls.end[row]! - calls.start[row]! > 50_000 ? 'wait' : 'call';
        return calls.thread[row] === at ? inside({ from: calls.start[row]!, to: calls.end[row]!, name, kind }) : [];
      }),
    });
  for (const [at, { id, role }] of trace.streams.entries()) {
    const own = rows(work.count).filter((row) => work.stream[row] === at);
    const called =
      role === 'legacy' ? 'default stream' : role === 'per-thread' ? `thread's stream ${id}` : `stream ${id}`;
    const moved = new Map<string, Bar[]>();
    const bars: Bar[] = [];
    for (const row of own) {
      const kind = work.kind[row] === workKinds.copy ? 'copy' : 'kernel';
      const bar: Bar = { from: work.start[row]!, to: work.end[row]!, name: text(work.name[row]!), kind };
      const direction = kind === 'copy' ? (trace.routes[work.detail[row]!]?.direction ?? '') : '';
      if (!direction.startsWith('UVM')) bars.push(...inside(bar));
      else {
        const title = direction === 'UVM_HtoD' ? 'pages to the GPU' : 'pages to the host';
        moved.set(title, [...(moved.get(title) ?? []), ...inside(bar)]);
      }
    }
    if (own.some((row) => work.kind[row] !== workKinds.copy) || moved.size === 0) lanes.push({ title: called, bars });
    for (const [title, pages] of moved) lanes.push({ title, bars: pages });
  }
  if (faults.count > 0)
    lanes.push({
      title: 'faults',
      bars: rows(faults.count).flatMap((row) =>
        inside({ from: faults.start[row]!, to: faults.end[row]!, name: `${faults.pages[row]!} pages`, kind: 'fault' }),
      ),
    });
  return { from, to, lanes };
}

function rows(count: number): readonly number[] {
  return Array.from({ length: count }, (_, row) => row);
}
