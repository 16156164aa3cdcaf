import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { valuesOf } from './testing.ts';

const tensors: readonly (readonly [string, string, readonly number[]])[] = [
  ['a shape that 32 bits cannot count', 'input shape torch.Size([19345706, 128])', [2476250368]],
  ['a count of elements', 'numel=4294967296', [4294967296]],
  ['a factor form', 'logits tensor 8 x 131072 x 4096', [4294967296]],
  ['nothing for a shape that fits', 'input shape torch.Size([64, 4096, 4096])', []],
  ['nothing for a date or an address', 'input at 2024-12-01 10:00:00 0x7f0012345678', []],
];

const pinned: readonly (readonly [string, string, number])[] = [
  ['a request and the power of two above it', 'asked for 20.4 GiB of pinned memory, 32 GiB were taken', 1],
  ['two lines', 'request of 9 GiB for a pinned buffer\npinned memory in use: 16 GiB', 1],
  ['nothing where the sizes agree', 'pinned buffer of 16 GiB requested, 16 GiB allocated', 0],
  ['nothing where the larger size is no power of two', 'pinned 10 GiB of 19 GiB', 0],
  ['nothing without a word of pinning', 'asked for 20.4 GiB, 32 GiB were taken', 0],
];

describe('sizes', () => {
  it.each(tensors)('tensor: %s', (_, text, expected) => {
    expect(valuesOf(text, 'program.large-tensor')).toEqual(expected);
  });

  it.each(pinned)('pinned memory: %s', (_, text, count) => {
    expect(valuesOf(text, 'host.pinned-size')).toHaveLength(count);
  });

  it('never throws', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 400 }), (garbage) => {
        valuesOf(`pinned tensor shape (${garbage}) ${garbage} GiB`, 'program.large-tensor');
      }),
      { numRuns: 100 },
    );
  });
});
