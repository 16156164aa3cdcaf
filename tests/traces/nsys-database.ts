// The scene as Nsight Systems exports it.
import sqlite from 'node-sqlite3-wasm';
import type { NsysDialect } from './dialects.ts';
import type { Granularity } from './numbers.ts';
import { recorded } from './numbers.ts';
import type { Process } from './program.ts';
import { randomOf } from './random.ts';
import type { Scene } from './scene.ts';

type Value = number | bigint | string | null;

const place =
  'start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, greenContextId INTEGER, streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER';
const tables = {
  StringIds: 'id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL',
  META_DATA_EXPORT: 'name TEXT, value TEXT',
  TARGET_INFO_SESSION_START_TIME: 'utcEpochNs INTEGER, utcTime TEXT, localTime TEXT',
  TARGET_INFO_GPU:
    'vmId INTEGER NOT NULL, id INTEGER NOT NULL, name TEXT, busLocation TEXT, isDiscrete INTEGER, l2CacheSize INTEGER, totalMemory INTEGER, memoryBandwidth INTEGER, clockRate INTEGER, smCount INTEGER, pwGpuId INTEGER, uuid TEXT, luid INTEGER, chipName TEXT, cuDevice INTEGER, computeMajor INTEGER, computeMinor INTEGER',
  TARGET_INFO_CUDA_STREAM:
    'streamId INTEGER NOT NULL, hwId INTEGER NOT NULL, vmId INTEGER NOT NULL, processId INTEGER NOT NULL, contextId INTEGER NOT NULL, priority INTEGER NOT NULL, flag INTEGER NOT NULL',
  ENUM_CUPTI_STREAM_TYPE: 'id INTEGER NOT NULL PRIMARY KEY, name TEXT, label TEXT',
  ENUM_CUDA_MEMCPY_OPER: 'id INTEGER NOT NULL PRIMARY KEY, name TEXT, label TEXT',
  ENUM_CUDA_MEM_KIND: 'id INTEGER NOT NULL PRIMARY KEY, name TEXT, label TEXT',
  ENUM_CUDA_KERNEL_LAUNCH_TYPE: 'id INTEGER NOT NULL PRIMARY KEY, name TEXT, label TEXT',
  CUPTI_ACTIVITY_KIND_RUNTIME:
    'start INTEGER NOT NULL, end INTEGER NOT NULL, eventClass INTEGER NOT NULL, globalTid INTEGER, correlationId INTEGER, nameId INTEGER NOT NULL REFERENCES StringIds(id), returnValue INTEGER NOT NULL, callchainId INTEGER',
  CUPTI_ACTIVITY_KIND_KERNEL: `${place}, demangledName INTEGER NOT NULL, shortName INTEGER NOT NULL, mangledName INTEGER, launchType INTEGER, cacheConfig INTEGER, registersPerThread INTEGER NOT NULL, gridX INTEGER NOT NULL, gridY INTEGER NOT NULL, gridZ INTEGER NOT NULL, blockX INTEGER NOT NULL, blockY INTEGER NOT NULL, blockZ INTEGER NOT NULL, staticSharedMemory INTEGER NOT NULL, dynamicSharedMemory INTEGER NOT NULL, localMemoryPerThread INTEGER NOT NULL, localMemoryTotal INTEGER NOT NULL, gridId INTEGER NOT NULL, sharedMemoryExecuted INTEGER, graphNodeId INTEGER, sharedMemoryLimitConfig INTEGER`,
  CUPTI_ACTIVITY_KIND_MEMCPY: `${place}, bytes INTEGER NOT NULL, copyKind INTEGER NOT NULL, deprecatedSrcId INTEGER, srcKind INTEGER, dstKind INTEGER, srcDeviceId INTEGER, srcContextId INTEGER, dstDeviceId INTEGER, dstContextId INTEGER, migrationCause INTEGER, graphNodeId INTEGER, virtualAddress INTEGER, copyCount INTEGER`,
  CUPTI_ACTIVITY_KIND_MEMSET: `${place}, value INTEGER NOT NULL, bytes INTEGER NOT NULL, graphNodeId INTEGER, memKind INTEGER`,
  CUPTI_ACTIVITY_KIND_SYNCHRONIZATION: `${place}, syncType INTEGER NOT NULL, eventId INTEGER NOT NULL, eventSyncId INTEGER`,
  CUPTI_ACTIVITY_KIND_GRAPH_TRACE: `${place}, graphId INTEGER NOT NULL, graphExecId INTEGER NOT NULL`,
  NVTX_EVENTS:
    'start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL, rangeId INTEGER, category INTEGER, color INTEGER, text TEXT, globalTid INTEGER, endGlobalTid INTEGER, textId INTEGER REFERENCES StringIds(id), domainId INTEGER, uint64Value INTEGER',
  CUDA_UM_CPU_PAGE_FAULT_EVENTS:
    'start INTEGER NOT NULL, globalPid INTEGER NOT NULL, address INTEGER NOT NULL, originalFaultPc INTEGER, CpuInstruction INTEGER NOT NULL, module INTEGER, unresolvedFrames INTEGER, sourceFile INTEGER, sourceLine INTEGER',
  CUDA_UM_GPU_PAGE_FAULT_EVENTS:
    'start INTEGER NOT NULL, end INTEGER NOT NULL, globalPid INTEGER NOT NULL, deviceId INTEGER NOT NULL, address INTEGER NOT NULL, numberOfPageFaults INTEGER NOT NULL, faultAccessType INTEGER NOT NULL',
} as const;
type Table = keyof typeof tables;

const copyKinds = { HtoD: 1, DtoH: 2, DtoD: 8, PtoP: 10, UVM_HtoD: 11, UVM_DtoH: 12 } as const;
const copyOperations = [
  [0, 'UNKNOWN', 'Unknown'],
  [1, 'HTOD', 'Host-to-Device'],
  [2, 'DTOH', 'Device-to-Host'],
  [8, 'DTOD', 'Device-to-Device'],
  [10, 'PTOP', 'Peer-to-Peer'],
  [11, 'UVM_HTOD', 'Unified Host-to-Device'],
  [12, 'UVM_DTOH', 'Unified Device-to-Host'],
] as const;
const memoryKinds = { pageable: 0, pinned: 1, device: 2, managed: 4 } as const;
const versions: Readonly<Record<string, string>> = {
  cudaLaunchKernel: '_v7000',
  cudaLaunchKernelExC: '_v11060',
  cudaMemcpy: '_v3020',
  cudaMemcpyAsync: '_v3020',
  cudaMemsetAsync: '_v3020',
  cudaStreamSynchronize: '_v3020',
  cudaDeviceSynchronize: '_v3020',
  cudaEventRecord: '_v3020',
  cudaStreamWaitEvent: '_v3020',
  cudaMalloc: '_v3020',
  cudaFree: '_v3020',
  cudaGraphLaunch: '_v10000',
  cudaMallocManaged: '_v6000',
  cudaMemPrefetchAsync: '_v8000',
  cudaStreamCreate: '_v3020',
  cudaStreamCreateWithFlags: '_v5000',
  cudaEventQuery: '_v3020',
  cudaEventSynchronize: '_v3020',
  cudaHostAlloc: '_v3020',
  cudaFreeHost: '_v3020',
  cudaGetDeviceCount: '_v3020',
  cudaSetDevice: '_v3020',
  cudaMallocAsync: '_v11020',
  cudaFreeAsync: '_v11020',
};
const ofStreams = new Set([
  'cudaLaunchKernel',
  'cudaLaunchKernelExC',
  'cuLaunchKernel',
  'cudaMemcpyAsync',
  'cudaMemsetAsync',
  'cudaStreamSynchronize',
  'cudaEventRecord',
  'cudaStreamWaitEvent',
  'cudaGraphLaunch',
]);

/** Columns and tables that exports of an age had not yet. */
const unknownTo: Readonly<Record<NsysDialect['age'], { readonly columns: RegExp; readonly tables: RegExp }>> = {
  '2019': {
    columns:
      /^(?:greenContextId|mangledName|eventClass|eventSyncId|virtualAddress|copyCount|deprecatedSrcId|graphNodeId|migrationCause|memKind|callchainId|sharedMemoryLimitConfig|domainId|uint64Value|textId)$/u,
    tables: /^(?:ENUM_|META_DATA_EXPORT|TARGET_INFO_|CUPTI_ACTIVITY_KIND_(?:SYNCHRONIZATION|GRAPH_TRACE))/u,
  },
  '2021': {
    columns: /^(?:greenContextId|mangledName|eventSyncId|copyCount|sharedMemoryLimitConfig)$/u,
    tables: /^META_DATA_EXPORT$/u,
  },
  '2025': { columns: /^$/u, tables: /^$/u },
};

/** Whether graphs were recorded whole or by node, as the seed decides. */
export const granularityOf = (scene: Scene): Granularity =>
  scene.seed % 3 === 0 || scene.dialect.nsys.age === '2019' ? 'node' : 'graph';

/** Writes one rank of a scene, or all of its processes where they were recorded together. */
export function writeNsysDatabase(scene: Scene, rank: number, path: string): void {
  const dialect = scene.dialect.nsys;
  const processes = scene.together === true ? scene.processes : [scene.processes[rank]!];
  const random = randomOf(scene.seed, `nsys ${scene.name}`);
  const shift = (scene.offsets?.[rank] ?? 0) + 1_000_000_000;
  const rows = new Map<Table, Value[][]>();
  const put = (table: Table, ...values: Value[]): void => {
    const list = rows.get(table);
    if (list === undefined) rows.set(table, [values]);
    else list.push(values);
  };
  const strings = new Map<string, number>();
  const text = (value: string): number => {
    let id = strings.get(value);
    if (id === undefined) strings.set(value, (id = 100 + strings.size));
    return id;
  };
  put('META_DATA_EXPORT', 'EXPORT_SCHEMA_VERSION', '3.19.2');
  put('META_DATA_EXPORT', 'EXPORT_PRODUCT_VERSION', '2025.3.1.90');
  put('TARGET_INFO_SESSION_START_TIME', 1_756_713_600_000_000_000n, '2025-09-01T08:00:00', '2025-09-01T08:00:00');
  const { gpu } = processes[0]!;
  const last = Math.max(...processes.flatMap(({ devices }) => devices.map(({ index }) => index)));
  for (let id = 0; id <= last; id++)
    put(
      'TARGET_INFO_GPU',
      0,
      id,
      gpu.name,
      `0000:${(0x19 + id * 16).toString(16)}:00.0`,
      1,
      52_428_800,
      gpu.memory,
      2_000_000_000_000,
      1_700_000_000,
      gpu.sms,
      id,
      `0b9e41c7-5528-4d1f-8d02-6a7b13cc9f4${id}`,
      null,
      gpu.chip,
      id,
      gpu.major,
      gpu.minor,
    );
  for (const [id, name, label] of copyOperations) put('ENUM_CUDA_MEMCPY_OPER', id, `CUDA_MEMCPY_KIND_${name}`, label);
  for (const [id, name] of [
    [0, 'Pageable'],
    [1, 'Pinned'],
    [2, 'Device'],
    [3, 'Array'],
    [4, 'Managed'],
    [5, 'Device Static'],
    [6, 'Managed Static'],
  ] as const)
    put('ENUM_CUDA_MEM_KIND', id, `CUDA_MEMOPR_MEMORY_KIND_${name.toUpperCase().replace(' ', '_')}`, name);
  for (const [id, name] of [
    [0, 'UNKNOWN'],
    [1, 'DEFAULT'],
    [2, 'NON_BLOCKING'],
    [3, 'NULL'],
  ] as const)
    put('ENUM_CUPTI_STREAM_TYPE', id, `CUPTI_ACTIVITY_STREAM_CREATE_FLAG_${name}`, name);
  put('ENUM_CUDA_KERNEL_LAUNCH_TYPE', 1, 'CUDA_KERNEL_LAUNCH_TYPE_REGULAR', 'Regular');

  const syncs = random.chance(0.7);
  for (const process of processes) writeProcess(scene, process, { put, text, shift, syncs, dialect });
  for (const [value, id] of strings) put('StringIds', id, value);

  const database = new sqlite.Database(path);
  try {
    database.exec(
      'PRAGMA foreign_keys = OFF; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE; BEGIN',
    );
    for (const [table, list] of rows) {
      const unknown = unknownTo[dialect.age];
      if (unknown.tables.test(table)) continue;
      const all = tables[table].split(', ');
      const kept = all.flatMap((column, at) => (unknown.columns.test(column.split(' ')[0]!) ? [] : [at]));
      const added = dialect.moreColumns && table.startsWith('CUPTI') ? ', laterColumn TEXT' : '';
      database.exec(`CREATE TABLE ${table} (${kept.map((at) => all[at]).join(', ')}${added})`);
      const names = kept.map((at) => all[at]!.split(' ')[0]).join(', ');
      const statement = database.prepare(`INSERT INTO ${table} (${names}) VALUES (${kept.map(() => '?').join(', ')})`);
      for (const values of list) statement.run(kept.map((at) => values[at]!));
      statement.finalize();
    }
    database.exec('COMMIT');
  } finally {
    database.close();
  }
}

interface Writing {
  readonly put: (table: Table, ...values: Value[]) => void;
  readonly text: (value: string) => number;
  readonly shift: number;
  readonly syncs: boolean;
  readonly dialect: NsysDialect;
}

function writeProcess(scene: Scene, process: Process, { put, text, shift, syncs, dialect }: Writing): void {
  const pid = (1n << 56n) | (BigInt(process.pid) << 24n);
  const flags = { legacy: 3, blocking: 1, 'non-blocking': 2 } as const;
  for (const { streams, index } of process.devices)
    for (const { id, mode } of streams)
      put('TARGET_INFO_CUDA_STREAM', id, 0, 0, process.pid, 1 + index, 0, flags[mode]);
  const tid = (id: number): bigint => pid | BigInt(id & 0xffffff);
  const where = (each: {
    start: number;
    end: number;
    device: number;
    stream: number;
    correlation: number;
  }): Value[] => [
    each.start + shift,
    each.end + shift,
    each.device,
    1 + each.device,
    null,
    each.stream,
    each.correlation,
    pid,
  ];

  for (const call of process.calls) {
    const suffix = process.suffix === 'per-thread' && ofStreams.has(call.name) ? '_ptsz' : '';
    put(
      'CUPTI_ACTIVITY_KIND_RUNTIME',
      call.start + shift,
      call.end + shift,
      call.name.startsWith('cuda') ? 0 : 1,
      tid(call.tid),
      call.correlation,
      text(`${call.name}${suffix}${versions[call.name] ?? ''}`),
      0,
      null,
    );
  }
  for (const work of recorded(process, 'nsys', granularityOf(scene)))
    switch (work.kind) {
      case 'kernel': {
        const { name, grid, block, registers, shared } = work.spec;
        const short = name.replace(/^void /u, '').replace(/[<(].*$/u, '') || name;
        put(
          'CUPTI_ACTIVITY_KIND_KERNEL',
          ...where(work),
          text(name),
          text(short),
          text(`_Z${short.length}${short}v`),
          1,
          0,
          registers,
          grid,
          1,
          1,
          block,
          1,
          1,
          0,
          shared,
          0,
          0,
          work.correlation,
          32_768,
          work.node,
          0,
        );
        break;
      }
      case 'graph':
        put('CUPTI_ACTIVITY_KIND_GRAPH_TRACE', ...where(work), work.graph, work.graph + 1);
        break;
      case 'memset':
        put('CUPTI_ACTIVITY_KIND_MEMSET', ...where(work), 0, work.bytes, null, 2);
        break;
      case 'copy': {
        const other =
          work.copy === 'PtoP' ? process.devices.find(({ index }) => index !== work.device)!.index : work.device;
        put(
          'CUPTI_ACTIVITY_KIND_MEMCPY',
          ...where(work),
          work.bytes,
          copyKinds[work.copy],
          null,
          memoryKinds[work.from],
          memoryKinds[work.to],
          work.device,
          1,
          other,
          1,
          work.cause,
          null,
          work.cause === null ? null : 0x7f00_0000_0000,
          1,
        );
        break;
      }
      default:
        work satisfies never;
    }
  if (syncs)
    for (const each of process.syncs)
      put(
        'CUPTI_ACTIVITY_KIND_SYNCHRONIZATION',
        ...where({ ...each, stream: each.stream < 0 ? 4_294_967_295 : each.stream }),
        each.type,
        each.type === 2 ? 5 : 0,
        null,
      );
  for (const each of process.ranges)
    put(
      'NVTX_EVENTS',
      each.start + shift,
      each.end + shift,
      dialect.rangeType,
      null,
      null,
      null,
      dialect.textIds && dialect.age !== '2019' ? null : each.name,
      tid(each.tid),
      null,
      dialect.textIds ? text(each.name) : null,
      0,
      null,
    );
  for (const at of process.cpuFaults)
    put('CUDA_UM_CPU_PAGE_FAULT_EVENTS', at + shift, pid, 0x7f00_0000_0000, null, 0x40_1000, null, null, null, null);
  for (const each of process.gpuFaults)
    put(
      'CUDA_UM_GPU_PAGE_FAULT_EVENTS',
      each.start + shift,
      each.end + shift,
      pid,
      each.device,
      0x7f00_0000_0000,
      each.faults,
      1,
    );
}
