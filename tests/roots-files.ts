// Binary files of the fake roots, written as glibc and the linker write them.

/** An entry of the loader's cache: `libcuda.so.1 x86-64 /usr/lib/x86_64-linux-gnu/libcuda.so.1`. */
const flagsOf: Readonly<Record<string, number>> = { 'x86-64': 0x303, aarch64: 0xa03, plain: 3 };

/**
 * The cache that ldconfig writes (glibc 2.32 and later: the new format alone), in the order of its lines.
 * @param lines name, kind and path of each entry
 */
export function loaderCache(lines: readonly string[]): Buffer {
  const entries = lines.filter((line) => line !== '').map((line) => line.split(' ') as [string, string, string]);
  const start = 48 + entries.length * 24;
  let strings = '';
  const table = Buffer.alloc(entries.length * 24);
  for (const [at, [name, kind, path]] of entries.entries()) {
    // Newer releases store a name inside its path where it ends it.
    const place = start + strings.length;
    strings += `${path}\0`;
    let key = place + path.length - name.length;
    if (!path.endsWith(name)) {
      key = start + strings.length;
      strings += `${name}\0`;
    }
    table.writeInt32LE(flagsOf[kind] ?? 3, at * 24);
    table.writeUInt32LE(key, at * 24 + 4);
    table.writeUInt32LE(place, at * 24 + 8);
  }
  const header = Buffer.alloc(48);
  header.write('glibc-ld.so.cache1.1', 'latin1');
  header.writeUInt32LE(entries.length, 20);
  header.writeUInt32LE(strings.length, 24);
  header.writeUInt8(2, 28);
  return Buffer.concat([header, table, Buffer.from(strings, 'latin1')]);
}

const tagNumbers: Readonly<Record<string, number>> = { RPATH: 15, RUNPATH: 29 };

/**
 * A shared object with nothing but its dynamic section.
 * @param lines `RPATH $ORIGIN/../lib` or `RUNPATH …`
 */
export function sharedObject(lines: readonly string[]): Buffer {
  const tags = lines
    .filter((line) => line !== '')
    .map((line) => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)] as const);
  const address = 0x10000;
  const dynamicAt = 64 + 2 * 56;
  const stringsAt = dynamicAt + (tags.length + 2) * 16;
  let strings = '\0';
  const dynamic = Buffer.alloc((tags.length + 2) * 16);
  for (const [at, [tag, value]] of tags.entries()) {
    dynamic.writeBigUInt64LE(BigInt(tagNumbers[tag] ?? 14), at * 16);
    dynamic.writeBigUInt64LE(BigInt(strings.length), at * 16 + 8);
    strings += `${value}\0`;
  }
  dynamic.writeBigUInt64LE(5n, tags.length * 16);
  dynamic.writeBigUInt64LE(BigInt(stringsAt + address), tags.length * 16 + 8);
  const size = stringsAt + strings.length;
  const header = Buffer.alloc(64);
  header.write('\x7fELF\x02\x01\x01', 'latin1');
  header.writeUInt16LE(3, 16);
  header.writeUInt16LE(62, 18);
  header.writeUInt32LE(1, 20);
  header.writeBigUInt64LE(64n, 32);
  header.writeUInt16LE(64, 52);
  header.writeUInt16LE(56, 54);
  header.writeUInt16LE(2, 56);
  header.writeUInt16LE(64, 58);
  const part = (type: number, from: number, length: number): Buffer => {
    const made = Buffer.alloc(56);
    made.writeUInt32LE(type, 0);
    made.writeUInt32LE(4, 4);
    made.writeBigUInt64LE(BigInt(from), 8);
    made.writeBigUInt64LE(BigInt(from + address), 16);
    made.writeBigUInt64LE(BigInt(from + address), 24);
    made.writeBigUInt64LE(BigInt(length), 32);
    made.writeBigUInt64LE(BigInt(length), 40);
    return made;
  };
  return Buffer.concat([
    header,
    part(1, 0, size),
    part(2, dynamicAt, dynamic.length),
    dynamic,
    Buffer.from(strings, 'latin1'),
  ]);
}
