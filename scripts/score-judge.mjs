#!/usr/bin/env node
// Scores `culprit judge` on a file of questions with known answers: once by rows, once by the typed lines.
//   node scripts/score-judge.mjs [--judge FILE] [--rows-only]
// Prints answers right, rules right, the same per rule, and every miss. Exit 1 when a row is answered wrongly by rows.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const { values } = parseArgs({ options: { judge: { type: 'string' }, 'rows-only': { type: 'boolean' } } });
const file = values.judge ?? join(root, 'fixtures/judge/judge.json');
const rows = JSON.parse(readFileSync(file, 'utf8'));

/** Runs the built command line; every status but a usage or tool failure is an answer. */
function culprit(args, input) {
  const done = spawnSync(
    process.execPath,
    [join(root, 'packages/cli/bin/culprit.js'), 'judge', ...args, '--format', 'json'],
    {
      input,
      encoding: 'utf8',
      maxBuffer: 1 << 28,
    },
  );
  if (done.status === null || done.status === 2 || done.status === 4)
    throw new Error(`culprit judge failed: ${done.stderr}`);
  return JSON.parse(done.stdout);
}

function byRows() {
  const folder = mkdtempSync(join(tmpdir(), 'score-judge-'));
  try {
    const path = join(folder, 'rows.json');
    writeFileSync(path, JSON.stringify(rows.map(({ id, question }) => ({ id, question }))));
    return culprit(['--rows', path]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function byText() {
  return culprit(['-'], rows.map((row) => row.asText.replaceAll('\n', ' ')).join('\n'));
}

function mark(row, got) {
  const { expected } = row;
  const also = expected.alsoAccept ?? {};
  const answers = [expected.answer, ...(also.answer ?? []), ...(also.claim ?? [])];
  const rules = [expected.rule, ...(also.rule ?? [])];
  const errors = [expected.errorSeen, ...(also.error ?? [])];
  const number = /^\d+$/.test(expected.errorSeen ?? '');
  return {
    answer: answers.includes(got.answer),
    rule: rules.includes(got.rule) && (expected.because === undefined || got.because === expected.because),
    error: !number || got.answer !== expected.answer || errors.includes(got.errorSeen ?? undefined),
  };
}

function score(name, answers) {
  const perRule = new Map();
  const misses = [];
  const sum = { answer: 0, rule: 0, error: 0 };
  rows.forEach((row, at) => {
    const got = answers[at];
    const right = mark(row, got);
    const rule = row.expected.rule === 'claim' ? `claim: ${row.expected.because ?? ''}` : row.expected.rule;
    const line = perRule.get(rule) ?? { rows: 0, answer: 0, rule: 0 };
    perRule.set(rule, { rows: line.rows + 1, answer: line.answer + right.answer, rule: line.rule + right.rule });
    for (const key of Object.keys(sum)) sum[key] += right[key];
    if (!right.answer || !right.rule || !right.error) misses.push({ row, got });
  });
  const share = (count) => `${count} of ${rows.length} (${((100 * count) / rows.length).toFixed(1)} %)`;
  console.log(
    `${name}: answers right ${share(sum.answer)}, rules right ${share(sum.rule)}, error codes right ${share(sum.error)}`,
  );
  for (const [rule, line] of [...perRule].sort(([a], [b]) => a.localeCompare(b))) {
    console.log(
      `  ${rule.padEnd(30)} ${String(line.rows).padStart(3)} rows, answers ${line.answer}, rules ${line.rule}`,
    );
  }
  for (const { row, got } of misses) {
    const want = `${row.expected.answer} ${row.expected.rule} ${row.expected.because ?? row.expected.errorSeen ?? ''}`;
    console.log(
      `  miss ${row.id}: ${row.asText}\n    want ${want}\n    got  ${got.answer} ${got.rule} ${got.because ?? got.errorSeen ?? ''}: ${got.message}`,
    );
  }
  return sum.answer;
}

const right = score('by rows', byRows());
if (values['rows-only'] !== true) score('by text', byText());
process.exitCode = right === rows.length ? 0 : 1;
