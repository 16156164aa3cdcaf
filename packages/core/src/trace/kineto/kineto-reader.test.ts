import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Trace, TraceQuote } from '../model.ts';
import { workKinds } from '../model.ts';
import { KinetoReader } from './kineto-reader.ts';
import type { TestEvent } from './testing.ts';
import { callEvent, copyEvent, kernelEvent, traceText } from './testing.ts';

const encoder = new TextEncoder();

function read(text: string | Uint8Array, cuts: readonly number[] = []): Trace {
  const bytes = typeof text === 'string' ? encoder.encode(text) : text;
  const reader = new KinetoReader('t.json');
  let from = 0;
  for (const cut of [...cuts].sort((a, b) => a - b)) {
    // The reader is not to keep what it was given.
    const piece = bytes.slice(from, cut);
    reader.push(piece);
    piece.fill(0x58);
    from = cut;
  }
  reader.push(bytes.subarray(from));
  return reader.end();
}

const plain = [
  callEvent(10, 5, 1),
  kernelEvent(20.125, 3.5, 1),
  callEvent(30, 5, 2, 'cudaMemcpyAsync'),
  copyEvent(40, 7, 2, 4096, 'Memcpy HtoD (Pageable -> Device)'),
];

describe('a trace of PyTorch', () => {
  test('gives calls, kernels and copies, joined by their correlation', () => {
    const trace = read(traceText(plain));
    expect(trace.format).toBe('kineto');
    expect([...trace.work.kind]).toEqual([workKinds.kernel, workKinds.copy]);
    expect([...trace.work.start]).toEqual([10_125, 30_000]);
    expect([...trace.work.end]).toEqual([13_625, 37_000]);
    expect([...trace.work.call]).toEqual([0, 1]);
    expect(trace.routes[trace.work.detail[1]!]).toEqual({
      direction: 'HtoD',
      from: 'pageable',
      to: 'device',
      migrationCause: null,
    });
    expect(trace.work.bytes[1]).toBe(4096);
    expect(trace.shapes[trace.work.detail[0]!]).toEqual({
      grid: [132, 2, 1],
      block: [128, 1, 1],
      registers: 32,
      staticShared: null,
      dynamicShared: 1024,
    });
    expect(trace.streams).toEqual([{ device: 0, process: 0, context: 1, id: 7, role: 'legacy' }]);
    expect(trace.devices).toHaveLength(1);
    expect(trace.devices[0]).toMatchObject({ name: 'NVIDIA H100 80GB HBM3', computeCapability: '9.0', sms: 132 });
    expect(trace.left).toEqual([]);
  });

  test('is the same pretty-printed, with another order of keys and with blanks', () => {
    const first = read(traceText(plain));
    const turned = plain.map((event) => Object.fromEntries(Object.entries(event).reverse()));
    for (const text of [traceText(plain, {}, 2), traceText(turned), traceText(plain, {}, 8).replaceAll(':', ' \t: ')])
      expect(columnsOf(read(text))).toEqual(columnsOf(first));
  });

  test('is read where the other members follow the events, and where it is a bare list', () => {
    const text = `{"traceEvents": ${JSON.stringify(plain)}, "baseTimeNanoseconds": 1756713600000000000, "distributedInfo": {"rank": 3, "world_size": 8}}`;
    expect(read(text)).toMatchObject({ rank: 3, ranks: 8, zero: 1_756_713_600_000_010_000n });
    expect(read(JSON.stringify(plain)).work.count).toBe(2);
    expect(read(JSON.stringify(plain).slice(0, -1)).left).toEqual([]);
  });

  test('keeps nanoseconds of absolute times, in integers and in fractions', () => {
    const at = 1_695_835_543_008_415;
    const text = traceText([kernelEvent(at, 1, 1), kernelEvent(at + 3, 1, 2)]).replace(`${at + 3}`, `${at + 3}.125`);
    const trace = read(text);
    expect(trace.zero).toBe(1_695_835_543_008_415_000n);
    expect([...trace.work.start]).toEqual([0, 3125]);
  });

  test('begins at its first event, wherever that stands', () => {
    const trace = read(traceText([kernelEvent(500, 1, 2), callEvent(100, 5, 2)]));
    expect(trace.zero).toBe(100_000n);
    expect([...trace.calls.start, ...trace.work.start]).toEqual([0, 400_000]);
  });

  test('has categories in any case and of any age', () => {
    const events = [
      { ...kernelEvent(1, 1, 1), cat: 'Kernel' },
      { ...copyEvent(3, 1, 2, 1, 'Memcpy DtoH (Device -> Pinned)'), cat: 'Memcpy' },
      { ...callEvent(0, 1, 1), cat: 'Runtime' },
      { ...kernelEvent(5, 1, 3), cat: 'gpu_user_annotation' },
    ];
    const trace = read(traceText(events));
    expect(trace.work.count).toBe(2);
    expect(trace.calls.count).toBe(1);
    expect(trace.routes[0]).toMatchObject({ direction: 'DtoH', from: 'device', to: 'pinned' });
  });

  test('keeps ids apart that differ beyond 2^53, and takes them as texts', () => {
    const [a, b] = ['9223372036854775807', '9223372036854775806'];
    const events = [callEvent(0, 1, 'A'), callEvent(2, 1, 'B'), kernelEvent(4, 1, 'B'), kernelEvent(6, 1, 'A')];
    const large = traceText(events).replaceAll('"A"', a).replaceAll('"B"', b);
    expect([...read(large).work.call]).toEqual([1, 0]);
    const text = traceText(events).replaceAll('"A"', '"17"').replaceAll('"B"', '"18"');
    expect([...read(text).work.call]).toEqual([1, 0]);
  });

  test('takes processes and threads by number or text', () => {
    const events = [
      { ...callEvent(0, 1, 1), pid: '7001', tid: 'thread 3 (python)' },
      { ...callEvent(2, 1, 2), pid: 7001, tid: 'thread 3 (python)' },
      { ...kernelEvent(4, 1, 1), pid: '0', tid: 'stream 7' },
    ];
    const trace = read(traceText(events));
    expect(trace.threads).toHaveLength(1);
    expect([...trace.calls.thread]).toEqual([0, 0]);
    expect(trace.streams[0]!.id).toBe(7);
  });

  test('joins beginnings with ends', () => {
    const { dur: _dur, ...begin } = { ...kernelEvent(10, 0, 5), ph: 'B' };
    const events: TestEvent[] = [
      { ph: 'B', cat: 'python_function', name: 'f', pid: 1, tid: 1, ts: 1 },
      { ...begin, pid: 0, tid: 7 },
      { ph: 'E', pid: 0, tid: 7, ts: 14 },
      { ph: 'E', pid: 1, tid: 1, ts: 20 },
      { ph: 'E', pid: 9, tid: 9, ts: 20 },
    ];
    const trace = read(traceText(events));
    expect([...trace.work.start, ...trace.work.end]).toEqual([0, 4000]);
    expect(trace.left).toHaveLength(1);
  });

  test('has steps, data loading and compilation as named stretches, and no other operators', () => {
    const stretch = (cat: string, name: string): TestEvent => ({ ph: 'X', cat, name, pid: 1, tid: 1, ts: 1, dur: 2 });
    const trace = read(
      traceText([
        stretch('user_annotation', 'ProfilerStep#12'),
        stretch('cpu_op', 'enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__'),
        stretch('user_annotation', 'Optimizer.step#AdamW.step'),
        stretch('cpu_op', 'aten::linear'),
        stretch('overhead', 'Runtime Triggered Module Loading'),
        stretch('cpu_op', 'Torch-Compiled Region: 0/0'),
      ]),
    );
    expect(trace.ranges.map((range) => range.kind)).toEqual(['step', 'loader', 'other', 'compile']);
  });

  test('has collectives from the arguments or the name of the kernel', () => {
    const named = {
      'Collective name': '_allgather_base',
      'In msg nelems': 1024,
      dtype: 'BFloat16',
      'Process Group Name': '1',
    };
    const trace = read(
      traceText([
        kernelEvent(1, 1, 1, named, 'ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)'),
        kernelEvent(3, 1, 2, {}, 'ncclKernel_AllReduce_RING_LL_Sum_float(ncclWorkElem)'),
        kernelEvent(5, 1, 3, {}, 'gemm'),
      ]),
    );
    expect([...trace.collectives]).toEqual([
      [0, { operation: 'allgather', group: '1', elements: 1024, type: 'BFloat16' }],
      [1, { operation: 'allreduce', group: null, elements: null, type: null }],
    ]);
  });

  test('has waits between streams', () => {
    const args = { device: 0, context: 1, stream: 20, correlation: 9, wait_on_stream: 7, wait_on_cuda_event_id: 4 };
    const event = { ph: 'X', cat: 'cuda_sync', name: 'Stream Wait Event', pid: 0, tid: 20, ts: 5, dur: 1, args };
    const trace = read(traceText([kernelEvent(1, 1, 1), event]));
    expect(trace.synchronisations).toEqual([
      { kind: 'stream-wait-event', start: 4000, end: 5000, stream: 1, event: 4, waitsFor: 0 },
    ]);
    expect(trace.notRecorded).not.toContain('synchronisations');
  });

  test('has nodes of graphs', () => {
    const trace = read(
      traceText([
        callEvent(0, 1, 1, 'cudaGraphLaunch'),
        kernelEvent(2, 1, 1, { 'graph id': 3, 'graph node id': 4_294_967_299 }),
        kernelEvent(4, 1, 1, { 'graph id': 3, 'graph node id': 4_294_967_300 }),
      ]),
    );
    expect([...trace.work.graphNode!]).toEqual([4_294_967_299, 4_294_967_300]);
    expect([...trace.work.call]).toEqual([0, 0]);
  });

  test('of ROCm has the default stream 0', () => {
    const events = [
      { ...callEvent(0, 1, 1, 'hipLaunchKernel') },
      { ...kernelEvent(2, 1, 1, { stream: 0, context: undefined }), tid: 0 },
      { ...kernelEvent(4, 1, 2, { stream: 7, context: undefined }), tid: 7 },
    ];
    expect(read(traceText(events)).streams.map((stream) => stream.role)).toEqual(['legacy', 'other']);
  });

  test('undoes escapes in names and keeps names of any script', () => {
    const name = 'k<"a\\b", Ünïcode ✓ 日本>';
    expect(read(traceText([kernelEvent(1, 1, 1, {}, name)])).names).toContain(name);
    const text = traceText([kernelEvent(1, 1, 1, {}, 'xx')]).replace('"xx"', String.raw`"gemm\u003cfloat\u003e"`);
    expect(read(text).names).toContain('gemm<float>');
  });
});

describe('evidence', () => {
  test('is the line with the name where an event has several lines, else the event', () => {
    const text = traceText(plain, {}, 2);
    const quote = quoteOf(read(text), 'work', 'gemm')!;
    expect(text.split('\n')[quote.line - 1]).toBe(quote.text);
    expect(quote.text).toContain('"gemm"');
    const line = traceText(plain);
    expect(line).toContain(quoteOf(read(line), 'call', 'cudaLaunchKernel')!.text);
    expect(quoteOf(read(line), 'call', 'cudaLaunchKernel')!.line).toBe(1);
  });
});

describe('a trace of XLA', () => {
  const events: readonly TestEvent[] = [
    { ph: 'M', name: 'process_name', pid: 1, args: { name: '/device:GPU:0' } },
    { ph: 'M', name: 'thread_name', pid: 1, tid: 13, args: { name: 'Stream #13(Compute,MemcpyH2D)' } },
    { ph: 'M', name: 'thread_name', pid: 1, tid: 99, args: { name: 'XLA Ops' } },
    { ph: 'M', name: 'process_name', pid: 701, args: { name: '/host:CPU' } },
    { ph: 'X', pid: 701, tid: 5, ts: 0.5, dur: 2, name: 'cuLaunchKernel', args: { correlation_id: '44' } },
    { ph: 'X', pid: 701, tid: 5, ts: 0.5, dur: 90, name: '$main.py:3 train' },
    {
      ph: 'X',
      pid: 1,
      tid: 13,
      ts: 5,
      dur: 3,
      name: 'loop_add_fusion',
      args: {
        correlation_id: '44',
        kernel_details: 'regs:32 static_shared:0 dynamic_shared:1024 grid:128,1,1 block:256,1,1 occ_pct:100',
      },
    },
    { ph: 'X', pid: 1, tid: 99, ts: 5, dur: 3, name: 'add.1' },
    {
      ph: 'X',
      pid: 1,
      tid: 13,
      ts: 10,
      dur: 2,
      name: 'MemcpyH2D',
      args: { memcpy_details: 'kind_src:pageable kind_dst:device size:4096 dest:0 async:1' },
    },
  ];

  test.each([
    ['before', events],
    ['behind', [...events.slice(4), ...events.slice(0, 4)]],
  ])('has its streams from the names of tracks that stand %s the events', (_where, order) => {
    const trace = read(
      JSON.stringify({ displayTimeUnit: 'ns', metadata: { 'highres-ticks': true }, traceEvents: [...order, {}] }),
    );
    expect(trace.format).toBe('chrome');
    expect([...trace.work.kind]).toEqual([workKinds.kernel, workKinds.copy]);
    expect(trace.streams.map((stream) => stream.id)).toEqual([13]);
    expect([...trace.work.call]).toEqual([0, -1]);
    expect(trace.shapes[0]).toMatchObject({ grid: [128, 1, 1], dynamicShared: 1024 });
    expect(trace.routes[0]).toMatchObject({ direction: 'HtoD', from: 'pageable', to: 'device' });
    expect(trace.work.bytes[1]).toBe(4096);
    expect(quoteOf(trace, 'work', 'loop_add_fusion')).toBeDefined();
    expect(trace.left).toEqual([]);
  });

  test('of TensorFlow has its streams as processes, and not twice', () => {
    const process = (pid: number, name: string): TestEvent => ({ ph: 'M', name: 'process_name', pid, args: { name } });
    const row = (pid: number): TestEvent => ({ ph: 'X', cat: 'Op', pid, tid: 0, ts: 5, dur: 3, name: 'MatMul' });
    const text = JSON.stringify({
      traceEvents: [
        process(1, '/job:localhost/replica:0/task:0/device:GPU:0 Compute'),
        process(3, '/device:GPU:0/stream:all Compute'),
        process(5, '/device:GPU:0/stream:14 Compute'),
        row(3),
        row(5),
      ],
    });
    expect(read(text).work.count).toBe(1);
    expect(read(text).streams[0]!.id).toBe(14);
  });
});

describe('functions of Python', () => {
  test.each([
    ['selectors.py(452): select', 5000, true],
    ['<built-in method poll of select.epoll object at 0x7f1c2c0b9cf0>', 5000, true],
    ['<built-in function select>', 5000, true],
    ['<built-in method select of select.kqueue object at 0x7f1c>', 5000, true],
    ['selectors.py(452): select', 500, false],
    ['torch/nn/modules/module.py(1501): _call_impl', 5000, false],
    ['<built-in method sort of list object at 0x7f1c>', 5000, false],
    ['serve.py(3): f', 5000, false],
    ['<b', 5000, false],
  ])('%s of %d µs: a wait is %s', (name, dur, isWait) => {
    const event = { ph: 'X', cat: 'python_function', name, pid: 7001, tid: 7002, ts: 300, dur, args: {} };
    const { ranges, work } = read(traceText([...plain, event]));
    expect(ranges.filter(({ kind }) => kind === 'wait').map((range) => range.name)).toEqual(isWait ? [name] : []);
    expect(work.count).toBe(2);
  });
});

describe('what is wrong with a trace', () => {
  test('that ends in an event is said, and the rest is read', () => {
    const text = traceText(plain);
    const trace = read(text.slice(0, text.indexOf('Memcpy HtoD')));
    expect(trace.work.count).toBe(1);
    expect(trace.left[0]).toMatch(/breaks off at byte \d+, behind 3 events/);
  });

  test('with garbage between and in events goes on with the next event', () => {
    const text = traceText(plain, {}, 1);
    const middle = text.indexOf('"gemm"') - 40;
    for (const place of ['"name": "gemm"', '"cat": "kernel"', '"pid": 0', '"External id', '"grid": [']) {
      const at = text.indexOf(place, middle) + 4;
      for (const garbage of ['\u0000\u0001x{"', '"""', '}}', '{', ']', 'NaN"', '"\n']) {
        const trace = read(text.slice(0, at) + garbage + text.slice(at));
        expect(trace.calls.count, `${place} ${garbage}`).toBe(2);
        expect(trace.work.kind.includes(workKinds.copy), `${place} ${garbage}`).toBe(true);
      }
    }
  });

  test.each([
    ['no duration', { dur: undefined }, 0],
    ['NaN', { dur: 'NaN' }, 0],
    ['an endless one', { dur: 1e30 }, 0],
    ['a negative one', { dur: -5 }, 1],
    ['no time', { ts: undefined }, 0],
    ['a time years away', { ts: -1e15 }, 0],
    ['no name', { name: undefined }, 1],
  ])('in an event with %s is said', (_what, change, kept) => {
    const trace = read(traceText([...plain, { ...kernelEvent(90, 5, 77), ...change }]));
    expect(trace.work.count).toBe(2 + kept);
    expect(trace.left).toHaveLength(1);
  });

  test('at the time 0 counts where the trace begins there, and is left out where its times are absolute', () => {
    const first = read(traceText([kernelEvent(0, 2, 1), kernelEvent(5, 2, 2)]));
    expect([...first.work.start]).toEqual([0, 5000]);
    expect(quoteOf(first, 'work', 'gemm')!.text).toContain('"correlation":1,');
    expect(read(traceText([kernelEvent(0, 2, 1)])).work.count).toBe(1);
    const at = 1_695_835_543_008_415;
    const absolute = read(traceText([kernelEvent(0, 2, 1), kernelEvent(at, 2, 2), kernelEvent(0, 2, 3)]));
    expect(absolute.zero).toBe(BigInt(at) * 1000n);
    expect(absolute.work.count).toBe(1);
    expect(absolute.left).toEqual(['2 events without a time that fits the others are left out']);
  });

  test('that overlaps with others of its stream, or is of no possible GPU, is said', () => {
    const trace = read(
      traceText([kernelEvent(0, 20, 1), kernelEvent(5, 20, 2), kernelEvent(30, 1, 3, { device: -7 })]),
    );
    expect(trace.work.count).toBe(3);
    expect(trace.left).toHaveLength(2);
  });

  test('that is there twice counts once', () => {
    const trace = read(traceText([...plain, ...plain]));
    expect(trace.work.count).toBe(2);
    expect(trace.left[0]).toContain('twice');
  });

  test('that is too large is passed over, in any pieces', () => {
    const huge = { ...kernelEvent(50, 1, 3), args: { text: 'x'.repeat(3_000_000) } };
    const text = traceText([...plain, huge, kernelEvent(60, 1, 4)], { note: 'y'.repeat(10_000_000) });
    for (const step of [4_000_000, 1_000_003, 65_537]) {
      const cuts = Array.from({ length: Math.floor(text.length / step) }, (_, at) => (at + 1) * step);
      const trace = read(text, cuts);
      expect(trace.work.count).toBe(3);
      expect(trace.left).toHaveLength(1);
    }
  });

  test('by intent costs no more than linear time', () => {
    const started = performance.now();
    read('[{"ph":'.repeat(400_000));
    read(`[${'{"ph":"X","args":['.repeat(200_000)}`);
    read('{"traceEvents":[{"ph":"\\'.repeat(100_000));
    expect(performance.now() - started).toBeLessThan(60_000);
  }, 120_000);
});

describe('whatever the bytes', () => {
  const text = traceText(
    [
      ...plain,
      { ph: 'X', cat: 'user_annotation', name: 'ProfilerStep#1', pid: 1, tid: 1, ts: 1, dur: 2 },
      { ph: 'M', name: 'process_name', pid: 0, args: { name: 'py "x" ü' } },
      { ph: 's', cat: 'ac2g', id: 3, pid: 1, tid: 1, ts: 4 },
    ],
    { distributedInfo: { rank: 1, world_size: 2 } },
    1,
  );
  const bytes = encoder.encode(text);

  test('pieces cut anywhere give the same trace', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(bytes.length), { maxLength: 40 }), (cuts) => {
        expect(columnsOf(read(bytes, cuts))).toEqual(columnsOf(read(bytes)));
      }),
    );
    expect(columnsOf(read(bytes, [...bytes.keys()]))).toEqual(columnsOf(read(bytes)));
  });

  test('damage gives the same trace in any pieces, and never throws', () => {
    fc.assert(
      fc.property(
        fc.nat(bytes.length),
        fc.uint8Array({ maxLength: 12 }),
        fc.nat(20),
        fc.array(fc.nat(bytes.length), { maxLength: 6 }),
        (at, put, cut, cuts) => {
          const damaged = new Uint8Array([...bytes.subarray(0, at), ...put, ...bytes.subarray(at + cut)]);
          expect(
            columnsOf(
              read(
                damaged,
                cuts.filter((each) => each < damaged.length),
              ),
            ),
          ).toEqual(columnsOf(read(damaged)));
        },
      ),
      { numRuns: 400 },
    );
  });

  test('an end anywhere is read up to there', () => {
    fc.assert(
      fc.property(fc.nat(bytes.length - 3), (end) => {
        const trace = read(bytes.subarray(0, end));
        expect(trace.left.length).toBe(end === 0 ? trace.left.length : 1);
        expect(trace.work.count).toBeLessThanOrEqual(2);
      }),
    );
  });

  test('bytes of any kind do not throw', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), (any) => void read(any)));
    fc.assert(fc.property(fc.json(), (any) => void read(any)));
  });
});

/** A trace as plain values that can be compared. */
function columnsOf(trace: Trace): unknown {
  return {
    ...trace,
    quotes: [...trace.quotes].map(([key, quote]) =>
      trace.left.length > 0 ? key : [key, trace.format === 'kineto' && quote.text.slice(0, 0)],
    ),
    collectives: [...trace.collectives],
  };
}

/** The quote of a name, on the first stream. */
function quoteOf(trace: Trace, of: 'work' | 'call', name: string): TraceQuote | undefined {
  return trace.quotes.get(`${of}:${trace.names.indexOf(name)}${of === 'work' ? ':0' : ''}`);
}
