import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Hits, LiteralFinder } from './literals.ts';

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

  it('finds the same in bytes, in two parts side by side', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(word, { minLength: 1, maxLength: 8 }),
        fc.string({ unit: fc.constantFrom('a', 'b', 'c', ' ') }),
        fc.nat(),
        (literals, text, cut) => {
          const finder = new LiteralFinder(literals);
          const bytes = new TextEncoder().encode(text);
          const middle = bytes.length === 0 ? 0 : cut % (bytes.length + 1);
          const parts = [new Hits(), new Hits()] as const;
          finder.scan(bytes, middle, 0, parts);
          const inPart = (part: 0 | 1): readonly number[] => {
            const found = new Set<number>();
            for (let i = 0; i < parts[part].count; i++)
              for (const each of finder.endsIn(parts[part].states[i]!)) found.add(each);
            return [...found].sort((a, b) => a - b);
          };
          expect(inPart(0)).toEqual(inText(finder, text.slice(0, middle)));
          expect(inPart(1)).toEqual(inText(finder, text.slice(middle)));
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
          let state = 0;
          for (const part of [bytes.subarray(0, at), bytes.subarray(at)]) {
            const hits = new Hits();
            [state] = finder.scan(part, part.length, state, [hits, new Hits()]);
            for (let i = 0; i < hits.count; i++) for (const each of finder.endsIn(hits.states[i]!)) found.add(each);
          }
          expect([...found].sort((a, b) => a - b)).toEqual(inText(finder, text));
        },
      ),
    );
  });
});
