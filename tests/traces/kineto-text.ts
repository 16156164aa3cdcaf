// The scene as the PyTorch profiler writes it.
import type { KinetoDialect } from './dialects.ts';
import type { Process, WorkRecord } from './program.ts';
import { randomOf } from './random.ts';
import type { Scene } from './scene.ts';

const memory = { pageable: 'Pageable', pinned: 'Pinned', device: 'Device', managed: 'Managed' } as const;

/**
 * One rank of a scene, or all of its processes where they were recorded together. Managed memory and the calls of
 * graphs' nodes are not in such a trace.
 */
export function kinetoText(scene: Scene, rank: number): string {
  const dialect = scene.dialect.kineto;
  const processes = scene.together === true ? scene.processes : [scene.processes[rank]!];
  const offset = scene.offsets?.[rank] ?? 0;
  const random = randomOf(scene.seed, `kineto ${scene.name}`);
  // Divisible by 256, as far as a number of that size is exact.
  const base = 1_756_713_600_000_000_000 + random.whole(0, 35_000) * 256_000_000;
  const world = scene.world ?? scene.processes.length;
  const lead = 300_000_000;
  const long = (ns: number): string =>
    dialect.times === 'whole'
      ? String(Math.floor(ns / 1000))
      : `${Math.floor(ns / 1000)}.${String(ns % 1000).padStart(3, '0')}`;
  const us = (ns: number): string => {
    const shifted = ns + offset + lead;
    if (dialect.times === 'fraction') return long(shifted);
    // Since 1970 there are more nanoseconds than a number holds exactly.
    const since = BigInt(base) + BigInt(shifted);
    const micros = String(since / 1000n);
    return dialect.times === 'whole' ? micros : `${micros}.${String(since % 1000n).padStart(3, '0')}`;
  };
  const line = dialect.spaced ? '\n    ' : '';
  const events: { readonly at: number; readonly text: string }[] = [];
  const put = (
    cat: string,
    name: string,
    pid: number | string,
    tid: number | string,
    start: number,
    end: number,
    args: Readonly<Record<string, unknown>>,
  ): void => {
    const early = dialect.era === 'early';
    if (early) cat = earlyCategories[cat] ?? cat;
    if (early && typeof tid === 'number')
      tid = ['Kernel', 'Memcpy', 'Memset'].includes(cat) ? `"stream ${tid}"` : `"${tid}"`;
    if (early && 'External id' in args) {
      const { 'External id': id, ...others } = args;
      args = { ...others, 'external id': id };
    }
    events.push({
      at: start,
      text: `{${line}"ph": "X", "cat": "${cat}", "name": ${JSON.stringify(name)}, "pid": ${pid}, "tid": ${tid},${line} "ts": ${us(start)}, "dur": ${long(end - start)},${line} "args": ${JSON.stringify(args)}${line}}`,
    });
  };
  const flows: string[] = [];
  const syncs = random.chance(0.5);
  for (const process of processes) writeProcess(process, { put, flows, events, us, syncs, dialect });
  const { gpu } = processes[0]!;
  const property = (id: number): unknown => ({
    id,
    name: gpu.name,
    totalGlobalMem: gpu.memory,
    computeMajor: gpu.major,
    computeMinor: gpu.minor,
    maxThreadsPerBlock: 1024,
    maxThreadsPerMultiprocessor: gpu.chip === 'TU104' ? 1024 : gpu.chip === 'AD102' ? 1536 : 2048,
    regsPerBlock: 65536,
    warpSize: 32,
    sharedMemPerBlock: 49152,
    numSms: gpu.sms,
    regsPerMultiprocessor: 65536,
    sharedMemPerBlockOptin: 101376,
    sharedMemPerMultiprocessor: 102400,
  });
  const devices = Math.max(...processes.flatMap((each) => each.devices.map(({ index }) => index))) + 1;
  const head = {
    schemaVersion: 1,
    ...(dialect.deviceProperties ? { deviceProperties: Array.from({ length: devices }, (_, at) => property(at)) } : {}),
    cupti_version: 24,
    cuda_runtime_version: 12060,
    cuda_driver_version: 12080,
    ...(world === 1 || scene.together === true || !dialect.distributed
      ? {}
      : { distributedInfo: { backend: 'nccl', rank, world_size: world, pg_count: 1, nccl_version: '2.21.5' } }),
    record_shapes: 0,
    with_stack: dialect.stacks ? 1 : 0,
    displayTimeUnit: 'ms',
  };
  const ends = processes.flatMap(({ calls, ranges }) => [...calls, ...ranges].map((each) => each.end));
  const end = ends.reduce((latest, each) => Math.max(latest, each), 0);
  put('Trace', 'PyTorch Profiler (0)', '"Spans"', '"PyTorch Profiler"', 0, end, { 'Op count': 0 });
  if (dialect.namesOfRows) flows.push(...rowNames(processes, us, dialect));
  if (dialect.sorted) events.sort((a, b) => a.at - b.at);
  const body = [...events.map(({ text }) => text), ...flows];
  return `${JSON.stringify(head).slice(0, -1)},\n${dialect.times === 'fraction' ? `"baseTimeNanoseconds": ${base},\n` : ''}"traceEvents": [\n${body.join(',\n')}\n],\n"traceName": "rank${rank}.pt.trace.json"}\n`;
}

function describe(
  process: Process,
  work: WorkRecord,
): { readonly cat: string; readonly name: string; readonly args: Readonly<Record<string, unknown>> } | null {
  switch (work.kind) {
    case 'graph':
      return null;
    case 'kernel': {
      const { name, grid, block, registers, shared } = work.spec;
      const nccl = name.startsWith('nccl')
        ? { 'Collective name': 'allreduce', 'In msg nelems': 1_000_000, 'Process Group Name': '0' }
        : {};
      return {
        cat: 'kernel',
        name,
        args: {
          queued: 0,
          'registers per thread': registers,
          'shared memory': shared,
          'blocks per SM': grid / process.gpu.sms,
          'warps per SM': (grid * Math.ceil(block / 32)) / process.gpu.sms,
          grid: [grid, 1, 1],
          block: [block, 1, 1],
          'est. achieved occupancy %': 50,
          ...(work.node === null ? {} : { 'graph node id': work.node }),
          ...nccl,
        },
      };
    }
    case 'memset':
      return { cat: 'gpu_memset', name: 'Memset (Device)', args: { bytes: work.bytes } };
    case 'copy':
      if (work.copy.startsWith('UVM')) return null;
      return {
        cat: 'gpu_memcpy',
        name: `Memcpy ${work.copy} (${memory[work.from]} -> ${memory[work.to]})`,
        args: { bytes: work.bytes, 'memory bandwidth (GB/s)': work.bytes / (work.end - work.start) },
      };
    default:
      return work satisfies never;
  }
}

const earlyCategories: Readonly<Record<string, string>> = {
  kernel: 'Kernel',
  gpu_memcpy: 'Memcpy',
  gpu_memset: 'Memset',
  cuda_runtime: 'Runtime',
  cuda_driver: 'Runtime',
  cpu_op: 'Operator',
};

/** Where pthreads have their ids: addresses beyond 2 ** 46. */
const pthread = 139_872_368_000_000;

interface Writing {
  readonly put: (
    cat: string,
    name: string,
    pid: number | string,
    tid: number | string,
    start: number,
    end: number,
    args: Readonly<Record<string, unknown>>,
  ) => void;
  readonly flows: string[];
  readonly events: { readonly at: number; readonly text: string }[];
  readonly us: (ns: number) => string;
  readonly syncs: boolean;
  readonly dialect: KinetoDialect;
}

function writeProcess(process: Process, { put, flows, events, us, syncs, dialect }: Writing): void {
  const { pid } = process;
  const link = dialect.era === 'early' ? '"cat": "async", "name": "launch"' : '"cat": "ac2g", "name": "ac2g"';
  const tidOf = (tid: number): number => (dialect.tids === 'system' ? tid : pthread + tid * 4096);
  for (const each of process.ranges)
    put(
      each.name.startsWith('aten::') ? 'cpu_op' : 'user_annotation',
      each.name,
      pid,
      tidOf(each.tid),
      each.start,
      each.end,
      {
        'External id': 7,
      },
    );
  if (dialect.gpuAnnotations) {
    const stream = process.work[0]?.stream ?? 7;
    for (const each of process.ranges)
      if (!each.name.startsWith('aten::'))
        put('gpu_user_annotation', each.name, process.device.index, stream, each.start + 20_000, each.end + 900_000, {
          'External id': 7,
        });
  }
  for (const [at, call] of process.calls.entries()) {
    const around = (before: number, after: number): [number, number] => [call.start - before, call.end + after];
    if (dialect.stacks) {
      const frame = { 'Python parent id': at, 'Python id': at + 1, 'Python thread': 0 };
      put(
        'python_function',
        'torch/nn/modules/module.py(1553): _wrapped_call_impl',
        pid,
        tidOf(call.tid),
        ...around(400, 300),
        frame,
      );
      put(
        'python_function',
        '<built-in method add of type object at 0x7f3c40d2a1e0>',
        pid,
        tidOf(call.tid),
        ...around(300, 200),
        frame,
      );
    }
    if (dialect.operators && /Launch|Memcpy|Memset/u.test(call.name))
      put(
        'cpu_op',
        call.name.includes('Memcpy') ? 'aten::copy_' : 'aten::mul',
        pid,
        tidOf(call.tid),
        ...around(200, 100),
        {
          'External id': call.correlation + 1000,
          'Record function id': 0,
          'Sequence number': at,
          'Fwd thread id': 0,
        },
      );
    if (dialect.memory && at % 3 === 0)
      events.push({
        at: call.start,
        text: `{"ph": "i", "cat": "cpu_instant_event", "s": "t", "name": "[memory]", "pid": ${pid}, "tid": ${tidOf(call.tid)}, "ts": ${us(call.start)}, "args": {"Total Reserved": 2097152, "Total Allocated": ${at * 512}, "Bytes": ${at % 2 === 0 ? 512 : -512}, "Addr": ${140_000_000_000_000 + at}, "Device Id": 0, "Device Type": 1}}`,
      });
    put(
      call.name.startsWith('cuda') ? 'cuda_runtime' : 'cuda_driver',
      call.name,
      pid,
      tidOf(call.tid),
      call.start,
      call.end,
      {
        'External id': call.correlation + 1000,
        cbid: 211,
        correlation: call.correlation,
      },
    );
    if (dialect.flows)
      flows.push(
        `{"ph": "s", "id": ${call.correlation}, "pid": ${pid}, "tid": ${tidOf(call.tid)}, "ts": ${us(call.start)}, ${link}}`,
      );
  }
  for (const work of process.work) {
    const described = describe(process, work);
    if (described === null) continue;
    const place = { device: work.device, context: 1, stream: work.stream, correlation: work.correlation };
    put(described.cat, described.name, work.device, work.stream, work.start, work.end, {
      'External id': work.correlation + 1000,
      ...place,
      ...described.args,
    });
    if (dialect.flows)
      flows.push(
        `{"ph": "f", "id": ${work.correlation}, "pid": ${work.device}, "tid": ${work.stream}, "ts": ${us(work.start)}, ${link}, "bp": "e"}`,
      );
  }
  const syncNames = { 1: 'Event Sync', 2: 'Stream Wait Event', 3: 'Stream Sync', 4: 'Context Sync' } as const;
  if (syncs)
    for (const each of process.syncs)
      put('cuda_sync', syncNames[each.type], each.device, each.stream, each.start, each.end, {
        cuda_sync_kind: syncNames[each.type],
        stream: each.stream,
        correlation: each.correlation,
        device: each.device,
        context: 1,
      });
}

/** Rows have names, and the start of the window is marked. */
function rowNames(
  processes: readonly Process[],
  us: (ns: number) => string,
  dialect: KinetoDialect,
): readonly string[] {
  const row = (name: string, pid: number, tid: number, args: string): string =>
    `{"name": "${name}", "ph": "M", "ts": ${us(0)}, "pid": ${pid}, "tid": ${tid}, "args": ${args}}`;
  const devices = new Set(processes.flatMap((process) => process.devices.map(({ index }) => index)));
  return [
    ...processes.flatMap(({ pid }) => [
      row('process_name', pid, 0, '{"name": "python"}'),
      row('process_labels', pid, 0, '{"labels": "CPU"}'),
      row('process_sort_index', pid, 0, `{"sort_index": ${pid}}`),
      row(
        'thread_name',
        pid,
        dialect.tids === 'system' ? pid : pthread + pid * 4096,
        `{"name": "thread ${pid} (python)"}`,
      ),
    ]),
    ...[...devices].flatMap((index) => [
      row('process_name', index, 0, '{"name": "python"}'),
      row('process_labels', index, 0, `{"labels": "GPU ${index}"}`),
      row('thread_name', index, 7, '{"name": "stream 7 "}'),
    ]),
    `{"name": "Iteration Start: PyTorch Profiler", "ph": "i", "s": "g", "pid": "Traces", "tid": "Trace PyTorch Profiler", "ts": ${us(0)}}`,
    `{"name": "Record Window End", "ph": "i", "s": "g", "pid": "", "tid": "", "ts": ${us(0)}}`,
  ];
}
