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

  it('finds the same in bytes, in four parts side by side', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(word, { minLength: 1, maxLength: 8 }),
        fc.string({ unit: fc.constantFrom('a', 'b', 'c', ' ') }),
        fc.tuple(fc.nat(), fc.nat(), fc.nat()),
        (literals, text, cuts) => {
          const finder = new LiteralFinder(literals);
          const bytes = new TextEncoder().encode(text);
          const [second, third, fourth] = cuts.map((cut) => cut % (bytes.length + 1)).sort((x, y) => x - y) as [
            number,
            number,
            number,
          ];
          const parts = [new Hits(), new Hits(), new Hits(), new Hits()] as const;
          finder.scan(bytes, [second, third, fourth], 0, parts);
          const starts = [0, second, third, fourth, bytes.length];
          for (const [part, hits] of parts.entries()) {
            const [from, to] = [starts[part]!, starts[part + 1]!];
            const found = new Set<number>();
            for (let i = 0; i < hits.count; i++) {
              expect(hits.places[i]).toBeGreaterThanOrEqual(from);
              expect(hits.places[i]).toBeLessThan(to);
              for (const each of finder.endsIn(hits.states[i]!)) found.add(each);
            }
            expect([...found].sort((x, y) => x - y)).toEqual(inText(finder, text.slice(from, to)));
          }
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
            hits.makeRoom(part.length);
            state = finder.scanPart(part, 0, part.length, state, hits);
            for (let i = 0; i < hits.count; i++) for (const each of finder.endsIn(hits.states[i]!)) found.add(each);
          }
          expect([...found].sort((a, b) => a - b)).toEqual(inText(finder, text));
        },
      ),
    );
  });
});
