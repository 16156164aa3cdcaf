import type { Judgement } from './judgement.ts';
import type { Matrix } from './matrix.ts';
import type { Candidate, Reverse } from './reverse.ts';

const short: Readonly<Record<string, string>> = {
  runs: 'yes',
  'runs-if': 'if',
  'does-not-run': 'no',
  'cannot-tell': '?',
};
const shortRule: Readonly<Record<string, string>> = {
  backward: 'backward',
  'minor-version': 'minor version',
  'forward-compat': 'compat',
  'minimum-driver': 'driver',
  'gpu-driver-support': 'GPU',
  'module-flavour': 'module',
  'binary-arch': 'code',
  'ptx-jit': 'PTX',
};

/** A cell in words: `yes, minor version`. */
export function cellText(judgement: Judgement): string {
  return `${short[judgement.answer] ?? judgement.answer}, ${shortRule[judgement.rule] ?? judgement.rule}`;
}

const legend =
  'yes: runs; if: runs if the program holds machine code for the GPU or as named; no: does not run; ?: cannot tell';

/** For the terminal: columns padded, the title first, the legend and the state of the tables last. */
export function matrixText(matrix: Matrix): string {
  const table = [
    ['', ...matrix.columns],
    ...matrix.rows.map((row, at) => [row, ...(matrix.cells[at] ?? []).map((cell) => cellText(cell))]),
  ];
  return `${matrix.title}\n\n${padded(table)}\n\n${legend}\ntables as of ${matrix.asOf}\n`;
}

/** A GitHub table. */
export function matrixMarkdown(matrix: Matrix): string {
  const head = `| driver | ${matrix.columns.map(escapePipe).join(' | ')} |`;
  const rule = `| --- |${' --- |'.repeat(matrix.columns.length)}`;
  const body = matrix.rows.map(
    (row, at) =>
      `| ${escapePipe(row)} | ${(matrix.cells[at] ?? []).map((cell) => escapePipe(cellText(cell))).join(' | ')} |`,
  );
  return [`### ${matrix.title}`, '', head, rule, ...body, '', `${legend}. Tables as of ${matrix.asOf}.`, ''].join('\n');
}

/** One line a cell, RFC 4180. */
export function matrixCsv(matrix: Matrix): string {
  const lines = [['row', 'column', 'answer', 'rule', 'needs', 'error_seen', 'as_of']];
  matrix.rows.forEach((row, y) => {
    matrix.columns.forEach((column, x) => {
      const cell = matrix.cells[y]?.[x];
      if (cell !== undefined)
        lines.push([row, column, cell.answer, cell.rule, cell.needs ?? '', cell.errorSeen ?? '', matrix.asOf]);
    });
  });
  return csv(lines);
}

/** The data as it is. */
export function matrixJson(matrix: Matrix): string {
  return `${JSON.stringify(matrix, null, 2)}\n`;
}

/** What runs on a host, for the terminal: toolkits, torch, other projects; what does not run stands last in each. */
export function reverseText(reverse: Reverse): string {
  const host = [
    reverse.host.driver === undefined ? null : `driver ${reverse.host.driver}`,
    reverse.host.gpu ?? reverse.host.computeCapability ?? null,
    reverse.host.compatPackage ?? null,
  ];
  const called = host.filter((part) => part !== null).join(', ') || 'this host';
  const open = reverse.host.driver === undefined && reverse.base.answer !== 'does-not-run';
  const lines = [
    open
      ? `cannot tell what runs on ${called} without its driver: --driver VERSION (nvidia-smi --query-gpu=driver_version --format=csv,noheader)`
      : newest(reverse, called),
    '',
  ];
  if (reverse.base.answer === 'does-not-run' && reverse.base.needs !== null)
    lines.push(`needed: ${reverse.base.needs}`, '');
  // A name that no table knows leaves everything open: lists of that say nothing.
  const all = [...reverse.toolkits, ...reverse.torch, ...reverse.projects];
  if (all.length > 0 && reverse.base.answer === 'cannot-tell' && all.every((one) => one.answer === 'cannot-tell'))
    return `${[
      `cannot tell: ${reverse.base.message}`,
      ...(reverse.base.needs === null ? [] : ['', `what has to be known: ${reverse.base.needs}`]),
      `tables as of ${reverse.asOf}`,
    ].join('\n')}\n`;
  for (const [name, list] of [
    ['toolkits', reverse.toolkits],
    ['torch', reverse.torch],
    ['other projects', reverse.projects],
  ] as const) {
    // Without a driver only what cannot run on any is told.
    const told = open ? list.filter((one) => one.answer !== 'cannot-tell') : list;
    if (told.length > 0) lines.push(`${name}:`, ...grouped(told), '');
  }
  lines.push(`tables as of ${reverse.asOf}`);
  return `${lines.join('\n')}\n`;
}

/** The newest toolkit and torch that run; where newer ones do on a condition, those too. */
function newest(reverse: Reverse, called: string): string {
  if (reverse.base.answer === 'does-not-run') return `nothing runs on ${called}: ${reverse.base.message}`;
  const words = ([reverse.toolkits, reverse.torch] as const).flatMap((list) => {
    const sure = list.find((one) => one.answer === 'runs');
    const perhaps = list.find((one) => one.answer === 'runs' || one.answer === 'runs-if');
    const both = perhaps === undefined || perhaps === sure ? '' : `${perhaps.label} on a condition`;
    return [sure?.label ?? '', both].filter((part) => part !== '').join(', ') || [];
  });
  if (words.length === 0) return `nothing of the tables is known to run on ${called}`;
  return `the newest that run on ${called}: ${words.join('; ')}`;
}

function grouped(list: readonly Candidate[]): readonly string[] {
  const groups = new Map<string, string[]>();
  for (const one of list) {
    const key = `${one.answer}, ${one.rule}`;
    groups.set(key, [...(groups.get(key) ?? []), one.label.replace(/^(?:CUDA|torch) /, '')]);
  }
  const order = ['runs,', 'runs-if,', 'cannot-tell,', 'does-not-run,'];
  return [...groups]
    .sort(([a], [b]) => order.findIndex((one) => a.startsWith(one)) - order.findIndex((one) => b.startsWith(one)))
    .map(([key, labels]) => `  ${key}: ${labels.join(', ')}`);
}

/** One line a candidate, RFC 4180. */
export function reverseCsv(reverse: Reverse): string {
  const lines = [['what', 'kind', 'answer', 'rule', 'needs', 'as_of']];
  for (const one of [...reverse.toolkits, ...reverse.torch, ...reverse.projects])
    lines.push([one.label, one.kind, one.answer, one.rule, one.needs ?? '', reverse.asOf]);
  return csv(lines);
}

/** A GitHub table of the candidates. */
export function reverseMarkdown(reverse: Reverse): string {
  const rows = [...reverse.toolkits, ...reverse.torch, ...reverse.projects].map(
    (one) => `| ${escapePipe(one.label)} | ${one.answer} | ${one.rule} | ${escapePipe(one.needs ?? '')} |`,
  );
  return [
    '| what | answer | rule | needs |',
    '| --- | --- | --- | --- |',
    ...rows,
    '',
    `Tables as of ${reverse.asOf}.`,
    '',
  ].join('\n');
}

function padded(table: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of table) row.forEach((cell, at) => (widths[at] = Math.max(widths[at] ?? 0, cell.length)));
  return table
    .map((row) =>
      row
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function csv(lines: readonly (readonly string[])[]): string {
  return `${lines.map((line) => line.map(csvCell).join(',')).join('\r\n')}\r\n`;
}

/** Quoted where needed; a leading `=`, `+`, `-` or `@` is kept from being a formula in a spreadsheet. */
function csvCell(cell: string): string {
  const safe = /^[=+\-@\t]/.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

function escapePipe(text: string): string {
  return text.replaceAll('|', '\\|');
}
