import { isCollectiveKernel, operationOfKernel } from '../kineto/collective-names.ts';
import type { Collective, Shape } from '../model.ts';
import { workKinds } from '../model.ts';
import { ownNames } from './own-names.ts';
import type { Reading } from './reading.ts';
import { isTime, scanTable } from './reading.ts';
import { Quotes } from './quotes.ts';
import { planOf } from './tables.ts';

/** What is kept of a kernel's name while its rows are read. */
interface Kernel {
  readonly index: number;
  readonly collective: Collective | null;
}

/** A shape from its nine columns, in their order. */
function shapeFromNumbers(numbers: readonly number[]): Shape {
  const [x = 0, y = 0, z = 0, bx = 0, by = 0, bz = 0, registers = 0, fixed = -1, dynamic = -1] = numbers;
  return {
    grid: [x, y, z],
    block: [bx, by, bz],
    registers: registers > 0 ? registers : null,
    staticShared: fixed >= 0 ? fixed : null,
    dynamicShared: dynamic >= 0 ? dynamic : null,
  };
}

/** Reads CUPTI_ACTIVITY_KIND_KERNEL; @returns how many rows */
export function readKernels(reading: Reading): number {
  const { db, builder, names, places, time } = reading;
  const plan = planOf(db, 'CUPTI_ACTIVITY_KIND_KERNEL', {
    start: { sql: time('start'), needs: ['start'], orNothing: true },
    end: { sql: time('end'), needs: ['end'] },
    device: { sql: 'deviceId' },
    context: { sql: 'contextId' },
    stream: { sql: 'streamId' },
    correlation: { sql: 'correlationId' },
    process: { sql: 'globalPid' },
    demangled: { sql: 'demangledName', orNothing: true },
    gridX: { sql: 'gridX' },
    gridY: { sql: 'gridY' },
    gridZ: { sql: 'gridZ' },
    blockX: { sql: 'blockX' },
    blockY: { sql: 'blockY' },
    blockZ: { sql: 'blockZ' },
    registers: { sql: 'registersPerThread' },
    staticShared: { sql: 'staticSharedMemory' },
    dynamicShared: { sql: 'dynamicSharedMemory' },
    node: { sql: 'graphNodeId' },
  });
  if (plan === null) return 0;
  const { at, row } = plan;
  const shapeFrom = at.gridX;
  const isWhole = [at.gridY, at.gridZ, at.blockX, at.blockY, at.blockZ, at.registers, at.staticShared, at.dynamicShared]
    .map((slot, step) => slot === shapeFrom + step + 1)
    .every(Boolean);
  const kernels = new Map<number | string | null, Kernel>();
  const quotes = new Quotes(reading, plan.table);
  let lastName: number | string | null = Number.NaN;
  let kernel: Kernel | null = null;
  const nextName = ownNames(db, plan.table, 'demangledName');

  // Shapes that were met, by a hash of their numbers: ten places each, the numbers and the index.
  const shapes = new Map<number, number>();
  const met: number[] = [];
  const shapeOf = (): number => {
    if (!isWhole || !(row[shapeFrom]! >= 1)) return -1;
    let hash = 0;
    for (let step = shapeFrom; step < shapeFrom + 9; step++) hash = (Math.imul(hash, 31) + row[step]!) | 0;
    const from = shapes.get(hash);
    if (from !== undefined) {
      let step = 0;
      while (step < 9 && met[from + step] === row[shapeFrom + step]) step++;
      if (step === 9) return met[from + 9]!;
    }
    const numbers = [...row.subarray(shapeFrom, shapeFrom + 9)];
    const index = builder.shape(shapeFromNumbers(numbers));
    // Of two shapes with one hash the first stays; the builder tells the other.
    if (from === undefined) {
      shapes.set(hash, met.length);
      met.push(...numbers, index);
    }
    return index;
  };

  // One object for all rows: a million of them would be a million numbers to collect.
  const made = {
    kind: workKinds.kernel,
    start: Number.MIN_VALUE,
    end: Number.MIN_VALUE,
    stream: 0,
    name: 0,
    correlation: Number.MIN_VALUE,
    detail: -1,
    bytes: 0,
    graphNode: Number.MIN_VALUE,
  };
  return scanTable(reading, plan, (_, count) => {
    const start = row[at.start]!;
    const own = nextName === null ? null : nextName();
    if (!isTime(start)) return false;
    const id = own ?? row[at.demangled]!;
    if (id !== lastName) {
      lastName = id;
      kernel = kernels.get(id) ?? null;
      if (kernel === null) {
        const name = own ?? names.text(row[at.demangled]!) ?? '(kernel without a name)';
        const isCollective = isCollectiveKernel(name);
        kernel = {
          index: builder.name(name),
          collective: isCollective
            ? { operation: operationOfKernel(name), group: null, elements: null, type: null }
            : null,
        };
        kernels.set(id, kernel);
      }
    }
    const stream = places.stream(row[at.process]!, row[at.device]!, row[at.context]!, row[at.stream]!);
    made.start = start;
    made.end = row[at.end]!;
    made.stream = Math.max(0, stream);
    made.name = kernel!.index;
    made.correlation = places.correlation(row[at.process]!, row[at.correlation]!);
    made.detail = shapeOf();
    made.graphNode = Math.max(0, row[at.node]!);
    builder.work(made, kernel!.collective);
    if (quotes.isFirst(kernel!.index, stream))
      quotes.work(kernel!.index, stream, count, {
        start,
        end: row[at.end]!,
        deviceId: row[at.device]!,
        streamId: row[at.stream]!,
        correlationId: row[at.correlation]!,
        demangledName: row[at.demangled]!,
      });
    return true;
  });
}
