import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createDocument, diagnose } from '../packages/core/src/index.ts';

interface Row {
  readonly id: string;
  readonly text: string;
  /** The message was printed now, and accuses. */
  readonly accuse: boolean;
  readonly expected: { readonly layers: readonly string[]; readonly cause: string };
}

const rows = JSON.parse(
  readFileSync(join(import.meta.dirname, '../fixtures/corpus/spoken-of.json'), 'utf8'),
) as readonly Row[];

describe('messages that are only spoken of, or over', () => {
  it.each(rows.filter((row) => !row.accuse))('accuse nobody: $id', ({ text }) => {
    const { status, certainty } = diagnose([createDocument(text)]);
    expect({ status: status === 'ok' ? 'cannot-tell' : status, certainty }).toEqual({
      status: 'cannot-tell',
      certainty: null,
    });
  });
});

describe('messages that look so and were printed', () => {
  it('are found, nearly all of them', () => {
    const real = rows.filter((row) => row.accuse);
    const missed = real.filter(({ text, expected }) => {
      const { layer } = diagnose([createDocument(text)]);
      return layer === null || !expected.layers.includes(layer);
    });
    expect(missed.length / real.length, missed.map((row) => row.id).join(', ')).toBeLessThanOrEqual(0.05);
  });
});
