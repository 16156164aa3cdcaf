import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { unpackLz4 } from './lz4.ts';
import { unpackZstd } from './zstd.ts';

const bytesOf = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, 'hex'));
const textOf = (bytes: Uint8Array | string): string =>
  typeof bytes === 'string' ? bytes : Buffer.from(bytes).toString();

describe('LZ4', () => {
  it.each([
    ['literals alone', '5068656c6c6f', 5, 'hello'],
    ['a match that overlaps itself', '1a6101005061616161 61'.replaceAll(' ', ''), 20, 'a'.repeat(20)],
  ])('%s', (_what, packed, size, wanted) => {
    expect(textOf(unpackLz4(bytesOf(packed), size))).toBe(wanted);
  });

  it.each([
    ['ends early', '50686c', 5],
    ['gives too little', '5068656c6c6f', 6],
    ['gives too much', '5068656c6c6f', 4],
    ['points before its beginning', '1f61ff00', 100],
    ['points nowhere', '1f610000', 100],
  ])('data that %s is a reason', (_what, packed, size) => {
    expect(unpackLz4(bytesOf(packed), size)).toEqual(expect.any(String));
  });
});

describe('Zstandard', () => {
  // Frames of zstd 1.5.4.
  it.each([
    ['one literal block', '28b52ffd2005290000 68656c6c6f', 5, 'hello'],
    ['a run', '28b52ffd2064 23030061'.replaceAll(' ', ''), 100, 'a'.repeat(100)],
    ['two frames', '28b52ffd20052900006865 6c6c6f28b52ffd200529000068656c6c6f', 10, 'hellohello'],
    ['a frame to skip', '502a4d1802000000ffff28b52ffd200529000068656c6c6f', 5, 'hello'],
  ])('%s', (_what, packed, size, wanted) => {
    expect(textOf(unpackZstd(bytesOf(packed.replaceAll(' ', '')), size))).toBe(wanted);
  });

  it.each([
    ['ends early', '28b52ffd2005290000686c', 5],
    ['gives too much', '28b52ffd200529000068656c6c6f', 4],
    ['gives too little', '28b52ffd200529000068656c6c6f', 6],
    ['is none', '00112233445566778899', 5],
    ['needs a dictionary', '28b52ffd2101052900006865 6c6c6f'.replaceAll(' ', ''), 5],
    ['has a block of no kind', '28b52ffd20052f000068656c6c6f', 5],
    ['is a loop of empty blocks', `28b52ffd2005${'000000'.repeat(50)}`, 5],
  ])('data that %s is a reason', (_what, packed, size) => {
    expect(unpackZstd(bytesOf(packed), size)).toEqual(expect.any(String));
  });
});

it('garbage gives a reason or bytes of the right length, and never throws', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), fc.nat(300), (bytes, size) => {
      const framed = Uint8Array.from([0x28, 0xb5, 0x2f, 0xfd, ...bytes]);
      for (const read of [unpackLz4(bytes, size), unpackZstd(framed, size)])
        expect(typeof read === 'string' || read.length === size).toBe(true);
    }),
    { numRuns: 1000 },
  );
});
