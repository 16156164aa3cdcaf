// `.nv.info` and `.nv.info.<kernel>` of cubins: what the compiler tells the driver.
//
//   04 2f 08 00  07 00 00 00  08 00 00 00     format 4, REGCOUNT, 8 bytes: symbol 7 uses 8 registers
//   03 1b ff 00                               format 3, MAXREG_COUNT: 255, no cap
//
// Records are told by the code; their numbers are the same from CUDA 11.8 to 13.0. cuobjdump --dump-elf names them.
import { viewOf } from './bytes.ts';

/** Codes of records that say what a kernel needs. */
export const nvInfo = {
  maxThreads: 0x05,
  requiredThreads: 0x10,
  frameSize: 0x11,
  minStackSize: 0x12,
  parameterBytes: 0x19,
  registerCap: 0x1b,
  maxStackSize: 0x23,
  registers: 0x2f,
  cudaVersion: 0x37,
  blocksPerCluster: 0x3d,
  barriers: 0x4c,
} as const;

/** One record. */
export interface NvInfoRecord {
  readonly code: number;
  /** The value of a short record; null where `data` holds it. */
  readonly value: number | null;
  readonly data: DataView | null;
}

/**
 * Records of one section.
 * @param damaged called once with the place of the first record that cannot be read; those before it are given
 */
export function* readNvInfo(bytes: Uint8Array, damaged: (at: number) => void): Generator<NvInfoRecord, void> {
  const view = viewOf(bytes);
  let at = 0;
  while (at < bytes.length) {
    if (at + 4 > bytes.length) return damaged(at);
    const format = bytes[at]!;
    const code = bytes[at + 1]!;
    const short = view.getUint16(at + 2, true);
    if (format < 1 || format > 4) return damaged(at);
    if (format < 4) {
      yield { code, value: format === 2 ? short & 0xff : short, data: null };
      at += 4;
      continue;
    }
    if (at + 4 + short > bytes.length) return damaged(at);
    yield { code, value: null, data: viewOf(bytes.subarray(at + 4, at + 4 + short)) };
    at += 4 + short;
  }
}

/** The 32-bit number at `index` of a record's data. */
export function wordOf(record: NvInfoRecord, index: number = 0): number | null {
  if (record.data === null) return index === 0 ? record.value : null;
  return (index + 1) * 4 <= record.data.byteLength ? record.data.getUint32(index * 4, true) : null;
}

/** Three numbers: threads or blocks in x, y and z. */
export function shapeOf(record: NvInfoRecord): readonly [number, number, number] | null {
  const [x, y, z] = [wordOf(record, 0), wordOf(record, 1), wordOf(record, 2)];
  return x === null || y === null || z === null ? null : [x, y, z];
}
