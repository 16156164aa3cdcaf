// Which code of a file a GPU would use: machine code that runs on it, PTX that its driver compiles, or none.
import type { BinaryAnswer } from '../binary/report.ts';
import type { CodeEntry } from '../binary/model.ts';
import type { Knowledge } from '../knowledge/knowledge.ts';
import { parseComputeCapability, smNumber } from '../versions/compute-capability.ts';
import { compareCudaMinor, formatCudaMinor, parseCuda } from '../versions/cuda.ts';
import type { CudaVersion } from '../versions/cuda.ts';
import { compareDriver, parseDriver } from '../versions/driver.ts';
import { codeNeeded, ptxFits, sassRunsOn } from './binary-arch.ts';
import { floorOf } from './floors.ts';
import { capabilityText, gpuLabel, matchGpu } from './gpu-name.ts';
import type { Gpu } from './gpu-name.ts';
import type { RunAnswer } from './judgement.ts';
import { judgeQuestion } from './run.ts';
import { tablesOf } from './tables.ts';
import type { Tables } from './tables.ts';

/** GPU code of a file, and the toolkit that made it where the file tells. */
export interface HeldCode {
  readonly sass: readonly string[];
  readonly ptx: readonly string[];
  readonly entries: readonly Pick<CodeEntry, 'kind' | 'arch' | 'isa'>[];
  readonly toolkit: string | null;
}

/** The GPU that is asked about, and the driver of its node where it was given. */
export interface AskedGpu {
  readonly gpu: string;
  readonly driver: string | null;
}

const restsOn = ['blackwell-compatibility-guide'];
const noKernelImage = '209';

/**
 * Says what a GPU would do with the code: run it, compile it, or refuse it. Without a driver, machine code `runs` and
 * PTX `runs-if` the driver is new enough; with one, the judge decides by all of its rules.
 */
export function codeOnGpu(code: HeldCode, asked: AskedGpu, label: string, knowledge: Knowledge): BinaryAnswer {
  const tables = tablesOf(knowledge);
  const answers = matchGpu(asked.gpu, tables.gpus).map((gpu) => onOne(code, gpu, asked, label, knowledge, tables));
  const [first] = answers;
  if (first === undefined) {
    return {
      gpu: asked.gpu,
      computeCapability: '',
      answer: 'cannot-tell',
      code: null,
      target: null,
      driver: null,
      message: `${asked.gpu} is in no table`,
      errorSeen: null,
      restsOn: [],
    };
  }
  if (answers.every((one) => one.answer === first.answer)) return first;
  return {
    ...first,
    gpu: asked.gpu,
    answer: 'cannot-tell',
    code: null,
    target: null,
    driver: null,
    message: `${asked.gpu} can mean ${answers.map((one) => one.computeCapability).join(' or ')}, and they differ`,
    errorSeen: null,
  };
}

function onOne(
  code: HeldCode,
  gpu: Gpu,
  asked: AskedGpu,
  label: string,
  knowledge: Knowledge,
  tables: Tables,
): BinaryAnswer {
  const where = { gpu: gpu.name ?? asked.gpu, computeCapability: capabilityText(gpu.sm) };
  const sass = bestSass(code.sass, gpu.sm);
  const ptx = sass.kind === 'fits' ? null : bestPtx(code, gpu.sm);
  const made =
    sass.kind === 'fits' ? cudaOf(code, tables) : (isaCuda(ptx?.isa ?? null, tables) ?? cudaOf(code, tables));
  if (asked.driver !== null) {
    const judgement = judgeQuestion(
      {
        ...(gpu.name === null ? { computeCapability: where.computeCapability } : { gpu: gpu.name }),
        driver: asked.driver,
        ...(made !== null && { toolkit: formatCudaMinor(made) }),
        binary: { sass: code.sass, ptx: code.ptx },
      },
      knowledge,
    );
    const taken = sass.kind === 'fits' ? sass.target : (ptx?.target ?? null);
    const answer = judgement.answer as RunAnswer;
    const runs = answer === 'runs' || answer === 'runs-if';
    return {
      ...where,
      answer,
      code: !runs || taken === null ? null : sass.kind === 'fits' ? 'sass' : 'ptx',
      target: runs ? taken : null,
      driver: leastDriver(gpu, made, sass.kind !== 'fits', tables),
      message: judgement.message,
      errorSeen: judgement.errorSeen,
      restsOn: [...new Set(judgement.clauses.flatMap((one) => one.restsOn))],
    };
  }
  if (sass.kind === 'fits') {
    const driver = leastDriver(gpu, made, false, tables);
    return {
      ...where,
      answer: 'runs',
      code: 'sass',
      target: sass.target,
      driver,
      message: `${sass.target} in ${label} runs on ${gpuLabel(gpu)}${driver === null ? '' : `, with driver ${driver} or newer`}`,
      errorSeen: null,
      restsOn,
    };
  }
  if (sass.kind === 'open') {
    return {
      ...where,
      answer: 'cannot-tell',
      code: null,
      target: null,
      driver: null,
      message: `whether ${sass.target} serves ${gpuLabel(gpu)} is not published`,
      errorSeen: null,
      restsOn,
    };
  }
  if (ptx !== null) {
    const driver = leastDriver(gpu, made, true, tables);
    return {
      ...where,
      answer: 'runs-if',
      code: 'ptx',
      target: ptx.target,
      driver,
      message: `no machine code for ${gpuLabel(gpu)}: the driver compiles ${ptx.target}${ptx.isa === null ? '' : ` (PTX ISA ${ptx.isa})`} at first start${driver === null ? ', if it is new enough' : ` if it is ${driver} or newer`}`,
      errorSeen: null,
      restsOn: [...restsOn, 'cuda-minor-version-compat'],
    };
  }
  const held = [...code.sass, ...code.ptx].join(', ');
  return {
    ...where,
    answer: 'does-not-run',
    code: null,
    target: null,
    driver: null,
    message: `${label} holds ${held === '' ? 'no code that can be run' : held}; ${gpuLabel(gpu)} needs ${codeNeeded(gpu)}`,
    errorSeen: noKernelImage,
    restsOn,
  };
}

type Sass =
  { readonly kind: 'fits' | 'open'; readonly target: string } | { readonly kind: 'none'; readonly target: null };

/** Machine code that comes nearest: its own architecture, else the highest minor below it. */
function bestSass(names: readonly string[], sm: number): Sass {
  let fits: string | null = null;
  let number = -1;
  let open: string | null = null;
  for (const name of names) {
    const target = parseComputeCapability(name);
    if (target === null) continue;
    const truth = sassRunsOn(target, sm);
    if (truth === null) open ??= name;
    // Of code with and without suffix the plain one is that of most kernels.
    if (truth !== true || smNumber(target) <= number) continue;
    number = smNumber(target);
    fits = name;
  }
  if (fits !== null) return { kind: 'fits', target: fits };
  return open === null ? { kind: 'none', target: null } : { kind: 'open', target: open };
}

/** The highest PTX that can be compiled for the GPU; of equal ones the oldest ISA, which most drivers read. */
function bestPtx(code: HeldCode, sm: number): { readonly target: string; readonly isa: string | null } | null {
  let target: string | null = null;
  let number = -1;
  for (const name of code.ptx) {
    const capability = parseComputeCapability(name);
    if (capability === null || ptxFits(capability, sm) !== true || smNumber(capability) < number) continue;
    number = smNumber(capability);
    target = name;
  }
  if (target === null) return null;
  const isas = code.entries.filter((one) => one.kind === 'ptx' && one.arch === target).flatMap((one) => one.isa ?? []);
  // Each piece of the file brings PTX of its own: the newest must be read.
  return { target, isa: isas.toSorted(compareIsa).at(-1) ?? null };
}

function compareIsa(a: string, b: string): number {
  const [aMajor = 0, aMinor = 0] = a.split('.').map(Number);
  const [bMajor = 0, bMinor = 0] = b.split('.').map(Number);
  return aMajor - bMajor || aMinor - bMinor;
}

/** CUDA version of the toolkit that made the code: as the cubins say, else by the newest PTX. */
function cudaOf(code: HeldCode, tables: Tables): CudaVersion | null {
  const told = code.toolkit === null ? null : parseCuda(code.toolkit);
  if (told !== null) return told;
  const isas = code.entries.flatMap((one) => one.isa ?? []).toSorted(compareIsa);
  return isaCuda(isas.at(-1) ?? null, tables);
}

/** The first CUDA version whose drivers know a PTX ISA. */
function isaCuda(isa: string | null, tables: Tables): CudaVersion | null {
  if (isa === null) return null;
  const versions = [...tables.ptxIsa.values()]
    .filter((row) => row.ptxIsa === isa)
    .flatMap((row) => parseCuda(row.cuda) ?? [])
    .toSorted((a, b) => compareCudaMinor(a, b) ?? 0);
  return versions[0] ?? null;
}

/**
 * The lowest driver: the first branch that drives the GPU, and the floor of the CUDA version that made the code. PTX
 * needs a branch that knows its ISA: minor version compatibility does not cover it.
 */
function leastDriver(gpu: Gpu, made: CudaVersion | null, compiled: boolean, tables: Tables): string | null {
  // Without the CUDA version, the floor is not known and the first branch alone would be too low.
  if (made === null) return null;
  const candidates: string[] = [];
  const first = gpu.row?.firstBranch ?? null;
  if (first !== null) candidates.push(String(first));
  const floor = floorOf(made, false, tables);
  if (floor === null) return null;
  candidates.push(floor.driver);
  if (compiled) {
    const branch = tables.branchNumbers.find((number) => {
      const cuda = parseCuda(tables.branches.get(number)?.cuda ?? '');
      return cuda !== null && (compareCudaMinor(cuda, made) ?? -1) >= 0;
    });
    if (branch === undefined) return null;
    candidates.push(String(branch));
  }
  let least: string | null = null;
  for (const text of candidates) {
    const version = parseDriver(text);
    const best = least === null ? null : parseDriver(least);
    if (version !== null && (best === null || compareDriver(version, best) > 0)) least = text;
  }
  return least;
}
