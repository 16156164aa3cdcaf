import { parseCuda } from '../versions/cuda.ts';
import { parseDotted } from '../versions/numeric.ts';
import { parseDriver } from '../versions/driver.ts';
import type { RequireCudaRow } from '../knowledge/images.types.ts';
import { rangeOf } from './cuda-range.ts';
import { compatOfPackage, noteOf } from './forward-compat.ts';
import type { CompatInUse } from './forward-compat.ts';
import type { Program } from './program.ts';
import type { Question } from './question.ts';
import { parseRequirement, requirementsOf } from './requirement.ts';
import type { Requirement } from './requirement.ts';
import type { Tables } from './tables.ts';
import { wheelPrograms } from './wheel-lookup.ts';

/** What is known of an image without opening it. */
export interface ImageContent {
  readonly label: string;
  /** What it runs: its own CUDA, or the wheels it is made of. */
  readonly programs: readonly Program[];
  /** Compat libraries inside; null: none. */
  readonly compat: CompatInUse | null;
  /**
   * Who puts them in front: the image's own entrypoint (NGC moves the libraries out of the toolkit's sight), the
   * container toolkit, or nobody.
   */
  readonly compatBy: 'entrypoint' | 'toolkit' | 'nobody';
  /** Requirements of the start check; null: not known. */
  readonly requirements: readonly Requirement[] | null;
  /** The requirement was read as one string. */
  readonly requirementVerbatim: boolean;
  readonly env: Readonly<Record<string, string>>;
}

/** NGC images that are released by month with the CUDA of the monthly table. */
const monthly = new Set(
  'pytorch tensorflow tritonserver jax mxnet dgl pyg paddlepaddle tensorrt cuda-dl-base maxtext pytorch-geometric'.split(
    ' ',
  ),
);

/** A reference in its parts; digests are dropped. */
export interface ImageReference {
  readonly registry: string | null;
  readonly repository: string;
  readonly tag: string | null;
}

/** Splits `nvcr.io/nvidia/pytorch:24.10-py3@sha256:…`. Null for an empty name. */
export function parseImageReference(text: string): ImageReference | null {
  const bare = text.trim().split('@')[0] as string;
  if (bare === '' || bare.length > 300) return null;
  const slash = bare.lastIndexOf('/');
  const colon = bare.indexOf(':', slash + 1);
  const name = colon < 0 ? bare : bare.slice(0, colon);
  const first = name.indexOf('/');
  const host = first < 0 ? '' : name.slice(0, first);
  const isHost = host.includes('.') || host.includes(':') || host === 'localhost';
  return {
    registry: isHost ? host.toLowerCase() : null,
    repository: (isHost ? name.slice(first + 1) : name).toLowerCase(),
    tag: colon < 0 ? null : bare.slice(colon + 1),
  };
}

/** Looks an image up by its reference, and by the environment that was given for it. */
export function imageContent(question: Question, tables: Tables): ImageContent {
  const reference = question.image === undefined ? null : parseImageReference(question.image);
  const aarch64 = question.arch === 'aarch64';
  const env = question.imageEnv ?? {};
  const known = reference === null ? null : lookUp(reference, question.image ?? '', aarch64, tables);
  if (question.imageEnv === undefined && known !== null) return known;
  const label = question.image ?? 'the image';
  const cuda = env['CUDA_VERSION'] === undefined ? null : parseCuda(env['CUDA_VERSION']);
  const own = cuda === null ? [] : [program(label, cuda, true, [], tables)];
  return {
    label,
    programs: own.length > 0 ? own : (known?.programs ?? [unknownProgram(label)]),
    compat: null,
    compatBy: 'nobody',
    requirements: question.imageEnv === undefined ? null : requirementsOf(env),
    requirementVerbatim: true,
    env,
  };
}

function lookUp(reference: ImageReference, text: string, aarch64: boolean, tables: Tables): ImageContent | null {
  const parts = reference.repository.split('/');
  const name = parts.at(-1) as string;
  const owner = parts.length > 1 ? parts.at(-2) : null;
  const ngc = reference.registry === 'nvcr.io';
  if (reference.tag === null) return null;
  if (name === 'cuda' && (owner === 'nvidia' || ngc)) return cudaBase(reference.tag, text, aarch64, tables);
  if (monthly.has(name) && (ngc || owner === 'nvidia')) return monthlyImage(reference.tag, text, tables);
  if (owner === 'pytorch' && name === 'pytorch') return torchImage(reference.tag, text, aarch64, tables);
  if (owner === 'tensorflow' && name === 'tensorflow') {
    const cpu = !reference.tag.includes('gpu');
    return wheelImage(
      text,
      'tensorflow',
      reference.tag.split('-')[0] as string,
      cpu ? 'cpu' : undefined,
      aarch64,
      tables,
    );
  }
  if (owner === 'vllm' && name === 'vllm-openai') {
    return wheelImage(
      text,
      'vllm',
      reference.tag.replace(/^v/, '').split('-')[0] as string,
      undefined,
      aarch64,
      tables,
    );
  }
  return null;
}

function program(
  label: string,
  cuda: NonNullable<ReturnType<typeof parseCuda>>,
  confirmed: boolean,
  restsOn: readonly string[],
  tables: Tables,
): Program {
  return {
    label,
    cuda: rangeOf(cuda, tables),
    unknown: null,
    code: null,
    codeUnknown: null,
    minSm: null,
    cpuOnly: false,
    kind: 'image',
    confirmed,
    otherBuilds: [],
    restsOn,
  };
}

function unknownProgram(label: string): Program {
  return {
    label,
    cuda: null,
    unknown: {
      message: `what is inside ${label} is in no table`,
      needs: 'the CUDA version of the image: culprit image REF reads it',
      missing: `contents of ${label}`,
    },
    code: null,
    codeUnknown: null,
    minSm: null,
    cpuOnly: false,
    kind: 'image',
    confirmed: false,
    otherBuilds: [],
    restsOn: [],
  };
}

function monthlyImage(tag: string, label: string, tables: Tables): ImageContent | null {
  const month = tag.slice(0, 5);
  const row = tables.tags.get(month);
  if (row === undefined || tag.includes('igpu')) return null;
  const variant = row.tritonVariants.find((one) => tag.includes(one.variant));
  const cuda = parseCuda(variant?.cuda ?? row.cuda);
  if (cuda === null || cuda.minor === null) return null;
  const driver = parseDriver((variant === undefined ? row.compatDriver : variant.compatDriver) ?? '');
  const compat = compatOfPackage(`${cuda.major}-${cuda.minor}`);
  return {
    label,
    programs: [program(label, cuda, row.confirmed, row.sources, tables)],
    compat: compat === null ? null : { ...compat, driver, note: driver === null ? null : noteOf(driver.text, tables) },
    compatBy: 'entrypoint',
    requirements: [knownRequirement('cuda>=9.0', tables)],
    requirementVerbatim: false,
    env: {},
  };
}

function cudaBase(tag: string, label: string, aarch64: boolean, tables: Tables): ImageContent | null {
  const number = tag.split('-')[0] as string;
  const cuda = parseCuda(number);
  if (cuda === null || cuda.minor === null) return null;
  const packaged = compatOfPackage(`${cuda.major}-${cuda.minor}`);
  const row = tables.packages
    .get(packaged?.package ?? '')
    ?.find((one) => one.toolkit === number && one.driver !== null);
  const driver = row?.driver == null ? null : parseDriver(row.driver);
  const requirement = requirementRow(number, osOf(tag), aarch64 ? 'arm64' : 'x86_64', tables);
  return {
    label,
    programs: [program(label, cuda, true, requirement?.sources ?? ['cuda-dockerfiles'], tables)],
    compat:
      packaged === null ? null : { ...packaged, driver, note: driver === null ? null : noteOf(driver.text, tables) },
    compatBy: 'toolkit',
    requirements: requirement?.value == null ? null : [knownRequirement(requirement.value, tables)],
    requirementVerbatim: requirement?.verbatim ?? false,
    env: {},
  };
}

/** A requirement of the tables, read once. */
function knownRequirement(value: string, tables: Tables): Requirement {
  const known = tables.requirements.get(value);
  if (known !== undefined) return known;
  const requirement = parseRequirement('NVIDIA_REQUIRE_CUDA', value);
  tables.requirements.set(value, requirement);
  return requirement;
}

/** `ubuntu22.04` in a tag is `ubuntu2204` in the table. */
function osOf(tag: string): string | null {
  const last = tag.split('-').at(-1) ?? '';
  return last.includes('.') || /^[a-z]/.test(last) ? last.replace('.', '') : null;
}

function requirementRow(
  version: string,
  os: string | null,
  arch: 'x86_64' | 'arm64',
  tables: Tables,
): RequireCudaRow | null {
  const minor = version.split('.').slice(0, 2).join('.');
  const ofArch = tables.requireCuda.filter((row) => row.arches.length === 0 || row.arches.includes(arch));
  const exact = ofArch.filter((row) => row.imageVersion === version);
  const line = ofArch.filter(
    (row) =>
      row.imageVersion === `${minor}.x` || row.imageVersion.startsWith(`${minor}.`) || row.imageVersion === minor,
  );
  for (const rows of [exact, line]) {
    const forOs = rows.filter((row) => row.os === null || (os !== null && row.os.includes(os)));
    const pick = forOs.length > 0 ? forOs : rows;
    const [first] = pick;
    if (first !== undefined && pick.every((row) => row.value === first.value)) return first;
  }
  return null;
}

/** `2.5.1-cuda12.4-cudnn9-runtime`: the wheel of that variant; `devel` is made from nvidia/cuda. */
function torchImage(tag: string, label: string, aarch64: boolean, tables: Tables): ImageContent | null {
  const [version, ...rest] = tag.split('-');
  const part = rest.find((one) => one.startsWith('cuda'));
  const cuda = part === undefined ? null : parseDotted(part.slice(4), 3);
  if (version === undefined || cuda === null || cuda.length < 2) return null;
  const devel = rest.includes('devel');
  const wheel = wheelImage(label, 'torch', version, `cu${cuda[0]}${cuda[1]}`, aarch64, tables);
  return devel ? { ...wheel, requirements: null } : wheel;
}

function wheelImage(
  label: string,
  name: string,
  version: string,
  variant: string | undefined,
  aarch64: boolean,
  tables: Tables,
): ImageContent {
  const wheel = { name, version, ...(variant === undefined ? {} : { variant }) };
  return {
    label,
    programs: wheelPrograms(wheel, { aarch64 }, tables),
    compat: null,
    compatBy: 'nobody',
    requirements: name === 'vllm' ? null : [],
    requirementVerbatim: true,
    env: {},
  };
}
