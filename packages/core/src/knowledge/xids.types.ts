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
  | 'check-peer'
  | 'check-host'
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

/**
 * One rule for decoding an NVLink 5 Xid. Such a line reads
 * `Xid (PCI:…): 149, NETIR_LINK_EVT/NETIR_LINK_DOWN Fatal XC0 i0 Link 03 (0x00086226 0x00000001 …)`: unit, severity,
 * containment, injection, link, then in brackets the intrinsic info, the error status and debug words.
 */
export interface NvlinkXidRow extends Cited {
  readonly code: number;
  /** Unit as the message names it. */
  readonly unit: string;
  /** Bits 6 to 0 of the intrinsic info, for drivers of branch 575 and later. */
  readonly id: number;
  /** Bits 9 to 5 of the intrinsic info, for older drivers. */
  readonly idBefore575: number;
  /** Bits 25 to 20 of the intrinsic info: why a link went down. 0 where the unit has no reasons. */
  readonly reason: number;
  /** The error status; null: any. */
  readonly status: number | null;
  readonly severity: 'fatal' | 'non-fatal' | 'link-fatal';
  /** Who may have made it. */
  readonly sides: readonly ('hardware' | 'software' | 'firmware')[];
  /** `follow-recovery-action`: do what an Xid 154 beside it says; without one, restart the application. */
  readonly immediate: XidStep;
  /** The GPU must be reset, whatever `immediate` says, if bit 7 of the intrinsic info is set. */
  readonly resetIfBit7: boolean;
  readonly investigate: XidStep;
}

/** Bits of a register in an Xid 74 line. */
export interface NvlinkRegisterRow extends Cited {
  /** Place of the register in the line, from 1. */
  readonly register: number;
  readonly bits: readonly number[];
  readonly kind: 'ignore' | 'secondary' | 'ecc' | 'mechanical' | 'signal' | 'report' | 'diagnose' | 'threshold';
  readonly what: string;
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
