import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareArch, parseContainerHeader, parseEntryHeader } from './fatbin.ts';
import { readGpuCode } from './gpu-code.ts';
import { sourceOf } from './parts.ts';

interface EntrySpec {
  readonly kind?: number;
  readonly arch?: number;
  readonly flags?: number;
  readonly version?: readonly [major: number, minor: number];
  readonly headerBytes?: number;
  readonly stored?: number;
  readonly payload?: number;
  readonly compressed?: number;
  readonly unpacked?: number;
}

function entry(spec: EntrySpec): Uint8Array {
  const payload = spec.payload ?? 64;
  const headerBytes = spec.headerBytes ?? 64;
  const bytes = new Uint8Array(Math.max(64, headerBytes) + payload);
  const view = new DataView(bytes.buffer);
  view.setUint16(0, spec.kind ?? 2, true);
  view.setUint16(2, 0x101, true);
  view.setUint32(4, headerBytes, true);
  view.setBigUint64(8, BigInt(spec.stored ?? payload), true);
  view.setUint32(16, spec.compressed ?? 0, true);
  view.setUint16(24, spec.version?.[1] ?? 0, true);
  view.setUint16(26, spec.version?.[0] ?? 1, true);
  view.setUint32(28, spec.arch ?? 80, true);
  view.setUint32(40, spec.flags ?? 0, true);
  view.setBigUint64(56, BigInt(spec.unpacked ?? 0), true);
  return bytes;
}

function container(entries: readonly Uint8Array[], says?: bigint): Uint8Array {
  const length = entries.reduce((sum, each) => sum + each.length, 0);
  const bytes = new Uint8Array(16 + length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, 0xba55ed50, true);
  view.setUint16(4, 1, true);
  view.setUint16(6, 16, true);
  view.setBigUint64(8, says ?? BigInt(length), true);
  let at = 16;
  for (const each of entries) {
    bytes.set(each, at);
    at += each.length;
  }
  return bytes;
}

function joined(...parts: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(parts.flatMap((part) => [...part]));
}

const read = (bytes: Uint8Array, search = false) =>
  readGpuCode(sourceOf(bytes), [{ offset: 0, length: bytes.length }], { search });

describe('headers', () => {
  it.each([
    ['a cubin', {}, { kind: 'cubin', arch: 'sm_80', isa: null, compression: 'none', uncompressedBytes: 64 }],
    ['architecture-specific code', { arch: 90, flags: 0x10_0001 }, { arch: 'sm_90a' }],
    ['family-specific code', { arch: 100, flags: 0x20_0011 }, { arch: 'sm_100f' }],
    ['PTX with its ISA', { kind: 1, arch: 90, version: [8, 4] }, { kind: 'ptx', arch: 'compute_90', isa: '8.4' }],
    ['intermediate code', { kind: 8, arch: 90 }, { kind: 'lto', arch: 'lto_90', isa: null }],
    [
      'LZ4 with padding',
      { flags: 0x2000, compressed: 60, unpacked: 200 },
      { compression: 'lz4', bytes: 64, payloadBytes: 60, uncompressedBytes: 200 },
    ],
    ['Zstandard', { flags: 0x8000, compressed: 60, unpacked: 200 }, { compression: 'zstd' }],
    ['a scheme of an early toolkit', { flags: 0x1000, compressed: 60, unpacked: 200 }, { compression: 'other' }],
    ['a form of no known tool', { kind: 0x40 }, { kind: 'other' }],
  ] as const)('%s', (_what, spec, wanted) => {
    expect(parseEntryHeader(entry(spec))).toMatchObject(wanted);
  });

  it('a header that is too short, or no header, is a reason', () => {
    expect(parseEntryHeader(entry({ headerBytes: 63 }))).toEqual(expect.any(String));
    expect(parseEntryHeader(new Uint8Array(63))).toEqual(expect.any(String));
    expect(parseContainerHeader(new Uint8Array(16))).toEqual(expect.any(String));
    expect(parseContainerHeader(new Uint8Array(15))).toEqual(expect.any(String));
  });

  it('architectures are ordered by number, then by suffix', () => {
    const archs = ['sm_100f', 'sm_90a', 'sm_100', 'sm_90', 'sm_75', 'sm_100a'];
    expect(archs.toSorted(compareArch)).toEqual(['sm_75', 'sm_90', 'sm_90a', 'sm_100', 'sm_100a', 'sm_100f']);
  });
});

describe('a walk over containers', () => {
  it('hops over code and over padding between containers', async () => {
    const one = container([entry({ payload: 1000 }), entry({ kind: 1, version: [9, 0], payload: 8 })]);
    const { code, unread } = await read(
      joined(one, new Uint8Array(24), container([entry({ arch: 90, flags: 0x10_0000 })])),
    );
    expect(unread).toEqual([]);
    expect(code).toMatchObject({ sass: ['sm_80', 'sm_90a'], ptx: ['compute_80'] });
    expect(code.lto).toBeUndefined();
    expect(code.entries.map(({ offset }) => offset)).toEqual([16, 1080, 1192]);
  });

  it.each([
    ['goes past its container', [entry({ stored: 2 ** 40 })], 16],
    ['says nearly 2^64 bytes', [entry({ stored: 2 ** 63 })], 16],
    ['has a header of 12 bytes', [entry({ headerBytes: 12 })], 16],
  ])('an entry that %s is told, and the next container is read', async (_what, entries, offset) => {
    const { code, unread } = await read(joined(container(entries), container([entry({ arch: 75 })])));
    expect(code.sass).toEqual(['sm_75']);
    expect(unread).toEqual([{ offset, reason: expect.any(String) }]);
  });

  it('a container of nearly 2^64 bytes gives the entries that are there', async () => {
    const { code, unread } = await read(container([entry({})], 2n ** 64n - 8n));
    expect(code.sass).toEqual(['sm_80']);
    expect(unread).toEqual([{ offset: 0, reason: expect.stringContaining('past') }]);
  });

  it('a cut file gives the entries before the cut', async () => {
    const whole = container([entry({ arch: 75 }), entry({ arch: 90 })]);
    const { code, unread } = await read(whole.subarray(0, whole.length - 8));
    expect(code.sass).toEqual(['sm_75']);
    expect(unread.length).toBeGreaterThan(0);
  });

  it('bytes that are no container are told once, and the search goes on', async () => {
    const { code, unread } = await read(joined(new Uint8Array(64).fill(7), container([entry({})])));
    expect(code.sass).toEqual(['sm_80']);
    expect(unread).toEqual([{ offset: 0, reason: expect.any(String) }]);
  });

  it('sections that overlap are not read twice', async () => {
    const bytes = container([entry({})]);
    const ranges = [
      { offset: 0, length: bytes.length },
      { offset: 0, length: bytes.length },
      { offset: 16, length: 2 ** 52 },
    ];
    const { code } = await readGpuCode(sourceOf(bytes), ranges);
    expect(code.entries).toHaveLength(1);
  });

  it('in a file that is searched, the magic without an entry behind it is no container', async () => {
    const lookalike = container([new Uint8Array(64)]);
    const { code, unread } = await read(joined(lookalike, new Uint8Array(4096), container([entry({})])), true);
    expect(code.sass).toEqual(['sm_80']);
    expect(unread).toEqual([]);
  });

  it('a million empty containers end at a bound that is told', async () => {
    const empty = container([]);
    const bytes = new Uint8Array(empty.length * 210_000);
    for (let at = 0; at < bytes.length; at += empty.length) bytes.set(empty, at);
    const { code, unread } = await read(bytes);
    expect(code.entries).toEqual([]);
    expect(unread).toHaveLength(1);
  });

  it('never throws, whatever the bytes are', async () => {
    const good = joined(container([entry({}), entry({ kind: 1 })]), container([entry({ arch: 90 })]));
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(good.length - 1), fc.nat(255)), { maxLength: 12 }),
        fc.nat(good.length),
        fc.boolean(),
        async (changes, cut, search) => {
          const bytes = good.slice(0, cut);
          for (const [at, value] of changes) if (at < bytes.length) bytes[at] = value;
          const { code, unread } = await read(bytes, search);
          for (const each of code.entries) expect(each.payloadOffset + each.bytes).toBeLessThanOrEqual(bytes.length);
          for (const each of unread) expect(each.offset).toBeLessThanOrEqual(bytes.length);
        },
      ),
      { numRuns: 300 },
    );
  });
});
