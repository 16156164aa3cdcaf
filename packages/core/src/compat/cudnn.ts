import { compareCudnn, formatCudnn, parseCudnn } from '../versions/cudnn.ts';
import type { CudnnVersion } from '../versions/cudnn.ts';
import { compareCudaMinor, formatCudaMinor, parseCuda } from '../versions/cuda.ts';
import type { CudaVersion } from '../versions/cuda.ts';
import type { CudnnRangeRow } from '../knowledge/cudnn.types.ts';
import type { Gpu } from './gpu-name.ts';
import type { HostDriver } from './host-driver.ts';
import type { LibraryQuestion, WheelQuestion } from './question.ts';
import { fails, holds, isOpen } from './step.ts';
import type { Step } from './step.ts';
import type { Tables } from './tables.ts';
import { inRange } from './wheel-lookup.ts';
import { parseWheelVersion, releaseLine, variantOf } from '../versions/pep440.ts';
import { rangeRow, offers, releaseOf, neighboursAgree, nearestWith } from './cudnn-releases.ts';
import { rule, openStep, gpuStep, driverStep } from './cudnn-host.ts';

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
  if (one.library.build === 'unknown')
    return [
      openStep(
        `which build of cuDNN ${formatCudnn(version)} it is is not known`,
        'the CUDA major of the cuDNN package',
      ),
    ];
  const steps: Step[] = [];
  const wanted = wantedBy(one, tables);
  if (wanted !== null) {
    const step = abiStep(version, wanted);
    steps.push(step);
    if (step.holds === false) return steps;
  }
  if (wanted === null && wantsDiffer(one, tables)) {
    const name = one.wheel?.name ?? '';
    return [
      openStep(
        `which cuDNN ${name} is built with depends on its release`,
        `the version of ${name}`,
        `version of ${name}`,
      ),
    ];
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
  if (one.driver !== null && buildMajor !== null) steps.push(driverStep(version, buildMajor, one.driver, one.gpu, row));
  // Whichever build it is: what all of them have in common decides about the GPU.
  const { gpu } = one;
  if (gpu !== null && buildMajor === null && wanted === null) {
    const builds = row.builds.map((build) => gpuStep(version, build.cudaMajor, gpu, one.process, row, tables));
    const [first] = builds;
    if (first !== undefined && builds.every((step) => step.holds === first.holds)) steps.push(first);
  }
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

/** The release of the project is not given, and its releases are built with different cuDNN majors. */
function wantsDiffer(one: CudnnCase, tables: Tables): boolean {
  if (one.wheel === null || one.wheel.version !== undefined) return false;
  const rows = tables.projects.get(one.wheel.name === 'onnxruntime' ? 'onnxruntime-gpu' : one.wheel.name) ?? [];
  const majors = rows.flatMap((row) => (row.cudnn?.from == null ? [] : [parseCudnn(row.cudnn.from)?.major]));
  return new Set(majors).size > 1;
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
