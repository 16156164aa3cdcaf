import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readDynamic } from './dynamic.ts';
import { elfOf, readElf, sectionNamed } from './elf.ts';
import { inspectPlain } from './inspect.ts';
import { sourceOf } from './parts.ts';
import { passingFile } from './passing.ts';
import { makeElf, makeFatbin, returning } from './testing.ts';
import type { ElfSpec } from './testing.ts';

const usual: ElfSpec = {
  soname: 'libfoo.so.1',
  needed: ['libcudart.so.12', 'libc.so.6'],
  rpath: '/opt/a:$ORIGIN/lib',
  runpath: '$ORIGIN:/usr/local/cuda/lib64',
  versions: [
    ['libc.so.6', ['GLIBC_2.2.5', 'GLIBC_2.34', 'GLIBC_2.4', 'GLIBC_PRIVATE']],
    ['libcudart.so.12', ['libcudart.so.12']],
  ],
  symbols: [{ name: 'foo', bytes: returning(34) }],
  fatbin: makeFatbin([
    { kind: 'cubin', sm: 80 },
    { kind: 'ptx', sm: 90, isa: [8, 4] },
  ]),
};

describe('an ELF file', () => {
  it.each([
    ['64 bits, little endian', { bits: 64, little: true }],
    ['64 bits, big endian', { bits: 64, little: false }],
    ['32 bits, little endian', { bits: 32, little: true }],
    ['32 bits, big endian', { bits: 32, little: false }],
    ['without a section table', { bits: 64, little: true, bare: true }],
  ] as const)('tells names, search paths and versions: %s', async (_, form) => {
    const source = sourceOf(makeElf({ ...usual, ...form }));
    const elf = await readElf(source);
    const dynamic = await readDynamic(source, elf!);
    expect(dynamic).toMatchObject({
      soname: 'libfoo.so.1',
      needed: ['libcudart.so.12', 'libc.so.6'],
      rpath: ['/opt/a', '$ORIGIN/lib'],
      runpath: ['$ORIGIN', '/usr/local/cuda/lib64'],
      glibc: '2.34',
      unread: [],
    });
    expect(dynamic.neededVersions.map((one) => one.library)).toEqual(['libc.so.6', 'libcudart.so.12']);
  });

  it('holds GPU code in its section, or anywhere where there is no section table', async () => {
    for (const bare of [false, true]) {
      const read = await inspectPlain(sourceOf(makeElf({ ...usual, bare })), 'libfoo.so.1', { kernels: 'none' });
      expect(read?.file.code).toMatchObject({ sass: ['sm_80'], ptx: ['compute_90'] });
      expect(read?.unread).toEqual([]);
    }
  });

  it('glibc 2.36 is the floor where relative relocations are packed', async () => {
    const source = sourceOf(makeElf({ versions: [['libc.so.6', ['GLIBC_2.17', 'GLIBC_ABI_DT_RELR']]] }));
    expect((await readDynamic(source, (await readElf(source))!)).glibc).toBe('2.36');
  });

  it('more than 65,279 sections are counted in the first one', () => {
    const bytes = makeElf(usual);
    const view = new DataView(bytes.buffer);
    const count = view.getUint16(60, true);
    const names = view.getUint16(62, true);
    const table = Number(view.getBigUint64(40, true));
    view.setUint16(60, 0, true);
    view.setUint16(62, 0xffff, true);
    view.setBigUint64(table + 32, BigInt(count), true);
    view.setUint32(table + 40, names, true);
    const elf = elfOf(bytes)!;
    expect(sectionNamed(elf, '.nv_fatbin')).not.toBeNull();
  });
});

describe('crafted headers are told by place and reason', () => {
  const cases: readonly (readonly [string, (view: DataView) => void, RegExp])[] = [
    ['a section table near 2^64', (view) => view.setBigUint64(40, 2n ** 64n - 64n, true), /section table.*2\^53/],
    ['a section table past the end', (view) => view.setBigUint64(40, 1_000_000n, true), /section table.*outside/],
    ['sections of one byte', (view) => view.setUint16(58, 1, true), /section table/],
    ['more sections than fit', (view) => view.setUint16(60, 60_000, true), /60000 sections/],
    ['segments near 2^64', (view) => view.setBigUint64(32, 2n ** 64n - 1n, true), /segments.*2\^53/],
    ['more segments than fit', (view) => view.setUint16(56, 60_000, true), /60000 segments/],
  ];
  it.each(cases)('%s', async (_, spoil, reason) => {
    const bytes = makeElf(usual);
    spoil(new DataView(bytes.buffer));
    const read = await inspectPlain(sourceOf(bytes), 'libfoo.so', { kernels: 'none' });
    expect(read?.unread.map((one) => one.reason).join('\n')).toMatch(reason);
  });

  it('versions that point at themselves end', async () => {
    const bytes = makeElf({ versions: [['libc.so.6', ['GLIBC_2.17', 'GLIBC_2.34']]] });
    const elf = elfOf(bytes)!;
    const at = sectionNamed(elf, '.gnu.version_r')!.offset;
    const view = new DataView(bytes.buffer);
    view.setUint16(at + 2, 0xffff, true);
    view.setUint32(at + 12, 0, true);
    // The first version names itself as the next one.
    view.setUint32(at + 16 + 12, 0x0fff_fff0, true);
    const dynamic = await readDynamic(sourceOf(bytes), elf);
    expect(dynamic.glibc).toBe('2.17');
  });
});

describe('whatever the bytes are', () => {
  const whole = makeElf({ ...usual, data: 'NCCL version 2.21.5+cuda12.4\0' });

  async function readAll(bytes: Uint8Array, chunk: number): Promise<void> {
    await inspectPlain(sourceOf(bytes), 'libcudnn_ops.so.9', { kernels: 'all' });
    const passing = passingFile('libcudnn_ops.so.9', bytes.length, { list: true });
    for (let at = 0; at < bytes.length; at += chunk) passing.push(bytes.subarray(at, at + chunk));
    await passing.end();
  }

  it('garbage never throws', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 4096 }), fc.integer({ min: 1, max: 5000 }), async (bytes, chunk) => {
        await readAll(bytes, chunk);
        await readAll(Uint8Array.from([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, ...bytes]), chunk);
      }),
      { numRuns: 150 },
    );
  });

  it('a truncated file never throws', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: whole.length }), (length) => readAll(whole.subarray(0, length), 1000)),
      { numRuns: 150 },
    );
  });

  it('changed bytes never throw', async () => {
    const change = fc.record({ at: fc.nat({ max: whole.length - 1 }), to: fc.integer({ min: 0, max: 255 }) });
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 12 }), async (changes) => {
        const bytes = whole.slice();
        for (const { at, to } of changes) bytes[at] = to;
        await readAll(bytes, 777);
      }),
      { numRuns: 300 },
    );
  });
});
