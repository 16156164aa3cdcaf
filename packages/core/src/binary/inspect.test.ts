import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isArchive, readArchive } from './archive.ts';
import { inspectPlain } from './inspect.ts';
import type { InspectOptions } from './inspect.ts';
import { sourceOf } from './parts.ts';
import { passingFile } from './passing.ts';
import { makeElf, makeFatbin } from './testing.ts';
import { inspectWheel } from './wheel.ts';
import { readZip } from './zip.ts';

const folder = join(import.meta.dirname, '../../../../fixtures/binaries');

interface Expected {
  readonly file: string;
  readonly entries: readonly {
    readonly kind: string;
    readonly arch: string;
    readonly compression: string;
    readonly entries: number;
    readonly stored_bytes: number;
  }[];
  readonly kernels: Readonly<Record<string, Readonly<Record<string, object>>>>;
}

const expected = (JSON.parse(readFileSync(join(folder, 'expected.json'), 'utf8')) as { readonly files: Expected[] })
  .files;

const fixture = (name: string): Uint8Array => new Uint8Array(readFileSync(join(folder, name)));

describe('files of real compilers', () => {
  it.each(expected.map((one) => [one.file, one] as const))('%s', async (name, truth) => {
    const read = await inspectPlain(sourceOf(fixture(name)), name, { kernels: 'all' });
    expect(read?.unread).toEqual([]);
    const counts: Record<string, [number, number]> = {};
    for (const one of read!.file.code.entries) {
      const key = `${one.kind} ${one.arch} ${one.compression}`;
      const [count, bytes] = counts[key] ?? [0, 0];
      counts[key] = [count + 1, bytes + one.bytes];
    }
    const wanted: Record<string, [number, number]> = {};
    for (const one of truth.entries) {
      const kind = one.kind === 'elf' ? 'cubin' : one.kind === 'lto_ir' ? 'lto' : one.kind;
      const key = `${kind} ${one.arch} ${one.compression}`;
      const [count, bytes] = wanted[key] ?? [0, 0];
      wanted[key] = [count + one.entries, bytes + one.stored_bytes];
    }
    expect(counts).toEqual(wanted);
    for (const [arch, kernels] of Object.entries(truth.kernels)) {
      const found = (read!.file.kernels ?? []).filter((one) => one.arch === arch).map((one) => one.name);
      expect(found.toSorted()).toEqual(Object.keys(kernels).toSorted());
    }
  });

  it.each(expected.map((one) => one.file).filter((name) => !/\.(?:a|cubin)$/.test(name)))(
    '%s tells the same while it passes by in pieces of any size',
    async (name) => {
      const bytes = fixture(name);
      const whole = (await inspectPlain(sourceOf(bytes), name, { kernels: 'none' }))!;
      await fc.assert(
        fc.asyncProperty(fc.integer({ min: 1, max: 20_000 }), fc.boolean(), async (chunk, sized) => {
          const passing = passingFile(name, sized ? bytes.length : null, { list: true });
          const buffer = new Uint8Array(chunk);
          for (let at = 0; at < bytes.length; at += chunk) {
            // The caller reuses its buffer.
            const part = bytes.subarray(at, at + chunk);
            buffer.set(part);
            passing.push(buffer.subarray(0, part.length));
          }
          const facts = (await passing.end())!;
          const { code, soname, needed, runpath, glibc, kind } = whole.file;
          expect(facts.code).toEqual({ sass: code.sass, ptx: code.ptx });
          expect({ ...facts }).toMatchObject({ soname, needed, runpath, glibc, kind });
          expect(passing.entries()).toEqual(whole.entries);
        }),
        { numRuns: bytes.length > 50_000 ? 6 : 20 },
      );
    },
  );
});

describe('a passing file', () => {
  it('is done at once where it is no machine code', async () => {
    const passing = passingFile('README', 100_000);
    passing.push(new Uint8Array(8192).fill(0x41));
    expect(passing.done).toBe(true);
    expect(await passing.end()).toBeNull();
  });

  it('magic numbers in code are no containers', async () => {
    const fake = makeFatbin([{ kind: 'cubin', sm: 80 }]);
    const bytes = makeElf({ soname: 'libfoo.so', symbols: [{ name: 'f', bytes: [...fake] }] });
    const passing = passingFile('libfoo.so', bytes.length);
    passing.push(bytes);
    expect((await passing.end())?.code).toEqual({ sass: [], ptx: [] });
  });

  it('a container that claims more than the file is none', async () => {
    const fatbin = makeFatbin([{ kind: 'cubin', sm: 80 }]);
    new DataView(fatbin.buffer).setBigUint64(8, 2n ** 62n, true);
    const bytes = makeElf({ soname: 'libfoo.so.1', data: new Uint8Array(100_000), fatbin });
    for (const size of [bytes.length, null]) {
      const passing = passingFile('libfoo.so.1', size);
      for (let at = 0; at < bytes.length; at += 5000) passing.push(bytes.subarray(at, at + 5000));
      expect((await passing.end())?.soname).toBe('libfoo.so.1');
    }
  });

  it('holds little of a large file whose tables stand at both ends', async () => {
    const head = makeElf({ soname: 'libbig.so.1', needed: ['libc.so.6'], bare: true });
    const passing = passingFile('libbig.so.1', null);
    passing.push(head);
    const zeros = new Uint8Array(1024 ** 2);
    for (let i = 0; i < 64; i += 1) passing.push(zeros);
    expect(await passing.end()).toMatchObject({ soname: 'libbig.so.1', needed: ['libc.so.6'] });
  });
});

describe('static libraries', () => {
  const member = (name: string, bytes: Uint8Array): Uint8Array => {
    const head = new TextEncoder().encode(
      `${name.padEnd(16)}${'0'.padEnd(12)}${'0'.padEnd(6)}${'0'.padEnd(6)}${'644'.padEnd(8)}${String(bytes.length).padEnd(10)}\`\n`,
    );
    return Uint8Array.from([...head, ...bytes, ...(bytes.length % 2 === 1 ? [10] : [])]);
  };
  const archive = (...members: readonly Uint8Array[]): Uint8Array =>
    Uint8Array.from([...new TextEncoder().encode('!<arch>\n'), ...members.flatMap((one) => [...one])]);
  const text = (value: string): Uint8Array => new TextEncoder().encode(value);

  it('names of both traditions, long ones too', async () => {
    const bytes = archive(
      member('/', text('index')),
      member('//', text('a_rather_long_name.o/\n')),
      member('short.o/', text('x')),
      member('/0', text('yy')),
      member('#1/8', text('bsdname\0zzz')),
    );
    expect(isArchive(bytes)).toBe(true);
    const { members, unread } = await readArchive(sourceOf(bytes));
    expect(members.map((one) => [one.name, one.size])).toEqual([
      ['short.o', 1],
      ['a_rather_long_name.o', 2],
      ['bsdname', 3],
    ]);
    expect(unread).toEqual([]);
  });

  it('a member that goes past the end is told, those before it are read', async () => {
    const bytes = archive(member('a.o/', text('xx')), member('b.o/', text('yyyy'))).slice(0, -3);
    const { members, unread } = await readArchive(sourceOf(bytes));
    expect(members).toHaveLength(1);
    expect(unread[0]).toMatchObject({ offset: 70, reason: expect.stringContaining('past the end') as string });
  });

  it('a thin archive says that its members are elsewhere', async () => {
    const { unread } = await readArchive(sourceOf(text('!<thin>\n')));
    expect(unread[0]?.reason).toContain('thin');
  });
});

interface Packed {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly method?: 0 | 8;
  /** What the directory says instead of the truth. */
  readonly says?: number;
}

/** A zip file. */
function zip(files: readonly Packed[]): Uint8Array {
  const out: number[] = [];
  const u16 = (list: number[], value: number): void => void list.push(value & 255, (value >> 8) & 255);
  const u32 = (list: number[], value: number): void => {
    u16(list, value % 65_536);
    u16(list, Math.floor(value / 65_536));
  };
  const directory: number[] = [];
  for (const { name, bytes, method = 8, says } of files) {
    const data = method === 8 ? deflateRawSync(bytes) : bytes;
    const at = out.length;
    const nameBytes = new TextEncoder().encode(name);
    const shared = (list: number[]): void => {
      u16(list, 0);
      u16(list, method);
      u32(list, 0);
      u32(list, 0);
      u32(list, data.length);
      u32(list, says ?? bytes.length);
      u16(list, nameBytes.length);
      u16(list, 0);
    };
    u32(out, 0x04034b50);
    u16(out, 20);
    shared(out);
    out.push(...nameBytes, ...data);
    u32(directory, 0x02014b50);
    u16(directory, 20);
    u16(directory, 20);
    shared(directory);
    u16(directory, 0);
    u16(directory, 0);
    u16(directory, 0);
    u32(directory, 0);
    u32(directory, at);
    directory.push(...nameBytes);
  }
  const from = out.length;
  out.push(...directory);
  u32(out, 0x06054b50);
  u32(out, 0);
  u16(out, files.length);
  u16(out, files.length);
  u32(out, directory.length);
  u32(out, from);
  u16(out, 0);
  return Uint8Array.from(out);
}

const options: InspectOptions = {
  kernels: 'none',
  inflate: async function* (packed) {
    const parts: Uint8Array[] = [];
    for await (const part of packed) parts.push(part);
    const whole = inflateRawSync(Buffer.concat(parts));
    for (let at = 0; at < whole.length; at += 65_536) yield whole.subarray(at, at + 65_536);
  },
};

describe('wheels', () => {
  const library = makeElf({
    soname: 'libcudnn_graph.so.9',
    symbols: [{ name: 'cudnn_graph_version', bytes: [0, 1, 9, 0], object: true }],
    fatbin: makeFatbin([{ kind: 'cubin', sm: 90 }]),
  });
  const shim = makeElf({ soname: 'libcudnn.so.9' });
  const files: readonly Packed[] = [
    { name: 'nvidia/cudnn/lib/libcudnn_graph.so.9', bytes: library },
    { name: 'nvidia/cudnn/lib/libcudnn.so.9', bytes: shim, method: 0 },
    { name: 'nvidia/__init__.py', bytes: new TextEncoder().encode('# nothing\n'.repeat(100)) },
    { name: 'nvidia/lib/librdc.a', bytes: fixture('cuda13/librdc.a') },
  ];

  it('deflated and stored members, static libraries too, are read where they lie', async () => {
    const { file, unread } = await inspectWheel(sourceOf(zip(files)), 'x.whl', options);
    expect(unread).toEqual([]);
    expect(file).toMatchObject({ kind: 'wheel', machine: 'x86_64', code: { sass: ['sm_80', 'sm_90'], ptx: [] } });
    expect(file.members?.map((one) => [one.path, one.library?.version ?? null])).toEqual([
      ['nvidia/cudnn/lib/libcudnn_graph.so.9', '9.1.0'],
      ['nvidia/cudnn/lib/libcudnn.so.9', '9.1.0'],
      ['nvidia/lib/librdc.a', null],
    ]);
  });

  it('a large member passes by, its kernels too', async () => {
    const large = fixture('cuda13/libmulti_size.so');
    const padded = new Uint8Array(17 * 1024 ** 2);
    padded.set(large);
    const { file, unread } = await inspectWheel(sourceOf(zip([{ name: 'a/libfoo.so', bytes: padded }])), 'x.whl', {
      ...options,
      kernels: 'all',
    });
    expect(unread).toEqual([]);
    expect(file.code.sass).toEqual(['sm_80', 'sm_90', 'sm_100', 'sm_120']);
    expect(file.kernels).toHaveLength(60);
  });

  it.each([
    ['more than it says', 100, /more than the 100 bytes/],
    ['less than it says', 1_000_000, /the directory says 1000000/],
  ])('a member that unpacks to %s is told, the others are read', async (_, says, reason) => {
    const bytes = zip([{ ...files[0]!, says }, files[1]!]);
    const { file, unread } = await inspectWheel(sourceOf(bytes), 'x.whl', options);
    expect(unread[0]?.reason).toMatch(reason);
    expect(file.members?.map((one) => one.path)).toContain('nvidia/cudnn/lib/libcudnn.so.9');
  });

  it('members that share bytes end the reading: a small file must not become a large one', async () => {
    const one = zip([{ name: 'a.so', bytes: shim, method: 0 }]);
    const end = one.length - 22;
    const directory = one.subarray(new DataView(one.buffer, one.byteOffset).getUint32(end + 16, true), end);
    const many = new Uint8Array(one.length + directory.length * 999);
    many.set(one.subarray(0, end));
    for (let i = 1; i < 1000; i++) many.set(directory, end + directory.length * (i - 1));
    many.set(one.subarray(end), many.length - 22);
    new DataView(many.buffer).setUint32(many.length - 22 + 12, directory.length * 1000, true);
    const { file, unread } = await inspectWheel(sourceOf(many), 'x.whl', options);
    expect(unread.at(-1)?.reason).toContain('claim more bytes');
    expect(file.members?.length ?? 0).toBeLessThan(200);
  });

  it('a directory of no bytes for members that are said to be there is told', async () => {
    const bytes = zip(files);
    new DataView(bytes.buffer, bytes.byteOffset).setUint32(bytes.length - 22 + 12, 0, true);
    const { unread } = await readZip(sourceOf(bytes));
    expect(unread[0]?.reason).toContain('in 0 bytes');
  });

  it('a member that is said to unpack to nothing is told', async () => {
    const { unread } = await inspectWheel(sourceOf(zip([{ ...files[0]!, says: 0 }])), 'x.whl', options);
    expect(unread[0]?.reason).toContain('more than the 0 bytes');
  });

  it('a wheel that is cut off has no directory', async () => {
    const { unread } = await readZip(sourceOf(zip(files).slice(0, -30)));
    expect(unread[0]?.reason).toContain('cut off');
  });

  it('garbage, truncation and changed bytes never throw', async () => {
    const whole = zip([files[0]!, files[1]!]);
    const change = fc.record({ at: fc.nat({ max: whole.length - 1 }), to: fc.integer({ min: 0, max: 255 }) });
    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 8 }), fc.nat({ max: whole.length }), async (changes, cut) => {
        const bytes = whole.slice(0, changes.length % 2 === 0 ? cut : whole.length);
        for (const { at, to } of changes) if (at < bytes.length) bytes[at] = to;
        await inspectWheel(sourceOf(bytes), 'x.whl', options);
      }),
      { numRuns: 150 },
    );
  });
});
