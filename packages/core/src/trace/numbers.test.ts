import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Trace } from './model.ts';
import { median } from './median.ts';
import { numbersOfJob } from './job-numbers.ts';
import { scenesOf } from './findings/scene.ts';
import { TestScene } from './testing-events.ts';

/** A stretch of work for these tests; µs, whole. */
interface Row {
  readonly kind: 'kernel' | 'copy' | 'memset' | 'graph';
  readonly start: number;
  readonly takes: number;
  readonly stream: number;
  readonly name: string;
  readonly called: number;
  readonly bytes: number;
  readonly direction: 'HtoD' | 'DtoH' | 'PtoP' | 'DtoD';
  readonly from: 'pageable' | 'pinned';
}

const row: fc.Arbitrary<Row> = fc.record({
  kind: fc.constantFrom('kernel', 'kernel', 'kernel', 'copy', 'memset', 'graph'),
  start: fc.integer({ min: 20, max: 300 }),
  takes: fc.integer({ min: 1, max: 30 }),
  stream: fc.constantFrom(7, 13, 14),
  name: fc.constantFrom('axpy', 'gemm', 'ncclDevKernel_AllReduce_Sum_f32_RING_LL'),
  called: fc.integer({ min: 1, max: 60 }),
  bytes: fc.integer({ min: 0, max: 1000 }),
  direction: fc.constantFrom('HtoD', 'DtoH', 'PtoP', 'DtoD'),
  from: fc.constantFrom('pageable', 'pinned'),
});
const rows = fc.array(row, { minLength: 1, maxLength: 25 });

interface Change {
  readonly shift?: number;
  readonly scale?: number;
}

function traceOf(all: readonly Row[], { shift = 0, scale = 1 }: Change = {}): Trace {
  const scene = new TestScene();
  for (const each of all) {
    const from = shift + each.start * scale;
    const call =
      each.kind === 'graph' ? 'cudaGraphLaunch' : each.kind === 'kernel' ? 'cudaLaunchKernel_v7000' : 'cudaMemcpyAsync';
    const ended = from - (each.called - 10) * scale;
    const to = each.direction === 'DtoH' ? 'pinned' : 'device';
    scene.at(each.kind, from, from + each.takes * scale, {
      stream: each.stream,
      name: each.kind === 'kernel' ? each.name : each.kind,
      bytes: each.kind === 'copy' ? each.bytes : 0,
      direction: each.direction,
      from: each.from,
      to,
      call,
      called: [ended - 2 * scale, ended],
    });
  }
  return scene.finish();
}

function numbersOf(trace: Trace): ReadonlyMap<string, number | string> {
  return numbersOfJob([trace], scenesOf([trace]));
}

/** The same numbers microsecond by microsecond. */
function counted(all: readonly Row[]): Readonly<Record<string, number>> {
  const during = (test: (each: Row) => boolean, at: number): boolean =>
    all.some((each) => test(each) && each.start <= at && at < each.start + each.takes);
  let [busy, computing, exposed, nccl, serialised] = [0, 0, 0, 0, 0];
  const isNccl = (each: Row): boolean => each.kind === 'kernel' && each.name.startsWith('nccl');
  const isCompute = (each: Row): boolean => each.kind === 'kernel' || each.kind === 'graph';
  const gaps: number[] = [];
  let gap = 0;
  for (let at = 0; at < 400; at++) {
    const some = during(() => true, at);
    const compute = during(isCompute, at);
    if (some) {
      if (gap > 0 && busy > 0) gaps.push(gap);
      gap = 0;
      busy++;
    } else gap++;
    if (compute) computing++;
    if (!compute && during((each) => each.kind === 'copy', at)) exposed++;
    if (during(isNccl, at) && !during((each) => each.kind === 'kernel' && !isNccl(each), at)) nccl++;
    const legacy = during((each) => each.kind === 'kernel' && each.stream === 7, at);
    const waits = all.some(
      (each) => each.kind === 'kernel' && each.stream !== 7 && each.start - (each.called - 10) <= at && at < each.start,
    );
    if (legacy && waits) serialised++;
  }
  const first = Math.min(...all.map((each) => each.start));
  const last = Math.max(...all.map((each) => each.start + each.takes));
  const kernels = all.filter((each) => each.kind === 'kernel');
  const copies = all.filter((each) => each.kind === 'copy');
  const sum = (list: readonly Row[]): number => list.reduce((total, each) => total + each.takes, 0);
  return {
    'kernels.count': kernels.length,
    'kernels.total_ns': sum(kernels) * 1000,
    'kernels.busy_ns': computing * 1000,
    'gpu.busy_ns': busy * 1000,
    'gpu.span_ns': (last - first) * 1000,
    'gpu.idle_ns': (last - first - busy) * 1000,
    'gap.median_ns': middle(gaps) * 1000,
    'gap.max_ns': Math.max(0, ...gaps) * 1000,
    'launch.count': kernels.length + all.filter((each) => each.kind === 'graph').length,
    'copies.count': copies.length,
    'copies.total_ns': sum(copies) * 1000,
    'copies.exposed_ns': exposed * 1000,
    'nccl.total_ns': sum(kernels.filter(isNccl)) * 1000,
    'nccl.exposed_ns': nccl * 1000,
    serialised_ns: serialised * 1000,
    ...(kernels.length === 0 ? {} : { 'kernels.median_ns': middle(kernels.map((each) => each.takes)) * 1000 }),
  };
}

function middle(values: readonly number[]): number {
  if (values.length === 0) return 0;
  const sorted = values.toSorted((a, b) => a - b);
  return (sorted[(sorted.length - 1) >> 1]! + sorted[sorted.length >> 1]!) / 2;
}

describe('the numbers of a trace', () => {
  it('are those that counting each microsecond gives', () => {
    fc.assert(
      fc.property(rows, (all) => {
        const numbers = numbersOf(traceOf(all));
        const own = Object.fromEntries(Object.keys(counted(all)).map((name) => [name, numbers.get(name)]));
        expect(own).toEqual(counted(all));
      }),
      { numRuns: 300 },
    );
  });

  it('do not depend on when the trace began', () => {
    fc.assert(
      fc.property(rows, fc.integer({ min: 0, max: 1_000_000 }), (all, shift) => {
        expect([...numbersOf(traceOf(all, { shift }))]).toEqual([...numbersOf(traceOf(all))]);
      }),
    );
  });

  it('do not depend on the order in which events are read', () => {
    fc.assert(
      fc.property(
        rows.chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray([...all], { minLength: all.length }))),
        ([all, shuffled]) => {
          // Of two events that begin at one time either may be the one that ended a pause.
          const isOrdered = (name: string): boolean => name !== 'top_kernel.name' && !name.startsWith('idle.');
          const plain = (numbers: ReadonlyMap<string, number | string>): unknown =>
            Object.fromEntries([...numbers].filter(([name]) => isOrdered(name)).sort(([a], [b]) => (a < b ? -1 : 1)));
          expect(plain(numbersOf(traceOf(shuffled)))).toEqual(plain(numbersOf(traceOf(all))));
        },
      ),
    );
  });

  it('grow with the time scale', () => {
    fc.assert(
      fc.property(rows, fc.constantFrom(2, 10), (all, scale) => {
        const [small, large] = [numbersOf(traceOf(all)), numbersOf(traceOf(all, { scale }))];
        // What a cause of idleness is depends on times of the GPU that do not grow.
        for (const [name, value] of [...small].filter(([each]) => !each.startsWith('idle.')))
          if (name.endsWith('_ns') && typeof value === 'number') expect(large.get(name)).toBe(value * scale);
          else expect(large.get(name)).toBe(value);
      }),
    );
  });

  it('of the same work on a second stream are the same, but for what is summed', () => {
    fc.assert(
      fc.property(rows, (all) => {
        const twice = [...all, ...all.map((each) => ({ ...each, stream: each.stream + 100 }))];
        const [one, two] = [numbersOf(traceOf(all)), numbersOf(traceOf(twice))];
        for (const name of [
          'gpu.busy_ns',
          'gpu.span_ns',
          'gpu.idle_ns',
          'gap.max_ns',
          'kernels.busy_ns',
          'copies.exposed_ns',
          'nccl.exposed_ns',
        ])
          expect(two.get(name)).toBe(one.get(name));
        for (const name of ['kernels.count', 'kernels.total_ns', 'copies.count'])
          expect(two.get(name)).toBe(2 * (one.get(name) as number));
      }),
    );
  });

  it('count copies by direction and by the memory on the side of the host', () => {
    const scene = new TestScene();
    scene.copy(5, { direction: 'HtoD', from: 'pageable', bytes: 100 });
    scene.copy(5, { direction: 'HtoD', from: 'pinned', bytes: 20 });
    scene.copy(5, { direction: 'DtoH', from: 'device', to: 'pinned', bytes: 3 });
    scene.copy(5, { direction: 'UVM_HtoD', from: 'managed', to: 'device', bytes: 7, call: null });
    const numbers = numbersOf(scene.finish());
    expect(numbers.get('copies.count')).toBe(4);
    expect(numbers.get('copies.count.HtoD')).toBe(2);
    expect(numbers.get('copies.bytes.HtoD.pageable')).toBe(100);
    expect(numbers.get('copies.bytes.HtoD.pinned')).toBe(20);
    expect(numbers.get('copies.bytes.DtoH.pinned')).toBe(3);
    expect(numbers.get('copies.bytes.UVM_HtoD.device')).toBe(7);
  });

  it('name a second device, and one that is not number 0 twice', () => {
    const scene = new TestScene();
    scene.kernel(5, { device: 2 });
    scene.kernel(5, { device: 3 });
    scene.kernel(5, { device: 3 });
    const numbers = numbersOf(scene.finish());
    expect(numbers.get('kernels.count')).toBe(1);
    expect(numbers.get('dev2.kernels.count')).toBe(1);
    expect(numbers.get('dev3.kernels.count')).toBe(2);
    expect(numbers.get('launch.count')).toBe(1);
    expect(numbers.get('dev3.launch.count')).toBe(2);
  });

  it('compare ranks by their collectives, in one clock', () => {
    const rank = (number: number, zero: bigint, late: number): Trace => {
      const scene = new TestScene({ rank: number, ranks: 2, zero });
      for (let step = 0; step < 5; step++)
        scene.at('kernel', 100 * step + late, 100 * step + 60, {
          name: 'ncclDevKernel_AllReduce_Sum_f32_RING_LL',
          stream: 20,
        });
      return scene.finish();
    };
    const traces = [rank(1, 5000n, 40), rank(0, 2000n, 10)];
    const numbers = numbersOfJob(traces, scenesOf(traces));
    expect(numbers.get('nccl.arrival_spread_median_ns')).toBe(33_000);
    expect(numbers.get('rank1.clock.offset_ns')).toBe(3000);
    expect(numbers.get('rank0.clock.offset_ns')).toBe(0);
    expect(numbers.get('kernels.total_ns')).toBe(5 * 50_000);
    expect(numbers.get('rank1.kernels.total_ns')).toBe(5 * 20_000);
  });

  it('compare the GPUs of one trace by their collectives', () => {
    const scene = new TestScene();
    for (let step = 0; step < 5; step++)
      for (const device of [0, 1, 2])
        scene.at('kernel', 100 * step + 7 * device, 100 * step + 60, {
          name: 'ncclDevKernel_AllReduce_Sum_f32_RING_LL',
          device,
        });
    const numbers = numbersOf(scene.finish());
    expect(numbers.get('nccl.arrival_spread_median_ns')).toBe(14_000);
    expect([...numbers.keys()].filter((name) => name.includes('clock'))).toEqual([]);
  });

  it('take the middle of values as sorting does', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 50 }), { minLength: 1, maxLength: 200 }), (values) => {
        expect(median(Float64Array.from(values))).toBe(middle(values));
      }),
    );
  });
});
