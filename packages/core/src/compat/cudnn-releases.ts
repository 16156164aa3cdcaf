import { compareCudnn, formatCudnn, parseCudnn } from '../versions/cudnn.ts';
import type { CudnnVersion } from '../versions/cudnn.ts';
import type { CudnnRangeRow } from '../knowledge/cudnn.types.ts';
import type { Tables } from './tables.ts';

/** Order of a version against one that is written in a table. */
export function compareToText(version: CudnnVersion, text: string): number {
  const other = parseCudnn(text);
  return other === null ? 0 : compareCudnn(version, other);
}

/** The row of a release; a release between two rows takes the row below it, as not confirmed. */
export function rangeRow(version: CudnnVersion, tables: Tables): CudnnRangeRow | null {
  let below: CudnnRangeRow | null = null;
  for (const row of tables.cudnnRanges) {
    if (row.range.from !== null && compareToText(version, row.range.from) < 0 && !startsWith(version, row.range.from))
      continue;
    if (row.range.below === null || compareToText(version, row.range.below) < 0) return row;
    below = row;
  }
  const known = below !== null && below.range.from !== null && parseCudnn(below.range.from)?.major === version.major;
  const last = tables.cudnnRanges.at(-1) === below;
  return below === null || !known || last ? null : { ...below, confirmed: false };
}

/** A short version such as `9` lies in no row of its own. */
function startsWith(version: CudnnVersion, from: string): boolean {
  return version.minor !== null && `${version.major}.${version.minor}` === from;
}

/** The row lists builds for this CUDA major. */
export function offers(row: CudnnRangeRow, major: number): boolean {
  return row.builds.some((build) => build.cudaMajor === major);
}

/** The release itself; of a version without build number, the first release of it. */
export function releaseOf(
  version: CudnnVersion,
  tables: Tables,
): { readonly cudaMajors: readonly number[] | null; readonly sources: readonly string[] } | null {
  const text = formatCudnn(version);
  const exact = tables.cudnnReleases.get(text);
  if (exact !== undefined) return exact;
  if (version.build !== null) return null;
  for (const row of tables.cudnnReleases.values()) if (row.version.startsWith(`${text}.`)) return row;
  return null;
}

/** A build that both confirmed neighbours lack is not there in between. */
export function neighboursAgree(row: CudnnRangeRow, major: number, tables: Tables): boolean {
  const at = tables.cudnnRanges.findIndex((one) => one.range.from === row.range.from);
  const before = tables.cudnnRanges.slice(0, at).findLast((one) => one.confirmed);
  const after = tables.cudnnRanges.slice(at + 1).find((one) => one.confirmed);
  const ended = [...tables.cudnnReleases.values()].some(
    (one) =>
      one.cudaMajors?.includes(major) === true &&
      compareToText(parseCudnn(one.version) as CudnnVersion, row.range.from ?? '0') >= 0,
  );
  return !ended && (after === undefined || !offers(after, major)) && before !== undefined;
}

/** The nearest release that has a build for this CUDA major, for `needs`. */
export function nearestWith(version: CudnnVersion, major: number, tables: Tables): string {
  let older: CudnnVersion | null = null;
  let newer: CudnnVersion | null = null;
  for (const row of tables.cudnnReleases.values()) {
    const one = parseCudnn(row.version);
    if (one === null || row.cudaMajors?.includes(major) !== true) continue;
    if (compareCudnn(one, version) < 0 && (older === null || compareCudnn(one, older) > 0)) older = one;
    if (compareCudnn(one, version) > 0 && (newer === null || compareCudnn(one, newer) < 0)) newer = one;
  }
  if (newer !== null) return `a cu${major} build: cuDNN ${formatCudnn(newer)} or newer`;
  return older === null ? `a cuDNN with a CUDA ${major} build` : `cuDNN ${formatCudnn(older)} or older`;
}
