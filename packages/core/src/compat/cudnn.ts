import { compareCudnn, formatCudnn, parseCudnn } from '../versions/cudnn.ts';
import type { CudnnVersion } from '../versions/cudnn.ts';
import { compareCudaMinor, formatCudaMinor, parseCuda } from '../versions/cuda.ts';
import type { CudaVersion } from '../versions/cuda.ts';
import { driverAtLeast, parseDriver } from '../versions/driver.ts';
import type { CudnnRangeRow } from '../knowledge/cudnn.types.ts';
import { gpuLabel } from './gpu-name.ts';
import type { Gpu } from './gpu-name.ts';
import { driverLabel } from './host-driver.ts';
import type { HostDriver } from './host-driver.ts';
import type { LibraryQuestion, WheelQuestion } from './question.ts';
import { fails, holds, isOpen } from './step.ts';
import type { Step } from './step.ts';
import type { Tables } from './tables.ts';
import { inRange } from './wheel-lookup.ts';
import { parseWheelVersion, releaseLine, variantOf } from '../versions/pep440.ts';

const rule = 'cudnn';

/** What a cuDNN question is about. */
export interface CudnnCase {
  readonly library: LibraryQuestion;
  /** CUDA version of the process. */
  readonly process: CudaVersion | null;
  readonly gpu: Gpu | null;
  readonly driver: HostDriver | null;
  readonly wheel: WheelQuestion | null;
}

/** Is the build there, does it fit the process, the program, the GPU and the driver? In this order. */
export function cudnnSteps(one: CudnnCase, tables: Tables): readonly Step[] {
  const version = parseCudnn(one.library.version);
  if (version === null) return [openStep(`${one.library.version} is no cuDNN version`, 'the cuDNN version')];
  const bundled = bundledStep(one, tables);
  if (bundled !== null) return [bundled];
  const steps: Step[] = [];
  const wanted = wantedBy(one, tables);
  if (wanted !== null) {
    const step = abiStep(version, wanted);
    steps.push(step);
    if (step.holds === false) return steps;
  }
  const row = rangeRow(version, tables);
  const typedMajor = one.library.build === undefined ? null : (parseCuda(one.library.build)?.major ?? null);
  const buildMajor = typedMajor ?? one.process?.major ?? null;
  if (row === null) {
    steps.push(
      openStep(
        `cuDNN ${formatCudnn(version)} is in no table`,
        'a cuDNN release that has been published',
        `cuDNN ${formatCudnn(version)}`,
      ),
    );
    return steps;
  }
  if (buildMajor !== null) steps.push(buildStep(version, buildMajor, row, tables));
  if (typedMajor !== null && one.process !== null && steps.at(-1)?.holds !== false)
    steps.push(processStep(version, typedMajor, one.process, row, tables));
  if (one.gpu !== null && buildMajor !== null)
    steps.push(gpuStep(version, buildMajor, one.gpu, one.process, row, tables));
  if (one.driver !== null && buildMajor !== null)
    steps.push(driverStep(version, buildMajor, one.driver, one.gpu, row, tables));
  if (steps.length === 0)
    steps.push(
      openStep(
        'the CUDA version of the process is not given',
        'the CUDA version of the process',
        'CUDA version of the process',
      ),
    );
  return steps;
}

function openStep(message: string, needs: string, missing: string = needs, restsOn: readonly string[] = []): Step {
  return isOpen(rule, message, restsOn, { as: 'cannot-tell', needs, missing });
}

/** torch wheels bring the cuDNN that they pin: a copy on the system is not what they load. */
function bundledStep(one: CudnnCase, tables: Tables): Step | null {
  if (
    one.wheel === null ||
    one.library.build !== undefined ||
    !['torch', 'pytorch'].includes(one.wheel.name.toLowerCase())
  )
    return null;
  const version = one.wheel.version === undefined ? null : parseWheelVersion(one.wheel.version);
  const rows = version === null ? [] : (tables.torch.get(releaseLine(version)) ?? []);
  const variant = one.wheel.variant ?? (version === null ? null : variantOf(version));
  const row = rows.find((candidate) => candidate.variant === variant) ?? rows[0];
  const pin = row?.cudnn ?? null;
  return holds(
    rule,
    `the torch wheel brings its own cuDNN${pin === null ? '' : ` (${pin})`}; another copy is not what it loads`,
    row?.sources ?? ['pytorch-release-matrix'],
  );
}

/** The cuDNN that the program was built against: said in the question, or by the table of its project. */
function wantedBy(
  one: CudnnCase,
  tables: Tables,
): { readonly version: CudnnVersion; readonly who: string; readonly restsOn: readonly string[] } | null {
  const typed = one.library.programBuiltFor === undefined ? null : parseCudnn(one.library.programBuiltFor);
  if (typed !== null) return { version: typed, who: 'the program', restsOn: ['onnxruntime-cuda'] };
  if (one.wheel === null) return null;
  const name = one.wheel.name.toLowerCase().split('[')[0] as string;
  const version = one.wheel.version === undefined ? null : parseWheelVersion(one.wheel.version);
  const rows =
    tables.projects.get(name === 'onnxruntime' ? 'onnxruntime-gpu' : name === 'tensorflow-gpu' ? 'tensorflow' : name) ??
    [];
  const row = rows.find(
    (candidate) =>
      candidate.cudnn !== null &&
      (version === null ? candidate.variant !== null : inRange(version, candidate.range)) &&
      fits(candidate.variant, one.wheel?.variant),
  );
  const from = row?.cudnn?.from == null ? null : parseCudnn(row.cudnn.from);
  if (row === undefined || from === null) return null;
  return { version: from, who: `${name}${version === null ? '' : ` ${version.public}`}`, restsOn: row.sources };
}

function fits(variant: string | null, typed: string | undefined): boolean {
  return variant === null || typed === undefined || typed === 'gpu' || variant === typed;
}

function abiStep(
  version: CudnnVersion,
  wanted: { readonly version: CudnnVersion; readonly who: string; readonly restsOn: readonly string[] },
): Step {
  const have = formatCudnn(version);
  const want = formatCudnn(wanted.version);
  if (version.major !== wanted.version.major) {
    return fails(
      rule,
      `${wanted.who} is built with cuDNN ${want} and looks for libcudnn of ${wanted.version.major}; ${have} has another soname`,
      wanted.restsOn,
      'library not found',
      `cuDNN ${want}${wanted.version.minor === null ? '' : ` or newer ${wanted.version.major}.x`}`,
    );
  }
  const a = { ...version, patch: null, build: null };
  const b = { ...wanted.version, patch: null, build: null };
  if (wanted.version.minor !== null && version.minor === null) {
    return openStep(
      `which ${version.major}.x is loaded is not given; ${wanted.who} wants ${want} or newer`,
      'the full cuDNN version',
      'full cuDNN version',
      wanted.restsOn,
    );
  }
  const older = compareCudnn(a, b) < 0;
  if (older)
    return fails(
      rule,
      `${wanted.who} is built with cuDNN ${want}; the loaded ${have} is older`,
      wanted.restsOn,
      'version check',
      `cuDNN ${want} or newer ${wanted.version.major}.x`,
    );
  return holds(
    rule,
    `cuDNN ${have} is of the major that ${wanted.who} is built with and not older than ${want}`,
    wanted.restsOn,
  );
}

function compareToText(version: CudnnVersion, text: string): number {
  const other = parseCudnn(text);
  return other === null ? 0 : compareCudnn(version, other);
}

/** The row of a release; a release between two rows takes the row below it, as not confirmed. */
function rangeRow(version: CudnnVersion, tables: Tables): CudnnRangeRow | null {
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

function offers(row: CudnnRangeRow, major: number): boolean {
  return row.builds.some((build) => build.cudaMajor === major);
}

function buildStep(version: CudnnVersion, major: number, row: CudnnRangeRow, tables: Tables): Step {
  const have = formatCudnn(version);
  const exact = releaseOf(version, tables);
  const listed = exact?.cudaMajors ?? null;
  const offered = listed?.includes(major) === true || offers(row, major);
  if (offered) return holds(rule, `cuDNN ${have} has a CUDA ${major} build`, exact?.sources ?? row.sources);
  const sure = listed !== null || row.confirmed || neighboursAgree(row, major, tables);
  if (!sure)
    return openStep(
      `whether cuDNN ${have} has a CUDA ${major} build was not read`,
      'the package index of cuDNN',
      `cu${major} build of cuDNN ${have}`,
      row.sources,
    );
  return fails(
    rule,
    `there is no CUDA ${major} build of cuDNN ${have}`,
    exact?.sources ?? row.sources,
    'no such package',
    nearestWith(version, major, tables),
  );
}

function releaseOf(
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
function neighboursAgree(row: CudnnRangeRow, major: number, tables: Tables): boolean {
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

function nearestWith(version: CudnnVersion, major: number, tables: Tables): string {
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

function processStep(
  version: CudnnVersion,
  major: number,
  process: CudaVersion,
  row: CudnnRangeRow,
  tables: Tables,
): Step {
  const have = formatCudnn(version);
  const cuda = formatCudaMinor(process);
  if (process.major !== major) {
    const needs = offers(row, process.major)
      ? `the cu${process.major} build`
      : nearestWith(version, process.major, tables);
    return fails(
      rule,
      `a CUDA ${major} build of cuDNN in a CUDA ${cuda} process`,
      row.sources,
      'library not found',
      needs,
    );
  }
  const build = row.builds.find((one) => one.cudaMajor === major);
  const low = build?.minCuda == null ? null : parseCuda(build.minCuda);
  const high = build?.maxCuda == null ? null : parseCuda(build.maxCuda);
  const outside =
    (low !== null && compareCudaMinor(process, low) === -1) || (high !== null && compareCudaMinor(process, high) === 1);
  if (outside) {
    return isOpen(
      rule,
      `the matrix lists cuDNN ${have} for CUDA ${build?.minCuda ?? ''} to ${build?.maxCuda ?? ''}; ${cuda} is not listed`,
      row.sources,
      {
        as: 'runs-if',
        needs: `CUDA ${build?.minCuda ?? ''} to ${build?.maxCuda ?? ''}, or a cuDNN that lists ${cuda}`,
        missing: `cuDNN ${have} with CUDA ${cuda}`,
      },
    );
  }
  return holds(rule, `a CUDA ${major} build of cuDNN in a CUDA ${cuda} process`, row.sources);
}

function gpuStep(
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

function driverStep(
  version: CudnnVersion,
  major: number,
  driver: HostDriver,
  gpu: Gpu | null,
  row: CudnnRangeRow,
  tables: Tables,
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
