import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { zstdStream } from './zstd-stream.ts';

const magic = [0x28, 0xb5, 0x2f, 0xfd];

type Block = { readonly raw: readonly number[] } | { readonly repeat: number; readonly times: number };

function blockOf(block: Block, last: boolean): readonly number[] {
  const raw = 'raw' in block;
  const head = (last ? 1 : 0) | (raw ? 0 : 2) | ((raw ? block.raw.length : block.times) << 3);
  return [head & 255, (head >> 8) & 255, head >> 16, ...(raw ? block.raw : [block.repeat])];
}

/** A frame with the smallest window, 1 KiB. */
function frameOf(blocks: readonly Block[], checksum: boolean = false): readonly number[] {
  const last = blocks.length - 1;
  return [
    ...magic,
    checksum ? 4 : 0,
    0,
    ...blocks.flatMap((each, at) => blockOf(each, at === last)),
    ...(checksum ? [1, 2, 3, 4] : []),
  ];
}

function plainOf(blocks: readonly Block[]): readonly number[] {
  return blocks.flatMap((each) => ('raw' in each ? each.raw : Array.from({ length: each.times }, () => each.repeat)));
}

function unpacked(
  bytes: Uint8Array,
  piece: number,
): { readonly plain: readonly number[]; readonly wrong: string | null } {
  const plain: number[] = [];
  const stream = zstdStream((chunk) => {
    for (const byte of chunk) plain.push(byte);
    return true;
  });
  for (let at = 0; at < bytes.length; at += piece) stream.push(bytes.slice(at, at + piece));
  return { plain, wrong: stream.end() };
}

const block: fc.Arbitrary<Block> = fc.oneof(
  fc.array(fc.nat(255), { maxLength: 40 }).map((raw) => ({ raw })),
  fc.record({ repeat: fc.nat(255), times: fc.nat(3000) }),
);
const blocks = fc.array(block, { minLength: 1, maxLength: 6 });
const skippable = [0x5a, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 7, 7, 7];

describe('Zstandard that comes in pieces', () => {
  it('gives the same however it is cut, frames and what is to be skipped between them', () => {
    fc.assert(
      fc.property(
        fc.array(blocks, { minLength: 1, maxLength: 4 }),
        fc.integer({ min: 1, max: 60 }),
        (frames, piece) => {
          const bytes = frames.flatMap((each, at) => [...skippable, ...frameOf(each, at % 2 === 0)]);
          expect(unpacked(Uint8Array.from(bytes), piece)).toEqual({ plain: frames.flatMap(plainOf), wrong: null });
        },
      ),
      { numRuns: 100 },
    );
  });

  it('goes on when what is held is full', () => {
    const many = Array.from({ length: 40 }, (_, at): Block => ({ repeat: at, times: 100_000 }));
    expect(unpacked(Uint8Array.from(frameOf(many)), 7)).toEqual({ plain: plainOf(many), wrong: null });
  });

  it('ends where nothing more is wanted', () => {
    let taken = 0;
    const stream = zstdStream(() => {
      taken += 1;
      return false;
    });
    stream.push(Uint8Array.from(frameOf([{ raw: [1] }, { raw: [2] }])));
    expect(taken).toBe(1);
  });

  it.each([
    ['an end in the middle', frameOf([{ raw: [1, 2, 3] }]).slice(0, -1), 'the Zstandard data ends early'],
    ['nothing', [], 'the Zstandard data ends early'],
    [
      'other bytes behind a frame',
      [...frameOf([{ raw: [1] }]), 0, 0, 0, 0],
      'the data does not begin as Zstandard does',
    ],
    ['a window of 2 GiB', [...magic, 0, 21 << 3], 'the Zstandard data needs a window of 2147483648 bytes'],
    ['a dictionary', [...magic, 1, 0, 9], 'the Zstandard data needs a dictionary'],
  ])('%s is told', (_, bytes, wrong) => {
    expect(unpacked(Uint8Array.from(bytes), 5).wrong).toBe(wrong);
  });

  it('garbage never throws', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), fc.integer({ min: 1, max: 99 }), (bytes, piece) => {
        unpacked(Uint8Array.from([...magic, 0, 0, ...bytes]), piece);
      }),
    );
  });
});
