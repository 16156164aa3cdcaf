import { compareCudnn, formatCudnn, parseCudnn } from '../versions/cudnn.ts';
import type { CudnnVersion } from '../versions/cudnn.ts';
import type { CudaVersion } from '../versions/cuda.ts';
import { driverAtLeast, parseDriver } from '../versions/driver.ts';
import type { CudnnRangeRow } from '../knowledge/cudnn.types.ts';
import { gpuLabel } from './gpu-name.ts';
import type { Gpu } from './gpu-name.ts';
import { driverLabel } from './host-driver.ts';
import type { HostDriver } from './host-driver.ts';
import { fails, holds, isOpen } from './step.ts';
import type { Step } from './step.ts';
import type { Tables } from './tables.ts';
import { compareToText, offers } from './cudnn-releases.ts';

/** Rule that every step about cuDNN names. */
export const rule = 'cudnn';

/** A step about cuDNN whose truth is not known. */
export function openStep(
  message: string,
  needs: string,
  missing: string = needs,
  restsOn: readonly string[] = [],
): Step {
  return isOpen(rule, message, restsOn, { as: 'cannot-tell', needs, missing });
}

/** Does this cuDNN support the GPU? Between two releases that were read, what both agree on holds. */
export function gpuStep(
  version: CudnnVersion,
  major: number,
  gpu: Gpu,
  process: CudaVersion | null,
  row: CudnnRangeRow,
  tables: Tables,
): Step {
  const have = formatCudnn(version);
  const truth = supports(row, major, gpu.sm, process);
  const label = gpuLabel(gpu);
  if (row.confirmed && truth === true) return holds(rule, `cuDNN ${have} supports ${label}`, row.sources);
  if (row.confirmed && truth === false) {
    return fails(
      rule,
      `cuDNN ${have} does not support ${label}`,
      row.sources,
      'unsupported GPU',
      lastFor(version, major, gpu, process, tables),
    );
  }
  // Not read for this release: what a confirmed older and a confirmed newer release agree on holds in between; a GPU that
  // was dropped does not come back, one that came in stays until it is dropped.
  const at = tables.cudnnRanges.findIndex((one) => one.range.from === row.range.from);
  const olderRow = tables.cudnnRanges.slice(0, at + 1).findLast((one) => one.confirmed && offers(one, major));
  const newerRow = tables.cudnnRanges.slice(at + 1).find((one) => one.confirmed && offers(one, major));
  const before = olderRow === undefined ? null : supports(olderRow, major, gpu.sm, process);
  const after = newerRow === undefined ? null : supports(newerRow, major, gpu.sm, process);
  const isOld = gpu.sm < 100;
  if (isOld && before === false && truth === false) {
    return fails(
      rule,
      `cuDNN ${have} does not support ${label}`,
      [...row.sources, ...(olderRow?.sources ?? [])],
      'unsupported GPU',
      lastFor(version, major, gpu, process, tables),
    );
  }
  if (truth === true && (after === true || (newerRow === undefined && before !== false)))
    return holds(rule, `cuDNN ${have} supports ${label}`, row.sources);
  return openStep(
    `whether cuDNN ${have} supports ${label} was not read`,
    'the support matrix of this cuDNN release',
    `GPUs of cuDNN ${have}`,
    row.sources,
  );
}

function supports(row: CudnnRangeRow, major: number, sm: number, process: CudaVersion | null): boolean | null {
  const build = row.gpus.find((one) => one.cudaMajor === major);
  if (build === undefined) return null;
  if (sm < build.minSm) return false;
  if (build.maxSm !== null && sm > build.maxSm)
    return sm > build.maxSm && Math.floor(sm / 10) === Math.floor(build.maxSm / 10) ? null : false;
  // The 12.8 and 12.9 builds brought 10.x and 12.x.
  if (sm >= 100 && process !== null && process.major === 12 && (process.minor ?? 8) < 8) return false;
  return true;
}

function lastFor(version: CudnnVersion, major: number, gpu: Gpu, process: CudaVersion | null, tables: Tables): string {
  const rows = tables.cudnnRanges.filter((row) => row.confirmed && supports(row, major, gpu.sm, process) === true);
  const older = rows.findLast((row) => row.range.from !== null && compareToText(version, row.range.from) > 0);
  if (older?.range.below != null) {
    let best: CudnnVersion | null = null;
    for (const release of tables.cudnnReleases.values()) {
      const one = parseCudnn(release.version);
      if (
        one !== null &&
        compareToText(one, older.range.below) < 0 &&
        release.cudaMajors?.includes(major) !== false &&
        (best === null || compareCudnn(one, best) > 0)
      )
        best = one;
    }
    if (best !== null) return `cuDNN ${formatCudnn({ ...best, build: null })}`;
  }
  const newer = rows.find((row) => row.range.from !== null && compareToText(version, row.range.from) < 0);
  if (newer?.range.from != null) return `cuDNN ${newer.range.from} or newer`;
  return process !== null && process.major === 12 ? 'a CUDA 12.8 or newer process' : 'another GPU';
}

/** Is the driver at or above the floor of the build? */
export function driverStep(
  version: CudnnVersion,
  major: number,
  driver: HostDriver,
  gpu: Gpu | null,
  row: CudnnRangeRow,
): Step {
  const have = formatCudnn(version);
  const floors = row.minDriver.filter(
    (one) => one.cudaMajor === major && (one.minSm === null || (gpu !== null && gpu.sm >= one.minSm)),
  );
  const floor = floors.at(-1) ?? null;
  const text = floor === null ? null : driver.windows ? floor.windows : floor.linux;
  const least = text === null ? null : parseDriver(text);
  if (driver.branch === null)
    return openStep(
      driver.reason ?? 'the driver branch is not known',
      'a driver version that has been published',
      `driver ${driver.version.text}`,
    );
  if (least === null)
    return openStep(
      `the driver floor of cuDNN ${have} for CUDA ${major} was not read`,
      'the support matrix of this cuDNN release',
      `driver floor of cuDNN ${have}`,
      row.sources,
    );
  const met = driverAtLeast(driver.version, least);
  if (met === null)
    return openStep(
      `the floor is ${least.text}, and ${driverLabel(driver)} can be below or above it`,
      'the full driver version',
      'full driver version',
      row.sources,
    );
  if (met) return holds(rule, `${driverLabel(driver)} is at or above ${least.text}`, row.sources);
  return fails(
    rule,
    `cuDNN ${have} for CUDA ${major} needs driver ${least.text}; the host has ${driver.version.text}`,
    row.sources,
    '35',
    `driver ${least.text} or newer`,
  );
}
