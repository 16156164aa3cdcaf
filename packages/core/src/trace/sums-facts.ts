import type { FactId } from '../model/facts.ts';
import type { Line } from '../model/document.ts';
import { callKindOf, plainCallName } from './calls.ts';
import type { SumRow, Trace } from './model.ts';
import { callKinds } from './model.ts';
import type { QuotedFiles, TraceSink } from './trace-facts.ts';

/**
 * Sums without events as the facts of a pasted summary: the rules that judge that judge these too.
 */
export function putSums(trace: Trace, quoted: QuotedFiles, sink: TraceSink): void {
  const { sums, file } = trace;
  if (sums === null) return;
  const put = (id: FactId, value: unknown, rows: readonly Pick<SumRow, 'quote'>[]): void => {
    const places = rows.slice(0, 3).map(({ quote }) => quoted.line({ file, quote }));
    if (places[0] === undefined) return;
    sink.add(
      places[0].document,
      id,
      value,
      places.map(({ line }): Line => line),
    );
  };
  for (const row of (sums.calls ?? []).slice(0, 200))
    put('profile.api', { name: nameOf(row), calls: row.count, totalNs: repeatedNs(row) }, [row]);
  const kernels = sums.kernels ?? [];
  if (kernels.length > 0) {
    const instances = kernels.reduce((sum, row) => sum + row.count, 0);
    const totalNs = kernels.reduce((sum, row) => sum + row.totalNs, 0);
    put('profile.kernels', { instances, totalNs }, kernels);
  }
  for (const row of sums.copies ?? []) {
    const kind = kinds[row.name];
    if (kind === undefined) continue;
    const size = sums.copyBytes?.find(({ direction }) => direction === row.name);
    const averageBytes = size === undefined || size.count === 0 ? null : size.bytes / size.count;
    put('profile.copies', { kind, count: row.count, totalNs: row.totalNs, averageBytes }, [row]);
  }
  if (sums.faults?.gpu != null) {
    const migrated = (sums.copyBytes ?? [])
      .filter(({ direction }) => direction.startsWith('UVM_'))
      .reduce((sum, { bytes }) => sum + bytes, 0);
    put('profile.page-faults', { gpuFaults: sums.faults.gpu, migratedMb: migrated > 0 ? migrated / 1e6 : null }, [
      sums.faults,
    ]);
  }
}

const kinds: Readonly<Record<string, string>> = { HtoD: 'h2d', DtoH: 'd2h' };

/** `cudaLaunch` is what launches were called before CUDA 9.2. */
function nameOf({ name }: SumRow): string {
  const plain = plainCallName(name);
  return plain === 'cudaLaunch' ? 'cudaLaunchKernel' : plain;
}

const allocating: readonly number[] = [
  callKinds.malloc,
  callKinds.mallocAsync,
  callKinds.mallocManaged,
  callKinds.hostAlloc,
  callKinds.free,
  callKinds.hostFree,
];

/** Time of calls that come again and again. The first that allocates or frees makes the context, which takes as long as a thousand. */
function repeatedNs({ name, count, totalNs, maxNs }: SumRow): number {
  const isOnce = maxNs !== null && count > 1 && 2 * maxNs > totalNs && maxNs <= totalNs;
  return isOnce && allocating.includes(callKindOf(plainCallName(name))) ? totalNs - maxNs : totalNs;
}
