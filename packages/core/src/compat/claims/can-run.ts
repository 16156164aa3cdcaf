import { compareCudaMinor, formatCudaMinor, parseCuda } from '../../versions/cuda.ts';
import type { CudaVersion } from '../../versions/cuda.ts';
import { compareDriver, parseDriver } from '../../versions/driver.ts';
import { codeOn } from '../binary-arch.ts';
import { rangeOf } from '../cuda-range.ts';
import type { CudaRange } from '../cuda-range.ts';
import { floorOf, minorVersionSources, relationOf } from '../floors.ts';
import { capabilityText, gpuLabel } from '../gpu-name.ts';
import type { Gpu } from '../gpu-name.ts';
import { gpuSupportStep } from '../gpu-support.ts';
import { driverLabel, hostDriver } from '../host-driver.ts';
import type { HostDriver } from '../host-driver.ts';
import type { Tables } from '../tables.ts';
import { wheelPrograms } from '../wheel-lookup.ts';
import type { Program } from '../program.ts';
import type { ClaimDriver, ClaimWheel } from './claim-parts.ts';
import { truth } from './verdict.ts';
import type { Truth } from './verdict.ts';

/** What a claim is about running. */
export interface Subject {
  readonly label: string;
  readonly cuda: CudaRange | null;
  /** Builds it can be; empty for a program of a toolkit. */
  readonly programs: readonly Program[];
}

/** The subject of a CUDA version. */
export function cudaSubject(cuda: CudaVersion, tables: Tables): Subject {
  return { label: `CUDA ${formatCudaMinor(cuda)}`, cuda: rangeOf(cuda, tables), programs: [] };
}

/** The subject of a wheel; every release of it where only the variant is named. Null when no table knows it. */
export function wheelSubject(wheel: ClaimWheel, tables: Tables): Subject | null {
  const label = [wheel.name, wheel.version, wheel.variant].filter((part) => part !== null).join(' ');
  if (wheel.version === null && wheel.name === 'torch') {
    const cuda = wheel.variant === null || wheel.variant === 'cpu' ? null : parseCuda(wheel.variant);
    if (cuda === null) return null;
    const programs = [...tables.torch.keys()].flatMap((version) => {
      const has = tables.torch.get(version)?.some((row) => row.variant === wheel.variant) === true;
      return has
        ? wheelPrograms({ name: 'torch', version, variant: wheel.variant as string }, { aarch64: false }, tables)
        : [];
    });
    return { label: `a ${wheel.variant as string} wheel`, cuda: rangeOf(cuda, tables), programs };
  }
  const programs = wheelPrograms(
    {
      name: wheel.name,
      ...(wheel.version === null ? {} : { version: wheel.version }),
      ...(wheel.variant === null ? {} : { variant: wheel.variant }),
    },
    { aarch64: false },
    tables,
  );
  const known = programs.filter((program) => program.cuda !== null);
  return known.length === 0
    ? null
    : { label, cuda: known.length === 1 ? (known[0] as Program).cuda : null, programs: known };
}

/** Floor of a subject: of its CUDA major, or of each build where they differ (then null). */
export function subjectFloor(
  subject: Subject,
  tables: Tables,
  windows = false,
): { readonly driver: string; readonly perMajor: boolean; readonly restsOn: readonly string[] } | null {
  const ranges = subject.cuda === null ? subject.programs.map((program) => program.cuda) : [subject.cuda];
  const floors = ranges.map((range) => (range === null ? null : floorOf(range.high, windows, tables)));
  const [first] = floors;
  if (first == null || floors.some((floor) => floor?.driver !== first.driver)) return null;
  return first;
}

/** Can the subject run on this driver, whatever the GPU? Forward compatibility makes it depend. */
export function runsOnDriver(subject: Subject, driver: HostDriver, gpus: readonly Gpu[], tables: Tables): Truth | null {
  const ranges = subject.cuda === null ? subject.programs.map((program) => program.cuda) : [subject.cuda];
  const truths = ranges.map((range) =>
    range === null ? null : rangeOnDriver(subject.label, range, driver, gpus, tables),
  );
  return agreed(truths);
}

function agreed(truths: readonly (Truth | null)[]): Truth | null {
  const [first] = truths;
  if (first == null || truths.some((one) => one === null)) return null;
  return truths.every((one) => one?.is === first.is) ? first : { ...first, is: 'depends', needs: 'which build it is' };
}

function rangeOnDriver(
  label: string,
  range: CudaRange,
  driver: HostDriver,
  gpus: readonly Gpu[],
  tables: Tables,
): Truth | null {
  if (!range.known || driver.branch === null || driver.serves === null) return null;
  const host = driverLabel(driver);
  const serves = formatCudaMinor(driver.serves);
  const high = relationOf(range.high, driver, tables);
  const low = relationOf(range.low, driver, tables);
  const sources = [...driver.branch.sources, ...minorVersionSources(range.high, tables)];
  if (high === 'backward')
    return truth(true, 'backward', `${host} serves CUDA ${serves}, and ${label} asks for nothing newer`, sources);
  if (low === 'backward' || high === 'minor-version') {
    return truth(
      true,
      'minor-version',
      `${host} serves CUDA ${serves}, but ${label} is of the same major and the driver is at or above its floor: it runs if machine code for the GPU is inside`,
      sources,
    );
  }
  if (high === null) {
    // Some builds of the branch lie below the floor; where the newest does not, it is a matter of the build.
    const newest =
      driver.branch.lastKnown === null || driver.windows ? null : hostDriver(driver.branch.lastKnown, false, tables);
    const reached = newest === null ? null : relationOf(range.high, newest, tables);
    return truth(
      'depends',
      reached === 'minor-version' || reached === 'backward' ? reached : 'minimum-driver',
      `the floor of ${label} lies inside branch R${driver.version.branch}`,
      sources,
      'the full driver version',
    );
  }
  const compat = compatFor(range.low, driver, tables);
  const floor = floorOf(range.high, driver.windows, tables);
  const below = `${label} needs driver ${floor?.driver ?? ''} or newer; ${host} serves CUDA ${serves}`;
  const classes = gpus.map((gpu) => gpu.class);
  const never =
    classes.length > 0 && classes.every((one) => one !== null && tables.classes.get(one)?.status === 'not-allowed');
  if (compat !== null && !never && !driver.windows) {
    return truth(
      'depends',
      'forward-compat',
      `${below}; on a data-center GPU ${compat} makes it run`,
      [...sources, 'cuda-forward-compat'],
      `GPU class and whether ${compat} is in use`,
    );
  }
  return truth(false, 'minimum-driver', below, sources);
}

/** A compat package of the same major that brings a CUDA version to this branch. */
function compatFor(cuda: CudaVersion, driver: HostDriver, tables: Tables): string | null {
  for (const row of tables.matrix.values()) {
    const served = parseCuda(row.cuda);
    if (served === null || served.major !== cuda.major || (compareCudaMinor(served, cuda) ?? -1) < 0) continue;
    if (row.bases.some((base) => base.branch === driver.branch?.branch && base.pairing === 'compatible'))
      return row.package;
  }
  return null;
}

/** Is there code for the GPU in the builds of the subject? Null when no list says. */
export function codeForGpu(subject: Subject, gpu: Gpu, tables: Tables): Truth | null {
  const verdicts = subject.programs.map((program) => {
    if (program.cpuOnly) return false;
    if (program.minSm !== null && gpu.sm < program.minSm) return false;
    if (program.code === null) return null;
    const kind = codeOn(program.code, gpu, program.cuda, program.cuda?.high ?? null, tables).kind;
    return kind === 'sass' || kind === 'ptx' ? true : kind === 'none' ? false : null;
  });
  const known = verdicts.filter((one) => one !== null);
  const restsOn = [...new Set(subject.programs.flatMap((program) => program.restsOn))];
  if (known.length === 0) return null;
  const label = `${subject.label} on ${gpuLabel(gpu)}`;
  if (known.every((one) => one))
    return truth(true, 'binary-arch', `${label}: code for ${capabilityText(gpu.sm)} is inside`, restsOn);
  if (known.every((one) => !one))
    return truth(false, 'binary-arch', `${label}: no code for ${capabilityText(gpu.sm)} inside`, restsOn);
  return truth(
    'depends',
    'binary-arch',
    `${label}: some releases have code for ${capabilityText(gpu.sm)}, others have not`,
    restsOn,
    'the release of the wheel',
  );
}

/** Does the driver drive the GPU? Null where the tables do not say. */
export function drives(driver: HostDriver, gpu: Gpu, tables: Tables): Truth | null {
  const step = gpuSupportStep(gpu, driver, tables);
  return step.holds === null ? null : truth(step.holds, 'gpu-driver-support', step.message, step.restsOn);
}

/** Does every GPU that the name can mean get the same answer? */
export function drivesAll(driver: HostDriver, gpus: readonly Gpu[], tables: Tables): Truth | null {
  return agreed(gpus.map((gpu) => drives(driver, gpu, tables)));
}

/** Known drivers that a phrase such as `older than 570` covers, newest first. */
export function driversIn(phrase: ClaimDriver, tables: Tables): readonly HostDriver[] {
  if (phrase.reach === 'exact') return [phrase.driver];
  const limit = phrase.driver.version;
  const all: HostDriver[] = [];
  for (const row of tables.branches.values()) {
    for (const text of [
      ...row.releases.filter((release) => release.vulkanBeta !== true).map((release) => release.version),
      ...(row.releases.length === 0 ? [String(row.branch)] : []),
    ]) {
      const version = parseDriver(text);
      const driver = version === null ? null : hostDriver(text, false, tables);
      if (version === null || driver === null) continue;
      const order = limit.partial ? Math.sign(version.branch - limit.branch) : compareDriver(version, limit);
      const inside =
        phrase.reach === 'older'
          ? order < 0
          : phrase.reach === 'newer'
            ? order > 0
            : phrase.reach === 'from'
              ? order >= 0
              : order <= 0;
      if (inside) all.push(driver);
    }
  }
  return all.reverse();
}
