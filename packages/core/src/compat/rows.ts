import type { Knowledge } from '../knowledge/knowledge.ts';
import { judge } from './judge.ts';
import type { Judgement } from './judgement.ts';
import type { Question } from './question.ts';
import { tablesOf } from './tables.ts';

type Check = (value: unknown) => string | null;

const text: Check = (value) => (typeof value === 'string' && value.length <= 20_000 ? null : 'must be a text');
const flag: Check = (value) => (typeof value === 'boolean' ? null : 'must be true or false');
const oneOf =
  (...allowed: readonly string[]): Check =>
  (value) =>
    typeof value === 'string' && allowed.includes(value) ? null : `must be one of ${allowed.join(', ')}`;
const list =
  (item: Check): Check =>
  (value) => {
    if (!Array.isArray(value) || value.length > 1000) return 'must be a list';
    const at = value.findIndex((one) => item(one) !== null);
    return at < 0 ? null : `entry ${at} ${item(value[at]) ?? ''}`;
  };
const branch: Check = (value) =>
  typeof value === 'number' && Number.isInteger(value) ? null : 'must be a whole number';

/** Fields of a question; a nested field is `outer.inner`. */
const fields: Readonly<Record<string, Check>> = {
  toolkit: text,
  driver: text,
  gpu: text,
  computeCapability: text,
  needsDriverCuda: text,
  compatPackage: text,
  compatDriver: text,
  compatOnPath: flag,
  compatNote: list(branch),
  moduleFlavour: oneOf('open', 'proprietary', 'unknown'),
  image: text,
  containerToolkit: text,
  injectionMode: oneOf('legacy', 'cdi', 'jit-cdi', 'csv', 'auto'),
  entrypoint: oneOf('kept', 'replaced'),
  disableRequire: flag,
  nvswitch: flag,
  asks: oneOf('driver', 'cuda', 'wheel', 'cudnn', 'nccl'),
  feature: text,
  each: (value) => (Array.isArray(value) && value.length <= 100 ? partProblem(value) : 'must be a list of at most 100'),
  os: oneOf('linux', 'windows'),
  arch: oneOf('x86_64', 'aarch64', 'ppc64le'),
  claim: text,
};
const nested: Readonly<Record<string, Readonly<Record<string, Check>>>> = {
  wheel: { name: text, version: text, variant: text },
  binary: { sass: list(text), ptx: list(text) },
  cudnn: { version: text, build: text, programBuiltFor: text },
  nccl: { version: text, build: text, programBuiltFor: text },
};
const required: Readonly<Record<string, readonly string[]>> = {
  wheel: ['name'],
  binary: ['sass', 'ptx'],
  cudnn: ['version'],
  nccl: ['version'],
};

/** The parts of a question about several: questions again, which have no parts of their own. */
function partProblem(parts: readonly unknown[]): string | null {
  for (const [index, part] of parts.entries()) {
    const problem = !isRecord(part)
      ? 'is no object'
      : 'each' in part || 'claim' in part
        ? 'can be no claim and have no parts'
        : problemOf(part);
    if (problem !== null) return `entry ${index} ${problem}`;
  }
  return null;
}

/** Most rows of one file. */
export const mostRows = 100_000;

/**
 * Judges an array of questions, in its order. A row is `{ id, question }` or the question itself (with an `id`). A row
 * that cannot be read gives a `cannot-tell` whose message names the row and the field. Never throws: a value that is no
 * array gives one such judgement.
 */
export function judgeRows(json: unknown, knowledge: Knowledge): readonly Judgement[] {
  if (!Array.isArray(json))
    return [unreadable(undefined, 'the file is no list of questions', 'a JSON array of questions', knowledge)];
  return json.slice(0, mostRows).map((row, index) => judgeRow(row, index, knowledge));
}

function judgeRow(row: unknown, index: number, knowledge: Knowledge): Judgement {
  const place = `row ${index + 1}`;
  if (!isRecord(row)) return unreadable(undefined, `${place} is no object`, 'an object with a question', knowledge);
  const id = typeof row['id'] === 'string' || typeof row['id'] === 'number' ? String(row['id']) : undefined;
  const named = id === undefined ? place : `${place} (${id})`;
  const inner = 'question' in row ? row['question'] : row;
  if (!isRecord(inner))
    return unreadable(id, `${named}: question is no object`, 'an object with a question', knowledge);
  const tidy = tidied(inner);
  const problem = problemOf(tidy);
  if (problem !== null) return unreadable(id, `${named}: ${problem}`, 'a row in the shape of a question', knowledge);
  const question = { ...(tidy as unknown as Question), ...(id === undefined ? {} : { id }) };
  return judge(question, knowledge);
}

const otherWords: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  arch: { arm64: 'aarch64', sbsa: 'aarch64', amd64: 'x86_64', 'x86-64': 'x86_64' },
  os: { wsl: 'windows', wsl2: 'windows' },
  injectionMode: { default: 'auto', jitcdi: 'jit-cdi' },
  moduleFlavour: { closed: 'proprietary' },
};

/** Other words for the same value, and `nvswitch` where it stands inside `nccl`. */
function tidied(question: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const tidy: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(question)) {
    if (value === null) continue;
    const words = Object.hasOwn(otherWords, key) ? otherWords[key] : undefined;
    const lower = typeof value === 'string' ? value.trim().toLowerCase() : null;
    tidy[key] = words === undefined || lower === null ? value : Object.hasOwn(words, lower) ? words[lower] : lower;
  }
  const nccl = tidy['nccl'];
  if (isRecord(nccl) && 'nvswitch' in nccl) {
    const { nvswitch, ...rest } = nccl;
    tidy['nccl'] = rest;
    tidy['nvswitch'] ??= nvswitch;
  }
  return tidy;
}

/** The first field that does not fit, in words; null when all fit. Unknown fields are a mistake too. */
export function problemOf(question: Readonly<Record<string, unknown>>): string | null {
  for (const [key, value] of Object.entries(question)) {
    if (key === 'id' || value === undefined) continue;
    const check = Object.hasOwn(fields, key) ? fields[key] : undefined;
    if (check !== undefined) {
      const problem = check(value);
      if (problem !== null) return `${key} ${problem}`;
      continue;
    }
    const problem = nestedProblem(key, value);
    if (problem !== null) return problem;
  }
  return Object.keys(question).some((key) => key !== 'id') ? null : 'the question is empty';
}

function nestedProblem(key: string, value: unknown): string | null {
  if (key === 'imageEnv') {
    if (!isRecord(value)) return 'imageEnv must be an object';
    const bad = Object.entries(value).find(([, one]) => typeof one !== 'string');
    return bad === undefined ? null : `imageEnv.${bad[0]} must be a text`;
  }
  const inner = Object.hasOwn(nested, key) ? nested[key] : undefined;
  if (inner === undefined) return `${key} is no field of a question`;
  if (!isRecord(value)) return `${key} must be an object`;
  for (const [name, one] of Object.entries(value)) {
    const check = Object.hasOwn(inner, name) ? inner[name] : undefined;
    if (check === undefined) return `${key}.${name} is no field of a question`;
    const problem = check(one);
    if (problem !== null) return `${key}.${name} ${problem}`;
  }
  const missing = required[key]?.find((name) => !(name in value));
  return missing === undefined ? null : `${key}.${missing} is missing`;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function unreadable(id: string | undefined, message: string, needs: string, knowledge: Knowledge): Judgement {
  return {
    schema: 'culprit/judgement@1',
    ...(id === undefined ? {} : { id }),
    answer: 'cannot-tell',
    rule: 'minimum-driver',
    message,
    conditions: [],
    clauses: [],
    errorSeen: null,
    needs,
    unknown: [message],
    asOf: tablesOf(knowledge).asOf,
  };
}
