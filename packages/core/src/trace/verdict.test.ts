import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defaultKnowledge } from '../knowledge/knowledge.ts';
import type { Verdict } from '../model/verdict.ts';
import type { Trace } from './model.ts';
import { TraceBuilder } from './builder.ts';
import { TestScene } from './testing-events.ts';
import { traceVerdict } from './verdict.ts';

function judged(...traces: readonly Trace[]): Verdict {
  return traceVerdict(traces, defaultKnowledge).verdict;
}

describe('the verdict of traces', () => {
  it('cannot tell where nothing ran on a GPU', () => {
    const scene = new TestScene().call('cudaMalloc', 5);
    expect(judged(scene.finish())).toMatchObject({ status: 'cannot-tell', cause: 'trace-has-no-gpu-work' });
  });

  it('cannot tell where there is no trace', () => {
    expect(judged()).toMatchObject({ status: 'cannot-tell', cause: 'trace-unreadable' });
  });

  it.each([
    [
      'were launched and not recorded',
      ['cudaMalloc', 'cudaMemcpy', 'cudaLaunchKernel'],
      /asked 2 times .* recorded no work/,
    ],
    ['were not launched', ['cudaMalloc', 'cudaFree'], /nothing ran on a GPU/],
  ])('says of kernels that they %s', (_, calls, words) => {
    const scene = new TestScene();
    for (const name of calls) scene.call(name, 5);
    // What the profiler took of the time is nothing that is missing.
    scene.builder.left.push(
      'the profiler itself was at work for 9.0 ms in 3 stretches: programs run faster without it',
    );
    const verdict = judged(scene.finish());
    expect(verdict).toMatchObject({ status: 'cannot-tell', cause: 'trace-has-no-gpu-work' });
    expect(verdict.headline).toMatch(words);
  });

  it.each([
    ['one thread', [1, 1, 1], [1, 1, 1], 'busy-label-idle-sms'],
    ['blocks of one thread', [500_000, 1, 1], [1, 1, 1], 'block-size-too-small'],
    ['a grid that fills the GPU', [4096, 1, 1], [256, 1, 1], null],
  ] as const)('is made from one long kernel where it is launched as %s', (_, grid, block, cause) => {
    const scene = new TestScene();
    scene.builder.device(0, { name: 'NVIDIA A100', computeCapability: '8.0', sms: 108 });
    scene.pause(200_000).copy(100);
    scene.kernel(50_000, { shape: { grid, block, registers: 16, staticShared: 0, dynamicShared: 0 } });
    scene.wait().pause(150_000).copy(100, { direction: 'DtoH', from: 'device', to: 'pinned' });
    const answer = traceVerdict([scene.finish()], defaultKnowledge);
    if (cause === null) expect(answer.verdict).toMatchObject({ status: 'cannot-tell', cause: 'series-too-short' });
    else expect(answer.verdict).toMatchObject({ status: 'performance', cause, certainty: 'likely' });
    // Done right, the work takes next to nothing.
    if (cause !== null) expect(answer.numbers.get('saving.upper_bound_ns')).toBeGreaterThan(0.98 * 50e6);
  });

  it.each([
    ['on demand', 2, 'managed-memory-page-faults'],
    ['because the program asked for it', 1, 'series-too-short'],
  ])('is made from one kernel in which pages move %s', (_, migration, cause) => {
    const scene = new TestScene();
    scene.builder.device(0, { name: 'NVIDIA A100', computeCapability: '8.0', sms: 108 });
    scene.kernel(100_000, { shape: { grid: [4096, 1, 1], block: [256, 1, 1] } });
    const managed = { from: 'managed', to: 'managed', stream: 0, call: null, bytes: 65_536 } as const;
    for (let at = 0; at < 500; at++)
      scene.at('copy', 100 + at * 190, 180 + at * 190, {
        ...managed,
        direction: 'UVM_HtoD',
        cause: at % 3 === 0 ? 3 : migration,
      });
    for (let at = 0; at < 50; at++)
      scene.at('copy', 300_000 + at * 900, 300_020 + at * 900, { ...managed, direction: 'UVM_DtoH', cause: 2 });
    const verdict = judged(scene.finish());
    if (cause === 'series-too-short') expect(verdict.cause === cause || verdict.status === 'ok').toBe(true);
    else expect(verdict).toMatchObject({ status: 'performance', cause, certainty: 'likely' });
  });

  it('names the pause without which the GPU is busy', () => {
    const scene = new TestScene();
    scene.kernel(10);
    scene.wait().pause(400_000);
    const { status, headline } = judged(scene.kernels(200, 100).finish());
    expect(status).toBe('ok');
    expect(headline).toMatch(
      /^the GPU is busy 4\.8 % of .*, and 100 % of the time without its longest pause \(400 ms\)/,
    );
  });

  it('cannot tell from a few kernels', () => {
    const scene = new TestScene().kernels(5, 100);
    expect(judged(scene.finish())).toMatchObject({ status: 'cannot-tell', cause: 'series-too-short' });
  });

  it.each([
    ['kineto', /torch\.profiler\.profile\(schedule=/],
    ['chrome', /jax\.profiler\.trace/],
    ['nsys-sqlite', /^nsys profile /],
  ] as const)('asks for what the person has: %s', (format, ask) => {
    const trace = new TestScene().kernels(5, 100).finish();
    const [unknown] = judged({ ...trace, format }).unknown;
    expect(unknown!.ask).toMatch(ask);
    if (format !== 'nsys-sqlite') expect(unknown!.ask).not.toContain('nsys');
  });

  it.each([
    ['a GPU', [[0, 0]], /^the GPU is busy 100 % of \d/],
    [
      'two GPUs',
      [
        [0, 0],
        [1, 400],
      ],
      /^the 2 GPUs are busy \d\d to 100 % of \d/,
    ],
  ] as const)('begins with how busy %s is where nothing is wrong', (_, devices, words) => {
    const scene = new TestScene();
    for (const [device, pause] of devices)
      for (let at = 0; at < 60; at++) {
        const from = at * (2000 + pause);
        scene.at('kernel', from, from + 2000, { device, stream: 13 + device, called: [from - 900, from - 890] });
      }
    const { status, headline, cause } = judged(scene.finish());
    expect(status).toBe('ok');
    expect(cause).toMatch(/^ok-/);
    expect(headline).toMatch(words);
  });

  it('begins with how busy the GPUs of all ranks are', () => {
    const ranks = [0, 1].map((rank) => new TestScene({ rank, ranks: 2 }).kernels(60, 1000).finish());
    expect(judged(...ranks).headline).toMatch(/^the GPUs of 2 ranks are busy 100 % of /);
  });

  it('states every number as a fact', () => {
    const scene = new TestScene().kernels(50, 100);
    const { facts } = judged(scene.finish());
    const value = (id: string): unknown => facts.find((fact) => fact.id === id)?.value;
    expect(value('trace.kernels.count')).toBe(50);
    expect(value('trace.kernels.total_ns')).toBe(5_000_000);
    expect(value('trace.top_kernel.name')).toBe('axpy');
  });

  it('comes of any events: backwards, negative, without calls, on many devices and streams', () => {
    const time = fc.integer({ min: -1000, max: 1_000_000 });
    const event = fc.record({
      kind: fc.integer({ min: 0, max: 3 }),
      start: time,
      takes: fc.integer({ min: -10, max: 5000 }),
      device: fc.integer({ min: 0, max: 2 }),
      stream: fc.constantFrom(-1, 0, 7, 13, 14),
      name: fc.constantFrom('', 'axpy', 'ncclDevKernel_AllReduce', 'sgemm', '\u0000'),
      called: fc.option(time),
      call: fc.constantFrom('cudaLaunchKernel', 'cudaMemcpy', 'cudaFree', 'cudaDeviceSynchronize', 'x'),
      node: fc.integer({ min: 0, max: 2 }),
    });
    const traces = fc.array(fc.array(event, { maxLength: 80 }), { maxLength: 3 });
    fc.assert(
      fc.property(traces, (all) => {
        const made = all.map((events) => {
          const builder = new TraceBuilder('chrome', null);
          const thread = builder.thread(1, 1);
          events.forEach((each, at) => {
            const stream = builder.stream(builder.device(each.device), 1, null, each.stream);
            if (each.called !== null) builder.call(each.called, each.called + 10, builder.name(each.call), thread, at);
            builder.work({
              kind: each.kind,
              start: each.start,
              end: each.start + each.takes,
              stream,
              name: builder.name(each.name),
              correlation: at,
              detail: -1,
              bytes: 0,
              graphNode: each.node,
            });
          });
          return builder.finish();
        });
        const { verdict, findings, numbers } = traceVerdict(made, defaultKnowledge);
        expect(verdict.schema).toBe('culprit/verdict@1');
        for (const { saving } of findings) if (saving !== null) expect(saving.upperBoundNs).toBeGreaterThanOrEqual(0);
        for (const value of numbers.values()) if (typeof value === 'number') expect(Number.isFinite(value)).toBe(true);
      }),
      { numRuns: 60 },
    );
  }, 60_000);

  it('does not depend on when the trace began, or on the order of its events', () => {
    const make = (zero: number, back: boolean): Trace => {
      const rows = Array.from({ length: 200 }, (_, at) => at);
      const scene = new TestScene();
      for (const at of back ? rows.toReversed() : rows)
        scene.at('kernel', zero + at * 20, zero + at * 20 + 5, { called: [zero + at * 20 - 12, zero + at * 20 - 3] });
      return scene.finish();
    };
    const [first, ...others] = [make(0, false), make(5_000_000, false), make(0, true)].map((trace) => judged(trace));
    expect(first?.cause).toBe('launch-bound-needs-cuda-graphs');
    for (const other of others) expect(other.headline).toBe(first?.headline);
  });
});
