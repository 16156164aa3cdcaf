import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { judgedCauses } from '../testing-judged.ts';
import type { CopySetup } from './copy-scenes.ts';
import { copyProgram } from './copy-scenes.ts';
import { blockBytes, managedPlay } from './managed-scene.ts';
import type { Action, PlacedWork, Played, Program, StreamKind } from './program.ts';
import { traceOfScene } from './scene-trace.ts';
import { played } from './scheduler.ts';
import type { StreamSetup } from './stream-scenes.ts';
import { streamProgram } from './stream-scenes.ts';

const kinds: readonly StreamKind[] = ['legacy', 'blocking', 'blocking', 'non-blocking', 'per-thread'];
const streams = kinds.map((kind, id) => ({ id, kind }));

function program(...threads: readonly (readonly Action[])[]): Program {
  return { streams, threads, launchUs: 4, latencyUs: 2 };
}

const kernel = (stream: number, us = 100, share = 0.25): Action => ({
  does: 'kernel',
  stream,
  name: `${share}`,
  us,
  share,
});

const overlap = (a: PlacedWork, b: PlacedWork): boolean => a.from < b.to - 1e-9 && b.from < a.to - 1e-9;

describe('the default stream', () => {
  it('waits for blocking streams, and they for it', () => {
    const [first, second, third] = played(program([kernel(1), kernel(0), kernel(1)])).work;
    expect(second!.from).toBe(first!.to);
    expect(third!.from).toBe(second!.to);
  });

  it('does not wait for non-blocking streams', () => {
    const [first, second] = played(program([kernel(3), kernel(0)])).work;
    expect(overlap(first!, second!)).toBe(true);
  });

  it('waits for default streams of threads, which do not wait for other streams', () => {
    const [own, other, legacy] = played(program([kernel(4), kernel(1), kernel(0)])).work;
    expect(overlap(own!, other!)).toBe(true);
    expect(legacy!.from).toBeGreaterThanOrEqual(Math.max(own!.to, other!.to));
  });
});

describe('a stream', () => {
  it('waits for an event of another, as it was when it was recorded', () => {
    const { work } = played(
      program([
        kernel(1),
        { does: 'record', stream: 1, event: 'e' },
        kernel(1),
        { does: 'wait', stream: 2, event: 'e' },
        kernel(2),
      ]),
    );
    expect(work[2]!.from).toBe(work[0]!.to);
  });

  it('does not wait for an event that nobody recorded', () => {
    const { work } = played(program([kernel(1), { does: 'wait', stream: 2, event: 'never' }, kernel(2)]));
    expect(overlap(work[0]!, work[1]!)).toBe(true);
  });
});

describe('the host', () => {
  it('is kept by pageable copies, also by those that it asks for asynchronously', () => {
    const copy = (memory: 'pinned' | 'pageable'): Action => ({
      does: 'copy',
      stream: 1,
      direction: 'HtoD',
      memory,
      blocking: false,
      bytes: 1e6,
      us: 500,
    });
    expect(played(program([copy('pageable')])).calls[0]!.to).toBeGreaterThan(500);
    expect(played(program([copy('pinned')])).calls[0]!.to).toBe(4);
  });

  it('waits for one stream or for all', () => {
    const wait = (stream: number | null): number =>
      played(program([kernel(1, 100), kernel(2, 300), { does: 'synchronise', stream }])).calls[2]!.to;
    expect(wait(1)).toBeLessThan(150);
    expect(wait(null)).toBeGreaterThan(300);
  });

  it('starts all of a graph with one call', () => {
    const nodes = [
      { name: 'a', us: 10, share: 0.5, stream: 1, after: [] },
      { name: 'b', us: 10, share: 0.5, stream: 2, after: [] },
      { name: 'c', us: 10, share: 0.5, stream: 1, after: [0, 1] },
    ];
    const { work, calls } = played(program([{ does: 'graph', stream: 1, nodes }]));
    expect(calls).toHaveLength(1);
    expect(overlap(work[0]!, work[1]!)).toBe(true);
    expect(work[2]!.from).toBe(work[1]!.to);
  });
});

it('refuses streams that are not there and kernels larger than the GPU', () => {
  expect(() => played(program([kernel(9)]))).toThrow(RangeError);
  expect(() => played(program([kernel(1, 10, 1.5)]))).toThrow(RangeError);
});

const stream = fc.integer({ min: 0, max: kinds.length - 1 });
const anyAction: fc.Arbitrary<Action> = fc.oneof(
  fc
    .tuple(stream, fc.integer({ min: 1, max: 50 }), fc.integer({ min: 1, max: 10 }))
    .map(([id, us, tenths]) => kernel(id, us, tenths / 10)),
  fc
    .tuple(stream, fc.constantFrom('HtoD' as const, 'DtoH' as const), fc.boolean(), fc.boolean())
    .map(([id, direction, pinned, blocking]): Action => ({
      does: 'copy',
      stream: id,
      direction,
      memory: pinned ? 'pinned' : 'pageable',
      blocking,
      bytes: 1000,
      us: 7,
    })),
  stream.map((id): Action => ({ does: 'record', stream: id, event: 'e' })),
  stream.map((id): Action => ({ does: 'wait', stream: id, event: 'e' })),
  fc.option(stream).map((id): Action => ({ does: 'synchronise', stream: id })),
  fc.integer({ min: 0, max: 30 }).map((us): Action => ({ does: 'compute', us })),
);
const anyProgram = fc.array(fc.array(anyAction, { maxLength: 12 }), { minLength: 1, maxLength: 3 });

describe('whatever a program asks for', () => {
  const over = (check: (run: Played) => void): void =>
    fc.assert(fc.property(anyProgram, (threads) => check(played(program(...threads)))));

  it('runs in order within a stream, and no sooner than it was asked for', () => {
    over(({ work, calls }) => {
      for (const [at, each] of work.entries()) {
        expect(each.from).toBeGreaterThanOrEqual(calls[each.call]!.from);
        const before = work.slice(0, at).findLast((other) => other.stream === each.stream);
        expect(each.from).toBeGreaterThanOrEqual(before?.to ?? 0);
      }
    });
  });

  it('never runs beside the legacy default stream in a blocking one', () => {
    over(({ work }) => {
      const legacy = work.filter((each) => each.stream === 0);
      const blocking = work.filter((each) => kinds[each.stream] === 'blocking' || kinds[each.stream] === 'per-thread');
      for (const each of legacy) for (const other of blocking) expect(overlap(each, other)).toBe(false);
    });
  });

  it('never fills more than the GPU, and each copy engine once', () => {
    over(({ work }) => {
      for (const each of work) {
        const beside = work.filter((other) => other.from <= each.from && other.to > each.from);
        const copies = beside.filter(({ direction }) => direction !== null && direction === each.direction);
        expect(copies.length).toBeLessThanOrEqual(1);
        const kernels = beside.filter(({ kind }) => kind === 'kernel');
        expect(kernels.reduce((sum, { name }) => sum + Number(name), 0)).toBeLessThanOrEqual(1 + 1e-6);
      }
    });
  });
});

describe('streams, as the core judges them', () => {
  const judged = (setup: StreamSetup, kernelUs = 100): ReturnType<typeof judgedCauses> =>
    judgedCauses(traceOfScene(played(streamProgram({ setup, kernelUs, share: 0.3, steps: 60 }))));

  it.each([
    ['default-stream', 'default-stream-serialisation'],
    ['own-streams', 'ok-streams-overlap'],
    ['non-blocking', 'ok-streams-overlap'],
    ['events', 'ok-streams-overlap'],
    ['per-thread', 'ok-per-thread-default-stream'],
    ['graph', 'ok-cuda-graphs-used'],
  ] as const)('%s: %s', (setup, cause) => {
    expect(judged(setup).verdict.cause).toBe(cause);
  });

  it('take half the time once the default stream is out of the way', () => {
    const span = (setup: StreamSetup): number => judged(setup).numbers.get('gpu.span_ns') as number;
    expect(span('default-stream') / span('own-streams')).toBeCloseTo(2, 0);
    expect(judged('own-streams').numbers.get('serialised_ns')).toBe(0);
  });
});

describe('copies, as the core judges them', () => {
  const judged = (setup: CopySetup): ReturnType<typeof judgedCauses> =>
    judgedCauses(
      traceOfScene(
        played(
          copyProgram({ setup, batchBytes: 32e6, linkRate: 50e9, pageableShare: 0.4, kernelUs: 800, batches: 40 }),
        ),
      ),
    );

  it.each([
    ['pageable', 'pageable-copies-'],
    ['pageable-async', 'pageable-copies-'],
    ['pinned', 'copies-not-overlapped'],
    ['pinned-overlapped', 'ok-copies-pinned-overlapped'],
  ] as const)('%s: %s', (setup, cause) => {
    expect(judged(setup).verdict.cause).toContain(cause);
  });
});

describe('managed memory, as the core judges it', () => {
  const play = (change: Partial<Parameters<typeof managedPlay>[0]>): ReturnType<typeof managedPlay> =>
    managedPlay({
      memoryBytes: 80e6,
      workingBytes: 60e6,
      memoryRate: 3352e9,
      linkRate: 50e9,
      reuse: 4,
      how: 'demand',
      hostShare: 0,
      steps: 200,
      ...change,
    });

  it('moves once where it fits', () => {
    const { trace, toDevice, toHost } = play({});
    expect([toDevice, toHost]).toEqual([Math.ceil(60e6 / blockBytes) * blockBytes, 0]);
    expect(judgedCauses(trace).causes).toEqual([]);
  });

  it('thrashes where it does not: each step moves all of it', () => {
    const { trace, toDevice, spanNs, neededNs } = play({ workingBytes: 90e6 });
    expect(toDevice).toBe(200 * Math.ceil(90e6 / blockBytes) * blockBytes);
    expect(spanNs).toBeGreaterThan(10 * neededNs);
    expect(judgedCauses(trace).verdict).toMatchObject({ status: 'performance', cause: 'managed-memory-page-faults' });
  });

  it('comes back where the host reads it', () => {
    const { trace, toHost } = play({ hostShare: 0.2 });
    expect(toHost).toBeGreaterThan(0);
    expect(judgedCauses(trace).causes).toEqual(['managed-memory-page-faults']);
  });

  it('waits for no fault where it is fetched ahead', () => {
    const { trace, faults } = play({ how: 'prefetch' });
    expect(faults).toBe(0);
    expect(judgedCauses(trace).verdict.cause).toBe('ok-managed-prefetched');
  });
});
