import type { Cited } from './row.types.ts';

/**
 * One CUDA toolkit release. Two different drivers belong to it, and they must not be mixed up:
 * `runFloor…` is the lowest driver that runs its programs; `packagedDriver…` only came in the same box.
 */
export interface ToolkitRow extends Cited {
  /** Name with update: `12.8 U1`, `11.0 RC`. */
  readonly label: string;
  /** Major and minor: `12.8`. */
  readonly cuda: string;
  /** Full version: `12.8.1`; of toolkits before 11 the build, `10.2.89`. */
  readonly version: string;
  /** 0 is the first release, -1 a release candidate. */
  readonly update: number;
  /** Driver branch that serves this CUDA version natively. */
  readonly branch: number;
  /** Lowest driver that runs programs of this toolkit which carry SASS and call nothing newer than that driver. */
  readonly runFloorLinux: string;
  readonly runFloorWindows: string;
  /** Where the floor comes from: one floor for the CUDA major, or (before 11) the toolkit's own driver. */
  readonly runFloorRule: 'minor-version-compat' | 'toolkit-driver';
  /** Driver packaged with this toolkit: what it was developed with, not what it needs. Null: none is packaged. */
  readonly packagedDriverLinux: string | null;
  readonly packagedDriverWindows: string | null;
  /** A matching driver met elsewhere (compat package, container), where none is packaged. */
  readonly matchingDriverSeen: string | null;
  /** Doubts about single fields of a row. */
  readonly confirmedFields: { readonly runFloorWindows: boolean; readonly branch: boolean };
  readonly note: string | null;
}

/** Floor of minor version compatibility for a CUDA major (or for the minors `fromMinor` to `toMinor` of it). */
export interface MinorVersionRow extends Cited {
  readonly major: number;
  readonly fromMinor: number;
  /** Null: no end known. */
  readonly toMinor: number | null;
  /** True: a newer minor runs on an older driver of the major. False: each toolkit has its own floor. */
  readonly allowed: boolean;
  readonly minDriverLinux: string;
  readonly minDriverWindows: string;
  /** Driver at which the next CUDA major begins: not a limit, newer drivers run these programs too. */
  readonly nextMajorFrom: string | null;
  readonly confirmedFields: { readonly minDriverWindows: boolean };
  readonly note: string | null;
}

/** What minor version compatibility does not cover. */
export interface MinorVersionCaveatRow extends Cited {
  readonly id: 'new-feature' | 'ptx' | 'libs' | 'too-old';
  readonly what: string;
  /** CUDA error codes that show it, the usual one first. */
  readonly errors: readonly number[];
}

/** How a toolkit release changed the rules, or a release number that never came out. */
export interface ToolkitNoteRow extends Cited {
  readonly id: string;
  readonly since: string;
  readonly what: string;
}
