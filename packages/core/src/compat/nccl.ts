import { formatCudaMinor, parseCuda } from '../versions/cuda.ts';
import type { CudaVersion } from '../versions/cuda.ts';
import { compareNccl, formatNccl, parseNccl } from '../versions/nccl.ts';
import type { NcclVersion } from '../versions/nccl.ts';
import type { NcclBugRow } from '../knowledge/nccl.types.ts';
import type { VersionRange } from '../knowledge/row.types.ts';
import { rangeOf } from './cuda-range.ts';
import { cudaVerdict } from './floors.ts';
import { gpuLabel } from './gpu-name.ts';
import type { Gpu } from './gpu-name.ts';
import { driverLabel } from './host-driver.ts';
import type { HostDriver } from './host-driver.ts';
import type { LibraryQuestion } from './question.ts';
import { fails, holds, isOpen } from './step.ts';
import type { Step } from './step.ts';
import type { Tables } from './tables.ts';

const rule = 'nccl';

/** What an NCCL question is about. */
export interface NcclCase {
  readonly library: LibraryQuestion;
  /** CUDA version of the process. */
  readonly process: CudaVersion | null;
  readonly gpu: Gpu | null;
  readonly driver: HostDriver | null;
  readonly nvswitch: boolean | undefined;
}

/** Does the build fit the process, does the driver reach the floor of its CUDA major, is a known fault met? */
export function ncclSteps(one: NcclCase, tables: Tables): readonly Step[] {
  const version = parseNccl(one.library.version);
  if (version === null) return [openStep(`${one.library.version} is no NCCL version`, 'the NCCL version')];
  const have = formatNccl(version);
  if (one.library.build === 'unknown' && version.cuda === null)
    return [openStep(`which build of NCCL ${have} it is is not known`, 'the CUDA major of the NCCL package')];
  const typed = one.library.build === undefined ? null : parseCuda(one.library.build);
  const major = typed?.major ?? version.cuda?.major ?? (one.process === null ? onlyMajor(version, tables) : null);
  const steps: Step[] = [];
  if (isTooNew(version, tables))
    steps.push(openStep(`NCCL ${have} is in no table`, 'an NCCL release that has been published', `NCCL ${have}`));
  if (major !== null) steps.push(packageStep(version, major, tables));
  if (steps.at(-1)?.holds === false) return steps;
  if (major !== null && one.process !== null) steps.push(processStep(have, major, one.process, tables));
  if (steps.at(-1)?.holds === false) return steps;
  const built = one.library.programBuiltFor === undefined ? null : parseNccl(one.library.programBuiltFor);
  if (built !== null) steps.push(abiStep(version, built));
  const cuda = one.process ?? (major === null ? null : { major, minor: 0, patch: null });
  if (one.gpu !== null && cuda !== null) steps.push(gpuStep(version, cuda, one.gpu, tables));
  if (one.driver !== null && cuda !== null) steps.push(driverStep(have, cuda, one.driver, tables));
  const bug = one.driver === null ? driverFaultStep(version, one, tables) : bugStep(version, one, tables);
  if (bug !== null) steps.push(bug);
  if (steps.length === 0)
    steps.push(openStep('the CUDA version of the process is not given', 'the CUDA version of the process'));
  return steps;
}

function openStep(
  message: string,
  needs: string,
  missing: string = needs,
  restsOn: readonly string[] = ['nccl-source'],
): Step {
  return isOpen(rule, message, restsOn, { as: 'cannot-tell', needs, missing });
}

function isTooNew(version: NcclVersion, tables: Tables): boolean {
  const bare = { ...version, cuda: null };
  for (const text of tables.ncclReleases.keys()) {
    const known = parseNccl(text);
    if (known !== null && compareNccl(bare, known) <= 0) return false;
  }
  return true;
}

/** The CUDA major of a release that was built for one only; null where several are possible. */
function onlyMajor(version: NcclVersion, tables: Tables): number | null {
  const majors = [...tables.newestMinor.keys()].filter((major) => packageStep(version, major, tables).holds === true);
  return majors.length === 1 ? (majors[0] as number) : null;
}

/** Releases that were seen built for a CUDA major, oldest and newest. */
function spanFor(major: number, tables: Tables): { readonly first: NcclVersion; readonly last: NcclVersion } | null {
  let first: NcclVersion | null = null;
  let last: NcclVersion | null = null;
  for (const row of tables.ncclReleases.values()) {
    if (!row.confirmedFields.builtFor || row.builtFor?.some((build) => build.cudaMajor === major) !== true) continue;
    const version = parseNccl(row.version);
    if (version === null) continue;
    if (first === null || compareNccl(version, first) < 0) first = version;
    if (last === null || compareNccl(version, last) > 0) last = version;
  }
  return first === null || last === null ? null : { first, last };
}

function packageStep(version: NcclVersion, major: number, tables: Tables): Step {
  const have = formatNccl({ ...version, cuda: null });
  const span = spanFor(major, tables);
  if (span === null)
    return openStep(
      `no NCCL build for CUDA ${major} is known`,
      'a CUDA major that NCCL is built for',
      `NCCL for CUDA ${major}`,
    );
  const newestMajor = Math.max(
    ...[...tables.ncclReleases.values()].flatMap((row) => row.builtFor?.map((build) => build.cudaMajor) ?? []),
  );
  const bare = { ...version, cuda: null };
  if (major < newestMajor - 1 && compareNccl(bare, span.last) > 0) {
    return fails(
      rule,
      `NCCL builds for CUDA ${major} ended with ${formatNccl(span.last)}`,
      ['pypi-nccl-cu11'],
      'no such package',
      `NCCL ${formatNccl(span.last)} or older`,
    );
  }
  const arch = tables.knowledge.ncclArchs.some(
    (row) => row.cuda.from !== null && parseCuda(row.cuda.from)?.major === major && inside(version, row.range),
  );
  if (compareNccl(bare, span.first) < 0 && !arch) {
    return openStep(
      `no CUDA ${major} build of NCCL ${have} was seen`,
      'the package index of NCCL',
      `cu${major} build of NCCL ${have}`,
    );
  }
  return holds(rule, `NCCL ${have} is built for CUDA ${major}`, ['nccl-source']);
}

function processStep(have: string, major: number, process: CudaVersion, tables: Tables): Step {
  const sources = tables.knowledge.ncclRules.find((row) => row.id === 'one-major')?.sources ?? ['nccl-source'];
  if (process.major === major)
    return holds(rule, `a CUDA ${major} build of NCCL in a CUDA ${formatCudaMinor(process)} process`, sources);
  return fails(
    rule,
    `a CUDA ${major} build of NCCL ${have} in a CUDA ${formatCudaMinor(process)} process is not supported`,
    sources,
    null,
    `nvidia-nccl-cu${process.major}`,
  );
}

function abiStep(version: NcclVersion, built: NcclVersion): Step {
  const have = formatNccl(version);
  const want = formatNccl(built);
  if (version.major === built.major && compareNccl({ ...version, cuda: null }, { ...built, cuda: null }) >= 0) {
    return holds(rule, `NCCL ${have} is not older than the ${want} that the program was built with`, ['nccl-source']);
  }
  return isOpen(rule, `the program was built with NCCL ${want}; the loaded ${have} is older`, ['nccl-source'], {
    as: 'runs-if',
    needs: `NCCL ${want} or newer, or no call that ${have} lacks`,
  });
}

function gpuStep(version: NcclVersion, cuda: CudaVersion, gpu: Gpu, tables: Tables): Step {
  const label = gpuLabel(gpu);
  const row = tables.knowledge.ncclArchs.find((one) => inside(version, one.range) && cudaInside(cuda, one.cuda));
  const architecture = gpu.row;
  if (architecture?.lastToolkit != null && cuda.major > Number(architecture.lastToolkit.split('.')[0])) {
    return fails(
      rule,
      `CUDA ${cuda.major} builds have no code for ${label}`,
      architecture.sources,
      '209',
      `a CUDA ${architecture.lastToolkit.split('.')[0] ?? ''} build`,
    );
  }
  if (row === undefined)
    return holds(rule, `no list of GPUs of this NCCL build was read; nothing speaks against ${label}`, ['nccl-source']);
  const direct = row.sms.some((sm) => Math.floor(sm / 10) === Math.floor(gpu.sm / 10) && sm <= gpu.sm);
  if (direct || (row.ptx !== null && row.ptx <= gpu.sm))
    return holds(rule, `NCCL has code for ${label}, or PTX that serves it`, row.sources);
  return openStep(
    `the default builds of this NCCL have no code for ${label}; distributors may add it`,
    'the architecture list of this NCCL build',
    `code of NCCL for ${label}`,
    row.sources,
  );
}

function driverStep(have: string, cuda: CudaVersion, driver: HostDriver, tables: Tables): Step {
  const verdict = cudaVerdict(rangeOf(cuda, tables), driver, null, tables);
  const sources = tables.knowledge.ncclRules.find((row) => row.id === 'driver')?.sources ?? ['nccl-source'];
  if (verdict.relation === 'backward' || verdict.relation === 'minor-version') {
    return holds(
      rule,
      `NCCL has no driver floor of its own, and ${driverLabel(driver)} meets that of CUDA ${cuda.major}`,
      sources,
    );
  }
  if (verdict.relation === 'none') {
    return fails(
      rule,
      `the floor of CUDA ${cuda.major} holds for NCCL ${have}: ${driverLabel(driver)} is below it`,
      sources,
      '35',
      `driver ${verdict.floor?.driver ?? ''} or newer`,
    );
  }
  const open = verdict.steps.at(-1)?.open;
  return openStep(
    verdict.steps.at(-1)?.message ?? 'not known',
    open?.needs ?? 'the full driver version',
    open?.missing ?? 'full driver version',
    sources,
  );
}

/** Faults of NVLS set-up: they need a GPU with NVLS (9.0 or newer) behind NVSwitches. */
function bugStep(version: NcclVersion, one: NcclCase, tables: Tables): Step | null {
  if (one.nvswitch === false || (one.gpu !== null && one.gpu.sm < 90) || (one.gpu === null && one.nvswitch !== true))
    return null;
  const bug = tables.knowledge.ncclBugs.find(
    (row) => row.confirmed && row.symptom.includes('NVLS') && inside(version, row.range) && conditionMet(row, one),
  );
  if (bug === undefined) return null;
  const step = isOpen(rule, `known fault of NCCL ${formatNccl(version)}: ${bug.symptom}`, bug.sources, {
    as: 'runs-if',
    needs: `NCCL ${bug.workaround}`,
  });
  return { ...step, error: bug.symptom.includes('invalid argument') ? 'invalid argument' : 'hang' };
}

/** A fault that only some drivers show, and no driver is given. */
function driverFaultStep(version: NcclVersion, one: NcclCase, tables: Tables): Step | null {
  if (one.nvswitch === false || (one.gpu !== null && one.gpu.sm < 90) || (one.gpu === null && one.nvswitch !== true))
    return null;
  const bug = tables.knowledge.ncclBugs.find(
    (row) => row.confirmed && row.when?.startsWith('driver reports') === true && inside(version, row.range),
  );
  return bug === undefined
    ? null
    : openStep(
        `known fault of NCCL ${formatNccl(version)} where the ${bug.when ?? ''}: ${bug.symptom}`,
        'the driver version',
        'driver version',
        bug.sources,
      );
}

function conditionMet(row: NcclBugRow, one: NcclCase): boolean {
  if (row.when === null) return one.nvswitch === true;
  const serves = one.driver?.serves ?? null;
  const cuda = /CUDA (\d{1,2}\.\d{1,2})/.exec(row.when)?.[1];
  if (row.when.startsWith('driver reports')) return serves !== null && formatCudaMinor(serves) === cuda;
  if (row.when.startsWith('CUDA'))
    return one.process !== null && formatCudaMinor(one.process) === cuda && one.nvswitch === true;
  if (row.when.startsWith('NVSwitch')) return one.nvswitch === true;
  return one.gpu?.name === row.when;
}

function inside(version: NcclVersion, range: VersionRange): boolean {
  const bare = { ...version, cuda: null };
  const from = range.from === null ? null : parseNccl(range.from);
  const below = range.below === null ? null : parseNccl(range.below);
  return (from === null || compareNccl(bare, from) >= 0) && (below === null || compareNccl(bare, below) < 0);
}

function cudaInside(cuda: CudaVersion, range: VersionRange): boolean {
  const from = range.from === null ? null : parseCuda(range.from);
  const below = range.below === null ? null : parseCuda(range.below);
  const number = (one: CudaVersion): number => one.major * 100 + (one.minor ?? 0);
  return (from === null || number(cuda) >= number(from)) && (below === null || number(cuda) < number(below));
}
