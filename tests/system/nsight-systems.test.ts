import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, afterAll, describe, expect, it } from 'vitest';
import { readNsysExport } from '@culprit/collect/sqlite';
import { plainCallName } from '@culprit/core/trace/calls';
import type { Trace } from '@culprit/core/trace/model';
import { workKinds } from '@culprit/core/trace/model';
import { readNsysStats } from '@culprit/core/trace/nsys-stats/read-stats';
import { scratch } from '../run-cli.ts';
import { lacks, shell } from './tools.ts';

const folder = scratch();
afterAll(folder.remove);

/** Nsight Systems of Debian's non-free component, unpacked; its path, or why it cannot be had. */
function nsys(): { readonly path: string } | { readonly reason: string } {
  if (process.arch !== 'x64') return { reason: 'the package is for x86-64' };
  const apt = folder.path('apt');
  for (const each of ['lists/partial', 'cache/archives/partial', 'debs', 'root'])
    mkdirSync(join(apt, each), { recursive: true });
  const own = /^(?:URIs: |deb (?:\[[^\]]*\] )?)(http\S+debian\S*)$/m.exec(
    ['/etc/apt/sources.list', '/etc/apt/sources.list.d/debian.sources']
      .filter((path) => existsSync(path))
      .map((path) => readFileSync(path, 'utf8'))
      .join('\n'),
  );
  if (own === null) return { reason: 'no package source of Debian is set up here' };
  const release = /^VERSION_CODENAME=(\w+)$/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1] ?? 'stable';
  writeFileSync(join(apt, 'sources.list'), `deb ${own[1]!} ${release} contrib non-free\n`);
  const options = [
    `Dir::Etc::SourceList=${apt}/sources.list`,
    'Dir::Etc::SourceParts=/dev/null',
    `Dir::State::Lists=${apt}/lists`,
    `Dir::Cache=${apt}/cache`,
  ].flatMap((each) => ['-o', each]);
  for (const args of [['update'], ['download', 'nsight-systems', 'nsight-systems-target']]) {
    const ran = spawnSync('apt-get', ['-qq', ...options, ...args], {
      cwd: join(apt, 'debs'),
      encoding: 'utf8',
      timeout: 400_000,
    });
    if (ran.status !== 0) return { reason: `apt-get ${args[0]!} fails: ${ran.stderr.trim().split('\n')[0] ?? ''}` };
  }
  const unpacked = shell(
    `for deb in ${apt}/debs/*.deb; do dpkg -x "$deb" ${apt}/root || exit 1; done; rm ${apt}/debs/*`,
  );
  const path = join(apt, 'root/usr/lib/x86_64-linux-gnu/nsight-systems/target-linux-x64/nsys');
  if (unpacked.status !== 0 || !existsSync(path))
    return { reason: `the package has another form: ${unpacked.err.trim()}` };
  const ran = spawnSync(path, ['--version'], { encoding: 'utf8' });
  return ran.status === 0 ? { path } : { reason: `nsys does not start: ${ran.stderr.trim().split('\n')[0] ?? ''}` };
}

/** Three streams, four kernels, copies in both directions, memsets, faults, calls of two threads. */
const database = `
PRAGMA journal_mode = OFF;
CREATE TABLE META_DATA_EXPORT (name TEXT, value TEXT);
INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_SCHEMA_VERSION', '3.19.2');
CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
INSERT INTO StringIds VALUES (1, 'void axpy<float>(int, T1, const T1 *, T1 *)'), (2, 'gemm_f16, the large one'), (3, 'ncclDevKernel_AllReduce_Sum_bf16_RING_LL'), (4, 'reduce'), (5, 'axpy'),
  (11, 'cudaLaunchKernel_v7000'), (12, 'cudaMemcpyAsync_v3020'), (13, 'cudaDeviceSynchronize_v3020');
CREATE TABLE TARGET_INFO_GPU (vmId INTEGER NOT NULL, id INTEGER NOT NULL, name TEXT, busLocation TEXT, isDiscrete INTEGER, l2CacheSize INTEGER, totalMemory INTEGER, memoryBandwidth INTEGER, clockRate INTEGER, smCount INTEGER, pwGpuId INTEGER, uuid TEXT, luid INTEGER, chipName TEXT, cuDevice INTEGER, computeMajor INTEGER, computeMinor INTEGER);
INSERT INTO TARGET_INFO_GPU VALUES (0, 0, 'NVIDIA H100 80GB HBM3', '0000:19:00.0', 1, 52428800, 85028765696, 3352320000000, 1980000000, 132, 0, 'x', NULL, 'GH100', 0, 9, 0);
CREATE TABLE ENUM_CUDA_MEMCPY_OPER (id INTEGER NOT NULL PRIMARY KEY, name TEXT, label TEXT);
INSERT INTO ENUM_CUDA_MEMCPY_OPER VALUES (1, 'CUDA_MEMCPY_KIND_HTOD', 'Host-to-Device'), (2, 'CUDA_MEMCPY_KIND_DTOH', 'Device-to-Host'), (11, 'CUDA_MEMCPY_KIND_UVM_HTOD', 'Unified Host-to-Device');
CREATE TABLE ENUM_CUDA_MEM_KIND (id INTEGER NOT NULL PRIMARY KEY, name TEXT, label TEXT);
INSERT INTO ENUM_CUDA_MEM_KIND VALUES (0, 'CUDA_MEMOPR_MEMORY_KIND_PAGEABLE', 'Pageable'), (1, 'CUDA_MEMOPR_MEMORY_KIND_PINNED', 'Pinned'), (2, 'CUDA_MEMOPR_MEMORY_KIND_DEVICE', 'Device');
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER NOT NULL, end INTEGER NOT NULL, eventClass INTEGER NOT NULL, globalTid INTEGER, correlationId INTEGER, nameId INTEGER NOT NULL, returnValue INTEGER NOT NULL, callchainId INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, greenContextId INTEGER, streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER, demangledName INTEGER NOT NULL, shortName INTEGER NOT NULL, mangledName INTEGER, launchType INTEGER, cacheConfig INTEGER, registersPerThread INTEGER NOT NULL, gridX INTEGER NOT NULL, gridY INTEGER NOT NULL, gridZ INTEGER NOT NULL, blockX INTEGER NOT NULL, blockY INTEGER NOT NULL, blockZ INTEGER NOT NULL, staticSharedMemory INTEGER NOT NULL, dynamicSharedMemory INTEGER NOT NULL, localMemoryPerThread INTEGER NOT NULL, localMemoryTotal INTEGER NOT NULL, gridId INTEGER NOT NULL, sharedMemoryExecuted INTEGER, graphNodeId INTEGER, sharedMemoryLimitConfig INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, greenContextId INTEGER, streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER, bytes INTEGER NOT NULL, copyKind INTEGER NOT NULL, deprecatedSrcId INTEGER, srcKind INTEGER, dstKind INTEGER, srcDeviceId INTEGER, srcContextId INTEGER, dstDeviceId INTEGER, dstContextId INTEGER, migrationCause INTEGER, graphNodeId INTEGER, virtualAddress INTEGER, copyCount INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER, value INTEGER NOT NULL, bytes INTEGER NOT NULL, graphNodeId INTEGER, memKind INTEGER);
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 4999)
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT i * 9000, i * 9000 + 3000 + (i * 271) % 900, 0, 4242 * 16777216 + 4242 + i % 2, i + 1, CASE WHEN i % 10 = 9 THEN 12 WHEN i % 50 = 1 THEN 13 ELSE 11 END, 0, NULL FROM n;
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 4999)
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT i * 9000 + 4000, i * 9000 + 6000 + (i * 7919) % 6000, 0, 1, NULL, 7 + (i % 3) * 6, i + 1, 4242 * 16777216, 1 + i % 4, 5, NULL, 1, 0, 18 + i % 5, 64 * (1 + i % 7), 1 + i % 2, 1, 256, 1, 1, 1024 * (i % 3), 0, 0, 0, i, 32768, NULL, 0 FROM n WHERE i % 10 <> 9 AND i % 50 <> 1;
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 499)
INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY SELECT i * 90000 + 5000, i * 90000 + 5000 + 1000 + (i * 131) % 3000, 0, 1, NULL, 13, i * 10 + 10, 4242 * 16777216, 1000000 * (1 + i % 9), CASE i % 5 WHEN 0 THEN 2 WHEN 1 THEN 11 ELSE 1 END, NULL, i % 2, 2, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1 FROM n;
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 99)
INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET SELECT i * 90000 + 700, i * 90000 + 1900 + i, 0, 1, 7, NULL, 4242 * 16777216, 0, 4096, NULL, NULL FROM n;
`;

interface Sum {
  count: number;
  totalNs: number;
}

/** Sums by name, of what a trace of events holds. */
function sumsOf(trace: Trace): Readonly<Record<'kernels' | 'calls' | 'copies', ReadonlyMap<string, Sum>>> {
  const sums = { kernels: new Map<string, Sum>(), calls: new Map<string, Sum>(), copies: new Map<string, Sum>() };
  const add = (to: Map<string, Sum>, key: string, ns: number): void => {
    const sum = to.get(key) ?? { count: 0, totalNs: 0 };
    to.set(key, { count: sum.count + 1, totalNs: sum.totalNs + ns });
  };
  const { work, calls } = trace;
  for (let row = 0; row < work.count; row++) {
    const ns = work.end[row]! - work.start[row]!;
    if (work.kind[row] === workKinds.kernel) add(sums.kernels, trace.names[work.name[row]!]!, ns);
    else if (work.kind[row] === workKinds.memset) add(sums.copies, 'memset', ns);
    else add(sums.copies, trace.routes[work.detail[row]!]!.direction, ns);
  }
  for (let row = 0; row < calls.count; row++)
    add(sums.calls, plainCallName(trace.names[calls.name[row]!]!), calls.end[row]! - calls.start[row]!);
  return sums;
}

const reason = lacks('apt-get', 'dpkg', 'sqlite3', 'python3');

describe.skipIf(reason !== null)('the real nsys', () => {
  let found: ReturnType<typeof nsys> = { reason: 'not asked' };
  const file = folder.path('run.sqlite');
  beforeAll(() => {
    found = nsys();
    if ('reason' in found) console.warn(`skipping Nsight Systems: ${found.reason}`);
    else expect(shell(`sqlite3 ${file}`, { input: database }).err).toBe('');
  }, 600_000);
  const stats = (report: string, format: string): string =>
    'path' in found
      ? shell(`${found.path} stats --report ${report} --format ${format} --force-export=false ${file}`).out
      : '';

  it.for(['csv', 'column', 'table', 'tsv', 'json'])(
    'counts the same kernels, calls and copies as the reader of its databases and the reader of its tables (%s)',
    { timeout: 120_000 },
    async (format, context) => {
      if ('reason' in found) return context.skip(found.reason);
      const events = sumsOf(await readNsysExport(file));
      const printed = readNsysStats(stats('gpukernsum,cudaapisum,gpumemtimesum,gpumemsizesum', format), null).sums!;
      const byName = (
        rows: readonly { readonly name: string; readonly count: number; readonly totalNs: number }[],
      ): ReadonlyMap<string, Sum> => {
        const sums = new Map<string, Sum>();
        for (const { name, count, totalNs } of rows) {
          const sum = sums.get(name) ?? { count: 0, totalNs: 0 };
          sums.set(name, { count: sum.count + count, totalNs: sum.totalNs + totalNs });
        }
        return sums;
      };
      expect(byName(printed.kernels!)).toEqual(events.kernels);
      expect(byName(printed.calls!)).toEqual(events.calls);
      expect(byName(printed.copies!)).toEqual(events.copies);
    },
  );

  it.for(['csv', 'column'])('lists the same events (%s)', { timeout: 120_000 }, async (format, context) => {
    if ('reason' in found) return context.skip(found.reason);
    const [events, listed] = [await readNsysExport(file), readNsysStats(stats('gputrace', format), null)];
    expect(listed.work.count).toBe(events.work.count);
    expect(sumsOf(listed).kernels).toEqual(sumsOf(events).kernels);
    expect(sumsOf(listed).copies).toEqual(sumsOf(events).copies);
    expect(listed.streams.map(({ id }) => id).sort((a, b) => a - b)).toEqual(
      events.streams.map(({ id }) => id).sort((a, b) => a - b),
    );
    expect([...listed.work.bytes].reduce((sum, each) => sum + each, 0)).toBeCloseTo(
      [...events.work.bytes].reduce((sum, each) => sum + each, 0),
      -6,
    );
  });
});
