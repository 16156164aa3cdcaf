import type { Knowledge } from '../knowledge/knowledge.ts';
import type { TorchWheelRow } from '../knowledge/wheels.types.ts';
import { compareCudnn, parseCudnn } from '../versions/cudnn.ts';
import { compareCudaMinor, parseCuda } from '../versions/cuda.ts';
import { compareNccl, parseNccl } from '../versions/nccl.ts';
import { parseWheelVersion, releaseLine } from '../versions/pep440.ts';
import { askedDriver } from './asked-driver.ts';
import { matchGpu } from './gpu-name.ts';
import { driverLabel, hostDriver } from './host-driver.ts';
import type { Judgement, JudgementRule } from './judgement.ts';
import type { Question } from './question.ts';
import { judgeQuestion } from './run.ts';
import { tablesOf } from './tables.ts';
import type { Tables } from './tables.ts';
import { inRange } from './wheel-lookup.ts';

/**
 * Answers a question for a version: `which driver for CUDA 12.8`, `newest CUDA on driver 535`. The answer is `runs-if`,
 * and `needs` has the versions; `does-not-run` where there is none; `cannot-tell` where what is asked about is not known.
 */
export function judgeAsked(question: Question, knowledge: Knowledge): Judgement {
  const tables = tablesOf(knowledge);
  const found =
    question.asks === 'driver'
      ? askedDriver(question, knowledge)
      : question.asks === 'cuda'
        ? askedCuda(question, knowledge, tables)
        : question.asks === 'wheel'
          ? askedWheel(question, knowledge, tables)
          : askedLibrary(question, question.asks === 'nccl' ? 'nccl' : 'cudnn', tables);
  return question.id === undefined ? found : { ...found, id: question.id };
}

function verdict(
  answer: Judgement['answer'],
  rule: JudgementRule,
  message: string,
  needs: string,
  restsOn: readonly string[],
  tables: Tables,
): Judgement {
  const told = answer !== 'cannot-tell';
  return {
    schema: 'culprit/judgement@1',
    answer,
    rule,
    message,
    conditions: answer === 'runs-if' ? [needs] : [],
    clauses: [{ rule, holds: answer === 'does-not-run' ? false : told ? true : null, message, restsOn }],
    errorSeen: null,
    needs,
    unknown: told ? [] : [needs],
    asOf: tables.asOf,
  };
}

function isOlder(a: string, b: string): boolean {
  const x = parseCuda(a);
  const y = parseCuda(b);
  return x !== null && y !== null && compareCudaMinor(x, y) === -1;
}

/** The CUDA versions that run on a driver, or that make code for a GPU. */
function askedCuda(question: Question, knowledge: Knowledge, tables: Tables): Judgement {
  const { asks: _asks, toolkit: _toolkit, ...host } = question;
  const driver = host.driver === undefined ? null : hostDriver(host.driver, host.os === 'windows', tables);
  const named = host.gpu ?? host.computeCapability;
  if (driver === null) return cudaForGpu(host, named, knowledge, tables);
  if (driver.branch === null || driver.serves === null) return judgeQuestion({ ...host, toolkit: '12.0' }, knowledge);
  const all = [...tables.toolkits.keys()].sort((a, b) => (isOlder(a, b) ? -1 : isOlder(b, a) ? 1 : 0));
  const judged = all.map((toolkit) => ({ toolkit, judgement: judgeQuestion({ ...host, toolkit }, knowledge) }));
  const full = judged.findLast(({ judgement }) => judgement.answer === 'runs');
  const most = judged.findLast(({ judgement }) => judgement.answer === 'runs' || judgement.rule === 'minor-version');
  if (full === undefined && most?.judgement.answer !== 'runs-if') {
    const failed = judged.findLast(({ judgement }) => judgement.answer === 'does-not-run')?.judgement;
    return failed ?? judgeQuestion({ ...host, toolkit: all[0] ?? '' }, knowledge);
  }
  const upTo = (full ?? most)?.toolkit ?? '';
  const beyond =
    most !== undefined && most.judgement.answer === 'runs-if' && most.toolkit !== upTo ? most.toolkit : null;
  const needs =
    beyond === null
      ? `CUDA ${upTo} or older`
      : `CUDA ${upTo} or older, or up to ${beyond} with machine code (SASS) for the GPU in the program`;
  const served = driver.branch.cuda;
  const restsOn = [...driver.branch.sources, 'cuda-minor-version-compat'];
  const on = named === undefined ? '' : ` with ${named}`;
  return verdict(
    'runs-if',
    'backward',
    `${driverLabel(driver)}${on} serves CUDA ${served}: ${needs}`,
    needs,
    restsOn,
    tables,
  );
}

function cudaForGpu(host: Question, named: string | undefined, knowledge: Knowledge, tables: Tables): Judgement {
  const gpus = named === undefined ? [] : matchGpu(named, tables.gpus);
  const rows = gpus.map((gpu) => gpu.row);
  const [row] = rows;
  if (row == null || rows.some((one) => one?.lastToolkit !== row.lastToolkit)) return judgeQuestion(host, knowledge);
  // Of several GPUs of one architecture the one that came last sets the start.
  const first = rows.reduce(
    (newest, one) => (one !== null && isOlder(newest, one.firstToolkit) ? one.firstToolkit : newest),
    row.firstToolkit,
  );
  const needs = row.lastToolkit === null ? `CUDA ${first} or newer` : `CUDA ${first} to ${row.lastToolkit}`;
  return verdict(
    'runs-if',
    'binary-arch',
    `toolkits that make code for ${named ?? ''}: ${needs}`,
    needs,
    row.sources,
    tables,
  );
}

/** The torch builds that run on the host. */
function askedWheel(question: Question, knowledge: Knowledge, tables: Tables): Judgement {
  const { asks: _asks, wheel, toolkit, ...host } = question;
  const nothing = host.driver === undefined && host.gpu === undefined && host.computeCapability === undefined;
  if ((wheel !== undefined && wheel.name !== 'torch') || nothing) {
    const { asks: _again, ...plain } = question;
    return judgeQuestion(plain, knowledge);
  }
  const version = wheel?.version === undefined ? null : parseWheelVersion(wheel.version);
  const line = version === null ? null : releaseLine(version);
  const variant = wheel?.variant?.startsWith('cu') === true ? wheel.variant : null;
  const rows = [...tables.torch.values()]
    .flat()
    .filter(
      (row) =>
        (line === null || row.torch === line) &&
        (variant === null || row.variant === variant) &&
        (toolkit === undefined || row.cuda === toolkit || row.cuda.startsWith(`${toolkit}.`)),
    );
  const ask = (row: TorchWheelRow): Judgement =>
    judgeQuestion({ ...host, wheel: { name: 'torch', version: row.torch, variant: row.variant } }, knowledge);
  const judged = rows.map((row) => ({ row, judgement: ask(row) }));
  const works = judged.filter(({ row, judgement }) => judgement.answer === 'runs' || isFineButGpu(judgement, row));
  const conditional = judged.filter(({ judgement }) => judgement.answer === 'runs-if');
  const good = works.length > 0 ? works : conditional;
  if (good.length === 0) {
    const worst =
      judged.find(({ judgement }) => judgement.answer === 'does-not-run')?.judgement ?? judged[0]?.judgement;
    const { asks: _more, ...plain } = question;
    return worst ?? judgeQuestion(plain, knowledge);
  }
  const names =
    line === null
      ? newestOfEach(good.map(({ row }) => row))
      : good.map(({ row }) => `${row.variant} of torch ${row.torch}`);
  const condition = [...new Set(good.flatMap(({ judgement }) => judgement.conditions))].slice(0, 3);
  const needs = [names.join(', or '), ...condition].join('; with ');
  const on = [host.gpu ?? host.computeCapability, host.driver === undefined ? undefined : `driver ${host.driver}`]
    .filter((one) => one !== undefined)
    .join(', ');
  const [first] = good;
  const rule = first?.judgement.rule ?? 'binary-arch';
  const restsOn = first?.row.sources ?? [];
  return verdict('runs-if', rule, `builds of torch that run on ${on}: ${names.join(', ')}`, needs, restsOn, tables);
}

/** Only the GPU is missing, and the CUDA version fits the driver. */
function isFineButGpu(judgement: Judgement, row: TorchWheelRow): boolean {
  return row.archs !== null && judgement.answer === 'cannot-tell' && judgement.unknown.join() === 'GPU model';
}

/** The newest torch of each variant, newest variant first. */
function newestOfEach(rows: readonly TorchWheelRow[]): readonly string[] {
  const newest = new Map<string, TorchWheelRow>();
  for (const row of rows) {
    const other = newest.get(row.variant);
    if (other === undefined || isOlder(other.torch, row.torch)) newest.set(row.variant, row);
  }
  return [...newest.values()]
    .sort((a, b) => (isOlder(a.cuda, b.cuda) ? 1 : -1))
    .map((row) => `${row.variant} up to torch ${row.torch}`);
}

/** The cuDNN or NCCL that a wheel is built with, or that has a build for a CUDA major. */
function askedLibrary(question: Question, library: 'cudnn' | 'nccl', tables: Tables): Judgement {
  const name = library === 'cudnn' ? 'cuDNN' : 'NCCL';
  const { wheel } = question;
  const version = wheel?.version === undefined ? null : parseWheelVersion(wheel.version);
  if (wheel?.name === 'torch' && version !== null) {
    const rows = (tables.torch.get(releaseLine(version)) ?? []).filter(
      (row) => wheel.variant === undefined || wheel.variant === 'pypi' || row.variant === wheel.variant,
    );
    const pins = rows.filter((row) => row[library] !== null).map((row) => `${row[library] ?? ''} (${row.variant})`);
    if (pins.length > 0) {
      const needs = `nothing: the wheel brings its own ${name}, ${[...new Set(pins)].join(', ')}`;
      return verdict(
        'runs-if',
        library,
        `torch ${releaseLine(version)} brings its own ${name}: ${pins.join(', ')}`,
        needs,
        rows[0]?.sources ?? [],
        tables,
      );
    }
  }
  if (wheel !== undefined && library === 'cudnn') {
    const row = tables.projects
      .get(wheel.name === 'onnxruntime' ? 'onnxruntime-gpu' : wheel.name)
      ?.find(
        (one) =>
          one.cudnn !== null &&
          (version === null ? one.variant !== null : inRange(version, one.range)) &&
          (one.variant === null || wheel.variant === undefined || one.variant === wheel.variant),
      );
    const from = row?.cudnn?.from ?? null;
    if (row !== undefined && from !== null) {
      const needs = `cuDNN ${from} or newer ${from.split('.')[0] ?? ''}.x`;
      return verdict(
        'runs-if',
        'cudnn',
        `${wheel.name} ${wheel.version ?? ''} is built with cuDNN ${from}`,
        needs,
        row.sources,
        tables,
      );
    }
  }
  const cuda = question.toolkit === undefined ? null : parseCuda(question.toolkit);
  const newest =
    cuda === null ? null : library === 'cudnn' ? newestCudnn(cuda.major, tables) : newestNccl(cuda.major, tables);
  if (cuda !== null && newest !== null) {
    const needs = `a cu${cuda.major} build of ${name}; the newest known is ${newest}`;
    return verdict(
      'runs-if',
      library,
      `for CUDA ${question.toolkit ?? ''}: ${needs}`,
      needs,
      ['cuda-minor-version-compat'],
      tables,
    );
  }
  return verdict(
    'cannot-tell',
    library,
    `what ${name} is for is not given`,
    'the framework with its version, or the CUDA version',
    [],
    tables,
  );
}

function newestCudnn(major: number, tables: Tables): string | null {
  const versions = [...tables.cudnnReleases.values()].flatMap((row) => {
    const version = row.cudaMajors?.includes(major) === true ? parseCudnn(row.version) : null;
    return version === null ? [] : [{ text: row.version, version }];
  });
  return versions.sort((a, b) => compareCudnn(a.version, b.version)).at(-1)?.text ?? null;
}

function newestNccl(major: number, tables: Tables): string | null {
  const versions = [...tables.ncclReleases.values()].flatMap((row) => {
    const built = row.builtFor?.some((build) => build.cudaMajor === major) === true;
    const version = built && row.confirmedFields.builtFor ? parseNccl(row.version) : null;
    return version === null ? [] : [{ text: row.version, version }];
  });
  return versions.sort((a, b) => compareNccl(a.version, b.version)).at(-1)?.text ?? null;
}
