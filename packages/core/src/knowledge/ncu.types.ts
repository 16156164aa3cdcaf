import type { Owner } from '../model/layer.ts';
import type { Cited } from './row.types.ts';

/** A number of a kernel profile (Nsight Compute), by the name that rules use. */
export interface NcuMetricRow extends Cited {
  /** `achieved-occupancy` */
  readonly id: string;
  readonly title: string;
  /** Names on the raw page, as printed. */
  readonly raw: readonly string[];
  /** Labels on the details page, as printed; several where they changed. */
  readonly labels: readonly string[];
  readonly unit: 'ns' | 'byte' | 'byte/s' | '%' | 'count' | 'threads' | 'warps' | 'blocks' | 'ratio';
  /** What is counted. */
  readonly definition: string;
  /** What it tells a reader, and whose it is. */
  readonly reads: string;
  readonly owner: Owner;
}

/** Why warps wait (Nsight Compute). */
export interface StallReasonRow extends Cited {
  /** As it stands in metric names: `long_scoreboard`. */
  readonly id: string;
  readonly label: string;
  /** What the warps wait for. */
  readonly what: string;
  /** What helps. */
  readonly helps: string;
  readonly owner: Owner;
}
