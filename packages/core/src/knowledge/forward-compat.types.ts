import type { Cited, VersionRange } from './row.types.ts';

/**
 * `compatible`: the package is supported on that base. `same-pairing`: the driver is that release already.
 * `not-provided`: the driver is newer; run without the package.
 */
export type Pairing = 'compatible' | 'same-pairing' | 'not-provided';

/** Row of the current matrix. A base branch that is not listed is not supported as a base. */
export interface CompatMatrixRow extends Cited {
  readonly package: string;
  readonly cuda: string;
  readonly bases: readonly { readonly branch: number; readonly pairing: Pairing }[];
  /** Month when the page was read. */
  readonly captured: string;
}

/** What older matrices allowed, from texts of their time. */
export interface CompatHistoricRow extends Cited {
  readonly package: string;
  readonly cuda: string;
  /** Base branches with the lowest build that was named. */
  readonly bases: readonly { readonly branch: number; readonly from: string; readonly endOfLife: boolean }[];
  readonly notBases: readonly number[];
}

/** Driver release inside a compat package. Packages are rebuilt: the file name of its libcuda is the truth. */
export interface CompatPackageRow extends Cited {
  readonly package: string;
  readonly cuda: string;
  /** Toolkit update it came with, as far as named; null: not named. */
  readonly toolkit: string | null;
  readonly driver: string | null;
  readonly platform: 'server' | 'jetson-orin';
}

/** Classes of GPU products; `gpus.rows.ts` puts every product into one. */
export type GpuClass = 'data-center' | 'workstation' | 'geforce' | 'titan' | 'jetson' | 'integrated';

export interface CompatClassRow extends Cited {
  readonly class: GpuClass;
  /** `conditional`: only products that are named as NGC-Server-Ready, or only with a package of its own. */
  readonly status: 'allowed' | 'conditional' | 'not-allowed';
  readonly condition: string | null;
  /** CUDA error that a forbidden use gives. */
  readonly error: number | null;
}

export interface CompatErrorRow extends Cited {
  readonly code: number;
  readonly driver: string | null;
  readonly runtime: string;
  readonly meaning: string;
}

export interface CompatFeatureRow extends Cited {
  readonly id: string;
  readonly feature: string;
  /** Does it work with the package in use; `host`: it stays as the host driver has it. */
  readonly withCompat: 'yes' | 'no' | 'host';
  readonly note: string | null;
}

/** A file of a compat package, in `/usr/local/cuda-X.Y/compat`. */
export interface CompatFileRow extends Cited {
  readonly pattern: string;
  /** First CUDA version whose package has it; null: always. */
  readonly since: string | null;
}

export interface CompatRuleRow extends Cited {
  readonly id: string;
  readonly what: string;
}

/** The list of host branches that a compat libcuda carries in its ELF note `.note.cuda.fwd_compatibility`. */
export interface CompatNoteRow extends Cited {
  readonly libcuda: string;
  readonly cuda: string;
  /** Null: the note has no list (Jetson). */
  readonly drivers: readonly number[] | null;
}

/** A container toolkit setting that decides which libcuda a container sees, and in which versions. */
export interface ToolkitOptionRow extends Cited {
  readonly option: string;
  readonly value: string | null;
  readonly versions: VersionRange;
  readonly what: string;
}

/** A widely read operator page, checked against the sources. */
export interface PageCheckRow extends Cited {
  readonly id: string;
  readonly rule: string;
  readonly pageSays: string;
  readonly sourcesSay: string;
  readonly verdict: 'right' | 'incomplete' | 'wrong';
}
