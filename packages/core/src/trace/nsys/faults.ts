import type { Reading } from './reading.ts';
import { isTime, scanTable } from './reading.ts';
import { nothing, planOf } from './tables.ts';

/** Reads page faults of managed memory, of the GPU and of the CPU; @returns how many rows */
export function readPageFaults(reading: Reading): number {
  const { db, builder, places, time } = reading;
  let count = 0;
  for (const [table, isGpu] of [
    ['CUDA_UM_GPU_PAGE_FAULT_EVENTS', true],
    ['CUDA_UM_CPU_PAGE_FAULT_EVENTS', false],
  ] as const) {
    const plan = planOf(db, table, {
      start: { sql: time('start'), needs: ['start'], orNothing: true },
      end: { sql: time('end'), needs: ['end'] },
      process: { sql: 'globalPid' },
      device: { sql: 'deviceId' },
      address: { sql: 'address' },
      pages: { sql: 'numberOfPageFaults', orNothing: true },
    });
    if (plan === null) continue;
    const { at, row } = plan;
    count += scanTable(reading, plan, () => {
      const start = row[at.start]!;
      if (!isTime(start)) return false;
      const end = row[at.end]!;
      // A fault of the CPU is a moment and one page.
      const pages = isGpu && row[at.pages] !== nothing ? Math.max(0, row[at.pages]!) : 1;
      const device = isGpu ? places.device(row[at.process]!, row[at.device]!) : -1;
      builder.fault(start, isTime(end) ? end : start, pages, device, Math.max(0, row[at.address]!));
      return true;
    });
  }
  return count;
}
