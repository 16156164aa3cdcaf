import { formatCudaMinor, parseCuda } from '../versions/cuda.ts';
import type { CudaVersion } from '../versions/cuda.ts';
import type { Knowledge } from '../knowledge/knowledge.ts';
import { toolkitReach } from './binary-arch.ts';
import { cudaRange, isNewer, rangeText } from './cuda-range.ts';
import type { CudaRange } from './cuda-range.ts';
import { cudnnSteps } from './cudnn.ts';
import { parseDriver } from '../versions/driver.ts';
import { cudaVerdict, floorOf } from './floors.ts';
import type { Relation } from './floors.ts';
import { asDriver, compatThatHelps } from './forward-compat.ts';
import { gpuLabel, matchGpu } from './gpu-name.ts';
import type { Gpu } from './gpu-name.ts';
import { gpuSupportStep, moduleFlavourStep } from './gpu-support.ts';
import { driverLabel, hostDriver } from './host-driver.ts';
import type { HostDriver } from './host-driver.ts';
import { imageContent } from './image-lookup.ts';
import type { ImageContent } from './image-lookup.ts';
import type { Judgement, JudgementRule } from './judgement.ts';
import { ncclSteps } from './nccl.ts';
import { merge, outcomeOf, toJudgement } from './outcome.ts';
import type { Outcome } from './outcome.ts';
import type { Code, Program } from './program.ts';
import type { Question } from './question.ts';
import { situationsOf } from './situations.ts';
import type { Situation } from './situations.ts';
import { fails, holds, isOpen } from './step.ts';
import type { Step } from './step.ts';
import { tablesOf } from './tables.ts';
import type { Tables } from './tables.ts';
import { wheelPrograms } from './wheel-lookup.ts';
import { codeSteps } from './code-steps.ts';
import type { Setting } from './code-steps.ts';

/**
 * Judges a question: the rules in their order, each with its truth; the first that fails decides. What the question
 * leaves open (wheel variant, injection mode) is tried in every way it can be, and the answers are put together.
 */
export function judgeQuestion(question: Question, knowledge: Knowledge): Judgement {
  const tables = tablesOf(knowledge);
  const early = unreadable(question, tables);
  if (early.length > 0) return toJudgement(question, outcomeOf(early, 'minimum-driver', null), tables);
  const driver = question.driver === undefined ? null : hostDriver(question.driver, question.os === 'windows', tables);
  const named = question.gpu ?? question.computeCapability;
  const gpus: readonly (Gpu | null)[] = named === undefined ? [null] : matchGpu(named, tables.gpus);
  const content =
    question.image === undefined && question.imageEnv === undefined ? null : imageContent(question, tables);
  const programs = programsOf(question, content, tables);
  const outcomes: Outcome[] = [];
  for (const gpu of gpus.length === 0 ? [null] : gpus) {
    for (const situation of situationsOf(question, content, gpu, driver, tables)) {
      for (const program of programs) {
        const setting: Setting = { question, gpu, driver, program, situation, tables };
        const first = gpus.length === 0 && named !== undefined ? [unknownGpu(named)] : [];
        const name = [
          gpus.length > 1 && gpu !== null ? gpuLabel(gpu) : null,
          programs.length > 1 ? (program?.label ?? null) : null,
          situation.name,
        ];
        outcomes.push(
          outcomeOf(
            [...first, ...stepsOf(setting)],
            ruleOf(setting),
            name.filter((part) => part !== null).join(', ') || null,
          ),
        );
      }
    }
  }
  return toJudgement(question, merge(outcomes), tables);
}

function unknownGpu(name: string): Step {
  return isOpen('gpu-driver-support', `the GPU ${name} is in no table`, [], {
    as: 'cannot-tell',
    needs: 'its compute capability: nvidia-smi --query-gpu=name,compute_cap --format=csv',
    missing: `GPU ${name}`,
  });
}

/** Values that cannot be read at all. */
function unreadable(question: Question, tables: Tables): readonly Step[] {
  const steps: Step[] = [];
  const open = (rule: JudgementRule, what: string, value: string): void => {
    steps.push(
      isOpen(rule, `${value} is no ${what}`, [], {
        as: 'cannot-tell',
        needs: `a ${what} that can be read`,
        missing: `${what} ${value}`,
      }),
    );
  };
  if (question.driver !== undefined && hostDriver(question.driver, question.os === 'windows', tables) === null)
    open('minimum-driver', 'driver version', question.driver);
  if (question.toolkit !== undefined && parseCuda(question.toolkit) === null)
    open('minimum-driver', 'CUDA version', question.toolkit);
  if (question.needsDriverCuda !== undefined && parseCuda(question.needsDriverCuda) === null)
    open('minimum-driver', 'CUDA version', question.needsDriverCuda);
  return steps;
}

/** What a question is about running, by the tables; a library question has no program of its own. */
export function programsOfQuestion(question: Question, tables: Tables): readonly (Program | null)[] {
  const content =
    question.image === undefined && question.imageEnv === undefined ? null : imageContent(question, tables);
  return programsOf(question, content, tables);
}

/** What is to run. A library question has no program of its own. */
function programsOf(question: Question, content: ImageContent | null, tables: Tables): readonly (Program | null)[] {
  const aarch64 = question.arch === 'aarch64';
  if (question.cudnn !== undefined || question.nccl !== undefined) return [null];
  if (question.wheel !== undefined) return wheelPrograms(question.wheel, { aarch64 }, tables);
  const cuda = question.toolkit ?? (content === null ? question.needsDriverCuda : undefined);
  const range = cuda === undefined ? null : cudaRange(cuda, tables);
  if (question.binary !== undefined || range !== null)
    return [ownProgram(question, range ?? rangeOfImage(content), content)];
  return content === null ? [null] : content.programs;
}

/** A binary inside an image uses the CUDA version that the image brings. */
function rangeOfImage(content: ImageContent | null): CudaRange | null {
  const [only, ...others] = content?.programs ?? [];
  return others.length === 0 ? (only?.cuda ?? null) : null;
}

function ownProgram(question: Question, range: CudaRange | null, content: ImageContent | null): Program {
  const binary = question.binary;
  const label = range === null ? 'the program' : `a CUDA ${rangeText(range)} program`;
  return {
    label,
    cuda: range,
    unknown:
      range === null && question.driver !== undefined
        ? {
            message: 'the CUDA version that made the code is not given',
            needs: 'the CUDA version of the compiler',
            missing: 'CUDA version',
          }
        : null,
    code: binary === undefined ? null : codeOf(binary.sass, binary.ptx),
    codeUnknown: null,
    minSm: null,
    cpuOnly: false,
    kind: binary === undefined ? (content === null ? 'toolkit' : 'image') : 'binary',
    confirmed: true,
    otherBuilds: [],
    restsOn: [],
  };
}

function codeOf(sass: readonly string[], ptx: readonly string[]): Code {
  return { sass: sass.map((name) => bare(name)), ptx: ptx.map((name) => bare(name)), confirmed: true };
}

function bare(name: string): string {
  return name
    .trim()
    .toLowerCase()
    .replace(/^(?:sm|compute)[_ -]?/, '')
    .replace('.', '');
}

/** The rules in their order, each with its truth, for one way in which the program can meet the host. */
export function stepsOf(setting: Setting): readonly Step[] {
  const { question, gpu, driver, program, situation, tables } = setting;
  const steps: Step[] = [];
  if (gpu !== null && driver !== null) steps.push(gpuSupportStep(gpu, driver, tables));
  if (gpu !== null) {
    const flavour = moduleFlavourStep(question.moduleFlavour, gpu, driver, tables);
    if (flavour !== null) steps.push(flavour);
  }
  if (program?.cpuOnly === true) {
    steps.push(
      fails(
        'cpu-only',
        `${program.label} is built without CUDA: no driver can help`,
        program.restsOn,
        'Torch not compiled with CUDA enabled',
        'a CUDA build of the wheel',
      ),
    );
    return steps;
  }
  steps.push(...situation.steps);
  if (situation.opaque === true) return steps;
  const process = question.toolkit === undefined ? null : parseCuda(question.toolkit);
  if (question.cudnn !== undefined) {
    steps.push(
      ...cudnnSteps(
        { library: question.cudnn, process: process ?? wheelCuda(setting), gpu, driver, wheel: question.wheel ?? null },
        tables,
      ),
    );
  }
  if (question.nccl !== undefined) {
    steps.push(
      ...ncclSteps(
        {
          library: question.nccl,
          process: process ?? wheelCuda(setting),
          gpu,
          driver: libcuda(setting),
          nvswitch: question.nvswitch,
        },
        tables,
      ),
    );
  }
  if (program !== null) steps.push(...programSteps(program, setting));
  if (question.feature !== undefined && program === null && steps.every((step) => step.holds === true)) {
    steps.push(
      isOpen('gpu-driver-support', `which drivers and GPUs have ${question.feature} is in no table`, [], {
        as: 'cannot-tell',
        needs: `the documentation of ${question.feature} for this driver branch and GPU`,
        missing: question.feature,
      }),
    );
  }
  if (steps.length === 0) {
    const needs = gpu === null ? 'a GPU, and what is to run on it' : 'a driver version, and what is to run';
    steps.push(
      isOpen(
        program === null ? 'gpu-driver-support' : 'minimum-driver',
        'the question names nothing that a rule could decide',
        [],
        { as: 'cannot-tell', needs, missing: needs },
      ),
    );
  }
  return steps;
}

function wheelCuda(setting: Setting): CudaVersion | null {
  const wheel = setting.question.wheel;
  if (wheel === undefined) return null;
  const programs = wheelPrograms(wheel, { aarch64: setting.question.arch === 'aarch64' }, setting.tables);
  const [first, ...rest] = programs.map((program) => program.cuda?.high ?? null);
  const same = rest.every((cuda) => cuda?.major === first?.major && cuda?.minor === first?.minor);
  return same ? (first ?? null) : null;
}

/** The driver as the program sees it: that of the compat libcuda where one is in use. */
function libcuda(setting: Setting): HostDriver | null {
  const compat = setting.situation.compat;
  return compat === null ? setting.driver : (asDriver(compat, setting.tables) ?? setting.driver);
}

function programSteps(program: Program, setting: Setting): readonly Step[] {
  const { question, gpu, driver, situation, tables } = setting;
  const steps: Step[] = [];
  const loaded = libcuda(setting);
  let relation: Relation = null;
  if (program.unknown !== null) {
    const range = program.cuda;
    // A wheel that no table has still names its CUDA version: a driver that is too old for that is too old.
    if (range !== null && loaded !== null) {
      const verdict = cudaVerdict(range, loaded, null, tables);
      if (verdict.relation === 'none') return verdict.steps;
    }
    const rule = question.wheel !== undefined && range !== null ? 'binary-arch' : 'minimum-driver';
    const onlyPtx = program.code !== null && program.code.sass.length === 0 && program.code.ptx.length > 0;
    return [
      isOpen(onlyPtx ? 'ptx-jit' : rule, program.unknown.message, program.restsOn, {
        as: 'cannot-tell',
        needs: program.unknown.needs,
        missing: program.unknown.missing,
      }),
    ];
  }
  if (loaded === null) {
    steps.push(driverMissing(program, gpu, question, tables));
  } else if (program.cuda !== null) {
    const verdict = cudaVerdict(program.cuda, loaded, wayOut(program.cuda, setting), tables);
    relation = verdict.relation;
    steps.push(...verdict.steps);
    if (!program.confirmed && relation !== 'none' && !isRobust(program.cuda, loaded)) {
      steps.push(
        isOpen(relation ?? 'minimum-driver', `the CUDA version of ${program.label} is not confirmed`, program.restsOn, {
          as: 'runs-if',
          needs: `CUDA ${rangeText(program.cuda)} or older in ${program.label}`,
          missing: `CUDA version of ${program.label}`,
        }),
      );
    }
    const call = callStep(question, program.cuda, loaded, situation, tables);
    if (call !== null) steps.push(call);
    if (relation === 'none') return steps;
  }
  steps.push(...codeSteps(program, relation, loaded, setting));
  return steps;

  function wayOut(cuda: CudaRange, one: Setting): string | null {
    if (one.situation.hint !== null) return one.situation.hint;
    return one.situation.compat === null && one.driver !== null && driver !== null
      ? compatThatHelps(cuda.high, gpu, driver, tables)
      : null;
  }
}

/**
 * No driver is named. Where the GPU and the code are, the driver is the one condition that is left; else it is a fact
 * that is missing. Both name the driver that would do.
 */
function driverMissing(program: Program, gpu: Gpu | null, question: Question, tables: Tables): Step {
  const windows = question.os === 'windows';
  // A prediction for the node of an image waits for the driver; a question about a build is about the build.
  const ofBuild = question.wheel !== undefined || question.binary !== undefined || question.toolkit !== undefined;
  const floor = program.cuda === null ? null : floorOf(program.cuda.high, windows, tables);
  const first = gpu?.row?.firstBranch ?? null;
  if (gpu?.row?.tegra === true && first === null) {
    return isOpen(
      'minimum-driver',
      `${gpuLabel(gpu)} is a Jetson: its driver and its builds come with JetPack`,
      gpu.row.sources,
      {
        as: 'cannot-tell',
        needs: 'the JetPack or L4T release of the board, and a build made for it',
        missing: 'JetPack release',
      },
    );
  }
  const last = gpu?.row?.lastBranch ?? null;
  const least = floor === null ? null : parseDriver(floor.driver);
  const branchDecides = first !== null && !windows && (least === null || first > least.branch);
  const lowest = branchDecides ? String(first) : (floor?.driver ?? null);
  const ask = 'nvidia-smi --query-gpu=driver_version --format=csv,noheader';
  const restsOn = [...new Set([...(floor?.restsOn ?? []), ...(gpu?.row?.sources ?? [])])];
  const driver =
    lowest === null ? null : `driver ${lowest} or newer${last === null || windows ? '' : `, up to R${last}`}`;
  const reach =
    gpu === null || program.cuda === null || !program.cuda.known ? null : toolkitReach(program.cuda, gpu, tables);
  if (ofBuild && driver !== null && gpu !== null && (program.code !== null || reach === 'ptx-only')) {
    return isOpen('minimum-driver', `the driver is not given; it takes ${driver}`, restsOn, {
      as: 'runs-if',
      needs: driver,
      missing: 'driver version',
    });
  }
  return isOpen('minimum-driver', 'the driver is not given', restsOn, {
    as: 'cannot-tell',
    needs: driver === null ? `the driver version: ${ask}` : `the driver version (${driver}): ${ask}`,
    missing: 'driver version',
  });
}

/** Would one CUDA release more or less change nothing? */
function isRobust(cuda: CudaRange, driver: HostDriver): boolean {
  const serves = driver.servesAtLeast ?? driver.serves;
  return (
    serves !== null &&
    (serves.major > cuda.high.major ||
      (serves.major === cuda.high.major && (serves.minor ?? 0) > (cuda.high.minor ?? 0)))
  );
}

/** A call that only drivers of some CUDA version have. */
function callStep(
  question: Question,
  cuda: CudaRange,
  loaded: HostDriver,
  situation: Situation,
  tables: Tables,
): Step | null {
  const wanted = question.needsDriverCuda === undefined ? null : parseCuda(question.needsDriverCuda);
  if (wanted === null || loaded.serves === null) return null;
  const newer = isNewer(wanted, loaded.servesAtLeast ?? loaded.serves);
  const text = formatCudaMinor(wanted);
  if (newer === true) {
    const branch = tables.toolkits.get(text)?.branch;
    const upgrade = branch === undefined ? `a driver that serves CUDA ${text}` : `driver ${branch} or newer`;
    return fails(
      'minor-version',
      `the program calls what only a CUDA ${text} driver has; ${driverLabel(loaded)} serves ${formatCudaMinor(loaded.serves)}`,
      ['cuda-minor-version-compat'],
      '36',
      `${upgrade}, or ${compatName(wanted)} if the feature does not need the kernel module`,
    );
  }
  if (situation.compat !== null) {
    return isOpen(
      'forward-compat',
      `the compat libcuda has the CUDA ${text} calls, but some need the newer kernel module`,
      ['cuda-forward-compat'],
      { as: 'runs-if', needs: 'a feature that does not need the kernel module' },
    );
  }
  return newer === null
    ? null
    : holds('minor-version', `${driverLabel(loaded)} has the calls of CUDA ${text}`, ['cuda-minor-version-compat']);
}

function compatName(cuda: CudaVersion): string {
  return `cuda-compat-${cuda.major}-${cuda.minor ?? 0}`;
}

/** The rule that a success is named by: the one that had to be used. */
export function ruleOf(setting: Setting): JudgementRule {
  const { question, program, situation } = setting;
  if (question.cudnn !== undefined) return 'cudnn';
  if (question.nccl !== undefined) return 'nccl';
  if (situation.compat !== null) return 'forward-compat';
  if (program === null) return question.moduleFlavour === undefined ? 'gpu-driver-support' : 'module-flavour';
  return program.kind === 'binary' ? 'binary-arch' : 'backward';
}
