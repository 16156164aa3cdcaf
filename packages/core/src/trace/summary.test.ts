import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defaultKnowledge } from '../knowledge/knowledge.ts';
import { traceComparisonMarkdown, traceComparisonText } from '../report/trace-comparison.ts';
import { traceComparisonSchema } from '../report/trace-comparison-schema.ts';
import { summaryHtml, summaryMarkdown, summaryText } from '../report/trace-summary.ts';
import { TraceBuilder } from './builder.ts';
import { compareTraces } from './compare.ts';
import { criticalPath } from './critical-path.ts';
import type { Trace } from './model.ts';
import { summaryOf } from './summary.ts';
import { TestScene } from './testing-events.ts';
import { traceVerdict } from './verdict.ts';

const plain = { color: false, columns: 100 };

/** Kernels of 50 µs, each waited for, with a pause of the program's own code between. */
function waitedFor(kernels: number, pause: number): Trace {
  const scene = new TestScene();
  for (let at = 0; at < kernels; at++) {
    const from = at * (60 + pause);
    scene.at('kernel', from + 5, from + 55, { name: 'step', called: [from, from + 3] });
  }
  return scene.builder.finish();
}

describe('the critical path', () => {
  it('of kernels back to back on one stream is the kernels', () => {
    const scene = new TestScene();
    for (let at = 0; at < 20; at++) scene.at('kernel', 10 + at * 50, 60 + at * 50, { called: [at, at + 0.5] });
    const path = criticalPath(scene.builder.finish())!;
    expect(path.parts[0]).toMatchObject({ kind: 'kernel', count: 20, totalNs: 1_000_000 });
  });

  it('of kernels that are launched late names what the program does between calls', () => {
    const path = criticalPath(waitedFor(20, 100))!;
    const own = path.parts.find(({ kind }) => kind === 'program');
    // From the end of each call (3) to the next (160), 19 times; the work itself is not what the next one waits for.
    expect(own?.totalNs).toBe(19 * 157_000);
  });

  it('adds up to its own length, goes no further back than the trace, and ends, whatever the events', () => {
    const event = fc.record({
      start: fc.integer({ min: 0, max: 500 }),
      length: fc.integer({ min: 0, max: 60 }),
      stream: fc.integer({ min: 7, max: 9 }),
      called: fc.option(fc.tuple(fc.integer({ min: 0, max: 500 }), fc.integer({ min: 0, max: 40 })), {
        nil: undefined,
      }),
      kind: fc.constantFrom('kernel', 'copy', 'memset'),
    });
    fc.assert(
      fc.property(fc.array(event, { minLength: 1, maxLength: 60 }), (events) => {
        const scene = new TestScene();
        for (const { start, length, stream, called, kind } of events)
          scene.at(kind as 'kernel', start, start + length, {
            stream,
            ...(called === undefined ? {} : { called: [called[0], called[0] + called[1]] as const }),
          });
        const trace = scene.builder.finish();
        const path = criticalPath(trace)!;
        const sum = path.parts.reduce((total, { totalNs }) => total + totalNs, 0);
        expect(Math.abs(sum - path.totalNs)).toBeLessThan(1);
        const first = Math.min(...trace.work.start, ...trace.calls.start);
        expect(path.totalNs).toBeLessThanOrEqual(Math.max(...trace.work.end) - first);
      }),
    );
  });

  const ns = (trace: Trace, kind: string): number =>
    criticalPath(trace)!
      .parts.filter((part) => part.kind === kind)
      .reduce((total, { totalNs }) => total + totalNs, 0);

  it('goes through the other stream that work launched long before waited for', () => {
    const scene = new TestScene();
    for (let at = 0; at < 10; at++) {
      const from = 100 + at * 200;
      scene.at('kernel', from, from + 99, { stream: 20, name: 'ncclDevKernel_AllGather', called: [at, at + 0.4] });
      scene.at('kernel', from + 100, from + 199, { name: 'gemm', called: [at + 0.5, at + 0.9] });
    }
    const trace = scene.builder.finish();
    expect([ns(trace, 'collective'), ns(trace, 'kernel')]).toEqual([990_000, 990_000]);
  });

  it('goes through work of another stream that still runs where there is no room', () => {
    const scene = new TestScene();
    scene.at('kernel', 10, 500, { name: 'wide', stream: 13, called: [0, 3] });
    scene.at('kernel', 400, 600, { name: 'narrow', stream: 14, called: [4, 6] });
    expect(ns(scene.builder.finish(), 'kernel')).toBe(590_000);
  });

  it('goes through another GPU of the process that ended just then, and never through one that ended long before', () => {
    const scene = (start: number): Trace =>
      new TestScene()
        .at('kernel', 10, 500, { device: 1, stream: 13, called: [0, 3] })
        .at('kernel', start, start + 100, { called: [4, 6] })
        .builder.finish();
    expect(ns(scene(505), 'kernel')).toBe(590_000);
    expect(ns(scene(900), 'kernel')).toBe(100_000);
  });

  it('is a latency where nothing ran between the launch and the start', () => {
    const scene = new TestScene();
    scene.at('kernel', 10, 50, { stream: 13, called: [0, 3] });
    scene.at('kernel', 400, 500, { called: [60, 63] });
    expect(ns(scene.builder.finish(), 'latency')).toBe(337_000);
  });

  it('has the pages that move in the kernel that they move for', () => {
    const scene = new TestScene();
    scene.at('kernel', 10, 1000, { called: [0, 3] });
    for (let at = 20; at < 1020; at += 20)
      scene.at('copy', at, at + 5, { stream: 0, direction: 'UVM_HtoD', from: 'managed', to: 'managed', bytes: 65_536 });
    const trace = scene.builder.finish();
    expect([ns(trace, 'copy'), ns(trace, 'kernel')]).toEqual([0, 990_000]);
  });

  it('is null where nothing ran', () => {
    expect(criticalPath(new TraceBuilder('kineto', null).finish())).toBeNull();
  });
});

describe('the tables of a trace', () => {
  const scene = new TestScene();
  for (let at = 0; at < 30; at++) {
    const from = at * 100;
    scene.at('kernel', from, from + 40, { name: at % 3 === 0 ? 'gemm' : 'axpy', called: [from - 5, from - 2] });
    scene.at('copy', from + 40, from + 50, {
      direction: 'HtoD',
      from: 'pinned',
      to: 'device',
      bytes: 1000,
      stream: 13,
    });
  }
  const trace = scene.builder.finish();
  const judged = traceVerdict([trace], defaultKnowledge);
  const summary = summaryOf([trace], judged.scenes, 5);

  it('sum kernels by name, copies by where they go, and streams', () => {
    const [gpu] = summary.gpus;
    expect(gpu!.kernels.map(({ name, count, totalNs }) => [name, count, totalNs])).toEqual([
      ['axpy', 20, 800_000],
      ['gemm', 10, 400_000],
    ]);
    expect(gpu!.copies[0]).toMatchObject({ count: 30, totalNs: 300_000, bytes: 30_000 });
    expect(gpu!.streams.map(({ count }) => count)).toEqual([30, 30]);
    expect(gpu!.idle.reduce((sum, { ns }) => sum + ns, 0)).toBe(gpu!.spanNs - gpu!.busyNs);
  });

  it('have one row for what is beyond the most that are asked for', () => {
    const many = new TestScene();
    for (let at = 0; at < 20; at++) many.at('kernel', at * 10, at * 10 + 5, { name: `kernel_${at}` });
    const made = many.builder.finish();
    const rows = summaryOf([made], traceVerdict([made], defaultKnowledge).scenes, 4).gpus[0]!.kernels;
    expect(rows).toHaveLength(5);
    expect(rows.at(-1)).toMatchObject({ name: '16 others', count: 16, totalNs: 80_000 });
    expect(rows.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1, 9);
  });

  it('are written as text, Markdown and HTML, with names from the trace that are no markup', () => {
    const odd = new TestScene();
    odd.at('kernel', 0, 10, { name: '<script>alert(1)</script> | `x`' });
    const made = odd.builder.finish();
    const of = summaryOf([made], traceVerdict([made], defaultKnowledge).scenes, 5);
    expect(summaryText(of, plain)).toContain('<script>');
    expect(summaryHtml(of)).not.toContain('<script>');
    expect(summaryMarkdown(of)).toContain(String.raw`\<script\>alert(1)\</script\> \| \`x\``);
    for (const line of summaryText(summary, plain).split('\n')) expect(line.length).toBeLessThanOrEqual(100);
  });
});

describe('a comparison of two traces', () => {
  const side = (name: string, trace: Trace): Parameters<typeof compareTraces>[0] => ({
    name,
    judged: traceVerdict([trace], defaultKnowledge),
  });

  it('of a trace with itself finds nothing changed', () => {
    const comparison = compareTraces(side('a', waitedFor(40, 100)), side('b', waitedFor(40, 100)));
    expect(comparison.numbers.every(({ state }) => state === 'equal')).toBe(true);
    expect(comparison.kernels).toEqual([]);
    expect(comparison.findings.every(({ state }) => state === 'stayed')).toBe(true);
    expect(comparison.headline).toContain('as long as before');
  });

  it('says by how much the whole became faster, and what stayed equal', () => {
    const comparison = compareTraces(side('a', waitedFor(200, 140)), side('b', waitedFor(200, 0)));
    expect(comparison.length.before).toBeGreaterThan(comparison.length.after);
    expect(comparison.headline).toMatch(/less time/);
    const states = Object.fromEntries(comparison.numbers.map(({ name, state }) => [name, state]));
    expect(states['gpu.idle_share']).toBe('changed');
    expect(states['kernels.median_ns']).toBe('equal');
    expect(() => traceComparisonSchema.parse(comparison)).not.toThrow();
    expect(traceComparisonText(comparison, plain)).toContain('gpu.idle_share');
    expect(traceComparisonMarkdown(comparison)).toContain('| kernels.median');
  });

  it('doubts traces of other GPUs and of other amounts of work', () => {
    const other = new TestScene();
    other.builder.device(0, { name: 'NVIDIA L4' });
    other.at('kernel', 0, 10);
    const comparison = compareTraces(side('a', waitedFor(40, 10)), side('b', other.builder.finish()));
    expect(comparison.doubts).toHaveLength(1);
    expect(comparison.status).toBe('cannot-tell');
  });

  it('compares steps where both traces mark them', () => {
    const stepped = (length: number): Trace => {
      const scene = new TestScene();
      for (let at = 0; at < 5; at++) {
        scene.at('kernel', at * length, at * length + 20);
        scene.builder.ranges.push({
          start: at * length * 1000,
          end: (at + 1) * length * 1000,
          name: `ProfilerStep#${at}`,
          thread: -1,
          kind: 'step',
        });
      }
      return scene.builder.finish();
    };
    const comparison = compareTraces(side('a', stepped(100)), side('b', stepped(50)));
    expect(comparison.length).toEqual({ of: 'step', before: 100_000, after: 50_000 });
  });
});
