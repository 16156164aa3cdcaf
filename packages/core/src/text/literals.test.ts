import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LiteralFinder } from './literals.ts';

const inText = (finder: LiteralFinder, text: string): readonly number[] => {
  const found = new Set<number>();
  finder.inText(text, (literal) => found.add(literal));
  return [...found].sort((a, b) => a - b);
};

describe('LiteralFinder', () => {
  it('finds overlapping and nested literals without regard to case', () => {
    const finder = new LiteralFinder(['nvml', 'failed to initialize nvml', 'ize', 'xid']);
    expect(inText(finder, 'Failed to initialize NVML: Driver')).toEqual([0, 1, 2]);
  });

  const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c', ' '), minLength: 1, maxLength: 5 });
  it('finds what includes() finds', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(word, { minLength: 1, maxLength: 12 }),
        fc.string({ unit: fc.constantFrom('a', 'b', 'C', ' ', 'é') }),
        (literals, text) => {
          const finder = new LiteralFinder(literals);
          const expected = literals.flatMap((literal, index) => (text.toLowerCase().includes(literal) ? [index] : []));
          expect(inText(finder, text)).toEqual(expected);
        },
      ),
    );
  });

  it('goes on over the border of two chunks', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(word, { minLength: 1, maxLength: 8 }),
        fc.string({ unit: fc.constantFrom('a', 'b', 'c', ' ') }),
        fc.nat(),
        (literals, text, cut) => {
          const finder = new LiteralFinder(literals);
          const bytes = new TextEncoder().encode(text);
          const at = bytes.length === 0 ? 0 : cut % (bytes.length + 1);
          const found = new Set<number>();
          const state = finder.inBytes(bytes.subarray(0, at), 0, (literal) => found.add(literal));
          finder.inBytes(bytes.subarray(at), state, (literal) => found.add(literal));
          expect([...found].sort((a, b) => a - b)).toEqual(inText(finder, text));
        },
      ),
    );
  });
});
