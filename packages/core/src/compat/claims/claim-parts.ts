import { parseCuda } from '../../versions/cuda.ts';
import type { CudaVersion } from '../../versions/cuda.ts';
import { parseComputeCapability, smNumber } from '../../versions/compute-capability.ts';
import { matchGpu } from '../gpu-name.ts';
import type { Gpu } from '../gpu-name.ts';
import { hostDriver } from '../host-driver.ts';
import type { HostDriver } from '../host-driver.ts';
import { parseContainerToolkit } from '../injection.ts';
import type { RealMode } from '../injection.ts';
import { isOtherNumber } from '../read/read-host.ts';
import { takeGpus } from '../read/read-gpu.ts';
import { isFree, leftover, mark, startReading, take, takeAll } from '../read/reading.ts';
import type { Reading } from '../read/reading.ts';
import type { Tables } from '../tables.ts';
import { readClaimText } from './claim-text.ts';
import type { ClaimText } from './claim-text.ts';

/** A driver that a claim names, and how far it reaches. */
export interface ClaimDriver {
  readonly driver: HostDriver;
  /** `older than 570`, `570 or newer`, or just that one. */
  readonly reach: 'exact' | 'older' | 'newer' | 'from' | 'up-to';
}

/** A wheel that a claim names. */
export interface ClaimWheel {
  readonly name: string;
  readonly version: string | null;
  readonly variant: string | null;
}

/** A target of GPU code that a claim names. */
export interface ClaimTarget {
  readonly kind: 'sass' | 'ptx';
  readonly name: string;
}

/** Everything that a claim names. */
export interface Claim {
  readonly text: ClaimText;
  readonly tables: Tables;
  /** CUDA versions in their order that are none of the following. */
  readonly cudas: readonly CudaVersion[];
  /** What nvidia-smi is said to show. */
  readonly smiCuda: CudaVersion | null;
  readonly nvccCuda: CudaVersion | null;
  readonly torchCuda: CudaVersion | null;
  readonly drivers: readonly ClaimDriver[];
  readonly wheels: readonly ClaimWheel[];
  readonly gpus: readonly (readonly Gpu[])[];
  readonly targets: readonly ClaimTarget[];
  readonly cudnn: string | null;
  /** A second cuDNN version: what a program was built for. */
  readonly cudnnOther: string | null;
  readonly nccl: string | null;
  readonly builds: readonly number[];
  readonly containerToolkit: readonly number[] | null;
  readonly mode: RealMode | 'default' | null;
  readonly compatPackage: string | null;
  readonly errors: readonly number[];
  /** Driver numbers are those of Windows. */
  readonly windows: boolean;
  readonly image: string | null;
}

const number = String.raw`(\d{1,2}\.\d{1,2}(?:\.\d{1,3})?|\d{1,2}(?![\d.]*\d))`;
const driverNumber = String.raw`r?(\d{3}(?:\.\d{1,3}){0,2})(?![\d.]*\d)(?:\+|(?:\.x{1,2}))?`;
const errorNames: readonly (readonly [RegExp, number])[] = [
  [/cudaerrorcompatnotsupportedondevice|cuda_error_compat_not_supported_on_device/, 804],
  [/cudaerrorsystemdrivermismatch|cuda_error_system_driver_mismatch/, 803],
  [/cudaerrorinsufficientdriver|cuda driver version is insufficient|driver (?:is )?insufficient/, 35],
  [/cudaerrorcallrequiresnewerdriver/, 36],
  [/cudaerrornokernelimagefordevice|cuda_error_no_binary_for_gpu|no kernel image(?: is available)?/, 209],
  [/cudaerrorunsupportedptxversion|cuda_error_unsupported_ptx_version|unsupported toolchain|unsupported ptx/, 222],
  [/cudaerrorstublibrary|cuda_error_stub_library/, 34],
];

/** Takes a claim apart. */
export function readClaim(input: string, tables: Tables): Claim {
  const text = readClaimText(input);
  const reading = startReading(text.all);
  const errors = readErrors(reading, text.all);
  const image =
    take(
      reading,
      /(?:nvcr\.io\/)?(?:nvidia|pytorch|tensorflow|vllm)\/[a-z0-9._/-]{1,60}:[a-z0-9_][a-z0-9_.-]{0,80}/g,
    )?.[0] ?? null;
  const toolkit = take(
    reading,
    /(?:nvidia )?(?:container[- ]toolkit|nvidia-ctk|nvidia-container-toolkit|toolkit)(?: version)?(?: since| from)? ?v?(1\.\d{1,2}(?:\.\d{1,2})?)(?![\d.]*\d)/g,
  );
  const compat =
    take(reading, /cuda[- ]compat(?:ibility)?[- ](?:orin[- ])?(\d{1,2})[-.](\d{1,2})/g) ??
    take(reading, /compat (?:package|libraries|libs) (?:for |of )?(?:cuda )?(\d{1,2})[-.](\d{1,2})/g) ??
    take(reading, /(?<![\d.])(\d{1,2})\.(\d{1,2}) compat (?:package|libraries|libs|libcuda)/g);
  const smi = take(reading, new RegExp(String.raw`nvidia-smi[^,;.\d]{0,60}?${number}`, 'g'));
  const byCuda =
    smi ??
    take(
      reading,
      new RegExp(
        String.raw`drivers? (?:(?:that|which) )?(?:only )?(?:reports?|serves?|shows?|supports?|prints?|knows?|is|has) (?:only |at most |up to |just )?(?:cuda )?${number}`,
        'g',
      ),
    ) ??
    take(reading, /(?<![\d.])(\d{2}\.\d) drivers?\b(?! (?:version |branch )?r?\d)/g);
  const nvcc = take(reading, new RegExp(String.raw`nvcc(?: --version| -v)?[^,;.\d]{0,40}?${number}`, 'g'));
  const torchCuda =
    take(reading, new RegExp(String.raw`torch\.version\.cuda[^,;.\d]{0,30}?${number}`, 'g')) ??
    take(
      reading,
      new RegExp(
        String.raw`(?:py)?torch (?:says|reports|shows|was built (?:with|for|against)|is built (?:with|for|against)|built (?:with|for)|uses) (?:cuda )?${number}`,
        'g',
      ),
    );
  const libraries = readLibraries(reading);
  const wheels = readWheels(reading);
  const targets = readTargets(reading);
  const windows = /\b(?:windows|win ?1[01]|wsl ?2?)\b/.test(text.all);
  const drivers = readDrivers(reading, windows, tables);
  const cudas = readCudas(reading);
  const gpus = readGpus(reading, tables);
  return {
    text,
    tables,
    cudas,
    smiCuda: byCuda === null ? null : parseCuda(byCuda[1] as string),
    nvccCuda: nvcc === null ? null : parseCuda(nvcc[1] as string),
    torchCuda: torchCuda === null ? null : parseCuda(torchCuda[1] as string),
    drivers,
    wheels,
    gpus,
    targets,
    ...libraries,
    containerToolkit: toolkit === null ? null : parseContainerToolkit(toolkit[1] as string),
    mode: readMode(text.all),
    compatPackage: compat === null ? null : `cuda-compat-${compat[1] as string}-${compat[2] as string}`,
    errors,
    windows,
    image,
  };
}

function readErrors(reading: Reading, text: string): readonly number[] {
  const found = takeAll(
    reading,
    /(?:(?:cuda )?errors?(?: codes?| number)?|code|status|returns?|gives?|with)(?: is| of)? ?[:=(]? ?(34|35|36|209|222|803|804)\b|\b(803|804)\b|\b(34|35|36|209|222)\b(?= (?:means?|says|stands for|tells|comes (?:from|up|when)|appears|usually|indicates|is (?:about|what|raised|returned|given|fixed|cured|solved|gone|caused|a|an|the|due)|goes|disappears|vanishes))/g,
  ).map((match) => Number(match[1] ?? match[2] ?? match[3]));
  for (const [pattern, code] of errorNames) if (pattern.test(text)) found.push(code);
  return [...new Set(found)];
}

function readLibraries(reading: Reading): Pick<Claim, 'cudnn' | 'cudnnOther' | 'nccl' | 'builds'> {
  const version = String.raw`v?(\d{1,2}(?:\.\d{1,3}){0,3})(?:\.x)?(?![\d.]*\d)`;
  const cudnn = takeAll(reading, new RegExp(String.raw`cudnn(?: version| library| release)? ${version}`, 'g'));
  const nccl = take(reading, new RegExp(String.raw`nccl(?: version| library)? ${version}`, 'g'));
  const builds = [
    ...takeAll(reading, /\bcu(1[0-9])\b(?! ?x)/g),
    ...(/\b(?:cudnn|nccl)\b/.test(reading.lower)
      ? takeAll(
          reading,
          /\b(?:built|compiled|made) (?:for|with|against) cuda (1[0-9])\b|\bcuda[- ](1[0-9]) (?:build|package|variant)/g,
        )
      : []),
  ].map((match) => Number(match[1] ?? match[2]));
  return { cudnn: cudnn[0]?.[1] ?? null, cudnnOther: cudnn[1]?.[1] ?? null, nccl: nccl?.[1] ?? null, builds };
}

function readWheels(reading: Reading): readonly ClaimWheel[] {
  const names = 'torch|pytorch|jax|tensorflow|cupy|vllm|flash-attn|flash-attention|onnxruntime-gpu|onnxruntime';
  const wheels: ClaimWheel[] = [];
  const full = new RegExp(
    String.raw`\b(${names})(?:-(cuda\d{2}x?))?(?:\[([a-z0-9]{2,12})\])?(?:==| |-)?(?:from |version |wheel |v)?(\d{1,3}\.\d{1,3}(?:\.\d{1,3})?)(?:\+(cpu|cu\d{2,3}))?(?:[ (]{1,2}(?:for )?(cpu|cu\d{3}))?`,
    'g',
  );
  for (const match of takeAll(reading, full)) {
    wheels.push({
      name: projectName(match[1] as string),
      version: match[4] as string,
      variant: match[5] ?? match[6] ?? match[2] ?? match[3] ?? null,
    });
  }
  // `from torch 2.10 to 2.11`: the second version stands alone.
  if (wheels.length === 1) {
    const other = take(
      reading,
      /(to|->|-->|→|than|over|until|and|instead of|rather than|for|from) (?:version )?(\d\.\d{1,2}(?:\.\d{1,2})?)(?:\+(cpu|cu\d{2,3}))?(?![\d.]*\d)/g,
    );
    if (other !== null) {
      const second = { name: (wheels[0] as ClaimWheel).name, version: other[2] as string, variant: other[3] ?? null };
      // `2.11 instead of 2.10` goes from the second to the first.
      if (['to', '->', '-->', '→', 'until', 'and', 'for'].includes(other[1] as string)) wheels.push(second);
      else wheels.unshift(second);
    }
  }
  const variants = takeAll(
    reading,
    new RegExp(
      String.raw`(?:\b(${names})(?:'s)? )?(?:wheels? |builds? )?(?:for |in |with |\()?\b(cu\d{3}|cpu(?=(?: |-)(?:only|wheel|build|version|variant)))\b(?: (?:wheels?|builds?|variants?|index|pytorch|torch))?`,
      'g',
    ),
  );
  for (const match of variants)
    wheels.push({ name: projectName(match[1] ?? 'torch'), version: null, variant: match[2] as string });
  const [first, second, ...more] = wheels;
  const apart = first !== undefined && second !== undefined && more.length === 0 && first.name === second.name;
  if (
    apart &&
    first.variant === null &&
    second.version === null &&
    !/\bis (?:an? |the )?cu\d|\bpypi\b|\bpip\b|\bdefault\b/.test(reading.lower)
  ) {
    return [{ ...first, variant: second.variant }];
  }
  if (wheels.length === 0) {
    const bare = take(
      reading,
      new RegExp(String.raw`\b(${names})(?:'s)?(?:[- ](cuda\d{2}x?))?(?:\[([a-z0-9]{2,12})\])?(?![a-z._])`, 'g'),
    );
    if (bare !== null)
      wheels.push({ name: projectName(bare[1] as string), version: null, variant: bare[2] ?? bare[3] ?? null });
  }
  return wheels;
}

function projectName(name: string): string {
  return name === 'pytorch'
    ? 'torch'
    : name === 'flash-attention'
      ? 'flash-attn'
      : name === 'onnxruntime'
        ? 'onnxruntime-gpu'
        : name;
}

function readTargets(reading: Reading): readonly ClaimTarget[] {
  const targets: ClaimTarget[] = [];
  for (const match of takeAll(reading, /\bcompute[_-](\d{2,3}[af]?)\b/g))
    targets.push({ kind: 'ptx', name: match[1] as string });
  for (const match of takeAll(reading, /\bsm[_ -]?(\d{2,3}[af]?)\b(?: (ptx))?/g))
    targets.push({ kind: match[2] === undefined ? 'sass' : 'ptx', name: match[1] as string });
  return targets;
}

function readDrivers(reading: Reading, windows: boolean, tables: Tables): readonly ClaimDriver[] {
  const found: { readonly at: number; readonly driver: ClaimDriver }[] = [];
  const context = new RegExp(
    String.raw`(older than |newer than |below |above |under |at least |from |since |before |after |up to |until |to |than |minimum |>= ?|> ?|< ?|<= ?)?(?:the )?(?:nvidia )?(?:(?:drivers?|branch|host driver|kernel driver)(?: version| branch)?(?: of| is| from| >=| ≥| older than| newer than| below| at least)? ?)?(?<![a-z0-9.])${driverNumber}(?: (?:drivers?|branch))?( (?:or|and) (?:newer|later|above|higher|up|older|earlier|below)| onwards?| on\b(?= |,|$)(?! (?:a|an|the|our|my|your|their|his|this|that|some|data|geforce|nvidia|tesla|quadro|titan|jetson|rtx|gtx|hosts?|nodes?|machines?|servers?|linux|windows|ubuntu|rhel|debian|[a-z]{0,3}\d))| upwards?)?`,
    'g',
  );
  // Found without taking first: a number that is no driver stays for the other readers.
  for (let match = context.exec(reading.lower); match !== null; match = context.exec(reading.lower)) {
    const number = match[2] as string;
    if (!isFree(reading, match.index, match.index + match[0].length)) continue;
    const hasWord = /driver|branch|r\d{3}/.test(match[0]) || number.includes('.');
    if (!hasWord && !tables.branches.has(Number(number))) continue;
    const start = match.index + match[0].indexOf(number);
    if (!number.includes('.') && isOtherNumber(reading.lower, start, start + number.length)) continue;
    const driver = hostDriver(number, windows, tables);
    if (driver === null) continue;
    mark(reading, match.index, match.index + match[0].length);
    found.push({ at: match.index, driver: { driver, reach: reachOf(match[0], match[1] ?? '', match[3] ?? '') } });
  }
  return found.sort((a, b) => a.at - b.at).map((one) => one.driver);
}

function reachOf(whole: string, before: string, after: string): ClaimDriver['reach'] {
  if (
    /older than|below|before|< ?$|<(?!=)/.test(before) ||
    // `under the 525 branch` says where, `under 525` says older.
    (before === 'under ' && !/the |driver|branch|r\d|\d\.\d/.test(whole)) ||
    /older than|(?<!\b(?:or|and) )below/.test(whole)
  )
    return 'older';
  if (/newer than|above|after|> ?$/.test(before) && !before.includes('=')) return 'newer';
  if (
    /newer|later|above|higher|up\b|on|upward/.test(after) ||
    /at least|from|since|>=|minimum/.test(before) ||
    /\d\+/.test(whole)
  )
    return 'from';
  if (/older|earlier|below/.test(after) || /up to|until|<=/.test(before)) return 'up-to';
  return 'exact';
}

function readCudas(reading: Reading): readonly CudaVersion[] {
  const found: { readonly at: number; readonly cuda: CudaVersion }[] = [];
  const patterns = [
    new RegExp(String.raw`\bcuda(?:[- ](?:toolkit|version|runtime|release))? ?v?${number}(?:\.x)?(?:\+)?`, 'g'),
    new RegExp(String.raw`\b(?:toolkit|runtime|version) ${number}`, 'g'),
    /(?<![\w.])(1[0-9]\.\d{1,2}(?:\.\d{1,2})?)(?![\w.]*\d|\w)/g,
    /(?<![\w.])(1[0-9])\.x\b/g,
    /\b(cu\d{3})\b/g,
  ];
  for (const pattern of patterns) {
    for (const match of takeAll(reading, pattern)) {
      const cuda = parseCuda(match[1] as string);
      if (cuda !== null) found.push({ at: match.index, cuda });
    }
  }
  return found.sort((a, b) => a.at - b.at).map((one) => one.cuda);
}

function readGpus(reading: Reading, tables: Tables): readonly (readonly Gpu[])[] {
  const found: { readonly at: number; readonly gpus: readonly Gpu[] }[] = [];
  for (const hit of takeGpus(reading, tables.gpus)) {
    const gpus = matchGpu(hit.name, tables.gpus);
    if (gpus.length > 0) found.push({ at: hit.at, gpus });
  }
  const text = leftover(reading);
  const words =
    /\b(kepler|maxwell|pascal|volta|turing|ampere|ada|hopper|blackwell|rubin|grace hopper)\b|\b(?:compute capability|cc) (\d{1,2}\.\d)\b/g;
  for (let match = words.exec(text); match !== null; match = words.exec(text)) {
    const gpus = matchGpu(match[2] ?? (match[1] as string), tables.gpus);
    if (gpus.length > 0) found.push({ at: match.index, gpus });
  }
  return found.sort((a, b) => a.at - b.at).map((one) => one.gpus);
}

function readMode(text: string): Claim['mode'] {
  if (/\bjit[- ]?cdi\b/.test(text)) return 'jit-cdi';
  if (/\blegacy (?:mode|runtime|hook)?\b/.test(text) && !/legacy image/.test(text)) return 'legacy';
  if (/\bcsv mode\b/.test(text)) return 'csv';
  if (/\bcdi\b/.test(text)) return 'cdi';
  return /\b(?:default|auto) mode\b|\bby default\b|\bdefault settings\b|\bdefault configuration\b/.test(text)
    ? 'default'
    : null;
}

/** sm number of a target name without its suffix. */
export function targetSm(name: string): number {
  const value = parseComputeCapability(name);
  return value === null ? 0 : smNumber(value);
}
