import { compareCudaMinor, formatCudaMinor } from '../versions/cuda.ts';
import type { CudaVersion } from '../versions/cuda.ts';
import { driverAtLeast, parseDriver } from '../versions/driver.ts';
import type { MinorVersionRow } from '../knowledge/toolkits.types.ts';
import type { CudaRange } from './cuda-range.ts';
import { rangeText } from './cuda-range.ts';
import { driverLabel } from './host-driver.ts';
import type { HostDriver } from './host-driver.ts';
import { fails, holds, isOpen, shown } from './step.ts';
import type { Step } from './step.ts';
import type { Tables } from './tables.ts';

/** How a driver comes to run a program of a CUDA version; null: not known. */
export type Relation = 'backward' | 'minor-version' | 'none' | null;

/** The lowest driver that runs programs of a CUDA version. */
export interface Floor {
  readonly driver: string;
  /** One floor for the CUDA major, or the toolkit's own. */
  readonly perMajor: boolean;
  readonly confirmed: boolean;
  readonly restsOn: readonly string[];
}

/** Looks up the floor; null when the CUDA version is in no table. */
export function floorOf(cuda: CudaVersion, windows: boolean, tables: Tables): Floor | null {
  const toolkit = tables.toolkits.get(formatCudaMinor(cuda));
  // One floor for a major stands in the table of majors; a toolkit's row repeats it, and counts where that has none.
  const major = toolkit?.runFloorRule === 'minor-version-compat' ? majorRow(cuda, tables) : null;
  if (toolkit !== undefined && major?.allowed !== true) {
    return {
      driver: windows ? toolkit.runFloorWindows : toolkit.runFloorLinux,
      perMajor: toolkit.runFloorRule === 'minor-version-compat',
      confirmed: !windows || toolkit.confirmedFields.runFloorWindows,
      restsOn: toolkit.sources,
    };
  }
  const row = majorRow(cuda, tables);
  if (row === null || !row.allowed) return null;
  return {
    driver: windows ? row.minDriverWindows : row.minDriverLinux,
    perMajor: true,
    confirmed: !windows || row.confirmedFields.minDriverWindows,
    restsOn: row.sources,
  };
}

function majorRow(cuda: CudaVersion, tables: Tables): MinorVersionRow | null {
  const minor = cuda.minor ?? 0;
  const row = tables.minorVersion.find(
    (one) => one.major === cuda.major && minor >= one.fromMinor && (one.toMinor === null || minor <= one.toMinor),
  );
  return row ?? null;
}

/** Sources of the rule that programs of a CUDA major share one floor. */
export function minorVersionSources(cuda: CudaVersion, tables: Tables): readonly string[] {
  return majorRow(cuda, tables)?.sources ?? ['cuda-minor-version-compat'];
}

/** What the CUDA question comes to: the relation, and its steps in the order backward, minor version, minimum. */
export interface CudaVerdict {
  readonly relation: Relation;
  readonly steps: readonly Step[];
  /** Floor of the program's CUDA version, for `needs`. */
  readonly floor: Floor | null;
}

/**
 * Holds a program's CUDA version against a driver. `backward`: the driver serves it. `minor-version`: same major, and
 * the driver is at or above the floor of the major. `none`: neither. Before 11 each release has its own floor.
 * `hint` names other ways out (a compat package) for the failing case.
 */
export function cudaVerdict(range: CudaRange, driver: HostDriver, hint: string | null, tables: Tables): CudaVerdict {
  const cuda = rangeText(range);
  const label = driverLabel(driver);
  if (!range.known) {
    const step = isOpen('minimum-driver', `CUDA ${cuda} is in no table`, [], {
      as: 'cannot-tell',
      needs: 'a CUDA version that has been published',
      missing: `driver floor of CUDA ${cuda}`,
    });
    return { relation: null, steps: [step], floor: null };
  }
  const floor = floorOf(range.high, driver.windows, tables);
  if (driver.branch === null || driver.serves === null) {
    const step = isOpen('minimum-driver', driver.reason ?? 'the driver branch is not known', [], {
      as: 'cannot-tell',
      needs: 'a driver version that has been published',
      missing: `CUDA version that driver ${driver.version.text} serves`,
    });
    return { relation: null, steps: [step], floor };
  }
  const high = relationOf(range.high, driver, tables);
  const low = range.low === range.high ? high : relationOf(range.low, driver, tables);
  const relation =
    high === 'backward' || high === low ? high : low === 'none' ? 'none' : low === null ? null : 'minor-version';
  const serves = formatCudaMinor(driver.serves);
  const sources = [...driver.branch.sources, ...(floor?.restsOn ?? [])];
  const mvc = minorVersionSources(range.high, tables);
  if (relation === 'backward') {
    return {
      relation,
      floor,
      steps: [holds('backward', `${label} serves CUDA ${serves}, and CUDA ${cuda} is not newer`, sources)],
    };
  }
  const backward = shown(
    'backward',
    relation === null ? null : false,
    relation === null
      ? `whether ${label} serves CUDA ${cuda} depends on its build`
      : `${label} serves CUDA ${serves}; CUDA ${cuda} is newer${isBelowOwnFloor(range, driver) ? ' than this build allows' : ''}`,
    sources,
  );
  if (relation === 'minor-version') {
    const step = holds(
      'minor-version',
      `same CUDA major, and ${label} is at or above its floor ${floor?.driver ?? ''}`.trimEnd(),
      mvc,
    );
    return { relation, floor, steps: [backward, step] };
  }
  if (relation === null) {
    const step = isOpen(
      'minimum-driver',
      `the floor of CUDA ${cuda} is ${floor?.driver ?? 'not known'}, and ${label} can be below or above it`,
      mvc,
      {
        as: 'cannot-tell',
        needs: 'the full driver version: nvidia-smi --query-gpu=driver_version --format=csv,noheader',
        missing: 'full driver version',
      },
    );
    return { relation, floor, steps: [backward, step] };
  }
  const sameMajor = range.high.major === driver.serves.major;
  const minor = shown(
    'minor-version',
    false,
    sameMajor
      ? `${label} is below the floor of CUDA ${range.high.major}: ${floor?.driver ?? 'none published'}`
      : `minor version compatibility does not cross majors: ${label} is of CUDA ${driver.serves.major}`,
    mvc,
  );
  const least = `driver ${floor?.driver ?? ''} or newer`;
  const minimum = fails(
    'minimum-driver',
    `CUDA ${cuda} needs ${least}; ${label} serves CUDA ${serves}`,
    sources,
    '35',
    hint === null ? least : `${least}, or ${hint}`,
  );
  return { relation, floor, steps: [backward, minor, minimum] };
}

function isBelowOwnFloor(range: CudaRange, driver: HostDriver): boolean {
  return driver.serves !== null && (compareCudaMinor(range.high, driver.serves) ?? 1) <= 0;
}

/** The relation of one CUDA release to a driver of a known branch. */
export function relationOf(cuda: CudaVersion, driver: HostDriver, tables: Tables): Relation {
  const serves = driver.serves;
  if (serves === null) return null;
  const order = compareCudaMinor(cuda, driver.servesAtLeast ?? serves);
  if (order === null) return null;
  const floor = floorOf(cuda, driver.windows, tables);
  const least = floor === null ? null : parseDriver(floor.driver);
  const met = least === null ? null : driverAtLeast(driver.version, least);
  if (order <= 0) {
    // The branch serves it; a build below the floor of that very release (a developer build) does not.
    if (met === true || (met === false && isPackaged(cuda, driver, tables))) return 'backward';
    return least === null ? 'backward' : met === null ? null : 'none';
  }
  if (floor === null || !floor.perMajor || cuda.major !== serves.major) return 'none';
  return met === null ? null : met ? 'minor-version' : 'none';
}

/** The driver that came in the box with a toolkit runs it, even where a later table names a higher floor. */
function isPackaged(cuda: CudaVersion, driver: HostDriver, tables: Tables): boolean {
  const text = formatCudaMinor(cuda);
  return tables.knowledge.toolkits.some((row) => {
    if (row.cuda !== text) return false;
    const packaged = driver.windows ? row.packagedDriverWindows : row.packagedDriverLinux;
    const version = packaged === null ? null : parseDriver(packaged);
    return version !== null && driverAtLeast(driver.version, version) === true;
  });
}
