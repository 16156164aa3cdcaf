import { chmodSync, copyFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Trace } from '@culprit/core/trace/model';
import { callKinds, workKinds } from '@culprit/core/trace/model';
import { TraceUnreadable } from '@culprit/core/trace/unreadable';
import fc from 'fast-check';
import sqlite from 'node-sqlite3-wasm';
import { afterAll, describe, expect, it } from 'vitest';
import { nativeModule } from './native.ts';
import { readNsysExport } from './nsys-export.ts';
import type { SqliteEngine } from './open.ts';
import type { Rows } from './testing.ts';
import { callRow, copyRow, databases, kernelRow, pid, schemaOf2020, strings, tid, usual } from './testing.ts';

const made = databases();
afterAll(() => made.remove());

const engines: readonly SqliteEngine[] = nativeModule() === null ? ['wasm'] : ['wasm', 'node'];
let files = 0;
const read = (rows: Rows, tables?: Readonly<Record<string, string>>): Promise<Trace> =>
  readNsysExport(made.write(`${files++}.sqlite`, rows, tables), 'run.sqlite');
const refusal = async (path: string): Promise<TraceUnreadable> => {
  const error = await readNsysExport(path, 'run.sqlite').then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(TraceUnreadable);
  return error as TraceUnreadable;
};

describe.each(engines)('an export, read by %s', (engine) => {
  it('gives kernels, copies and the calls that started them', async () => {
    const trace = await readNsysExport(made.write('usual.sqlite', usual), 'run.sqlite', engine);
    expect(trace.producer).toBe('Nsight Systems 2025.3.1.90');
    expect([...trace.work.kind]).toEqual([workKinds.kernel, workKinds.copy]);
    expect([...trace.work.start]).toEqual([9000, 20_000]);
    expect([...trace.work.end]).toEqual([15_816, 1_030_731]);
    expect([...trace.work.call]).toEqual([0, 1]);
    expect([...trace.calls.kind]).toEqual([callKinds.launch, callKinds.copy]);
    expect(trace.names[trace.work.name[0]!]).toBe('void axpy<float>(int, T1, const T1 *, T1 *)');
    expect(trace.shapes[trace.work.detail[0]!]).toEqual({
      grid: [1024, 1, 1],
      block: [256, 1, 1],
      registers: 18,
      staticShared: 0,
      dynamicShared: 512,
    });
    expect(trace.routes[trace.work.detail[1]!]).toEqual({
      direction: 'HtoD',
      from: 'pageable',
      to: 'device',
      migrationCause: null,
    });
    expect(trace.streams).toEqual([{ device: 0, process: 4242, context: 1, id: 7, role: 'legacy' }]);
    expect(trace.threads).toEqual([{ process: 4242, thread: 4243, name: null }]);
    expect(trace.devices[0]).toMatchObject({ id: 0, computeCapability: '9.0', sms: 132, bandwidth: 3_352_320_000_000 });
    expect(trace.quotes.get(`work:${trace.work.name[0]!}:0`)).toEqual({
      line: 1,
      text: 'CUPTI_ACTIVITY_KIND_KERNEL start=9000 end=15816 deviceId=0 streamId=7 correlationId=11 demangledName=102',
    });
    expect(trace.notRecorded).toEqual(['page-faults', 'ranges', 'synchronisations']);
    expect(trace.left).toEqual([]);
  });

  it('gives times, addresses and numbers of processes beyond 2^53', async () => {
    const epoch = 1_732_972_800_000_000_000n;
    const hardware = (1n << 56n) + (2n << 48n);
    const rows: Rows = {
      StringIds: strings,
      CUPTI_ACTIVITY_KIND_RUNTIME: [
        { ...callRow, start: epoch, end: epoch + 5000n, globalTid: hardware + BigInt(tid) },
      ],
      CUPTI_ACTIVITY_KIND_KERNEL: [
        { ...kernelRow, start: epoch + 8001n, end: epoch + 9003n, globalPid: hardware + BigInt(pid) },
      ],
      CUDA_UM_GPU_PAGE_FAULT_EVENTS: [
        {
          start: epoch + 1n,
          end: epoch + 2n,
          globalPid: hardware + BigInt(pid),
          deviceId: 0,
          address: 0x7fff_ffff_ffff_f000n,
          numberOfPageFaults: 12,
          faultAccessType: 1,
        },
      ],
    };
    const trace = await readNsysExport(made.write('epoch.sqlite', rows), null, engine);
    expect(trace.zero).toBe(epoch);
    expect([trace.work.start[0], trace.work.end[0], trace.calls.end[0]]).toEqual([8001, 9003, 5000]);
    expect([...trace.work.call]).toEqual([0]);
    expect(trace.threads[0]).toEqual({ process: 4242, thread: 4243, name: null });
    expect(trace.faults.pages[0]).toBe(12);
  });
});

describe('an export', () => {
  it('of 2020 has no processes and no kinds of memory', async () => {
    const trace = await read(
      {
        StringIds: strings,
        CUPTI_ACTIVITY_KIND_RUNTIME: [callRow, { ...callRow, start: 7000, correlationId: 12, nameId: 104 }],
        CUPTI_ACTIVITY_KIND_KERNEL: [
          without(kernelRow, 'globalPid', 'gridId', 'localMemoryPerThread', 'localMemoryTotal'),
        ],
        CUPTI_ACTIVITY_KIND_MEMCPY: [without(copyRow, 'globalPid', 'srcKind', 'dstKind')],
        NVTX_EVENTS: [{ start: 1, end: 90, eventType: 59, text: 'forward', globalTid: tid }],
      },
      schemaOf2020,
    );
    expect([...trace.work.call]).toEqual([0, 1]);
    expect(trace.routes[trace.work.detail[1]!]).toMatchObject({ direction: 'HtoD', from: 'unknown', to: 'device' });
    expect(trace.streams[0]).toMatchObject({ process: 4242, id: 7 });
    expect(trace.ranges[0]).toMatchObject({ name: 'forward', kind: 'other' });
    expect(trace.producer).toBeNull();
  });

  it('says what its own tables call copies and memory, before the usual numbers', async () => {
    const trace = await read({
      ...usual,
      ENUM_CUDA_MEMCPY_OPER: [{ id: 5, name: 'CUDA_MEMCPY_KIND_DTOH', label: 'Device-to-Host' }],
      ENUM_CUDA_MEM_KIND: [
        { id: 3, name: 'CUDA_MEMOPR_MEMORY_KIND_DEVICE', label: 'Device' },
        { id: 2, name: 'CUDA_MEMOPR_MEMORY_KIND_PINNED', label: 'Pinned' },
      ],
      CUPTI_ACTIVITY_KIND_MEMCPY: [{ ...copyRow, copyKind: 5, srcKind: 3, dstKind: 2 }],
    });
    expect(trace.routes).toEqual([{ direction: 'DtoH', from: 'device', to: 'pinned', migrationCause: null }]);
  });

  it('keeps processes and the GPUs that each of them sees apart', async () => {
    const [other, otherTid] = [99 * 2 ** 24, 99 * 2 ** 24 + 100];
    const trace = await read({
      ...usual,
      TARGET_INFO_GPU: [
        { id: 3, name: 'A', smCount: 10 },
        { id: 5, name: 'B', smCount: 20 },
      ],
      TARGET_INFO_CUDA_DEVICE: [
        { gpuId: 3, cudaId: 0, pid: 4242 },
        { gpuId: 5, cudaId: 0, pid: 99 },
      ],
      CUPTI_ACTIVITY_KIND_RUNTIME: [callRow, { ...callRow, start: 1500, globalTid: otherTid }],
      CUPTI_ACTIVITY_KIND_KERNEL: [kernelRow, { ...kernelRow, start: 9500, globalPid: other }],
      CUPTI_ACTIVITY_KIND_MEMCPY: [],
    });
    expect([...trace.work.call]).toEqual([0, 1]);
    expect(trace.streams.map(({ device, process }) => [trace.devices[device]!.name, process])).toEqual([
      ['A', 4242],
      ['B', 99],
    ]);
  });

  it('has waits, recorded events, faults, graphs, ranges, samples and waits of the system', async () => {
    const at = { deviceId: 0, contextId: 1, streamId: 13, correlationId: 21, globalPid: pid };
    const trace = await read({
      ...usual,
      CUPTI_ACTIVITY_KIND_RUNTIME: [callRow, { ...callRow, start: 3000, end: 3500, correlationId: 21, nameId: 105 }],
      CUPTI_ACTIVITY_KIND_SYNCHRONIZATION: [
        { ...at, start: 100, end: 900, syncType: 2, eventId: 4 },
        { ...at, start: 200, end: 950, streamId: 4_294_967_295, syncType: 4, eventId: 0 },
      ],
      CUPTI_ACTIVITY_KIND_CUDA_EVENT: [{ ...at, eventId: 4 }],
      CUPTI_ACTIVITY_KIND_GRAPH_TRACE: [{ ...at, start: 40_000, end: 50_000, graphId: 8, graphExecId: 9 }],
      CUPTI_ACTIVITY_KIND_MEMSET: [{ ...at, start: 60_000, end: 60_100, value: 0, bytes: 4096 }],
      CUDA_UM_GPU_PAGE_FAULT_EVENTS: [
        { start: 5, end: 9, globalPid: pid, deviceId: 0, address: 4096, numberOfPageFaults: 30, faultAccessType: 1 },
      ],
      CUDA_UM_CPU_PAGE_FAULT_EVENTS: [{ start: 7, globalPid: pid, address: 8192, CpuInstruction: 101 }],
      NVTX_EVENTS: [
        { start: 10, end: 70, eventType: 59, textId: 107, globalTid: tid },
        { start: 20, end: 60, eventType: 60, text: 'data loading', globalTid: tid },
        { start: 30, end: null, eventType: 34, text: 'a mark', globalTid: tid },
      ],
      OSRT_API: [
        { start: 0, end: 5_000_000, eventClass: 27, globalTid: tid, nameId: 106, returnValue: 0, callchainId: 0 },
        { start: 0, end: 5_000_000, eventClass: 27, globalTid: tid + 7, nameId: 106, returnValue: 0, callchainId: 0 },
      ],
      TARGET_INFO_GPU_METRICS: [
        { typeId: 256, sourceId: 1, typeName: 'x', metricId: 2, metricName: 'SMs Active [Throughput %]' },
      ],
      GPU_METRICS: [
        { timestamp: 1, typeId: 256, metricId: 2, value: 20 },
        { timestamp: 2, typeId: 256, metricId: 2, value: 40 },
      ],
      DIAGNOSTIC_EVENT: [
        { timestamp: 0, severity: 1, text: 'Profiling has started.' },
        { timestamp: 0, severity: 2, text: 'Not all NVTX events might have been collected.' },
      ],
      PROFILER_OVERHEAD: [{ start: 0, end: 2_000_000, globalTid: tid, nameId: 101, returnValue: 0 }],
      ThreadNames: [{ nameId: 101, priority: 0, globalTid: tid }],
      MPI_RANKS: [{ globalTid: tid, rank: 2 }],
    });
    expect(trace.synchronisations).toEqual([
      { kind: 'stream-wait-event', start: 100, end: 900, stream: 0, event: 4 },
      { kind: 'context', start: 200, end: 950, stream: -1, event: null },
      { kind: 'event-record', start: 3000, end: 3500, stream: 0, event: 4 },
    ]);
    expect(trace.streams[0]).toMatchObject({ id: 13, role: 'other' });
    expect([...trace.work.kind].filter((kind) => kind === workKinds.graph)).toHaveLength(1);
    expect([...trace.faults.pages]).toEqual([30, 1]);
    expect([...trace.faults.device]).toEqual([0, -1]);
    expect(trace.ranges.map(({ name, kind }) => [name, kind])).toEqual([
      ['sem_timedwait', 'wait'],
      ['train step 3', 'step'],
      ['data loading', 'loader'],
    ]);
    expect(trace.metrics).toEqual([
      { device: 0, name: 'SMs Active', unit: 'Throughput %', samples: 2, mean: 30, least: 20, most: 40 },
    ]);
    expect(trace.left).toEqual([
      'Nsight Systems says: Not all NVTX events might have been collected.',
      'the profiler itself was at work for 2.0 ms in 1 stretches: programs run faster without it',
    ]);
    expect(trace.threads[0]!.name).toBe('axpy');
    expect(trace.rank).toBe(2);
    expect(trace.notRecorded).toEqual(['graph-nodes']);
  });

  it('with NULL names and correlation numbers keeps its rows', async () => {
    const trace = await read({
      CUPTI_ACTIVITY_KIND_RUNTIME: [{ ...callRow, correlationId: null, globalTid: null }],
      CUPTI_ACTIVITY_KIND_KERNEL: [{ ...kernelRow, correlationId: null, globalPid: null }],
      CUPTI_ACTIVITY_KIND_MEMCPY: [{ ...copyRow, correlationId: null, srcKind: null, dstKind: null, end: 3 }],
    });
    expect([...trace.work.call]).toEqual([-1, -1]);
    expect(trace.names).toEqual(expect.arrayContaining(['(kernel without a name)', '(call without a name)']));
    expect(trace.routes).toEqual([{ direction: 'HtoD', from: 'unknown', to: 'device', migrationCause: null }]);
    expect(trace.left).toEqual(['1 events end before they start; they count as points']);
  });

  it('agrees with sums that SQL makes of it', async () => {
    const random = pseudo(7);
    const rows: Rows = {
      StringIds: strings,
      CUPTI_ACTIVITY_KIND_RUNTIME: many(3000, (at) => ({
        ...callRow,
        start: at * 900,
        end: at * 900 + random(800),
        correlationId: at + 1,
      })),
      CUPTI_ACTIVITY_KIND_KERNEL: many(3000, (at) => ({
        ...kernelRow,
        start: at * 900 + random(5000),
        end: at * 900 + 5000 + random(9000),
        streamId: 7 + random(5),
        correlationId: at + 1,
        demangledName: 101 + random(2),
        gridX: 1 + random(50),
      })),
      CUPTI_ACTIVITY_KIND_MEMCPY: many(500, (at) => ({
        ...copyRow,
        start: at * 7000,
        end: at * 7000 + random(6000),
        bytes: random(1e9),
        copyKind: 1 + random(2),
        correlationId: null,
      })),
    };
    const path = made.write('random.sqlite', rows);
    const trace = await readNsysExport(path);
    const db = new sqlite.Database(path, { readOnly: true });
    const sums = db.all(
      'select demangledName as name, streamId as stream, gridX as grid, count(*) as count, sum("end" - start) as total from CUPTI_ACTIVITY_KIND_KERNEL group by 1, 2, 3',
    );
    const copies = db.all(
      'select copyKind as kind, count(*) as count, sum(bytes) as bytes from CUPTI_ACTIVITY_KIND_MEMCPY group by 1',
    );
    db.close();
    const found = new Map<string, { count: number; total: number }>();
    const moved = new Map<string, { count: number; bytes: number }>();
    for (let row = 0; row < trace.work.count; row++) {
      const { kind, detail, name, stream, start, end, bytes } = trace.work;
      if (kind[row] === workKinds.kernel) {
        const key = `${trace.names[name[row]!]!} ${trace.streams[stream[row]!]!.id} ${trace.shapes[detail[row]!]!.grid[0]}`;
        const sum = found.get(key) ?? { count: 0, total: 0 };
        found.set(key, { count: sum.count + 1, total: sum.total + end[row]! - start[row]! });
        expect(trace.calls.start[trace.work.call[row]!]! % 900).toBe(0);
      } else {
        const key = trace.routes[detail[row]!]!.direction;
        const sum = moved.get(key) ?? { count: 0, bytes: 0 };
        moved.set(key, { count: sum.count + 1, bytes: sum.bytes + bytes[row]! });
      }
    }
    expect(Object.fromEntries(found)).toEqual(
      Object.fromEntries(
        sums.map(({ name, stream, grid, count, total }) => [
          `${strings.find((row) => row['id'] === name)!['value']} ${Number(stream)} ${Number(grid)}`,
          { count, total },
        ]),
      ),
    );
    expect(Object.fromEntries(moved)).toEqual(
      Object.fromEntries(copies.map(({ kind, count, bytes }) => [kind === 1 ? 'HtoD' : 'DtoH', { count, bytes }])),
    );
    expect([...trace.work.start]).toEqual([...trace.work.start].sort((a, b) => a - b));
  });
});

describe('a file beside which nothing may be written', () => {
  it('is read, and neither lock nor journal is left', async () => {
    const folder = join(made.folder, 'closed');
    mkdirSync(folder);
    const path = join(folder, 'run 100%?#.sqlite');
    copyFileSync(made.write('plain.sqlite', usual), path);
    chmodSync(path, 0o444);
    chmodSync(folder, 0o555);
    const trace = await readNsysExport(path);
    expect(trace.work.count).toBe(2);
    expect(readdirSync(folder)).toEqual(['run 100%?#.sqlite']);
    chmodSync(folder, 0o755);
  });

  it.each(engines)('and is in the mode of a log is read by %s, and no log is left', async (engine) => {
    const path = made.change(made.write('log.sqlite', usual), (bytes) => {
      // Both versions of the format say that changes stand in a log (https://www.sqlite.org/fileformat.html).
      bytes.fill(2, 18, 20);
      return bytes;
    });
    expect((await readNsysExport(path, 'run.sqlite', engine)).work.count).toBe(2);
    expect(readdirSync(made.folder).filter((name) => name.startsWith('log.sqlite'))).toEqual(['log.sqlite']);
  });

  it('is read though a lock of another program lies there', async () => {
    const path = made.write('locked.sqlite', usual);
    mkdirSync(`${path}.lock`);
    expect((await readNsysExport(path)).work.count).toBe(2);
    expect(readdirSync(dirname(path))).toContain('locked.sqlite.lock');
  });
});

describe('a file that is no export', () => {
  const refused: readonly (readonly [string, () => string, TraceUnreadable['code'], RegExp])[] = [
    ['is empty', () => write('empty.sqlite', ''), 'empty', /^run\.sqlite is empty$/],
    ['is a text', () => write('text.sqlite', 'hello, world'), 'foreign', /is no SQLite database$/],
    ['ends within its header', () => write('head.sqlite', 'SQLite format 3\0'), 'damaged', /ends within its header$/],
    [
      'is of another program',
      () => made.write('other.sqlite', { moz_places: [{ x: 1 }] }),
      'foreign',
      /of another program: its tables are moz_places$/,
    ],
    ['has no tables', () => made.write('none.sqlite', {}), 'empty', /is empty$/],
    ['is not there', () => join(made.folder, 'absent.sqlite'), 'damaged', /there is no such file/],
  ];
  it.each(refused)('%s', async (_, path, code, message) => {
    const error = await refusal(path());
    expect([error.code, error.message]).toEqual([code, expect.stringMatching(message)]);
  });

  const write = (name: string, text: string): string => {
    writeFileSync(join(made.folder, name), text);
    return join(made.folder, name);
  };
});

describe('a damaged export', () => {
  const large: Rows = {
    ...usual,
    CUPTI_ACTIVITY_KIND_RUNTIME: many(2000, (at) => ({
      ...callRow,
      start: at * 900,
      end: at * 900 + 100,
      correlationId: at + 1,
    })),
    CUPTI_ACTIVITY_KIND_KERNEL: many(2000, (at) => ({
      ...kernelRow,
      start: at * 900,
      end: at * 900 + 500,
      correlationId: at + 1,
    })),
  };

  it('that was cut off is read as far as it goes', async () => {
    const path = made.change(made.write('cut.sqlite', large), (bytes) =>
      bytes.subarray(0, Math.floor(bytes.length * 0.6)),
    );
    const trace = await readNsysExport(path);
    expect(trace.left[0]).toMatch(/^the file ends after \d+ of \d+ bytes$/);
    expect(trace.left.some((each) => each.includes('malformed'))).toBe(true);
    expect(trace.work.count + trace.calls.count).toBeGreaterThan(500);
  });

  it('with a broken page loses the rows of that page only', async () => {
    const path = made.change(made.write('page.sqlite', large), (bytes) => {
      const page = bytes.readUInt16BE(16);
      // A leaf of the kernels' table: it begins with 13, and holds the kernels' numbers.
      const leaf = Math.floor((bytes.length / page) * 0.75) * page;
      return Buffer.concat([bytes.subarray(0, leaf), Buffer.alloc(page, 0xff), bytes.subarray(leaf + page)]);
    });
    const trace = await readNsysExport(path);
    const damage = trace.left.find((each) => each.startsWith('CUPTI_ACTIVITY_KIND_KERNEL')) ?? '';
    const lost = Number(/; (\d+) of its 2000 rows cannot be read$/.exec(damage)?.[1]);
    expect(lost).toBeGreaterThan(0);
    expect(lost).toBeLessThan(100);
    expect(trace.work.count).toBe(2000 - lost + 1);
  });

  it('never ends in anything but its own error, whatever its bytes', async () => {
    const path = made.write('small.sqlite', {
      ...usual,
      NVTX_EVENTS: [{ start: 1, end: 9, eventType: 59, text: 'x', globalTid: tid }],
    });
    const whole = made.change(path, (bytes) => bytes);
    const { readFileSync } = await import('node:fs');
    const bytes = readFileSync(whole);
    await fc.assert(
      fc.asyncProperty(
        fc.nat(bytes.length),
        fc.array(fc.tuple(fc.nat(bytes.length - 1), fc.nat(255)), { maxLength: 12 }),
        fc.array(fc.tuple(fc.nat(99), fc.nat(255)), { maxLength: 2 }),
        async (cut, anywhere, inHeader) => {
          const changed = Buffer.from(bytes.subarray(0, cut < bytes.length / 3 ? bytes.length : cut));
          for (const [at, value] of [...anywhere, ...inHeader]) if (at < changed.length) changed[at] = value;
          const place = join(made.folder, 'mutant.sqlite');
          writeFileSync(place, changed);
          try {
            const trace = await readNsysExport(place);
            expect(trace.work.count).toBeLessThan(100_000);
          } catch (error) {
            expect(error).toBeInstanceOf(TraceUnreadable);
          }
        },
      ),
      { numRuns: 250 },
    );
  });
});

function many<Row>(count: number, make: (at: number) => Row): Row[] {
  return Array.from({ length: count }, (_, at) => make(at));
}

/** Whole numbers below a bound, the same ones in each run (Lehmer). */
function pseudo(seed: number): (bound: number) => number {
  let state = seed;
  return (bound) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % bound;
  };
}

function without<Row extends object>(row: Row, ...names: readonly string[]): Row {
  return Object.fromEntries(Object.entries(row).filter(([name]) => !names.includes(name))) as Row;
}

describe('an export that no tool writes', () => {
  const without = (table: string, rows: Rows = usual): Rows =>
    Object.fromEntries(Object.entries(rows).filter(([each]) => each !== table));
  const kernels = 'CUPTI_ACTIVITY_KIND_KERNEL';

  it('has names of kernels as text', async () => {
    const rows = {
      ...without('CUPTI_ACTIVITY_KIND_MEMCPY'),
      [kernels]: ['one', 'two', 'one'].map((name, at) => ({
        start: at * 100,
        end: at * 100 + 50,
        demangledName: name,
      })),
    };
    const tables = { ...schemaOf2020, [kernels]: 'start INT, end INT, deviceId INT, streamId INT, demangledName TEXT' };
    const { work, names } = await read(rows, tables);
    const isKernel = [...work.kind].map((kind) => kind === workKinds.kernel);
    expect([...work.name].filter((_, at) => isKernel[at]).map((name) => names[name])).toEqual(['one', 'two', 'one']);
  });

  it.each(engines)('has an index over all that is asked of its names, read by %s', async (engine) => {
    const names = ['two', 'one', 'three'];
    const path = made.write(
      'index.sqlite',
      {
        ...without('CUPTI_ACTIVITY_KIND_MEMCPY'),
        [kernels]: names.map((demangledName, at) => ({ start: at * 100, end: at * 100 + 50, demangledName })),
      },
      { ...schemaOf2020, [kernels]: 'start INT, end INT, demangledName TEXT' },
    );
    const database = new sqlite.Database(path);
    database.exec(`create index byName on ${kernels}(demangledName)`);
    database.close();
    const trace = await readNsysExport(path, 'run.sqlite', engine);
    const isKernel = [...trace.work.kind].map((kind) => kind === workKinds.kernel);
    expect([...trace.work.name].filter((_, at) => isKernel[at]).map((name) => trace.names[name])).toEqual(names);
  });

  it('has a view that never ends, which is not asked', async () => {
    const path = made.write('view.sqlite', without(kernels));
    const database = new sqlite.Database(path);
    database.exec(
      `create view ${kernels} as with recursive c(n) as (select 1 union all select n + 1 from c) select n as start, n as "end" from c`,
    );
    database.close();
    expect((await readNsysExport(path)).work.count).toBe(1);
  });

  it('has a table without times, which is left out and said', async () => {
    const rows = { ...without('CUPTI_ACTIVITY_KIND_MEMCPY'), [kernels]: [{ foo: 1 }] };
    const trace = await read(rows, { ...schemaOf2020, [kernels]: 'foo INT' });
    expect([trace.work.count, trace.calls.count]).toEqual([0, 2]);
    expect(trace.left.join()).toContain(`${kernels} has no column start`);
  });

  it('holds texts as UTF-16, which only the SQLite of Node reads', async () => {
    const path = made.change(made.write('utf16.sqlite', without(kernels)), (bytes) => {
      // Encoding of all texts (https://www.sqlite.org/fileformat.html).
      bytes[59] = 2;
      return bytes;
    });
    await expect(readNsysExport(path, 'run.sqlite', 'wasm')).rejects.toThrow(
      'run.sqlite holds its texts as UTF-16, which needs the SQLite of Node',
    );
  });

  it('has more GPUs than a host can have', async () => {
    const rows = Array.from({ length: 400 }, (_, at) => ({
      ...kernelRow,
      start: at * 100,
      end: at * 100 + 50,
      deviceId: at,
    }));
    const trace = await read({ ...usual, [kernels]: rows });
    expect(trace.devices.length).toBe(256);
    expect(trace.left.join()).toContain('work of 144 GPUs');
  });

  it.each([
    ['-wal', 'changes that are not in the file'],
    ['-journal', 'was being written'],
  ])('has a file %s beside it', async (end, said) => {
    const path = made.write(`beside${end}.sqlite`, usual);
    writeFileSync(path + end, new Uint8Array(100));
    expect((await readNsysExport(path, 'run.sqlite')).left.join()).toContain(said);
  });
});
