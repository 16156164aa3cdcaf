import { isCollectiveKernel, operationOfKernel } from '../kineto/collective-names.ts';
import type { Collective, Shape } from '../model.ts';
import { workKinds } from '../model.ts';
import type { Reading } from './reading.ts';
import { isTime, scanTable } from './reading.ts';
import { Quotes } from './quotes.ts';
import { planOf } from './tables.ts';

/** Shapes of one kernel that are compared one by one; kernels with more of them go through the builder's own table. */
const fewShapes = 24;

/** What is kept of a kernel's name while its rows are read. */
interface Kernel {
  readonly index: number;
  readonly collective: Collective | null;
  /** Nine numbers of a shape and its index, one after the other; the last one that was met comes first. */
  readonly shapes: number[];
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
  const kernels = new Map<number, Kernel>();
  const quotes = new Quotes(reading, plan.table);
  let lastName = Number.NaN;
  let kernel: Kernel | null = null;

  const shapeOf = (): number => {
    if (!isWhole || !(row[shapeFrom]! >= 1)) return -1;
    const shapes = kernel!.shapes;
    for (let from = 0; from < shapes.length; from += 10) {
      let step = 0;
      while (step < 9 && shapes[from + step] === row[shapeFrom + step]) step++;
      if (step === 9) return shapes[from + 9]!;
    }
    const numbers = [...row.subarray(shapeFrom, shapeFrom + 9)];
    const [x, y, z, bx, by, bz, registers, staticShared, dynamicShared] = numbers as [
      number,
      number,
      number,
      number,
      number,
      number,
      number,
      number,
      number,
    ];
    const shape: Shape = {
      grid: [x, y, z],
      block: [bx, by, bz],
      registers: registers > 0 ? registers : null,
      staticShared: staticShared >= 0 ? staticShared : null,
      dynamicShared: dynamicShared >= 0 ? dynamicShared : null,
    };
    const index = builder.shape(shape);
    if (shapes.length >= fewShapes * 10) shapes.length -= 10;
    shapes.unshift(...numbers, index);
    return index;
  };

  return scanTable(reading, plan, (_, count) => {
    const start = row[at.start]!;
    if (!isTime(start)) return false;
    const id = row[at.demangled]!;
    if (id !== lastName) {
      lastName = id;
      kernel = kernels.get(id) ?? null;
      if (kernel === null) {
        const name = names.text(id) ?? '(kernel without a name)';
        const isCollective = isCollectiveKernel(name);
        kernel = {
          index: builder.name(name),
          collective: isCollective
            ? { operation: operationOfKernel(name), group: null, elements: null, type: null }
            : null,
          shapes: [],
        };
        kernels.set(id, kernel);
      }
    }
    const stream = places.stream(row[at.process]!, row[at.device]!, row[at.context]!, row[at.stream]!);
    builder.work(
      {
        kind: workKinds.kernel,
        start,
        end: row[at.end]!,
        stream: Math.max(0, stream),
        name: kernel!.index,
        correlation: places.correlation(row[at.process]!, row[at.correlation]!),
        detail: shapeOf(),
        bytes: 0,
        graphNode: Math.max(0, row[at.node]!),
      },
      kernel!.collective,
    );
    quotes.work(kernel!.index, stream, count, () => ({
      start,
      end: row[at.end]!,
      deviceId: row[at.device]!,
      streamId: row[at.stream]!,
      correlationId: row[at.correlation]!,
      demangledName: id,
    }));
    return true;
  });
}
