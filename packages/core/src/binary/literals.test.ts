import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scanLiterals } from './literals.ts';

const encoder = new TextEncoder();

describe('texts in bytes that go by', () => {
  it('are found wherever the pieces end', () => {
    const piece = fc.constantFrom('abcab', 'abcd', 'ab', 'abcabc', 'x', '\0', 'abcdabcd');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), fc.integer({ min: 1, max: 50 }), (parts, size) => {
        const text = parts.join('');
        const bytes = encoder.encode(text);
        const scan = scanLiterals([
          { text: 'abcab', keep: 3 },
          { text: 'abcd', keep: 2 },
        ]);
        for (let at = 0; at < bytes.length; at += size) scan.push(bytes.subarray(at, at + size), at);
        const expected: string[] = [];
        for (const [literal, keep] of [
          ['abcab', 3],
          ['abcd', 2],
        ] as const) {
          for (let at = text.indexOf(literal); at >= 0; at = text.indexOf(literal, at + 1)) {
            const rest = text.slice(at + literal.length, at + literal.length + keep);
            expected.push(`${at} ${literal} ${rest.split('\0')[0]}`);
          }
        }
        const found = scan.end().map((hit) => `${hit.offset} ${hit.literal} ${hit.rest}`);
        expect(found.toSorted()).toEqual(expected.toSorted());
      }),
      { numRuns: 500 },
    );
  });

  it('are found wherever they begin in memory, long ones too', () => {
    const texts = ['NCCL version ', 'nvidia-application-profiles-', 'version NCCL 12'];
    const piece = fc.constantFrom(...texts, 'NCCL', 'version ', ' ', 'x', '\0', '\u0001\u0001');
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 40 }),
        fc.integer({ min: 1, max: 90 }),
        fc.integer({ min: 0, max: 7 }),
        (parts, size, shift) => {
          const text = parts.join('');
          const bytes = new Uint8Array(text.length + shift).subarray(shift);
          bytes.set(encoder.encode(text));
          const scan = scanLiterals(texts.map((each) => ({ text: each, keep: 4 })));
          for (let at = 0; at < bytes.length; at += size) scan.push(bytes.subarray(at, at + size), at);
          const expected = texts.flatMap((each) => {
            const places: string[] = [];
            for (let at = text.indexOf(each); at >= 0; at = text.indexOf(each, at + 1)) {
              const from = at + each.length;
              places.push(`${at} ${each} ${text.slice(from, from + 4).split('\0')[0]}`);
            }
            return places;
          });
          const found = scan.end().map((hit) => `${hit.offset} ${hit.literal} ${hit.rest}`);
          expect(found.toSorted()).toEqual(expected.toSorted());
        },
      ),
      { numRuns: 500 },
    );
  });

  it('do not stretch over a gap', () => {
    const scan = scanLiterals([{ text: 'abcd', keep: 0 }]);
    scan.push(encoder.encode('xxab'), 0);
    scan.push(encoder.encode('cdxx'), 100);
    expect(scan.end()).toEqual([]);
  });
});
