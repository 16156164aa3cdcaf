import { compareCudaMinor, parseCuda } from '../versions/cuda.ts';
import type { CudaVersion } from '../versions/cuda.ts';
import { isVulkanBeta, parseDriver, windowsBranch } from '../versions/driver.ts';
import type { DriverVersion } from '../versions/driver.ts';
import type { BranchRow } from '../knowledge/branches.types.ts';
import type { Tables } from './tables.ts';

/** A host driver and what it serves. */
export interface HostDriver {
  readonly version: DriverVersion;
  readonly windows: boolean;
  /** Null: no such branch is known. */
  readonly branch: BranchRow | null;
  /** Newest CUDA that it serves; null with the branch. */
  readonly serves: CudaVersion | null;
  /** Newest CUDA that it serves for certain: differs where the branch's number is only inferred. */
  readonly servesAtLeast: CudaVersion | null;
  readonly beta: boolean;
  /** Why the branch is not known. */
  readonly reason: string | null;
}

/**
 * Looks a driver up: the branch by its first number (on Windows by the nearest branch below, as the numbers run on
 * there), and the CUDA version that the branch serves. Null when the text is no driver version.
 */
export function hostDriver(text: string, windows: boolean, tables: Tables): HostDriver | null {
  const version = parseDriver(text);
  if (version === null) return null;
  const number = windows
    ? windowsBranch(version, tables.branchNumbers)
    : (tables.branchOfRelease.get(version.text) ?? version.branch);
  const branch = number === null ? null : (tables.branches.get(number) ?? null);
  const beta = !windows && isVulkanBeta(version);
  if (branch === null) {
    return {
      version,
      windows,
      branch,
      serves: null,
      servesAtLeast: null,
      beta,
      reason: reasonUnknown(version, windows, tables),
    };
  }
  const serves = parseCuda(branch.cuda);
  const servesAtLeast = branch.confirmedFields.cuda ? serves : newestConfirmedBelow(branch.branch, tables);
  return { version, windows, branch, serves, servesAtLeast, beta, reason: null };
}

function reasonUnknown(version: DriverVersion, windows: boolean, tables: Tables): string {
  const first = tables.branchNumbers[0] ?? 0;
  const last = tables.branchNumbers.at(-1) ?? 0;
  if (version.branch > last)
    return `no driver branch R${version.branch} has been published; the newest known is R${last}`;
  if (version.branch < first) return `driver branch R${version.branch} is older than the tables go`;
  const onWindows = windows ? null : windowsBranch(version, tables.branchNumbers);
  if (onWindows === null) return `driver branch R${version.branch} is not in the tables`;
  return `R${version.branch} is no Linux branch; ${version.text} would be a Windows number of R${onWindows}`;
}

function newestConfirmedBelow(branch: number, tables: Tables): CudaVersion | null {
  let best: CudaVersion | null = null;
  for (const row of tables.branches.values()) {
    if (row.branch >= branch || !row.confirmedFields.cuda) continue;
    const cuda = parseCuda(row.cuda);
    if (cuda !== null && (best === null || (compareCudaMinor(cuda, best) ?? 0) > 0)) best = cuda;
  }
  return best;
}

/** `driver 535.183.01`, or `a driver of branch R450` when only the branch is known. */
export function driverLabel(driver: HostDriver): string {
  return driver.version.partial ? `a driver of branch R${driver.version.branch}` : `driver ${driver.version.text}`;
}
