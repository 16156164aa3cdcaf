import type { GpuMemoryRow } from '../knowledge/gpu-memory.types.ts';
import type { Knowledge } from '../knowledge/knowledge.ts';
import type { NoPlace } from './place.ts';
import { placeOf } from './place.ts';

export type MemoryLevelId = 'registers' | 'shared' | 'l2' | 'device' | 'peer' | 'host';

/** One level of the memories that a kernel reads from, nearest first. */
export interface MemoryLevel {
  readonly id: MemoryLevelId;
  readonly title: string;
  /** Of the whole GPU; null where it depends on the machine or is not known. */
  readonly bytes: number | null;
  /** What one SM has of it; null where it is not divided. */
  readonly bytesPerSm: number | null;
  /** Bytes a second at the most, one direction; null where nobody states it. */
  readonly bytesPerSecond: number | null;
  /** How the rate comes about, or why it is not known. */
  readonly rateNote: string;
  /** False where size or rate was not read in a primary source. */
  readonly confirmed: boolean;
  /** Ids of citations. */
  readonly sources: readonly string[];
}

/** The memories of a GPU. */
export interface MemoryHierarchy {
  readonly gpu: string;
  readonly variant: string | null;
  /** Variants that the tables know of this GPU. */
  readonly variants: readonly string[];
  readonly sms: number;
  readonly levels: readonly MemoryLevel[];
}

/** Bytes that shared memory gives in a clock: 32 banks of 32 bits (CUDA programming guide, shared memory). */
const sharedBytesPerClock = 128;
/** What one lane of PCI Express carries, gigatransfers a second, by generation. */
const lanes: readonly number[] = [0, 2.5, 5, 8, 16, 32, 64];

/**
 * Peak bytes a second in one direction of a PCI Express link of 16 lanes: 8b/10b up to generation 2, 128b/130b up to 5,
 * flits from 6 on, of which headers are left out here.
 */
export function pcieRate(generation: number): number | null {
  const rate = lanes[generation];
  if (rate === undefined || rate === 0) return null;
  const coded = generation <= 2 ? 0.8 : generation <= 5 ? 128 / 130 : 1;
  return (rate * 1e9 * 16 * coded) / 8;
}

/**
 * Sizes and peak rates of the memories of a GPU.
 * @param text any usual name; one that holds a size (`A100 40GB`) takes that variant
 * @param variant takes precedence over the name
 */
export function memoryHierarchy(text: string, variant: string | null, knowledge: Knowledge): MemoryHierarchy | NoPlace {
  const place = placeOf(text, knowledge);
  if ('problem' in place) return place;
  const rows = knowledge.gpuMemory.filter((row) => row.gpu === place.name);
  const row = chosen(rows, text, variant);
  if (row === undefined || place.sms === null)
    return {
      problem: `the memories of ${place.name ?? text.slice(0, 80)} are not in the tables`,
      hint: `known are ${[...new Set(knowledge.gpuMemory.map((each) => each.gpu))].join(', ')}`,
    };
  const { limits, sms } = place;
  const clock = row.clockMHz * 1e6;
  const shared = limits.unifiedL1SharedKiB === null ? limits.sharedMemoryPerSm : limits.unifiedL1SharedKiB * 1024;
  const levels: readonly MemoryLevel[] = [
    {
      id: 'registers',
      title: 'registers',
      bytes: limits.registersPerSm * 4 * sms,
      bytesPerSm: limits.registersPerSm * 4,
      bytesPerSecond: null,
      rateNote: 'no rate is published: operands are read in the clock in which they are used',
      confirmed: limits.confirmed && place.smsConfirmed,
      sources: limits.sources,
    },
    {
      id: 'shared',
      title: limits.unifiedL1SharedKiB === null ? 'shared memory' : 'shared memory and L1',
      bytes: shared * sms,
      bytesPerSm: shared,
      bytesPerSecond: sharedBytesPerClock * sms * clock,
      rateNote: `${sharedBytesPerClock} bytes a clock on each of ${sms} SMs at ${row.clockMHz} MHz, without bank conflicts`,
      confirmed:
        limits.confirmed &&
        place.smsConfirmed &&
        row.confirmed &&
        (limits.unifiedL1SharedKiB === null || limits.confirmedFields.unifiedL1SharedKiB),
      sources: [...limits.sources, 'cuda-programming-guide'],
    },
    {
      id: 'l2',
      title: 'L2',
      bytes: row.l2KiB === null ? null : row.l2KiB * 1024,
      bytesPerSm: null,
      bytesPerSecond: row.l2BytesPerClock === null ? null : row.l2BytesPerClock * clock,
      rateNote:
        row.l2BytesPerClock === null
          ? 'the vendor states no rate; it lies between those of shared memory and of the memory'
          : `${row.l2BytesPerClock} bytes a clock, taken at the ${row.clockMHz} MHz of the SMs`,
      confirmed: row.confirmedFields.l2,
      sources: row.sources,
    },
    {
      id: 'device',
      title: `${row.memory} of the GPU`,
      bytes: row.memoryGB * 1e9,
      bytesPerSm: null,
      bytesPerSecond: row.memoryGBps * 1e9,
      rateNote: 'peak; streams of large reads reach about nine tenths of it',
      confirmed: row.confirmed,
      sources: row.sources,
    },
    ...(row.nvlinkGBps === null ? [] : [peer(row, row.nvlinkGBps)]),
    host(row),
  ];
  return {
    gpu: row.gpu,
    variant: row.variant,
    variants: rows.flatMap((each) => (each.variant === null ? [] : [each.variant])),
    sms,
    levels,
  };
}

function chosen(rows: readonly GpuMemoryRow[], text: string, variant: string | null): GpuMemoryRow | undefined {
  const wanted = rows.find((row) => row.variant !== null && row.variant === variant);
  const size = /\b(\d{2,3}) ?GB?\b/i.exec(text.slice(0, 200))?.[1];
  return wanted ?? rows.find((row) => size !== undefined && row.memoryGB === Number(size)) ?? rows[0];
}

function peer(row: GpuMemoryRow, both: number): MemoryLevel {
  return {
    id: 'peer',
    title: 'another GPU over NVLink',
    bytes: row.memoryGB * 1e9,
    bytesPerSm: null,
    bytesPerSecond: (both * 1e9) / 2,
    rateNote: `half of the ${both} GB/s that all links carry in both directions together`,
    confirmed: row.confirmedFields.nvlink,
    sources: row.sources,
  };
}

function host(row: GpuMemoryRow): MemoryLevel {
  const rate = row.pcie === null ? (row.hostGBps === null ? null : (row.hostGBps * 1e9) / 2) : pcieRate(row.pcie);
  return {
    id: 'host',
    title: row.pcie === null ? `memory of the host over ${row.host}` : 'memory of the host over PCIe',
    bytes: null,
    bytesPerSm: null,
    bytesPerSecond: rate,
    rateNote:
      row.pcie === null
        ? `half of the ${row.hostGBps ?? 'unknown'} GB/s of both directions together`
        : `generation ${row.pcie}, 16 lanes, one direction; from page-locked memory, and only where the slot has it all`,
    confirmed: row.confirmedFields.host,
    sources: row.sources,
  };
}
