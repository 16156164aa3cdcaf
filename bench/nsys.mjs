// Writes an export of Nsight Systems with many kernels, by SQL alone: a training step after the other, with a launch for
// each kernel and a copy for each step.
import { readFileSync } from 'node:fs';
import sqlite from 'node-sqlite3-wasm';

const schema = `
create table META_DATA_EXPORT (name TEXT, value TEXT);
insert into META_DATA_EXPORT values ('EXPORT_SCHEMA_VERSION', '3.19.2'), ('EXPORT_PRODUCT_VERSION', '2025.3.1.90');
create table StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
create table TARGET_INFO_GPU (vmId INTEGER NOT NULL, id INTEGER NOT NULL, name TEXT, busLocation TEXT, totalMemory INTEGER, memoryBandwidth INTEGER, clockRate INTEGER, smCount INTEGER, uuid TEXT, cuDevice INTEGER, computeMajor INTEGER, computeMinor INTEGER);
insert into TARGET_INFO_GPU values (0, 0, 'NVIDIA H100 80GB HBM3', '0000:19:00.0', 85028765696, 3352320000000, 1980000000, 132, NULL, 0, 9, 0);
create table CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER NOT NULL, "end" INTEGER NOT NULL, eventClass INTEGER NOT NULL, globalTid INTEGER, correlationId INTEGER, nameId INTEGER NOT NULL REFERENCES StringIds(id), returnValue INTEGER NOT NULL, callchainId INTEGER);
create table CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER NOT NULL, "end" INTEGER NOT NULL, deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, greenContextId INTEGER, streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER, demangledName INTEGER NOT NULL, shortName INTEGER NOT NULL, mangledName INTEGER, launchType INTEGER, cacheConfig INTEGER, registersPerThread INTEGER NOT NULL, gridX INTEGER NOT NULL, gridY INTEGER NOT NULL, gridZ INTEGER NOT NULL, blockX INTEGER NOT NULL, blockY INTEGER NOT NULL, blockZ INTEGER NOT NULL, staticSharedMemory INTEGER NOT NULL, dynamicSharedMemory INTEGER NOT NULL, localMemoryPerThread INTEGER NOT NULL, localMemoryTotal INTEGER NOT NULL, gridId INTEGER NOT NULL, sharedMemoryExecuted INTEGER, graphNodeId INTEGER, sharedMemoryLimitConfig INTEGER);
create table CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER NOT NULL, "end" INTEGER NOT NULL, deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER, bytes INTEGER NOT NULL, copyKind INTEGER NOT NULL, srcKind INTEGER, dstKind INTEGER);
`;

/**
 * @param file where to
 * @param kernels how many
 */
export function writeNsys(file, kernels) {
  const db = new sqlite.Database(file);
  db.exec('pragma journal_mode = off; pragma synchronous = off; begin');
  db.exec(schema);
  const count = (most) => `with recursive n(i) as (select 0 union all select i + 1 from n where i < ${most - 1})`;
  db.exec(
    `insert into StringIds values (1, 'cudaLaunchKernel_v7000'), (2, 'cudaMemcpyAsync_v3020');
     ${count(64)} insert into StringIds select 100 + i, 'void at::native::vectorized_elementwise_kernel<' || i || ', at::native::CUDAFunctor_add<float>, at::detail::Array<char*, 3> >(int, at::native::CUDAFunctor_add<float>)' from n;
     ${count(kernels)} insert into CUPTI_ACTIVITY_KIND_RUNTIME select i * 9000 + 1000, i * 9000 + 4500, 0, 740210814040, i + 1, 1, 0, NULL from n;
     ${count(kernels)} insert into CUPTI_ACTIVITY_KIND_KERNEL select i * 9000 + 50000, i * 9000 + 58000 + i % 900, 0, 1, NULL, 7, i + 1, 740210769920, 100 + i * 7 % 64, 100 + i * 7 % 64, NULL, 1, 0, 32, 1024 + i % 16, 1, 1, 256, 1, 1, 0, 0, 0, 0, i + 1, 32768, NULL, 0 from n;
     ${count(Math.ceil(kernels / 400))} insert into CUPTI_ACTIVITY_KIND_MEMCPY select i * 3600000 + 51000, i * 3600000 + 250000, 0, 1, 13, ${kernels} + i + 1, 740210769920, 4000000, 1, 1, 2 from n;`,
  );
  db.exec('commit');
  db.close();
  // The whole file is in the page cache when it is measured.
  readFileSync(file);
}
