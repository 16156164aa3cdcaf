// Exports of Nsight Systems for tests: the tables of the present schema and of older ones, with invented values.
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sqlite from 'node-sqlite3-wasm';

type Value = number | bigint | string | null;

/** Columns of the present schema. */
const schema: Readonly<Record<string, string>> = {
  META_DATA_EXPORT: 'name TEXT, value TEXT',
  StringIds: 'id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL',
  TARGET_INFO_GPU:
    'vmId INTEGER, id INTEGER NOT NULL, name TEXT, busLocation TEXT, isDiscrete INTEGER, l2CacheSize INTEGER, totalMemory INTEGER, memoryBandwidth INTEGER, clockRate INTEGER, smCount INTEGER, pwGpuId INTEGER, uuid TEXT, luid INTEGER, chipName TEXT, cuDevice INTEGER, computeMajor INTEGER, computeMinor INTEGER',
  TARGET_INFO_CUDA_DEVICE: 'gpuId INTEGER, cudaId INTEGER, pid INTEGER, uuid TEXT, numMultiprocessors INTEGER',
  TARGET_INFO_GPU_METRICS: 'typeId INTEGER, sourceId INTEGER, typeName TEXT, metricId INTEGER, metricName TEXT',
  GPU_METRICS: 'timestamp INTEGER, typeId INTEGER, metricId INTEGER, value INTEGER',
  ENUM_CUDA_MEMCPY_OPER: 'id INTEGER NOT NULL PRIMARY KEY, name TEXT, label TEXT',
  ENUM_CUDA_MEM_KIND: 'id INTEGER NOT NULL PRIMARY KEY, name TEXT, label TEXT',
  CUPTI_ACTIVITY_KIND_RUNTIME:
    'start INTEGER NOT NULL, end INTEGER NOT NULL, eventClass INTEGER NOT NULL, globalTid INTEGER, correlationId INTEGER, nameId INTEGER NOT NULL, returnValue INTEGER NOT NULL, callchainId INTEGER',
  CUPTI_ACTIVITY_KIND_KERNEL:
    'start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, greenContextId INTEGER, streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER, demangledName INTEGER NOT NULL, shortName INTEGER NOT NULL, mangledName INTEGER, launchType INTEGER, cacheConfig INTEGER, registersPerThread INTEGER NOT NULL, gridX INTEGER NOT NULL, gridY INTEGER NOT NULL, gridZ INTEGER NOT NULL, blockX INTEGER NOT NULL, blockY INTEGER NOT NULL, blockZ INTEGER NOT NULL, staticSharedMemory INTEGER NOT NULL, dynamicSharedMemory INTEGER NOT NULL, localMemoryPerThread INTEGER NOT NULL, localMemoryTotal INTEGER NOT NULL, gridId INTEGER NOT NULL, sharedMemoryExecuted INTEGER, graphNodeId INTEGER, sharedMemoryLimitConfig INTEGER',
  CUPTI_ACTIVITY_KIND_MEMCPY:
    'start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, greenContextId INTEGER, streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER, bytes INTEGER NOT NULL, copyKind INTEGER NOT NULL, deprecatedSrcId INTEGER, srcKind INTEGER, dstKind INTEGER, srcDeviceId INTEGER, srcContextId INTEGER, dstDeviceId INTEGER, dstContextId INTEGER, migrationCause INTEGER, graphNodeId INTEGER, virtualAddress INTEGER, copyCount INTEGER',
  CUPTI_ACTIVITY_KIND_MEMSET:
    'start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER, value INTEGER NOT NULL, bytes INTEGER NOT NULL, graphNodeId INTEGER, memKind INTEGER',
  CUPTI_ACTIVITY_KIND_GRAPH_TRACE:
    'start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER, graphId INTEGER NOT NULL, graphExecId INTEGER NOT NULL',
  CUPTI_ACTIVITY_KIND_SYNCHRONIZATION:
    'start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER, syncType INTEGER NOT NULL, eventId INTEGER NOT NULL',
  CUPTI_ACTIVITY_KIND_CUDA_EVENT:
    'deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER, eventId INTEGER NOT NULL',
  CUDA_UM_GPU_PAGE_FAULT_EVENTS:
    'start INTEGER NOT NULL, end INTEGER NOT NULL, globalPid INTEGER NOT NULL, deviceId INTEGER NOT NULL, address INTEGER NOT NULL, numberOfPageFaults INTEGER NOT NULL, faultAccessType INTEGER NOT NULL',
  CUDA_UM_CPU_PAGE_FAULT_EVENTS:
    'start INTEGER NOT NULL, globalPid INTEGER NOT NULL, address INTEGER NOT NULL, CpuInstruction INTEGER NOT NULL',
  NVTX_EVENTS:
    'start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL, rangeId INTEGER, category INTEGER, color INTEGER, text TEXT, globalTid INTEGER, endGlobalTid INTEGER, textId INTEGER, domainId INTEGER',
  OSRT_API:
    'start INTEGER NOT NULL, end INTEGER NOT NULL, eventClass INTEGER NOT NULL, globalTid INTEGER, nameId INTEGER NOT NULL, returnValue INTEGER NOT NULL, nestingLevel INTEGER, callchainId INTEGER',
  DIAGNOSTIC_EVENT:
    'timestamp INTEGER, timestampType INTEGER, source INTEGER, severity INTEGER, text TEXT, globalPid INTEGER',
  PROFILER_OVERHEAD: 'start INTEGER, end INTEGER, globalTid INTEGER, nameId INTEGER, returnValue INTEGER',
  ThreadNames: 'nameId INTEGER, priority INTEGER, globalTid INTEGER',
  MPI_RANKS: 'globalTid INTEGER, rank INTEGER',
};

/** Columns of exports of 2020: calls and kernels without processes, memory kinds untold. */
export const schemaOf2020: Readonly<Record<string, string>> = {
  ...schema,
  CUPTI_ACTIVITY_KIND_KERNEL:
    'start INT NOT NULL, end INT NOT NULL, deviceId INT NOT NULL, contextId INT NOT NULL, streamId INT NOT NULL, correlationId INT NOT NULL, demangledName INT NOT NULL, shortName INT NOT NULL, launchType INT NOT NULL, cacheConfig INT NOT NULL, registersPerThread INT NOT NULL, gridX INT NOT NULL, gridY INT NOT NULL, gridZ INT NOT NULL, blockX INT NOT NULL, blockY INT NOT NULL, blockZ INT NOT NULL, staticSharedMemory INT NOT NULL, dynamicSharedMemory INT NOT NULL',
  CUPTI_ACTIVITY_KIND_MEMCPY:
    'start INT NOT NULL, end INT NOT NULL, deviceId INT NOT NULL, contextId INT NOT NULL, streamId INT NOT NULL, correlationId INT NOT NULL, bytes INT NOT NULL, copyKind INT NOT NULL',
  NVTX_EVENTS: 'start INT NOT NULL, end INT, eventType INT NOT NULL, text TEXT, globalTid INT',
};

export type Rows = Readonly<Record<string, readonly Readonly<Record<string, Value>>[]>>;

/** Process 4242, thread 4243, as `globalTid` and `globalPid` hold them. */
export const tid: number = 4242 * 2 ** 24 + 4243;
export const pid: number = 4242 * 2 ** 24;

export const kernelRow: Readonly<Record<string, Value>> = {
  start: 9000,
  end: 15_816,
  deviceId: 0,
  contextId: 1,
  streamId: 7,
  correlationId: 11,
  globalPid: pid,
  demangledName: 102,
  shortName: 101,
  registersPerThread: 18,
  gridX: 1024,
  gridY: 1,
  gridZ: 1,
  blockX: 256,
  blockY: 1,
  blockZ: 1,
  staticSharedMemory: 0,
  dynamicSharedMemory: 512,
  localMemoryPerThread: 0,
  localMemoryTotal: 0,
  gridId: 1,
  launchType: 1,
  cacheConfig: 0,
};
export const callRow: Readonly<Record<string, Value>> = {
  start: 1000,
  end: 6000,
  eventClass: 0,
  globalTid: tid,
  correlationId: 11,
  nameId: 103,
  returnValue: 0,
};
export const copyRow: Readonly<Record<string, Value>> = {
  start: 20_000,
  end: 1_030_731,
  deviceId: 0,
  contextId: 1,
  streamId: 7,
  correlationId: 12,
  globalPid: pid,
  bytes: 25_165_824,
  copyKind: 1,
  srcKind: 0,
  dstKind: 2,
};

export const strings: readonly Readonly<Record<string, Value>>[] = [
  { id: 101, value: 'axpy' },
  { id: 102, value: 'void axpy<float>(int, T1, const T1 *, T1 *)' },
  { id: 103, value: 'cudaLaunchKernel_v7000' },
  { id: 104, value: 'cudaMemcpy_v3020' },
  { id: 105, value: 'cudaEventRecord_v3020' },
  { id: 106, value: 'sem_timedwait' },
  { id: 107, value: 'train step 3' },
];
export const usual: Rows = {
  META_DATA_EXPORT: [
    { name: 'EXPORT_SCHEMA_VERSION', value: '3.19.2' },
    { name: 'EXPORT_PRODUCT_VERSION', value: '2025.3.1.90' },
  ],
  StringIds: strings,
  TARGET_INFO_GPU: [
    {
      vmId: 0,
      id: 0,
      name: 'NVIDIA H100 80GB HBM3',
      totalMemory: 85_028_765_696,
      memoryBandwidth: 3_352_320_000_000,
      clockRate: 1_980_000_000,
      smCount: 132,
      cuDevice: 0,
      computeMajor: 9,
      computeMinor: 0,
    },
  ],
  CUPTI_ACTIVITY_KIND_RUNTIME: [callRow, { ...callRow, start: 7000, end: 2_010_000, correlationId: 12, nameId: 104 }],
  CUPTI_ACTIVITY_KIND_KERNEL: [kernelRow],
  CUPTI_ACTIVITY_KIND_MEMCPY: [copyRow],
};

/** A folder for databases, to be taken away. */
export interface Databases {
  readonly folder: string;
  /** Writes a database of these rows; tables without any are not made, as the tool has it. */
  write(name: string, rows: Rows, tables?: Readonly<Record<string, string>>): string;
  /** Writes the file again with some of its bytes changed. */
  change(path: string, change: (bytes: Buffer) => Buffer): string;
  remove(): void;
}

export function databases(): Databases {
  const folder = mkdtempSync(join(tmpdir(), 'culprit-nsys-'));
  return {
    folder,
    write(name, rows, tables = schema) {
      const path = join(folder, name);
      rmSync(path, { force: true });
      const db = new sqlite.Database(path);
      db.exec('begin');
      for (const [table, each] of Object.entries(rows)) {
        db.exec(`create table ${table} (${(tables[table] ?? 'x INTEGER').replaceAll(/\bend\b/g, '"end"')})`);
        const made = new Map<string, ReturnType<typeof db.prepare>>();
        for (const row of each) {
          const columns = Object.keys(row);
          const key = columns.join();
          let statement = made.get(key);
          if (statement === undefined) {
            const list = columns.map((column) => `"${column}"`).join(', ');
            statement = db.prepare(`insert into ${table} (${list}) values (${columns.map(() => '?').join(', ')})`);
            made.set(key, statement);
          }
          statement.run(Object.values(row));
        }
        for (const statement of made.values()) statement.finalize();
      }
      db.exec('commit');
      db.close();
      return path;
    },
    change(path, change) {
      const bytes = change(readFileSync(path));
      const file = openSync(path, 'w');
      writeSync(file, bytes);
      closeSync(file);
      return path;
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
