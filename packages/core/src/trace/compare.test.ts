import { describe, expect, it } from 'vitest';
import { defaultKnowledge } from '../knowledge/knowledge.ts';
import { traceComparisonMarkdown, traceComparisonText } from '../report/trace-comparison.ts';
import { traceComparisonSchema } from '../report/trace-comparison-schema.ts';
import type { TraceComparison } from './compare.ts';
import { compareTraces } from './compare.ts';
import type { Trace } from './model.ts';
import { TestScene } from './testing-events.ts';
import { traceVerdict } from './verdict.ts';

const compared = (before: Trace | readonly Trace[], after: Trace | readonly Trace[]): TraceComparison => {
  const [first, second] = [before, after].map((side) => ({
    name: 'run',
    judged: traceVerdict([side].flat() as readonly Trace[], defaultKnowledge),
  }));
  const comparison = compareTraces(first!, second!);
  expect(() => traceComparisonSchema.parse(comparison)).not.toThrow();
  return comparison;
};

interface Run {
  /** Kernels of each round by name, µs of each. */
  readonly kernels: Readonly<Record<string, number>>;
  readonly rounds: number;
  readonly gap?: number;
  readonly blocks?: number;
  /** Name of a range around each round. */
  readonly mark?: string;
  readonly marked?: 'step' | 'other';
  readonly rank?: number;
}

function run({ kernels, rounds, gap = 1, blocks, mark, marked = 'other', rank }: Run): Trace {
  const scene = new TestScene(rank === undefined ? {} : { rank, ranks: 4 });
  let now = 0;
  for (let round = 0; round < rounds; round++) {
    const from = now;
    for (const [name, takes] of Object.entries(kernels)) {
      const shape =
        blocks === undefined ? {} : { shape: { grid: [blocks, 1, 1] as const, block: [128, 1, 1] as const } };
      scene.at('kernel', now + 5, now + 5 + takes, { name, called: [now, now + 3], ...shape });
      now += 5 + takes + gap;
    }
    if (mark !== undefined)
      scene.builder.ranges.push({
        start: from * 1000,
        end: now * 1000,
        name: `${mark} ${round}`,
        thread: -1,
        kind: marked,
      });
  }
  return scene.builder.finish();
}

const net = { gemm: 200, norm: 40, relu: 30, adam: 60 };

describe('two traces are compared only as far as they hold the same work', () => {
  it('no kernel in both: cannot tell, and nothing is gone or new', () => {
    const comparison = compared(
      run({ kernels: net, rounds: 40 }),
      run({ kernels: { filter: 2 }, rounds: 100, gap: 20 }),
    );
    expect(comparison.status).toBe('cannot-tell');
    expect(comparison.headline).toMatch(/^cannot tell: no kernel is in both/);
    expect(comparison.findings.map(({ state }) => state)).not.toContain('new');
  });

  it('only small kernels in both: cannot tell', () => {
    const other = { conv: 300, relu: 30, adam: 10 };
    expect(compared(run({ kernels: net, rounds: 40 }), run({ kernels: other, rounds: 40 })).status).toBe('cannot-tell');
  });

  it('some kernels replaced, the others in the same numbers: the same program', () => {
    const { gemm: _, ...rest } = net;
    const comparison = compared(
      run({ kernels: net, rounds: 40 }),
      run({ kernels: { gemm16: 90, ...rest }, rounds: 40 }),
    );
    expect(comparison).toMatchObject({ status: 'changed', length: { of: 'trace' } });
    expect(comparison.headline).toContain('less time');
  });

  it('the same kernels more often: the time for each is compared', () => {
    const comparison = compared(run({ kernels: net, rounds: 40 }), run({ kernels: net, rounds: 60 }));
    expect(comparison).toMatchObject({ length: { of: 'kernel' }, status: 'equal', work: { amount: 1.5 } });
    expect(comparison.headline).toContain('160 against 240 kernels');
    expect(comparison.headline).toContain('as long as before');
  });

  it('the same kernels, each in other numbers by a factor of its own: cannot tell', () => {
    const before = run({ kernels: { a: 50, b: 50, c: 50, d: 50 }, rounds: 40 });
    const after = run({ kernels: { a: 50, b: 50, c: 50, d: 50 }, rounds: 20 });
    const mixed = new TestScene();
    Object.entries({ a: 20, b: 60, c: 120, d: 240 }).forEach(([name, count], place) => {
      for (let at = 0; at < count; at++)
        mixed.at('kernel', place * 20_000 + at * 60, place * 20_000 + at * 60 + 50, { name });
    });
    expect(compared(before, after).status).toBe('equal');
    expect(compared(before, mixed.builder.finish()).status).toBe('cannot-tell');
  });

  it('fewer launches of as many blocks are the same work', () => {
    const before = run({ kernels: { a: 10, b: 10 }, rounds: 100, blocks: 10 });
    const after = run({ kernels: { a: 80, b: 80 }, rounds: 10, blocks: 100 });
    expect(compared(before, after)).toMatchObject({ status: 'changed', length: { of: 'trace' } });
  });

  it.each(['step', 'other'] as const)('marks of kind %s: one of them is compared, however many there are', (marked) => {
    const marks = { mark: 'iteration', marked };
    const comparison = compared(
      run({ kernels: net, rounds: 10, ...marks }),
      run({ kernels: net, rounds: 25, gap: 30, ...marks }),
    );
    expect(comparison).toMatchObject({ status: 'changed', length: { of: 'step' }, work: { amount: 2.5 } });
    expect(comparison.length.after - comparison.length.before).toBe(4 * 29_000);
    const states = Object.fromEntries(comparison.numbers.map(({ name, state }) => [name, state]));
    expect(states).toMatchObject({ 'kernels.count': 'equal', 'kernels.total_ns': 'equal', 'gpu.span_ns': 'changed' });
  });
});

describe('two folders of ranks', () => {
  const ranks = (slow: number | null, count: number): readonly Trace[] =>
    Array.from({ length: count }, (_, rank) => run({ kernels: net, rounds: 20, rank, gap: rank === slow ? 600 : 1 }));

  it('name the rank whose numbers they tell, and show every rank beside it', () => {
    const comparison = compared(ranks(null, 3), ranks(2, 3));
    expect(comparison.scope).toEqual({ before: 'rank 0', after: 'rank 0' });
    expect(comparison.ranks.map(({ called }) => called)).toEqual(['rank 0', 'rank 1', 'rank 2']);
    expect(comparison.ranks[2]!.before!.idleShare).toBeLessThan(0.2);
    expect(comparison.ranks[2]!.after!.idleShare).toBeGreaterThan(0.8);
    const text = traceComparisonText(comparison, { color: false, columns: 100 });
    expect(text).toContain('equal (rank 0)');
    expect(text).toMatch(/rank 2 .*→ 8\d\.\d %/);
    expect(traceComparisonMarkdown(comparison)).toContain('| rank 2 |');
  });

  it('a rank of one side only is named', () => {
    const comparison = compared(ranks(null, 3), ranks(null, 4).slice(1));
    expect(comparison.scope).toEqual({ before: 'rank 1', after: 'rank 1' });
    expect(comparison.doubts).toEqual(['only before: rank 0', 'only after: rank 3']);
    expect(comparison.ranks.find(({ called }) => called === 'rank 3')?.before).toBeNull();
  });

  it('are equal only if every rank is', () => {
    const comparison = compared(ranks(null, 3), ranks(2, 3));
    expect(comparison.status).toBe('changed');
    expect(comparison.headline).toMatch(/rank 2 takes .* more; rank 2 is idle 8\d/);
    expect(compared(ranks(null, 3), ranks(null, 3)).status).toBe('equal');
  });
});
