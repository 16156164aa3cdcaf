#!/usr/bin/env node
// Mutates every text of the repository (fixtures, cases of the rules' pages, examples of the messages) and diagnoses it.
//   node scripts/fuzz.mjs [--seconds N] [--seed S] [--case N] [--slow MS]
// Each case must not throw, must not take longer than its size allows, must quote the input verbatim and must be answered
// the same when it is asked again. --case runs one case of a seed alone and shows its text. Exit 1 when one fails.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { rolldown } from 'rolldown';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    seed: { type: 'string', default: '1' },
    case: { type: 'string' },
    slow: { type: 'string', default: '1500' },
  },
});
const seed = Number(values.seed);
const slow = Number(values.slow);
/** Processor time per KiB above which a text counts as slow, beside the constant part. */
const slowPerKib = 20;

async function core() {
  const folder = mkdtempSync(join(root, 'node_modules/.fuzz-'));
  try {
    const file = join(folder, 'core.mjs');
    const bundle = await rolldown({
      input: join(root, 'packages/core/src/index.ts'),
      platform: 'node',
      resolve: { conditionNames: ['source', 'node', 'import', 'default'] },
      logLevel: 'silent',
    });
    await bundle.write({ file, format: 'esm', codeSplitting: false });
    await bundle.close();
    return await import(pathToFileURL(file).href);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Small, fast, repeatable random numbers (mulberry32). */
function randomOf(start) {
  let state = start >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  const below = (most) => Math.floor(next() * most);
  return { below, pick: (list) => list[below(list.length)], chance: (share) => next() < share };
}

function files(folder) {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .sort();
}

/** All texts that mutations start from. */
function seeds(knowledge) {
  const texts = [];
  for (const file of files('fixtures')) {
    // Machine code has readers and a fuzzer of its own.
    if (file.includes('/binaries/')) continue;
    const text = readFileSync(file, 'utf8');
    texts.push(text.slice(0, 200_000));
    if (!file.endsWith('.json')) continue;
    try {
      const rows = JSON.parse(text);
      if (Array.isArray(rows))
        for (const row of rows) if (typeof (row.text ?? row.asText) === 'string') texts.push(row.text ?? row.asText);
    } catch {
      // A fixture that is no JSON whatever its name says is a text like any other.
    }
  }
  for (const file of files('packages/core/src/rules')) {
    if (!file.endsWith('.md')) continue;
    for (const match of readFileSync(file, 'utf8').matchAll(/```[a-z]*\n([^`]{1,20000})```/g)) texts.push(match[1]);
  }
  for (const row of knowledge.signatures) texts.push(...row.examples);
  return texts;
}

const odd = [
  '\u0000',
  '\u001b[31m',
  '\u202e',
  '\ud800',
  '\ufeff',
  '\r',
  '\t',
  '𝕏',
  '”',
  '\u2028',
  '|',
  '"',
  "'",
  '{',
  '(',
  '\\',
  '%',
  '0',
  ' ',
];

/** One mutation: text in, text out. */
const mutations = [
  (text, r) => text.slice(0, r.below(text.length + 1)),
  (text, r) => text.slice(r.below(text.length + 1)),
  (text, r, all) => {
    const other = r.pick(all);
    return text.slice(0, r.below(text.length + 1)) + other.slice(r.below(other.length + 1));
  },
  (text, r, all) => `${text}\n${r.pick(all)}`,
  (text, r) => {
    const from = r.below(text.length + 1);
    const piece = text.slice(from, from + 1 + r.below(60));
    return text.slice(0, from) + piece.repeat(1 + r.below(r.chance(0.1) ? 2000 : 40)) + text.slice(from);
  },
  (text, r) => {
    const chars = text.split('');
    for (let i = 0; i < 1 + r.below(12) && chars.length > 0; i++) {
      const at = r.below(chars.length);
      chars[at] = String.fromCharCode(chars[at].charCodeAt(0) ^ (1 << r.below(7)));
    }
    return chars.join('');
  },
  (text, r) => {
    const at = r.below(text.length + 1);
    return text.slice(0, at) + r.pick(odd).repeat(1 + r.below(30)) + text.slice(at);
  },
  (text, r) => text.replaceAll('\n', () => (r.chance(0.5) ? ' ' : '\n')),
  (text) => text.replaceAll('\n', '\\n'),
  (text) => text.replaceAll('\n', '\r\n'),
  (text, r) => {
    const lines = text.split('\n');
    for (let i = lines.length - 1; i > 0; i--) {
      const j = r.below(i + 1);
      [lines[i], lines[j]] = [lines[j], lines[i]];
    }
    return lines.join('\n');
  },
  (text, r) =>
    text
      .split('\n')
      .filter(() => !r.chance(0.2))
      .join('\n'),
  (text, r) =>
    text
      .split('\n')
      .flatMap((line) => (r.chance(0.2) ? [line, line] : [line]))
      .join('\n'),
  (text, r) => text.replaceAll(/\d/g, (digit) => (r.chance(0.2) ? String(r.below(10)) : digit)),
  (text, r) => text.replaceAll(/\d+/g, (digits) => (r.chance(0.1) ? digits.repeat(1 + r.below(30)) : digits)),
  (text) => JSON.stringify({ log: text, stream: 'stderr', time: '2025-01-01T00:00:00Z' }),
  (text, r) =>
    text
      .split('\n')
      .map((line) => `${r.pick(['[rank0]: ', '2025-01-01T00:00:00Z ', 'pod/a-0 ', '> ', '+ ', '$ ', '# '])}${line}`)
      .join('\n'),
  (text, r) => text.replaceAll('\n', () => (r.chance(0.3) ? r.pick(['\n$ ', '\n# ', '\n\n']) : '\n')),
];

function textOf(number, all) {
  const r = randomOf(Math.imul(seed, 0x9e3779b1) ^ Math.imul(number + 1, 0x85ebca6b));
  let text = r.pick(all);
  for (let i = 0; i < 1 + r.below(5); i++)
    text = r
      .pick(mutations)(text, r, all)
      .slice(0, 1 << 19);
  return text;
}

const milliseconds = (usage) => (usage.user + usage.system) / 1000;

/** What is wrong with one case; empty when nothing is. */
function faultsOf(text, again, { createDocument, diagnose }) {
  let verdict;
  const before = process.cpuUsage();
  try {
    verdict = diagnose([createDocument(text)]);
  } catch (error) {
    return [
      `throws ${error instanceof Error ? (error.stack ?? error.message).split('\n').slice(0, 3).join(' ') : String(error)}`,
    ];
  }
  const took = milliseconds(process.cpuUsage(before));
  const faults = [];
  if (took > slow + (slowPerKib * text.length) / 1024)
    faults.push(`takes ${Math.round(took)} ms for ${text.length} characters`);
  const quotes = [
    ...verdict.findings.flatMap((each) => each.evidence),
    ...verdict.cleared.flatMap((each) => each.evidence),
    ...verdict.facts.flatMap((each) => each.seen),
  ];
  const strange = quotes.find((each) => each.text !== '' && !text.includes(each.text));
  if (strange !== undefined) faults.push(`quotes what is not there: ${JSON.stringify(strange).slice(0, 300)}`);
  const bare = verdict.findings.find((each) => each.certainty !== 'possible' && each.evidence.length === 0);
  if (bare !== undefined) faults.push(`accuses without proof: ${bare.rule}`);
  if (verdict.status === 'fault' && verdict.layer === null) faults.push('a fault without a layer');
  if (again && JSON.stringify(diagnose([createDocument(text)])) !== JSON.stringify(verdict))
    faults.push('answers differently when asked again');
  return faults;
}

const library = await core();
const all = seeds(library.defaultKnowledge);
let failed = 0;
let cases = 0;
let slowest = { ms: 0, number: 0, size: 0 };

function runCase(number) {
  const text = textOf(number, all);
  const before = process.cpuUsage();
  const faults = faultsOf(text, number % 10 === 0, library);
  const ms = milliseconds(process.cpuUsage(before)) / (number % 10 === 0 ? 2 : 1);
  if (ms > slowest.ms) slowest = { ms, number, size: text.length };
  for (const fault of faults) console.log(`seed ${seed} case ${number}: ${fault}`);
  if (faults.length > 0) failed++;
  cases++;
  return text;
}

if (values.case !== undefined) {
  console.log(runCase(Number(values.case)));
} else {
  const end = Date.now() + Number(values.seconds) * 1000;
  for (let number = 0; Date.now() < end && failed < 50; number++) runCase(number);
}
console.log(
  `${cases} cases of seed ${seed} from ${all.length} texts: ${failed} failed; slowest ${Math.round(slowest.ms)} ms (case ${slowest.number}, ${slowest.size} characters)`,
);
process.exitCode = failed === 0 ? 0 : 1;
