// Small ELF files made to order, for tests: what they hold is known, and any byte of them can be wrong.

export interface ElfSpec {
  readonly bits?: 32 | 64;
  readonly little?: boolean;
  readonly machine?: number;
  readonly soname?: string;
  readonly needed?: readonly string[];
  readonly rpath?: string;
  readonly runpath?: string;
  /** Library and versions that are needed from it. */
  readonly versions?: readonly (readonly [library: string, versions: readonly string[]])[];
  /** Exported symbols and the bytes they name. */
  readonly symbols?: readonly { readonly name: string; readonly bytes: readonly number[]; readonly object?: boolean }[];
  /** Data of the host. */
  readonly data?: string | Uint8Array;
  /** Bytes of `.nv_fatbin`. */
  readonly fatbin?: Uint8Array;
  /** Owner and text of a note. */
  readonly note?: readonly [owner: string, text: string];
  /** Without a section table, as after `sstrip`. */
  readonly bare?: boolean;
}

/** Bytes that grow, in one byte order. */
function writer(little: boolean) {
  const bytes: number[] = [];
  const put = (value: number, count: number): void => {
    for (let i = 0; i < count; i += 1) {
      const at = little ? i : count - 1 - i;
      bytes.push(Math.floor(value / 2 ** (8 * at)) % 256);
    }
  };
  return {
    bytes,
    put,
    raw: (more: Iterable<number>): void => {
      for (const each of more) bytes.push(each);
    },
    align: (step: number): void => {
      while (bytes.length % step !== 0) bytes.push(0);
    },
  };
}

const encoder = new TextEncoder();

/** Makes an ELF file whose addresses are its offsets. */
export function makeElf(spec: ElfSpec): Uint8Array {
  const bits = spec.bits ?? 64;
  const little = spec.little ?? true;
  const wide = bits === 64 ? 8 : 4;
  const names: number[] = [0];
  const name = (text: string): number => {
    const at = names.length;
    names.push(...encoder.encode(text), 0);
    return at;
  };
  const dynamic: [number, number][] = [];
  for (const one of spec.needed ?? []) dynamic.push([1, name(one)]);
  if (spec.soname !== undefined) dynamic.push([14, name(spec.soname)]);
  if (spec.rpath !== undefined) dynamic.push([15, name(spec.rpath)]);
  if (spec.runpath !== undefined) dynamic.push([29, name(spec.runpath)]);

  const out = writer(little);
  const headerBytes = bits === 64 ? 64 : 52;
  const segmentBytes = bits === 64 ? 56 : 32;
  const segments = 3;
  out.raw(new Uint8Array(headerBytes + segments * segmentBytes));
  const parts: { name: string; type: number; flags: number; offset: number; size: number }[] = [];
  const part = (title: string, type: number, flags: number, bytes: Iterable<number>): number => {
    out.align(16);
    const offset = out.bytes.length;
    out.raw(bytes);
    parts.push({ name: title, type, flags, offset, size: out.bytes.length - offset });
    return offset;
  };

  const noteBytes = writer(little);
  if (spec.note !== undefined) {
    const owner = encoder.encode(`${spec.note[0]}\0`);
    const text = encoder.encode(spec.note[1]);
    noteBytes.put(owner.length, 4);
    noteBytes.put(text.length, 4);
    noteBytes.put(1, 4);
    noteBytes.raw(owner);
    noteBytes.align(4);
    noteBytes.raw(text);
    noteBytes.align(4);
  }
  const noteAt = part('.note.cuda.fwd_compatibility', 7, 2, noteBytes.bytes);
  const placed = (spec.symbols ?? []).map((symbol) => ({
    ...symbol,
    at: part(symbol.object === true ? '.rodata' : '.text', 1, symbol.object === true ? 2 : 6, symbol.bytes),
    nameAt: name(symbol.name),
  }));
  part('.rodata', 1, 2, typeof spec.data === 'string' ? encoder.encode(spec.data) : (spec.data ?? []));
  const need = writer(little);
  const libraries = spec.versions ?? [];
  for (const [i, [library, versions]] of libraries.entries()) {
    need.put(1, 2);
    need.put(versions.length, 2);
    need.put(name(library), 4);
    need.put(16, 4);
    need.put(i + 1 < libraries.length ? 16 + versions.length * 16 : 0, 4);
    for (const [j, version] of versions.entries()) {
      need.put(0, 8);
      need.put(name(version), 4);
      need.put(j + 1 < versions.length ? 16 : 0, 4);
    }
  }
  const needAt = part('.gnu.version_r', 0x6ffffffe, 2, need.bytes);
  const symbols = writer(little);
  symbols.raw(new Uint8Array(bits === 64 ? 24 : 16));
  for (const { at, nameAt, bytes, object } of placed) {
    const info = 0x10 + (object === true ? 1 : 2);
    symbols.put(nameAt, 4);
    if (bits === 64) {
      symbols.raw([info, 0]);
      symbols.put(1, 2);
      symbols.put(at, 8);
      symbols.put(bytes.length, 8);
    } else {
      symbols.put(at, 4);
      symbols.put(bytes.length, 4);
      symbols.raw([info, 0]);
      symbols.put(1, 2);
    }
  }
  const symbolsAt = part('.dynsym', 11, 2, symbols.bytes);
  const hash = writer(little);
  hash.put(1, 4);
  hash.put(placed.length + 1, 4);
  hash.put(placed.length > 0 ? 1 : 0, 4);
  for (let i = 0; i <= placed.length; i += 1) hash.put(i > 0 && i < placed.length ? i + 1 : 0, 4);
  const hashAt = part('.hash', 5, 2, hash.bytes);
  const namesAt = part('.dynstr', 3, 2, names);
  dynamic.push([5, namesAt], [10, names.length], [6, symbolsAt], [4, hashAt]);
  if (libraries.length > 0) dynamic.push([0x6ffffffe, needAt], [0x6fffffff, libraries.length]);
  const table = writer(little);
  for (const [tag, value] of [...dynamic, [0, 0] as const]) {
    table.put(tag, wide);
    table.put(value, wide);
  }
  const dynamicAt = part('.dynamic', 6, 3, table.bytes);
  if (spec.fatbin !== undefined) part('.nv_fatbin', 1, 2, spec.fatbin);

  const sectionNames: number[] = [0];
  const named = [...parts, { name: '.shstrtab', type: 3, flags: 0, offset: 0, size: 0 }].map((one) => {
    const nameAt = sectionNames.length;
    sectionNames.push(...encoder.encode(one.name), 0);
    return { ...one, nameAt };
  });
  out.align(8);
  const stringsAt = out.bytes.length;
  if (spec.bare !== true) out.raw(sectionNames);
  out.align(8);
  const loaded = out.bytes.length;
  const sectionsAt = spec.bare === true ? 0 : out.bytes.length;
  if (spec.bare !== true) {
    out.raw(new Uint8Array(bits === 64 ? 64 : 40));
    for (const one of named) {
      const own = one.name === '.shstrtab';
      out.put(one.nameAt, 4);
      out.put(one.type, 4);
      out.put(one.flags, wide);
      out.put(own ? 0 : one.offset, wide);
      out.put(own ? stringsAt : one.offset, wide);
      out.put(own ? sectionNames.length : one.size, wide);
      out.put(0, 4);
      out.put(0, 4);
      out.put(1, wide);
      out.put(0, wide);
    }
  }

  const head = writer(little);
  head.raw([0x7f, 0x45, 0x4c, 0x46, bits === 64 ? 2 : 1, little ? 1 : 2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
  head.put(3, 2);
  head.put(spec.machine ?? 62, 2);
  head.put(1, 4);
  head.put(0, wide);
  head.put(headerBytes, wide);
  head.put(sectionsAt, wide);
  head.put(0, 4);
  head.put(headerBytes, 2);
  head.put(segmentBytes, 2);
  head.put(segments, 2);
  head.put(bits === 64 ? 64 : 40, 2);
  head.put(spec.bare === true ? 0 : named.length + 1, 2);
  head.put(spec.bare === true ? 0 : named.length, 2);
  const segment = (type: number, flags: number, at: number, size: number): void => {
    head.put(type, 4);
    if (bits === 64) head.put(flags, 4);
    head.put(at, wide);
    head.put(at, wide);
    head.put(at, wide);
    head.put(size, wide);
    head.put(size, wide);
    if (bits === 32) head.put(flags, 4);
    head.put(16, wide);
  };
  segment(1, 5, 0, loaded);
  segment(2, 6, dynamicAt, table.bytes.length);
  segment(4, 4, noteAt, noteBytes.bytes.length);
  const file = Uint8Array.from(out.bytes);
  file.set(head.bytes);
  return file;
}

/** A container with entries that hold no real code. */
export function makeFatbin(
  entries: readonly {
    readonly kind: 'cubin' | 'ptx';
    readonly sm: number;
    readonly isa?: readonly [number, number];
    readonly flags?: number;
    readonly bytes?: number;
  }[],
): Uint8Array {
  const body = writer(true);
  for (const { kind, sm, isa, flags, bytes = 64 } of entries) {
    body.put(kind === 'ptx' ? 1 : 2, 2);
    body.put(0x0101, 2);
    body.put(64, 4);
    body.put(bytes, 8);
    body.put(0, 8);
    body.put(isa?.[1] ?? 8, 2);
    body.put(isa?.[0] ?? 1, 2);
    body.put(sm, 4);
    body.put(0, 8);
    body.put(0x11 + (flags ?? 0), 8);
    body.put(0, 16);
    body.raw(new Uint8Array(bytes).fill(0xab));
  }
  const out = writer(true);
  out.put(0xba55ed50, 4);
  out.put(1, 2);
  out.put(16, 2);
  out.put(body.bytes.length, 8);
  out.raw(body.bytes);
  return Uint8Array.from(out.bytes);
}

/** x86-64 code that returns a number. */
export function returning(value: number): readonly number[] {
  return [0xb8, value & 255, (value >> 8) & 255, (value >> 16) & 255, value >>> 24, 0xc3];
}

/** x86-64 code that writes a number through its first argument unless that is null. */
export function writing(value: number): readonly number[] {
  return [
    0x48,
    0x85,
    0xff,
    0x74,
    0x0b,
    0xc7,
    0x07,
    value & 255,
    (value >> 8) & 255,
    (value >> 16) & 255,
    value >>> 24,
    0x31,
    0xc0,
    0xc3,
  ];
}
