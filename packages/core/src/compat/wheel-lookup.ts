import { formatCudaMinor, parseCuda } from '../versions/cuda.ts';
import { compareWheelVersion, parseWheelVersion, releaseLine, variantOf } from '../versions/pep440.ts';
import type { WheelVersion } from '../versions/pep440.ts';
import type { VersionRange } from '../knowledge/row.types.ts';
import type { ProjectWheelRow, TorchWheelRow } from '../knowledge/wheels.types.ts';
import { cudaRange, rangeOf } from './cuda-range.ts';
import type { CudaRange } from './cuda-range.ts';
import type { Code, OtherBuild, Program } from './program.ts';
import type { WheelQuestion } from './question.ts';
import type { Tables } from './tables.ts';

/** Names that mean the same project. */
const projectOf: Readonly<Record<string, string>> = {
  pytorch: 'torch',
  torchvision: 'torchvision',
  jaxlib: 'jax',
  'tensorflow-gpu': 'tensorflow',
  tf: 'tensorflow',
  onnxruntime: 'onnxruntime-gpu',
  ort: 'onnxruntime-gpu',
  flash_attn: 'flash-attn',
  'flash-attention': 'flash-attn',
};

/** Variants that have no CUDA inside. */
const withoutCuda = ['cpu', 'xpu', 'mps'];

/** Where the programs of a wheel question run; decides which list of code counts. */
export interface WheelPlace {
  readonly aarch64: boolean;
}

/**
 * The builds that a wheel question can mean. One where the variant is named (or the default build is asked for); every
 * CUDA build of the release where it is not; one with `unknown` set where no table knows it.
 */
export function wheelPrograms(wheel: WheelQuestion, place: WheelPlace, tables: Tables): readonly Program[] {
  const typed = wheel.name.trim().toLowerCase();
  const split = splitName(typed);
  const name = projectOf[split.name] ?? split.name;
  const version = wheel.version === undefined ? null : parseWheelVersion(wheel.version);
  const variant =
    (wheel.variant ?? (version === null ? null : variantOf(version)) ?? split.variant)?.toLowerCase() ?? null;
  const label = wheelLabel(name, wheel, variant);
  if (variant !== null && (withoutCuda.includes(variant) || variant.startsWith('rocm'))) return [withoutGpuCode(label)];
  if (typed.endsWith('-cpu')) return [withoutGpuCode(label)];
  if (wheel.version !== undefined && version === null) {
    return [
      unknown(label, `${wheel.version} is no version of ${name}`, 'the version of the wheel', 'wheel version', null),
    ];
  }
  if (name === 'torch') return torchPrograms(version, variant, label, place, tables);
  return projectPrograms(name, version, variant, label, tables);
}

/** `cupy-cuda12x` is CuPy for CUDA 12, `jax[cuda12]` is JAX with the CUDA 12 plugin. */
function splitName(typed: string): { readonly name: string; readonly variant: string | null } {
  const bracket = typed.indexOf('[');
  if (bracket > 0 && typed.endsWith(']')) {
    const extra = typed.slice(bracket + 1, -1).replace(/[-_](?:local|pip)$/, '');
    return { name: typed.slice(0, bracket), variant: extra === 'and-cuda' || extra === 'gpu' ? null : extra };
  }
  const dash = typed.lastIndexOf('-cu');
  if (dash > 0 && parseCuda(typed.slice(dash + 1)) !== null)
    return { name: typed.slice(0, dash), variant: typed.slice(dash + 1) };
  return { name: typed, variant: null };
}

function wheelLabel(name: string, wheel: WheelQuestion, variant: string | null): string {
  const version = wheel.version === undefined ? '' : ` ${wheel.version.split('+')[0] as string}`;
  if (variant === null) return `${name}${version}`;
  if (variant === 'pypi') return `${name}${version} from PyPI`;
  return name === 'torch' ? `${name}${version}+${variant}` : `${name}${version} (${variant})`;
}

function base(label: string): Program {
  return {
    label,
    cuda: null,
    unknown: null,
    code: null,
    codeUnknown: null,
    minSm: null,
    cpuOnly: false,
    kind: 'wheel',
    confirmed: true,
    otherBuilds: [],
    restsOn: [],
  };
}

function withoutGpuCode(label: string): Program {
  return { ...base(label), cpuOnly: true, restsOn: ['pytorch-release-matrix'] };
}

function unknown(label: string, message: string, needs: string, missing: string, cuda: CudaRange | null): Program {
  return { ...base(label), cuda, confirmed: false, unknown: { message, needs, missing } };
}

function torchPrograms(
  version: WheelVersion | null,
  variant: string | null,
  label: string,
  place: WheelPlace,
  tables: Tables,
): readonly Program[] {
  const named = variant !== null && variant !== 'pypi' && variant !== 'gpu' ? cudaRange(variant, tables) : null;
  const anyRelease =
    version === null && named !== null
      ? [...tables.torch.values()].flat().filter((row) => row.variant === variant)
      : [];
  if (anyRelease.length > 0)
    return anyRelease.map((row) => torchProgram(row, `torch ${row.torch}+${row.variant}`, [], place, tables));
  if (version === null) {
    return [
      unknown(label, 'the torch version is not given', 'the version of torch and its variant', 'torch version', named),
    ];
  }
  const rows = tables.torch.get(releaseLine(version)) ?? [];
  if (rows.length === 0) {
    return [
      unknown(
        label,
        `torch ${releaseLine(version)} is in no table`,
        'the CUDA version and architecture list of the build: torch.version.cuda, torch.cuda.get_arch_list()',
        `torch ${releaseLine(version)}`,
        named,
      ),
    ];
  }
  if (variant === 'pypi') return pypiRows(rows).map((row) => torchProgram(row, label, rows, place, tables));
  if (named === null) return rows.map((row) => torchProgram(row, `${label}+${row.variant}`, rows, place, tables));
  const row = rows.find((one) => one.variant === variant);
  if (row === undefined) {
    const list = rows.map((one) => one.variant).join(', ');
    return [
      unknown(
        label,
        `torch ${releaseLine(version)} was published for ${list}; ${variant} is not among them`,
        `a build that exists: ${list}`,
        `torch ${releaseLine(version)}+${variant}`,
        named,
      ),
    ];
  }
  return [torchProgram(row, label, rows, place, tables)];
}

/** The default build; both candidates where it is not clear which one is served. */
function pypiRows(rows: readonly TorchWheelRow[]): readonly TorchWheelRow[] {
  const sure = rows.filter((row) => row.default === true && row.confirmedFields.default);
  return sure.length > 0 ? sure : rows.filter((row) => row.default !== false);
}

function torchProgram(
  row: TorchWheelRow,
  label: string,
  siblings: readonly TorchWheelRow[],
  place: WheelPlace,
  tables: Tables,
): Program {
  const code = torchCode(row, place);
  const cuda = parseCuda(row.cuda);
  return {
    ...base(label),
    cuda: cuda === null ? null : rangeOf(cuda, tables),
    code,
    codeUnknown:
      code === null
        ? `the architecture list of torch ${row.torch} ${row.variant}${place.aarch64 ? ' for Arm' : ''} was not published`
        : null,
    confirmed: true,
    otherBuilds: siblings.flatMap((one): readonly OtherBuild[] => {
      const other = torchCode(one, place);
      return other === null || one.variant === row.variant ? [] : [{ label: one.variant, code: other }];
    }),
    restsOn: row.sources,
  };
}

function torchCode(row: TorchWheelRow, place: WheelPlace): Code | null {
  const archs = place.aarch64 ? row.archsAarch64 : row.archs;
  if (archs === null) return null;
  const sass = archs.map((arch) => arch.replace('.', ''));
  const last = sass.at(-1);
  return { sass, ptx: row.ptx && last !== undefined ? [last] : [], confirmed: row.confirmedFields.archs };
}

function projectPrograms(
  name: string,
  version: WheelVersion | null,
  variant: string | null,
  label: string,
  tables: Tables,
): readonly Program[] {
  const named = variant === null || variant === 'gpu' || variant === 'pypi' ? null : cudaRange(variant, tables);
  const all = tables.projects.get(name) ?? [];
  const rows = all.filter(
    (row) => (version === null || inRange(version, row.range)) && fitsVariant(row, variant, named),
  );
  const usable = rows.filter((row) => row.builtWith !== null || row.cuda.length > 0);
  // The name of a CuPy wheel is its CUDA major; a release that a row ends before is not made up.
  if (usable.length === 0 && name === 'cupy' && named !== null && !endsBefore(all, version, variant)) {
    return [{ ...base(label), cuda: named, restsOn: ['cupy-install'] }];
  }
  // A build for another CUDA may exist elsewhere: the one that is served by default is named.
  const other =
    usable.length > 0 || version === null
      ? undefined
      : all.find((row) => row.builtWith !== null && inRange(version, row.range));
  if (other !== undefined && version !== null) {
    return [
      unknown(
        label,
        `${name} ${version.public} is built with CUDA ${other.builtWith ?? ''} by default; a build for ${variant ?? ''} is in no table`,
        `a build of ${name} for ${variant ?? ''}, or CUDA ${other.builtWith ?? ''}`,
        `build of ${name} ${version.public} for ${variant ?? ''}`,
        named,
      ),
    ];
  }
  const later =
    usable.length > 0 || version === null
      ? undefined
      : all.find((row) => row.cuda[0]?.from != null && inRange(version, row.range))?.cuda[0]?.from;
  if (later != null) {
    return [
      unknown(
        label,
        `${name} ${version?.public ?? ''} asks for CUDA ${later} or newer`,
        `CUDA ${later} or newer`,
        `build of ${name} for ${variant ?? ''}`,
        null,
      ),
    ];
  }
  if (usable.length === 0) {
    const what = version === null ? name : `${name} ${version.public}`;
    return [
      unknown(
        label,
        `${what}${variant === null ? '' : ` for ${variant}`} is in no table`,
        `the CUDA version that ${name} was built with`,
        `CUDA version of ${what}`,
        named,
      ),
    ];
  }
  // Whichever release it is: what all of them have in common decides.
  if (version === null && usable.length > 1 && usable.every((row) => row.minSm !== null))
    return usable.map((row) => projectProgram(row, version, `${name}${ofRow(row)}`, named, tables));
  if (version === null && usable.length > 1 && name !== 'jax') {
    return [
      unknown(label, `which release of ${name} is not given`, `the version of ${name}`, `${name} version`, named),
    ];
  }
  return usable.map((row) => projectProgram(row, version, label, named, tables));
}

/** ` from 0.9`, ` (cuda118-126)`: what tells a row from its neighbours. */
function ofRow(row: ProjectWheelRow): string {
  const { from, below } = row.range;
  const range = from !== null ? ` from ${from}` : below !== null ? ` below ${below}` : '';
  return `${range}${row.variant === null ? '' : ` for ${row.variant}`}`;
}

function endsBefore(rows: readonly ProjectWheelRow[], version: WheelVersion | null, variant: string | null): boolean {
  const own = rows.filter((row) => row.packages.some((one) => one.endsWith(`-${variant ?? ''}`)));
  const last = own.at(-1)?.range.below;
  const limit = last == null ? null : parseWheelVersion(last);
  return version !== null && limit !== null && own.length > 0 && compareWheelVersion(version, limit) >= 0;
}

function projectProgram(
  row: ProjectWheelRow,
  version: WheelVersion | null,
  label: string,
  named: CudaRange | null,
  tables: Tables,
): Program {
  const exact = row.builtWith !== null && !builtWithIsLoose(row, version) ? parseCuda(row.builtWith) : null;
  const range = exact === null ? (spanOf(row, named, tables) ?? named) : rangeOf(exact, tables);
  return {
    ...base(label),
    cuda: range,
    unknown:
      range === null
        ? {
            message: `${label} does not name its CUDA version`,
            needs: 'the CUDA version of the build',
            missing: `CUDA version of ${label}`,
          }
        : null,
    minSm: row.minSm,
    code: row.sms.length > 0 && row.confirmed ? { sass: row.sms, ptx: [], confirmed: true } : null,
    confirmed: row.confirmed,
    restsOn: row.sources,
  };
}

/** JAX plugins are built with 12.9 only since about 0.7; before, any 12.1 or newer. */
function builtWithIsLoose(row: ProjectWheelRow, version: WheelVersion | null): boolean {
  const first = parseWheelVersion('0.7');
  if (row.project !== 'jax' || row.variant !== 'cuda12') return false;
  return version === null || first === null || compareWheelVersion(version, first) < 0;
}

/** CUDA versions that a row works with, cut to the named major. */
function spanOf(row: ProjectWheelRow, named: CudaRange | null, tables: Tables): CudaRange | null {
  let low: CudaRange['low'] | null = null;
  let high: CudaRange['high'] | null = null;
  for (const one of row.cuda) {
    const from = one.from === null ? null : parseCuda(one.from);
    if (from === null || from.minor === null || (named !== null && named.high.major !== from.major)) continue;
    const below = one.below === null ? null : parseCuda(one.below);
    const newest = tables.newestMinor.get(from.major) ?? from.minor;
    const top = below === null || below.major !== from.major ? newest : Math.min(newest, (below.minor ?? 1) - 1);
    low ??= from;
    high = { major: from.major, minor: top, patch: null };
  }
  if (low === null || high === null) return null;
  // A variant such as cuda12x that spans two majors is no single build.
  if (low.major !== high.major) return null;
  return { low, high, known: tables.toolkits.has(formatCudaMinor(low)) };
}

function fitsVariant(row: ProjectWheelRow, variant: string | null, named: CudaRange | null): boolean {
  if (row.project === 'jax')
    return variant === null || row.variant === variant || (named !== null && row.variant === `cuda${named.high.major}`);
  if (named === null) return true;
  if (row.packages.some((one) => one.endsWith(`-${variant ?? ''}`))) return true;
  if (row.builtWith !== null && parseCuda(row.builtWith)?.major === named.high.major) return true;
  return row.cuda.some((one) => {
    const from = one.from === null ? null : parseCuda(one.from);
    const below = one.below === null ? null : parseCuda(one.below);
    if (from === null || from.major > named.high.major) return false;
    if (from.major === named.high.major && (from.minor ?? 0) > (named.high.minor ?? 0)) return false;
    return (
      below === null ||
      below.major > named.high.major ||
      (below.major === named.high.major && (below.minor ?? 0) > (named.low.minor ?? 0))
    );
  });
}

/** Is the version inside the range? `below` compares the release alone, so that 2.18.0rc1 is in 2.18. */
export function inRange(version: WheelVersion, range: VersionRange): boolean {
  const bare = parseWheelVersion(version.release.join('.')) ?? version;
  const from = range.from === null ? null : parseWheelVersion(range.from);
  const below = range.below === null ? null : parseWheelVersion(range.below);
  if (from !== null && compareWheelVersion(bare, from) < 0) return false;
  return below === null || compareWheelVersion(bare, below) < 0;
}
