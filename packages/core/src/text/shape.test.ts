import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { recogniserOf } from '../diagnose/recognise.ts';
import { diagnose } from '../diagnose/diagnose.ts';
import { following, roots } from '../diagnose/testing.ts';
import { defaultKnowledge } from '../knowledge/knowledge.ts';
import type { Document } from '../model/document.ts';
import { parsers } from '../parse/parsers.ts';
import { Condenser } from './condense.ts';
import { shapeOf } from './shape.ts';

const shape = (text: string): number => {
  const bytes = new TextEncoder().encode(text);
  return shapeOf(bytes, 0, bytes.length);
};

describe('shapeOf', () => {
  it('is the same for lines that differ in numbers', () => {
    expect(shape('[rank3]: Connection closed by peer [10.0.4.7]:33456')).toBe(
      shape('[rank61]: Connection closed by peer [10.0.4.12]:1'),
    );
  });

  it('differs where words differ', () => {
    expect(shape('[rank3]: KeyError: no field')).not.toBe(shape('[rank3]: IndexError: no field'));
  });

  it('never reads behind the line', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
        expect(shapeOf(bytes, 0, bytes.length)).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});

describe('a failure among many lines that follow from it', () => {
  it.each([0.1, 0.5, 0.9])('is kept with its rank at %d of the text', (share) => {
    const condenser = new Condenser(recogniserOf(defaultKnowledge.signatures, parsers), null, { whole: 4096 });
    const encoder = new TextEncoder();
    const count = 8000;
    for (let i = 0; i < count; i++) {
      if (i === Math.floor(count * share))
        for (const line of roots[0]!.lines) condenser.push(encoder.encode(`[rank37]:${line}\n`));
      for (const line of following(i % 64, 620_000 + i, 37))
        condenser.push(encoder.encode(`[rank${line.rank}]:${line.text}\n`));
    }
    const verdict = diagnose([condenser.finish() as Document]);
    expect(verdict.cause).toBe('application-exception');
    expect(verdict.headline).toContain('rank 37');
  });
});
