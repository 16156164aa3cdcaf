import { formatCudaMinor, parseCuda } from '../versions/cuda.ts';
import type { CudaVersion } from '../versions/cuda.ts';
import { compareDriver, driverAtLeast, parseDriver } from '../versions/driver.ts';
import type { DriverVersion } from '../versions/driver.ts';
import type { CompatMatrixRow } from '../knowledge/forward-compat.types.ts';
import { gpuLabel } from './gpu-name.ts';
import type { Gpu } from './gpu-name.ts';
import { hostDriver } from './host-driver.ts';
import { driverLabel } from './host-driver.ts';
import type { HostDriver } from './host-driver.ts';
import { fails, holds, isOpen } from './step.ts';
import type { Step } from './step.ts';
import type { Tables } from './tables.ts';

/** A compat libcuda that is in use. */
export interface CompatInUse {
  /** `cuda-compat-12-8`; null when only its driver version is known and no package of that branch is. */
  readonly package: string | null;
  readonly cuda: CudaVersion;
  /** Driver version of its libcuda; null: not known. */
  readonly driver: DriverVersion | null;
  /** Host branches that the library itself lists; null: not read. */
  readonly note: readonly number[] | null;
  /** Made for Jetson Orin. */
  readonly orin: boolean;
}

/** Reads `cuda-compat-12-8`, `cuda-compat-12.8`, `12-8`, `cuda-compat-orin-13-4`; else null. */
export function compatOfPackage(text: string): CompatInUse | null {
  const match = /^(?:cuda[-_]compat[-_]?)?(orin[-_])?(\d{1,2})[-._](\d{1,2})$/.exec(text.trim().toLowerCase());
  if (match === null) return null;
  const cuda = parseCuda(`${match[2]}.${match[3]}`);
  if (cuda === null) return null;
  const orin = match[1] !== undefined;
  const name = `cuda-compat-${orin ? 'orin-' : ''}${match[2]}-${match[3]}`;
  return { package: name, cuda, driver: null, note: null, orin };
}

/** A compat libcuda by its driver version: the CUDA version is that of its branch. Null when the branch is not known. */
export function compatOfDriver(text: string, tables: Tables): CompatInUse | null {
  const driver = hostDriver(text, false, tables);
  if (driver === null || driver.serves === null) return null;
  const name = `cuda-compat-${driver.serves.major}-${driver.serves.minor ?? 0}`;
  return {
    package: tables.matrix.has(name) || tables.historic.has(name) || tables.packages.has(name) ? name : null,
    cuda: driver.serves,
    driver: driver.version,
    note: noteOf(driver.version.text, tables),
    orin: false,
  };
}

/** Host branches in the note of a library that was read; null when it was not. */
export function noteOf(libcuda: string, tables: Tables): readonly number[] | null {
  return tables.notes.find((row) => row.libcuda === libcuda)?.drivers ?? null;
}

/** Newest driver that the package was seen with. */
function newestDriverInside(name: string | null, tables: Tables): DriverVersion | null {
  let newest: DriverVersion | null = null;
  for (const row of name === null ? [] : (tables.packages.get(name) ?? [])) {
    const version = row.driver === null ? null : parseDriver(row.driver);
    if (version !== null && (newest === null || compareDriver(version, newest) > 0)) newest = version;
  }
  return newest;
}

const source = ['cuda-forward-compat'];

/**
 * May this compat libcuda be used on this host? The class of the GPU first, then the pair of package and base branch:
 * the library's own list where it was read, else the published matrix, else what older matrices said.
 */
export function forwardCompatSteps(
  compat: CompatInUse,
  gpu: Gpu | null,
  driver: HostDriver,
  tables: Tables,
): readonly Step[] {
  const classStep = gpu === null ? openClass('the GPU is not given') : gpuClassStep(compat, gpu, tables);
  if (classStep.holds === false) return [classStep];
  return [classStep, pairStep(compat, driver, tables)];
}

function openClass(message: string): Step {
  return isOpen(
    'forward-compat',
    `${message}: only data-center GPUs and named boards may use compat libraries`,
    source,
    {
      as: 'cannot-tell',
      needs: 'the GPU model',
      missing: 'GPU model',
    },
  );
}

function gpuClassStep(compat: CompatInUse, gpu: Gpu, tables: Tables): Step {
  const rule = 'forward-compat';
  if (gpu.class === null) return openClass(`which product it is is not known (${gpuLabel(gpu)})`);
  const row = tables.classes.get(gpu.class);
  if (row === undefined || !row.confirmed)
    return openClass(`${gpuLabel(gpu)} is of a class that the page does not name`);
  if (row.status === 'allowed')
    return holds(rule, `${gpuLabel(gpu)} is a ${gpu.class} GPU: compat libraries are allowed`, row.sources);
  if (row.status === 'not-allowed') {
    return fails(
      rule,
      `compat libraries are not allowed on ${gpuLabel(gpu)}: cuInit refuses`,
      row.sources,
      String(row.error ?? 804),
      'take the compat libraries off the search path (then the host driver decides)',
    );
  }
  if (gpu.class === 'jetson' && compat.orin && gpu.sm !== 87) {
    return fails(
      rule,
      `cuda-compat-orin is for Orin, not for ${gpuLabel(gpu)}`,
      row.sources,
      '804',
      'the cuda-compat package of that board',
    );
  }
  return isOpen(rule, `${gpuLabel(gpu)} may use compat libraries ${row.condition ?? 'on conditions'}`, row.sources, {
    as: 'cannot-tell',
    needs:
      gpu.class === 'jetson'
        ? 'the JetPack release and its compat package'
        : 'whether this board is on the list of named boards',
    missing: 'whether the board is listed',
  });
}

function pairStep(compat: CompatInUse, driver: HostDriver, tables: Tables): Step {
  const rule = 'forward-compat';
  const branch = driver.branch?.branch ?? null;
  const name = compat.package ?? `a compat libcuda of CUDA ${formatCudaMinor(compat.cuda)}`;
  const host = driverLabel(driver);
  if (branch === null) {
    return isOpen(rule, driver.reason ?? 'the driver branch is not known', source, {
      as: 'cannot-tell',
      needs: 'a driver version that has been published',
      missing: `branch of driver ${driver.version.text}`,
    });
  }
  const older = compat.driver !== null && !driver.version.partial && compareDriver(compat.driver, driver.version) < 0;
  if (older) return tooOld(name, host, formatCudaMinor(compat.cuda), source);
  const listed = compat.note ?? null;
  if (listed !== null) {
    return listed.includes(branch)
      ? holds(rule, `the compat library lists R${branch} as a base itself`, ['container-toolkit-source'])
      : fails(
          rule,
          `the compat library does not list R${branch} as a base`,
          ['container-toolkit-source'],
          '803',
          'a host branch from its list, or no compat library',
        );
  }
  const row = compat.package === null ? undefined : tables.matrix.get(compat.package);
  if (row === undefined) return historicStep(compat, name, driver, branch, tables);
  const pairing = row.bases.find((base) => base.branch === branch)?.pairing;
  switch (pairing) {
    case 'compatible':
      return holds(rule, `${name} is supported on R${branch}`, row.sources);
    case 'same-pairing':
      return holds(rule, `${name} is of the same branch as ${host}: it is not needed`, row.sources);
    case 'not-provided':
      return tooOld(name, host, row.cuda, row.sources);
    case undefined:
      return notABase(row, name, driver, branch, tables);
  }
}

function tooOld(name: string, host: string, cuda: string, restsOn: readonly string[]): Step {
  return fails(
    'forward-compat',
    `${name} is older than ${host}: with its libcuda first, library and kernel module do not pair`,
    restsOn,
    '803',
    `remove the compat directory from LD_LIBRARY_PATH: the driver already serves CUDA ${cuda}`,
  );
}

/** A base that the matrix does not show: newer than the package, in a note that was read, or not supported. */
function notABase(row: CompatMatrixRow, name: string, driver: HostDriver, branch: number, tables: Tables): Step {
  const rule = 'forward-compat';
  const host = driverLabel(driver);
  const inside = newestDriverInside(row.package, tables);
  if (inside !== null && branch > inside.branch) return tooOld(name, host, row.cuda, row.sources);
  if (inside !== null && branch === inside.branch) {
    return holds(rule, `${name} is of the same branch as ${host}: it is not needed`, row.sources);
  }
  if (!row.confirmed || branch > Math.max(...row.bases.map((base) => base.branch))) {
    return isOpen(rule, `the pair of ${name} and R${branch} has not been published`, row.sources, {
      as: 'cannot-tell',
      needs: 'the matrix of the forward compatibility page for this pair',
      missing: `${name} on R${branch}`,
    });
  }
  const noted = tables.notes.find((note) => note.cuda === row.cuda && note.drivers?.includes(branch) === true);
  const once =
    (tables.historic.get(row.package)?.bases.some((base) => base.branch === branch) ?? false) ||
    wasSupportedThen(row, branch, tables);
  if (noted !== undefined || once) {
    return isOpen(
      rule,
      noted !== undefined
        ? `a compat library of CUDA ${row.cuda} lists R${branch} itself, the published matrix does not`
        : `R${branch} was still supported when ${name} came out, the current matrix no longer lists it`,
      [...row.sources, ...(noted?.sources ?? [])],
      { as: 'cannot-tell', needs: `a base of the matrix: ${bases(row)}`, missing: `${name} on R${branch}` },
    );
  }
  return fails(
    rule,
    `R${branch} is no base of ${name} in the published matrix`,
    row.sources,
    '803',
    `driver ${tables.toolkits.get(row.cuda)?.branch ?? inside?.branch ?? ''} or newer, or one of the bases ${bases(row)}`,
  );
}

/** A long-lived branch that was still supported when the package came out: the matrix of that time listed such bases. */
function wasSupportedThen(row: CompatMatrixRow, branch: number, tables: Tables): boolean {
  const base = tables.branches.get(branch);
  const serving = tables.branches.get(tables.toolkits.get(row.cuda)?.branch ?? -1);
  if (base === undefined || (base.kind !== 'lts' && base.kind !== 'production')) return false;
  if (base.endOfLife === null || serving?.firstRelease == null) return false;
  return base.endOfLife.slice(0, 7) >= serving.firstRelease.slice(0, 7);
}

function bases(row: CompatMatrixRow): string {
  return row.bases
    .filter((base) => base.pairing === 'compatible')
    .map((base) => `R${base.branch}`)
    .join(', ');
}

function historicStep(compat: CompatInUse, name: string, driver: HostDriver, branch: number, tables: Tables): Step {
  const rule = 'forward-compat';
  const host = driverLabel(driver);
  const inside = compat.driver ?? newestDriverInside(compat.package, tables);
  const serving = tables.toolkits.get(formatCudaMinor(compat.cuda))?.branch ?? inside?.branch ?? null;
  if (serving !== null && branch > serving) return tooOld(name, host, formatCudaMinor(compat.cuda), source);
  if (serving !== null && branch === serving)
    return holds(rule, `${name} is of the same branch as ${host}: it is not needed`, source);
  const row = compat.package === null ? undefined : tables.historic.get(compat.package);
  const base = row?.bases.find((one) => one.branch === branch);
  const from = base === undefined ? null : parseDriver(base.from);
  const met = from === null ? null : driverAtLeast(driver.version, from);
  if (row !== undefined && met === true)
    return holds(rule, `${name} was supported on R${branch} from ${base?.from ?? ''} on`, row.sources);
  if (row !== undefined && (met === false || row.notBases.includes(branch))) {
    return fails(
      rule,
      `${host} is no base of ${name}`,
      row.sources,
      '803',
      `a base of that time: ${row.bases.map((one) => one.from).join(', ')} or newer in its branch`,
    );
  }
  return isOpen(rule, `the pair of ${name} and R${branch} is in no matrix that was read`, row?.sources ?? source, {
    as: 'cannot-tell',
    needs: 'the matrix of the forward compatibility page for this pair',
    missing: `${name} on R${branch}`,
  });
}

/** Compat packages that would bring a CUDA version to this host, for `needs`; null when none would for certain. */
export function compatThatHelps(cuda: CudaVersion, gpu: Gpu | null, driver: HostDriver, tables: Tables): string | null {
  if (gpu !== null && gpu.class !== null && tables.classes.get(gpu.class)?.status !== 'allowed') return null;
  const branch = driver.branch?.branch;
  if (branch === undefined || driver.windows) return null;
  for (const { cuda: served, row } of tables.matrixByCuda) {
    if (served.major !== cuda.major || (served.minor ?? 0) < (cuda.minor ?? 0)) continue;
    if (row.bases.some((base) => base.branch === branch && base.pairing === 'compatible')) {
      return gpu?.class === 'data-center' ? row.package : `(on a data-center GPU) ${row.package}`;
    }
  }
  return null;
}

/** The library of a compat package as the driver that the program sees. */
export function asDriver(compat: CompatInUse, tables: Tables): HostDriver | null {
  const text = compat.driver?.text ?? newestDriverInside(compat.package, tables)?.text ?? null;
  const branch = tables.toolkits.get(formatCudaMinor(compat.cuda))?.branch ?? null;
  const found =
    text === null
      ? branch === null
        ? null
        : hostDriver(String(branch), false, tables)
      : hostDriver(text, false, tables);
  return found === null ? null : { ...found, serves: compat.cuda, servesAtLeast: compat.cuda };
}
