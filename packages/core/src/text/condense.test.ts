import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Document } from '../model/document.ts';
import { readFacts } from '../diagnose/diagnose.ts';
import { recogniserOf } from '../diagnose/recognise.ts';
import { signatures } from '../knowledge/signatures/signatures.ts';
import { parsers } from '../parse/parsers.ts';
import { Condenser } from './condense.ts';
import { createDocument } from './document.ts';

const recogniser = recogniserOf(signatures, parsers);
const encoder = new TextEncoder();

function condensed(text: string, chunk = 64 * 1024): Document {
  const condenser = new Condenser(recogniser, null, { whole: -1 });
  const bytes = encoder.encode(text);
  condenser.push(bytes.subarray(0, 0));
  for (let at = 0; at < bytes.length; at += chunk) condenser.push(bytes.subarray(at, at + chunk));
  const made = condenser.finish();
  if ('text' in made) throw new Error('was held whole');
  return made;
}

/** The recognised messages of a document with their captures and the line each was first seen in. */
function saidIn(document: Document): readonly string[] {
  return readFacts([document])
    .everything()
    .filter((fact) => fact.id.startsWith('said.'))
    .map((fact) => `${fact.seen[0]!.line} ${fact.id} ${JSON.stringify((fact.value as { captures: unknown }).captures)}`)
    .sort();
}

const examples = signatures.flatMap((signature) => signature.examples.slice(0, 2));
const noise = fc.oneof(
  fc.string({ unit: fc.constantFrom('a', 'step ', '0.1', ' loss', ':', 'ü'), maxLength: 30 }),
  fc.constantFrom('', '[rank0]: epoch 3 done', '2026-11-30T10:00:00Z INFO ok', '\tat frame'),
);
const colored = (text: string): string => text.replaceAll(/ /g, ' \u001b[31m').replaceAll(/e/g, 'e\u001b[0m');
const line = fc.oneof(
  { weight: 6, arbitrary: noise },
  { weight: 2, arbitrary: fc.constantFrom(...examples) },
  { weight: 1, arbitrary: fc.constantFrom(...examples).map(colored) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.nat(9000), fc.constantFrom(...examples))
      .map(([size, text]) => `${'x '.repeat(size)}${text}`),
  },
);
const text = fc
  .array(line, { minLength: 1, maxLength: 80 })
  .chain((lines) => fc.constantFrom('\n', '\r\n').map((end) => lines.join(end)));

describe('Condenser', () => {
  it('gives a small text back whole', () => {
    const condenser = new Condenser(recogniser, 'job.log');
    condenser.push(encoder.encode('Grü'));
    condenser.push(encoder.encode('ße\n'));
    expect(condenser.finish()).toEqual({ text: 'Grüße\n' });
  });

  it('says the same messages of a condensed text as of the whole', () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 5000 }), (input, chunk) => {
        expect(saidIn(condensed(input, chunk))).toEqual(saidIn(createDocument(input)));
      }),
      { numRuns: 150 },
    );
  });

  it('keeps true line numbers and the lines around a message, and says what it left out', () => {
    const lines = Array.from({ length: 100_000 }, (_, i) => `row ${i}`);
    lines[70_000] = 'NVRM: Xid (PCI:0000:3b:00): 79, pid=1, GPU has fallen off the bus.';
    const document = condensed(lines.join('\n'));
    expect(document.lines.map((each) => each.number)).toEqual([
      69_998, 69_999, 70_000, 70_001, 70_002, 70_003, 70_004, 70_005, 70_006,
    ]);
    expect(document.lines[3]!.text).toBe(lines[70_000]);
    expect(document.left[0]).toContain('kept 9 of 100,000 lines');
  });

  it('keeps the first and the last of a message that comes again and again', () => {
    const message = 'CUDA error: an illegal memory access was encountered';
    const document = condensed(
      Array.from({ length: 30_000 }, (_, i) => `${i} ${i % 10 === 0 ? message : 'ok'}`).join('\n'),
    );
    const numbers = document.lines.filter((each) => each.text.includes(message)).map((each) => each.number);
    expect(numbers.length).toBeGreaterThanOrEqual(360);
    expect(numbers.length).toBeLessThan(2000);
    expect(numbers[0]).toBe(1);
    expect(numbers.at(-1)).toBe(29_991);
    expect(document.left.join()).toContain('3,000 lines hold');
  });

  it('finds a message deep in a line that is too long to be held', () => {
    const message = 'RuntimeError: CUDA error: no kernel image is available for execution on the device';
    const before = 'é.'.repeat(2_000_000);
    const document = condensed(`first\n${before}${message}${'.'.repeat(3_000_000)}\nCUDA error: out of memory`);
    const slice = document.lines.find((each) => each.text.includes(message))!;
    expect(slice.number).toBe(2);
    expect(slice.column + slice.text.indexOf(message)).toBe(before.length + 1);
    expect(document.lines.at(-1)!.number).toBe(3);
  });

  it('stays bounded when every line holds messages', () => {
    const all = examples.join(' ');
    const document = condensed(Array.from({ length: 450 }, (_, i) => `${i} ${all}`).join('\n'));
    const kept = document.lines.reduce((sum, each) => sum + each.text.length, 0);
    expect(kept).toBeLessThan(96 * 1024 * 1024);
    expect(document.left.join()).toContain('so many lines');
  });
});
