import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseCubin } from './cubin.ts';
import { gpuCodeSections, isContainer } from './fatbin.ts';
import { readGpuCode } from './gpu-code.ts';
import { readElf } from './elf.ts';
import { readCubinKernels, readingOf, readKernels, unpackEntry } from './kernels.ts';
import type { Cubin, Kernel, PlacedEntry } from './model.ts';
import { sourceOf } from './parts.ts';
import type { ByteSource } from './source.ts';

const folder = join(import.meta.dirname, '../../../../fixtures/binaries');

interface KernelTruth {
  readonly registers: number;
  readonly barriers: number;
  readonly static_smem: number;
  readonly stack_frame: number;
  readonly cumulative_stack?: number;
  readonly cmem?: Readonly<Record<string, number>>;
  readonly max_threads?: readonly number[];
  readonly required_threads?: readonly number[];
  readonly cluster?: readonly number[];
  readonly register_cap: number;
  readonly param_bytes?: number;
}

interface Truth {
  readonly file: string;
  readonly toolkit: string | null;
  readonly kernels: Readonly<Record<string, Readonly<Record<string, KernelTruth>>>>;
}

const files = (JSON.parse(readFileSync(join(folder, 'expected.json'), 'utf8')) as { readonly files: Truth[] }).files;

const fixture = (name: string): Uint8Array => new Uint8Array(readFileSync(join(folder, name)));

async function entriesOf(source: ByteSource): Promise<readonly PlacedEntry[]> {
  const elf = isContainer(await source.read(0, 16)) ? null : await readElf(source);
  const ranges =
    elf === null
      ? [{ offset: 0, length: source.size }]
      : elf.sections.length > 0
        ? elf.sections
            .filter(({ name }) => gpuCodeSections.includes(name))
            .map(({ offset, size }) => ({ offset, length: size }))
        : elf.segments.filter(({ type }) => type === 1).map(({ offset, fileSize }) => ({ offset, length: fileSize }));
  const read = await readGpuCode(source, ranges, { search: elf !== null && elf.sections.length === 0 });
  expect(read.unread).toEqual([]);
  return read.code.entries;
}

async function cubinsOf(name: string): Promise<readonly Cubin[]> {
  const source = sourceOf(fixture(name));
  if (name.endsWith('.cubin')) {
    const { cubin, unread } = await readCubinKernels(source);
    expect(unread).toEqual([]);
    return [cubin!];
  }
  const reading = readingOf(source.size);
  const cubins: Cubin[] = [];
  for (const entry of await entriesOf(source)) {
    const { cubin, unread } = await readKernels(source, entry, { reading });
    expect(unread).toEqual([]);
    if (cubin !== null) cubins.push(cubin);
  }
  return cubins;
}

/** What the compiler said, in our words. */
function expectedOf(truth: KernelTruth): Partial<Kernel> {
  const limit = truth.required_threads ?? truth.max_threads;
  return {
    registers: truth.registers,
    barriers: truth.barriers,
    staticSharedBytes: truth.static_smem,
    localBytes: truth.stack_frame,
    maxThreads: limit === undefined ? null : limit.reduce((product, each) => product * each, 1),
    ...(truth.cumulative_stack !== undefined && { stackBytes: truth.cumulative_stack }),
    ...(truth.cmem?.['0'] !== undefined && { constantBytes: truth.cmem['0'] }),
    ...(truth.required_threads !== undefined && {
      requiredThreads: truth.required_threads as [number, number, number],
    }),
    ...(truth.cluster !== undefined && { cluster: truth.cluster as [number, number, number] }),
    ...(truth.register_cap !== 255 && { registerCap: truth.register_cap }),
    ...(truth.param_bytes !== undefined && { parameterBytes: truth.param_bytes }),
  };
}

describe('kernels of files made by real compilers', () => {
  it.each(files.filter(({ file }) => !file.endsWith('.a')).map((one) => [one.file, one] as const))(
    '%s: registers, shared, constant and local memory, barriers and bounds as the assembler printed them',
    async (name, truth) => {
      const cubins = await cubinsOf(name);
      const found = new Map(
        cubins.flatMap(({ kernels }) => kernels).map((kernel) => [`${kernel.arch} ${kernel.name}`, kernel]),
      );
      const wanted = Object.entries(truth.kernels).flatMap(([arch, kernels]) =>
        Object.entries(kernels).map(([kernel, numbers]) => [`${arch} ${kernel}`, expectedOf(numbers)] as const),
      );
      expect([...found.keys()].toSorted()).toEqual(wanted.map(([key]) => key).toSorted());
      for (const [key, numbers] of wanted) expect(found.get(key), key).toMatchObject(numbers);
      for (const cubin of cubins) expect(truth.toolkit).toContain(cubin.toolkit);
    },
  );

  it('tells the layout by the ABI version', async () => {
    expect((await cubinsOf('cuda13/tiny_90.cubin'))[0]).toMatchObject({
      abi: 'new',
      arch: 'sm_90',
      toolkit: '13.0.88',
    });
    expect((await cubinsOf('cuda118/tiny_90.cubin'))[0]).toMatchObject({ abi: 'old', arch: 'sm_90', toolkit: '11.8' });
  });

  it('a bare cubin of the old layout has its suffix in its flags', async () => {
    expect((await cubinsOf('cuda124/kernels_90a.cubin'))[0]).toMatchObject({
      abi: 'old',
      arch: 'sm_90a',
      toolkit: '12.4',
    });
  });
});

it('a cubin of an early toolkit has its registers in the headers of its sections', () => {
  const bytes = fixture('cuda118/kernels_70.cubin');
  const wanted = parseCubin(bytes).cubin!.kernels.map(({ name, registers }) => [name, registers]);
  // REGCOUNT records become others that say nothing of registers.
  const without = bytes.slice();
  for (let at = 0; at + 4 <= without.length; at += 4)
    if (without[at] === 4 && without[at + 1] === 0x2f && without[at + 2] === 8 && without[at + 3] === 0)
      without[at + 1] = 0x7f;
  expect(without).not.toEqual(bytes);
  expect(parseCubin(without).cubin!.kernels.map(({ name, registers }) => [name, registers])).toEqual(wanted);
});

describe('packed code', () => {
  it('PTX is whole and of the length its header says, by either scheme', async () => {
    const texts = new Map<string, string>();
    for (const name of ['libmulti_speed.so', 'libnosections.so', 'libptx_only.so', 'libmulti_size.so']) {
      const source = sourceOf(fixture(`cuda13/${name}`));
      const entry = (await entriesOf(source)).find(({ kind }) => kind === 'ptx')!;
      const text = Buffer.from((await unpackEntry(source, entry)) as Uint8Array)
        .toString()
        .replace(/\0+$/, '');
      texts.set(entry.compression, text.replace(/^\.target .*$/m, ''));
    }
    // One source in one run of the compiler: all but the target is the same text, packed or not.
    expect([...texts.keys()].toSorted()).toEqual(['lz4', 'none', 'zstd']);
    expect(new Set(texts.values()).size).toBe(1);
    expect([...texts.values()][0]).toMatch(/\.entry k_empty[^]*\}\s*$/);
  });

  it('intermediate code is not unpacked, and says why', async () => {
    const source = sourceOf(fixture('cuda13/lto_90.o'));
    const [entry] = await entriesOf(source);
    expect(entry).toMatchObject({ kind: 'lto', arch: 'lto_90' });
    expect(await unpackEntry(source, entry!)).toEqual(expect.any(String));
  });

  it('a small file that says it unpacks to gigabytes is not unpacked', async () => {
    const source = sourceOf(fixture('cuda13/libmulti_size.so'));
    const [entry] = await entriesOf(source);
    const read = await readKernels(source, { ...entry!, kind: 'cubin', uncompressedBytes: 2 ** 40 });
    expect(read.cubin).toBeNull();
    expect(read.unread).toHaveLength(1);
  });

  it('many entries that each unpack to much are not all unpacked', async () => {
    const source = sourceOf(fixture('cuda13/libmulti_size.so'));
    const entry = (await entriesOf(source)).find(({ kind }) => kind === 'cubin')!;
    const reading = readingOf(1000);
    const reasons = new Set<string>();
    for (let i = 0; i < 3000; i += 1) {
      const read = await unpackEntry(source, { ...entry, uncompressedBytes: entry.uncompressedBytes }, { reading });
      if (typeof read === 'string') reasons.add(read);
    }
    expect(reasons.size).toBe(1);
  });
});

describe('hostile cubins', () => {
  const originals = ['cuda13/tiny_100.cubin', 'cuda118/tiny_90.cubin', 'cuda124/kernels_90a.cubin'].map(fixture);

  it('a changed byte never makes the reader throw', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...originals),
        fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 8 }),
        (bytes, changes) => {
          const changed = bytes.slice();
          for (const [at, value] of changes) changed[at % changed.length] = value;
          parseCubin(changed);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('a cut file gives what is left of it', () => {
    for (const bytes of originals) for (let end = 0; end < bytes.length; end += 97) parseCubin(bytes.subarray(0, end));
  });

  it('what is no cubin says so', () => {
    expect(parseCubin(new Uint8Array(100))).toMatchObject({ cubin: null, unread: [{ offset: 0 }] });
  });
});
