import type { Cited } from './row.types.ts';

/** What the vendor's catalogue tells to do first. */
export type XidStep =
  | 'ignore'
  | 'restart-application'
  | 'reset-gpu'
  | 'restart-vm'
  | 'restart-host'
  | 'update-software'
  | 'check-mechanicals'
  | 'check-uvm'
  | 'check-application'
  | 'check-link'
  | 'restart-fabric-manager'
  | 'follow-other-xid'
  | 'follow-recovery-action'
  | 'workflow'
  | 'contact-support';

/** An Xid code of the NVIDIA kernel module. */
export interface XidRow extends Cited {
  readonly code: number;
  /** Name in the vendor's catalogue; null: undefined there. */
  readonly name: string | null;
  /** Name in the source of the open kernel module. */
  readonly symbol: string | null;
  readonly class:
    | 'application'
    | 'driver'
    | 'hardware'
    | 'operator'
    | 'follow-on'
    | 'informational'
    | 'reserved'
    | 'unused'
    | 'undefined';
  /** Layer that it speaks of; null: none (informational, follow-on, reserved, unused, undefined). */
  readonly layer: 'hardware' | 'driver' | 'application' | 'fabric' | null;
  readonly severity: 'fatal' | 'critical' | 'error' | 'warning' | 'info' | 'unknown';
  readonly meaning: string;
  readonly action: string;
  /** First step by the catalogue; null: none given. */
  readonly immediate: XidStep | null;
  readonly investigate: XidStep | null;
  /** What tells the possible blames apart. */
  readonly discriminator: string | null;
  /** Cause of `causes.rows.ts` that it stands for when it leads; null: none fits alone. */
  readonly cause: string | null;
  /** The Kubernetes device plugin leaves the GPU healthy on this code. */
  readonly pluginIgnores: boolean;
  readonly evidence: 'confirmed' | 'historical' | 'source-name-only' | 'unconfirmed';
}

/** A part of the NVLink 5 Xids 144 to 150, as the second word of the message names it. */
export interface NvlinkXidRow extends Cited {
  readonly code: number;
  /** Unit that the message names. */
  readonly unit: string;
  readonly layer: 'hardware' | 'driver' | 'fabric';
  readonly meaning: string;
}

/** An SXid code of an NVSwitch. */
export interface SxidRow extends Cited {
  readonly code: number;
  readonly symbol: string;
  /** How the driver reports it; null: not seen. */
  readonly driverSeverity: 'fatal' | 'non-fatal' | null;
  /** How the fabric manager guide classes it; null: not listed. */
  readonly guideClass: 'always-fatal' | 'potentially-fatal' | 'non-fatal' | null;
  readonly guideName: string | null;
  /** Texts that the driver prints for it, verbatim. */
  readonly texts: readonly string[];
}
