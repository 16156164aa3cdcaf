import type { Knowledge } from '../knowledge/knowledge.ts';
import { compareDriver, parseDriver } from '../versions/driver.ts';
import type { DriverVersion } from '../versions/driver.ts';
import { formatCudaMinor } from '../versions/cuda.ts';
import type { CudaVersion } from '../versions/cuda.ts';
import { floorOf } from './floors.ts';
import type { Judgement } from './judgement.ts';
import type { Question } from './question.ts';
import { judgeQuestion, programsOfQuestion } from './run.ts';
import { tablesOf } from './tables.ts';
import type { Tables } from './tables.ts';

/** A driver to try, and how a message calls it. */
interface Candidate {
  readonly version: DriverVersion;
  /** A floor is named in full; of a branch its number says enough. */
  readonly label: string;
}

/**
 * Which drivers run it? Every known branch and every floor is tried by the rules of `judgeQuestion`, oldest first. The
 * answer is `runs-if` with the lowest driver, `does-not-run` where none does, `cannot-tell` where the program or the
 * GPU is not known.
 */
export function askedDriver(question: Question, knowledge: Knowledge): Judgement {
  const tables = tablesOf(knowledge);
  const { asks: _asks, driver: _driver, ...rest } = question;
  const base = withoutCode(rest, tables);
  if (base === null) return judgeQuestion(rest, knowledge);
  const tried = candidates(question.os === 'windows', tables).map((candidate) => ({
    candidate,
    judged: base.map((one) => judgeQuestion({ ...one, driver: candidate.version.text }, knowledge)),
  }));
  const running = tried.filter(({ judged }) => judged.every(runs));
  const [low] = running;
  const top = running.at(-1);
  if (low === undefined || top === undefined) {
    const last = tried.findLast(({ judged }) => judged.some((one) => one.rule !== 'gpu-driver-support'));
    const judgement = (last ?? tried.at(-1))?.judged.find((one) => !runs(one)) ?? judgeQuestion(rest, knowledge);
    return judgement.answer === 'does-not-run'
      ? { ...judgement, message: `no driver runs it: ${judgement.message}` }
      : { ...judgement, answer: 'cannot-tell' };
  }
  const full = running.find(({ judged }) =>
    judged.every((one) => one.answer === 'runs' && one.rule !== 'minor-version'),
  );
  const newest = tried.findLast(({ judged }) => judged.length > 0);
  const ends = newest !== undefined && top !== newest ? `, up to R${top.candidate.version.branch}` : '';
  const needs = `driver ${low.candidate.label} or newer${ends}`;
  const first = low.judged[0] as Judgement;
  const how =
    full === undefined || full === low
      ? ''
      : `; R${full.candidate.version.branch} is the first branch that serves it in full`;
  const whatElse = first.answer === 'runs-if' ? [...first.conditions] : [];
  return {
    ...first,
    answer: 'runs-if',
    rule: hasProgram(rest) ? 'minimum-driver' : 'gpu-driver-support',
    message: `${subjectOf(rest, base)} needs ${needs}${how}`,
    conditions: [needs, ...whatElse],
    needs,
    unknown: ['driver version'],
    errorSeen: null,
  };
}

function runs(judgement: Judgement): boolean {
  return judgement.answer === 'runs' || judgement.answer === 'runs-if';
}

/** True where a question names something that is to run on a driver. */
export function hasProgram(question: Question): boolean {
  return (
    question.toolkit !== undefined ||
    question.wheel !== undefined ||
    question.binary !== undefined ||
    question.image !== undefined ||
    question.needsDriverCuda !== undefined ||
    question.nccl !== undefined ||
    question.cudnn !== undefined
  );
}

/**
 * The questions to ask of each driver. Without a GPU the code inside decides nothing about the driver, so a wheel
 * counts as programs of its CUDA versions. Null: nothing is named that needs a driver.
 */
function withoutCode(question: Question, tables: Tables): readonly Question[] | null {
  if (question.gpu !== undefined || question.computeCapability !== undefined) return [question];
  if (!hasProgram(question)) return null;
  if (question.wheel === undefined && question.binary === undefined) return [question];
  const cudas: CudaVersion[] = [];
  for (const program of programsOfQuestion(question, tables)) {
    if (program?.cpuOnly === true || program?.cuda == null) return null;
    cudas.push(program.cuda.high);
  }
  const { wheel: _wheel, binary: _binary, ...rest } = question;
  return [...new Set(cudas.map(formatCudaMinor))].map((toolkit) => ({ ...rest, toolkit }));
}

function subjectOf(question: Question, base: readonly Question[]): string {
  const { wheel, toolkit, image, gpu, computeCapability } = question;
  const program =
    wheel !== undefined
      ? [wheel.name, wheel.version, wheel.variant].filter((one) => one !== undefined).join(' ')
      : toolkit !== undefined
        ? `CUDA ${toolkit}`
        : (image ?? (hasProgram(question) ? 'it' : null));
  const on = gpu ?? computeCapability ?? null;
  const cuda =
    base.length === 1 && wheel !== undefined && base[0]?.toolkit !== undefined ? ` (CUDA ${base[0].toolkit})` : '';
  return program === null ? (on ?? 'it') : `${program}${cuda}${on === null ? '' : ` on ${on}`}`;
}

/** Every floor, and the newest release of every branch, in their order. */
function candidates(windows: boolean, tables: Tables): readonly Candidate[] {
  const found = new Map<string, Candidate>();
  const add = (text: string, label: string): void => {
    const version = parseDriver(text);
    if (version !== null && !found.has(version.text)) found.set(version.text, { version, label });
  };
  for (const row of tables.knowledge.toolkits) {
    const floor = floorOf(versionOf(row.cuda), windows, tables);
    if (floor !== null) add(floor.driver, floor.driver);
  }
  for (const row of tables.branches.values()) {
    const last = windows ? String(row.branch) : (row.lastKnown ?? row.releases.at(-1)?.version ?? String(row.branch));
    add(last, String(row.branch));
  }
  return [...found.values()].sort((a, b) => a.version.branch - b.version.branch || compareDriver(a.version, b.version));
}

function versionOf(cuda: string): CudaVersion {
  const [major, minor] = cuda.split('.').map(Number) as [number, number];
  return { major, minor, patch: null };
}
