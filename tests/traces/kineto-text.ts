// The scene as the PyTorch profiler writes it.
import type { CallRecord, Process, WorkRecord } from './program.ts';
import { randomOf } from './random.ts';
import type { Scene } from './scene.ts';

const memory = { pageable: 'Pageable', pinned: 'Pinned', device: 'Device', managed: 'Managed' } as const;

/** One rank of a scene. Managed memory and the calls of graphs' nodes are not in such a trace. */
export function kinetoText(scene: Scene, rank: number): string {
  const process = scene.processes[rank]!;
  const offset = scene.offsets?.[rank] ?? 0;
  const random = randomOf(scene.seed, `kineto ${scene.name}`);
  const base = 1_756_713_600_000_000_000 + random.whole(0, 9_000_000) * 1_000_000;
  const world = scene.world ?? scene.processes.length;
  const lead = 300_000_000;
  const us = (ns: number): string => {
    const shifted = ns + offset + lead;
    return `${Math.floor(shifted / 1000)}.${String(shifted % 1000).padStart(3, '0')}`;
  };
  const long = (ns: number): string => `${Math.floor(ns / 1000)}.${String(ns % 1000).padStart(3, '0')}`;
  const events: { readonly at: number; readonly text: string }[] = [];
  const put = (
    cat: string,
    name: string,
    pid: number,
    tid: number,
    start: number,
    end: number,
    args: Readonly<Record<string, unknown>>,
  ): void => {
    events.push({
      at: start,
      text: `{"ph": "X", "cat": "${cat}", "name": ${JSON.stringify(name)}, "pid": ${pid}, "tid": ${tid}, "ts": ${us(start)}, "dur": ${long(end - start)}, "args": ${JSON.stringify(args)}}`,
    });
  };
  const { pid } = process;
  const steps = process.ranges.filter(({ name }) => name.startsWith('ProfilerStep'));
  for (const each of process.ranges)
    put(each.name.startsWith('aten::') ? 'cpu_op' : 'user_annotation', each.name, pid, each.tid, each.start, each.end, {
      'External id': 7,
    });
  const flows: string[] = [];
  for (const call of process.calls) {
    put(call.name.startsWith('cuda') ? 'cuda_runtime' : 'cuda_driver', call.name, pid, call.tid, call.start, call.end, {
      'External id': call.correlation + 1000,
      cbid: 211,
      correlation: call.correlation,
    });
    flows.push(
      `{"ph": "s", "id": ${call.correlation}, "pid": ${pid}, "tid": ${call.tid}, "ts": ${us(call.start)}, "cat": "ac2g", "name": "ac2g"}`,
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
    flows.push(
      `{"ph": "f", "id": ${work.correlation}, "pid": ${work.device}, "tid": ${work.stream}, "ts": ${us(work.start)}, "cat": "ac2g", "name": "ac2g", "bp": "e"}`,
    );
  }
  const syncs = random.chance(0.5);
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
  const { gpu } = process;
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
  const devices = Math.max(...process.devices.map(({ index }) => index)) + 1;
  const head = {
    schemaVersion: 1,
    deviceProperties: Array.from({ length: devices }, (_, at) => property(at)),
    cupti_version: 24,
    cuda_runtime_version: 12060,
    cuda_driver_version: 12080,
    ...(world === 1
      ? {}
      : { distributedInfo: { backend: 'nccl', rank, world_size: world, pg_count: 1, nccl_version: '2.21.5' } }),
    record_shapes: 0,
    with_stack: 0,
    displayTimeUnit: 'ms',
  };
  const end = Math.max(0, ...process.calls.map((call: CallRecord) => call.end), ...steps.map((each) => each.end));
  put('Trace', 'PyTorch Profiler (0)', 0, 0, 0, end, { 'Op count': 0 });
  events.sort((a, b) => a.at - b.at);
  const body = [...events.map(({ text }) => text), ...flows];
  return `${JSON.stringify(head).slice(0, -1)},\n"baseTimeNanoseconds": ${base},\n"traceEvents": [\n${body.join(',\n')}\n],\n"traceName": "rank${rank}.pt.trace.json"}\n`;
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
