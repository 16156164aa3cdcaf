import { readFileSync, readdirSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Fact } from '../model/facts.ts';
import { factsOf } from './testing.ts';

const folder = new URL('../../../../fixtures/outputs/', import.meta.url);

const samples: readonly string[] = readdirSync(folder, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .flatMap((entry) => readdirSync(new URL(`${entry.name}/`, folder)).map((file) => `${entry.name}/${file}`))
  .map((name) => readFileSync(new URL(name, folder), 'utf8'));

const sample = fc.constantFrom(...samples);
const position = fc.double({ min: 0, max: 1, noNaN: true });

/** Facts whose value is a piece of the text; a version that does not stand there was made up. */
const literal = new Set<string>([
  'driver.version',
  'driver.module',
  'driver.library',
  'driver.module-file',
  'torch.version',
  'os.kernel',
  'image.reference',
  'file.exists',
]);

function check(text: string, facts: readonly Fact[]): void {
  const lines = text.split(/\r?\n|\r/).length + 1;
  // Terminal codes are no part of a value, and addresses write `+` as `%2B`.
  const plain = text.replaceAll('%2B', '+').replaceAll('\u001b[4m', '').replaceAll('\0', '');
  for (const fact of facts) {
    expect(fact.seen.length).toBeGreaterThan(0);
    for (const evidence of fact.seen) {
      expect(evidence.line).toBeGreaterThan(0);
      expect(evidence.line).toBeLessThanOrEqual(lines);
    }
    // Folders of a listing are put before its names.
    if (literal.has(fact.id) && typeof fact.value === 'string') expect(plain).toContain(fact.value.split('/').pop());
    for (const number of numbersOf(fact.value)) expect(Number.isFinite(number)).toBe(true);
  }
}

function numbersOf(value: unknown): readonly number[] {
  if (typeof value === 'number') return [value];
  if (value === null || typeof value !== 'object') return [];
  return Object.values(value).flatMap(numbersOf);
}

const words = fc.constantFrom(
  'NVIDIA-SMI ',
  'Driver Version: ',
  '| ',
  '+---',
  'GPU 0: ',
  '(UUID: ',
  'N/A',
  'ERR!',
  '[Unknown Error]',
  'Traceback (most recent call last):\n',
  '  File "',
  '", line 1, in f\n',
  'Error: ',
  '$ ',
  '>>> ',
  '# ',
  'lsmod | grep ',
  'echo $',
  'torch.version.cuda',
  'print(',
  '-c "',
  '==',
  ' => ',
  '.so.1',
  'Xid (PCI:',
  'NVRM: ',
  '"apiVersion"',
  '{',
  '}',
  '<nvidia_smi_log>',
  '</gpu>',
  '<gpu>',
  '\u001b[4m',
  '\r',
  '\t',
  '\0',
  'nvidia.com/gpu',
  'CUDA ',
  'driver ',
  '535.104.05',
  '12.4',
  '=',
  ':',
  '\n',
  '%|',
  'Epoch ',
  'JobID|State\n',
  'NodeName=',
  'Killed process ',
  'exit code ',
  ' - overlay ',
  'ii  ',
  '/usr/lib/',
);

describe('parsers read anything', () => {
  test('text of any kind', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 2000, unit: 'binary' }), (text) => check(text, factsOf(text))),
      { numRuns: 150 },
    );
  });

  test('text made of the words that parsers look for', () => {
    const text = fc
      .array(fc.oneof(words, words, fc.string({ maxLength: 12 })), { maxLength: 60 })
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, (each) => check(each, factsOf(each))),
      { numRuns: 400 },
    );
  });

  test('outputs that were cut at any place', () => {
    fc.assert(
      fc.property(sample, position, position, (text, a, b) => {
        const [from, to] = [Math.floor(Math.min(a, b) * text.length), Math.ceil(Math.max(a, b) * text.length)];
        const part = text.slice(from, to);
        check(part, factsOf(part));
      }),
      { numRuns: 300 },
    );
  });

  test('outputs with other text put over them', () => {
    fc.assert(
      fc.property(
        sample,
        fc.array(fc.tuple(position, fc.oneof(words, fc.string({ maxLength: 6 }))), { minLength: 1, maxLength: 8 }),
        (text, edits) => {
          let changed = text;
          for (const [at, piece] of edits) {
            const place = Math.floor(at * changed.length);
            changed = changed.slice(0, place) + piece + changed.slice(place + piece.length);
          }
          check(changed, factsOf(changed));
        },
      ),
      { numRuns: 300 },
    );
  });

  test('lines of different outputs mixed', () => {
    fc.assert(
      fc.property(sample, sample, fc.array(fc.boolean(), { minLength: 20, maxLength: 80 }), (a, b, picks) => {
        const [left, right] = [a.split('\n'), b.split('\n')];
        const text = picks.map((pick) => (pick ? left : right).shift() ?? '').join('\n');
        check(text, factsOf(text));
      }),
      { numRuns: 200 },
    );
  });

  test('a cell without a value is never zero', () => {
    const cell = fc.constantFrom(
      'N/A',
      '[N/A]',
      '[Not Supported]',
      'ERR!',
      '[Unknown Error]',
      '-',
      '',
      '[GPU requires reset]',
    );
    fc.assert(
      fc.property(cell, cell, cell, (used, util, ecc) => {
        const text = `$ nvidia-smi --query-gpu=index,memory.used,utilization.gpu,ecc.errors.uncorrected.volatile.total --format=csv,noheader\n0, ${used}, ${util}, ${ecc}\n`;
        const state = factsOf(text).find((fact) => fact.id === 'gpu.state')?.value;
        expect(state).toMatchObject({ memoryUsedMiB: null, utilization: null, eccUncorrected: null });
      }),
    );
  });
});

test('long hostile lines take no time', () => {
  const pieces = [
    'a',
    ' ',
    '0',
    '.',
    '=',
    '(',
    '[',
    '/',
    'NVRM: ',
    'driver ',
    'CUDA 1',
    'GPU 0: ',
    'Error: ',
    'torch ',
    'nccl ',
    '%|',
    '0,',
    'via ',
    'exit code ',
  ];
  for (const piece of pieces) {
    const line = piece.repeat(Math.ceil(60_000 / piece.length));
    const start = performance.now();
    factsOf(`$ nvidia-smi -q\n${line}\nlsmod ${line}\n`);
    expect({ piece, fast: performance.now() - start < 15_000 }).toEqual({ piece, fast: true });
  }
});
