import type { Cited } from './row.types.ts';

/**
 * The memories of a GPU and the links it has. Peaks, as vendors state them: GB are 10^9 bytes. `confirmed` speaks of
 * size, rate and clock; each of the others has its own flag.
 */
export interface GpuMemoryRow extends Cited {
  /** Name in the GPU table. */
  readonly gpu: string;
  /** What tells the variants of one product apart: `80 GB`; null where there is one. */
  readonly variant: string | null;
  readonly memory: 'HBM2' | 'HBM2e' | 'HBM3' | 'HBM3e' | 'GDDR6' | 'GDDR6X' | 'GDDR7';
  readonly memoryGB: number;
  readonly memoryGBps: number;
  /** KiB that the whole GPU shares. */
  readonly l2KiB: number | null;
  /** Bytes that all of L2 gives in a clock; null where the vendor does not say. */
  readonly l2BytesPerClock: number | null;
  /** Highest clock of the SMs. */
  readonly clockMHz: number;
  /** All links to other GPUs, both directions together; null where there are none. */
  readonly nvlinkGBps: number | null;
  readonly host: 'PCIe' | 'NVLink-C2C';
  /** Generation of PCI Express, 16 lanes; null where the host is linked otherwise. */
  readonly pcie: number | null;
  /** Both directions together, where `host` is not PCIe. */
  readonly hostGBps: number | null;
  readonly confirmedFields: { readonly l2: boolean; readonly nvlink: boolean; readonly host: boolean };
}
