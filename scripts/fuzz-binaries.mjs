#!/usr/bin/env node
// Mutates the files of fixtures/binaries and reads them with every reader of machine code.
//   node scripts/fuzz-binaries.mjs [--seconds N] [--cases N] [--seed S] [--case N] [--slow MS] [--memory MIB]
// Each case must not throw, must not take longer than `--slow`, must name a place and a reason for what it left out, and the process must
// stay under `--memory`. --case runs one case of a seed alone and writes its bytes beside. Exit 1 when one fails.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { createInflateRaw, deflateRawSync } from 'node:zlib';
import { Readable } from 'node:stream';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    cases: { type: 'string', default: '1000000000' },
    seed: { type: 'string', default: '1' },
    case: { type: 'string' },
    slow: { type: 'string', default: '2000' },
    memory: { type: 'string', default: '256' },
    bundle: { type: 'string' },
  },
});
const seed = Number(values.seed);
const slow = Number(values.slow);
const memory = Number(values.memory);

const readers = `
export { inspectPlain } from './inspect.ts';
export { inspectWheel } from './wheel.ts';
export { passingFile } from './passing.ts';
export { parseCubin } from './cubin.ts';
export { parsePtx } from './ptx.ts';
export { demangle } from './demangle.ts';
export { unpackLz4 } from './lz4.ts';
export { unpackZstd } from './zstd.ts';
export { sourceOf } from './parts.ts';
`;

/** The readers as one module. The bundler needs more memory than they do: it runs in a process of its own. */
async function core() {
  const folder = mkdtempSync(join(root, 'node_modules/.fuzz-'));
  try {
    const file = join(folder, 'readers.mjs');
    const built = spawnSync(process.execPath, [fileURLToPath(import.meta.url), '--bundle', file], { stdio: 'inherit' });
    if (built.status !== 0) process.exit(1);
    return await import(pathToFileURL(file).href);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function bundle(file) {
  const { rolldown } = await import('rolldown');
  const input = join(root, 'packages/core/src/binary/fuzzed.ts');
  const made = await rolldown({
    input,
    platform: 'node',
    plugins: [
      {
        name: 'readers',
        resolveId: (id) => (id === input ? id : null),
        load: (id) => (id === input ? { code: readers, moduleType: 'ts' } : null),
      },
    ],
    resolve: { conditionNames: ['source', 'node', 'import', 'default'] },
    logLevel: 'silent',
  });
  await made.write({ file, format: 'esm', codeSplitting: false });
  await made.close();
}

/** Small, fast, repeatable random numbers (mulberry32). */
function randomOf(start) {
  let state = start >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  const below = (most) => Math.floor(next() * most);
  return { below, pick: (list) => list[below(list.length)], chance: (share) => next() < share };
}

/** A zip file of members, deflated or stored. */
function zipOf(members) {
  const parts = [];
  const central = [];
  let offset = 0;
  for (const { name, bytes, deflate } of members) {
    const packed = deflate ? deflateRawSync(bytes) : bytes;
    const header = Buffer.alloc(30 + name.length);
    header.writeUInt32LE(0x04034b50, 0);
    header.writeUInt16LE(20, 4);
    header.writeUInt16LE(deflate ? 8 : 0, 8);
    header.writeUInt32LE(packed.length, 18);
    header.writeUInt32LE(bytes.length, 22);
    header.writeUInt16LE(name.length, 26);
    header.write(name, 30);
    const entry = Buffer.alloc(46 + name.length);
    entry.writeUInt32LE(0x02014b50, 0);
    header.copy(entry, 6, 4, 30);
    entry.writeUInt32LE(offset, 42);
    entry.write(name, 46);
    parts.push(header, packed);
    central.push(entry);
    offset += header.length + packed.length;
  }
  const size = central.reduce((sum, each) => sum + each.length, 0);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(members.length, 8);
  end.writeUInt16LE(members.length, 10);
  end.writeUInt32LE(size, 12);
  end.writeUInt32LE(offset, 16);
  return new Uint8Array(Buffer.concat([...parts, ...central, end]));
}

function originals() {
  const folder = join(root, 'fixtures/binaries');
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/\.(?:md|json|tsv)$/.test(entry.name))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .sort()
    .map((file) => ({ name: file.slice(folder.length + 1), bytes: new Uint8Array(readFileSync(file)) }));
  const named = (name) => files.find((file) => file.name.endsWith(name)).bytes;
  const wheel = zipOf([
    { name: 'pkg/lib/librdc.so', bytes: named('cuda13/librdc.so'), deflate: true },
    { name: 'pkg/lib/libtiny.so', bytes: named('libhost_only.so'), deflate: false },
    { name: 'pkg/k.cubin', bytes: named('tiny_100.cubin'), deflate: true },
    { name: 'pkg-1.0.dist-info/METADATA', bytes: Buffer.from('Name: pkg\n'), deflate: true },
  ]);
  const ptx = Buffer.from(
    '.version 9.0\n.target sm_90a\n.address_size 64\n.visible .entry _Z1fIJifEEvDpT_(\n)\n{ ret; }\n',
  );
  return [...files, { name: 'pkg.whl', bytes: wheel }, { name: 'k.ptx', bytes: new Uint8Array(ptx) }];
}

/** Numbers that readers trip over. */
const numbers = [
  0n,
  1n,
  7n,
  8n,
  63n,
  64n,
  255n,
  0xffffn,
  0x7fffffffn,
  0x80000000n,
  0xffffffffn,
  1n << 32n,
  1n << 40n,
  (1n << 53n) - 1n,
  1n << 53n,
  1n << 63n,
  (1n << 64n) - 1n,
  (1n << 64n) - 16n,
];

/** Places whose bytes steer a reader: headers of ELF files, their tables, containers and entries. */
function placesOf(bytes, r) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const places = [0, 16, 24, 32, 40, 48, 52, 58, 60, 62];
  if (bytes.length > 64 && bytes[0] === 0x7f) {
    const table = Number(view.getBigUint64(40, true) % BigInt(bytes.length));
    for (let i = 0; i < 4; i++) places.push(table + r.below(64) * 64 + r.pick([0, 4, 8, 24, 32, 40, 44, 56]));
    const segments = Number(view.getBigUint64(32, true) % BigInt(bytes.length));
    places.push(segments + r.below(8) * 56 + r.pick([0, 8, 32]));
  }
  for (let at = r.below(512) * 8; at + 16 <= bytes.length && places.length < 40; at += 8) {
    if (view.getUint32(at, true) !== 0xba55ed50) continue;
    places.push(at + 6, at + 8, ...[0, 4, 8, 16, 24, 28, 40, 56].map((field) => at + 16 + field));
  }
  places.push(bytes.length - 22 + r.below(22));
  return places.filter((at) => at >= 0 && at + 8 <= bytes.length);
}

const mutations = [
  (bytes, r) => {
    for (let i = 0; i < 1 + r.below(16) && bytes.length > 0; i++) bytes[r.below(bytes.length)] ^= 1 << r.below(8);
    return bytes;
  },
  (bytes, r) => {
    for (let i = 0; i < 1 + r.below(4); i++) {
      const at = r.pick(placesOf(bytes, r)) ?? null;
      if (at === null) return bytes;
      const width = r.pick([1, 2, 4, 8]);
      let value = r.chance(0.7) ? r.pick(numbers) : BigInt(r.below(bytes.length + 64));
      for (let k = 0; k < width; k++, value >>= 8n) bytes[at + k] = Number(value & 255n);
    }
    return bytes;
  },
  (bytes, r) => bytes.slice(0, r.below(bytes.length + 1)),
  (bytes, r) => {
    const from = r.below(bytes.length + 1);
    const length = r.below(Math.min(4096, bytes.length - from + 1));
    return joined(bytes.subarray(0, from), bytes.subarray(from + length));
  },
  (bytes, r) => {
    const from = r.below(bytes.length + 1);
    const piece = bytes.slice(from, from + r.below(4096));
    const to = r.below(bytes.length + 1);
    return joined(bytes.subarray(0, to), piece, bytes.subarray(to));
  },
  (bytes, r, all) => {
    const other = r.pick(all).bytes;
    const from = r.below(other.length);
    const piece = other.subarray(from, from + r.below(65_536));
    const to = r.below(bytes.length + 1);
    return joined(bytes.subarray(0, to), piece, bytes.subarray(to + (r.chance(0.5) ? piece.length : 0)));
  },
  (bytes, r) => {
    const from = r.below(bytes.length + 1);
    bytes.fill(r.pick([0, 0xff, 0x41]), from, from + r.below(2048));
    return bytes;
  },
  (bytes, r) => {
    // A run of small changes in one place: tables.
    const from = r.below(bytes.length + 1);
    for (let at = from; at < Math.min(bytes.length, from + 256); at++) if (r.chance(0.1)) bytes[at] = r.below(256);
    return bytes;
  },
];

function joined(...parts) {
  return new Uint8Array(Buffer.concat(parts));
}

function caseOf(number, all) {
  const r = randomOf(Math.imul(seed, 0x9e3779b1) ^ Math.imul(number + 1, 0x85ebca6b));
  const original = r.pick(all);
  let bytes = original.bytes.slice();
  for (let i = 0; i < 1 + r.below(4); i++)
    bytes = r
      .pick(mutations)(bytes, r, all)
      .slice(0, 1 << 21);
  return { name: original.name, bytes, r };
}

async function* inflate(packed) {
  const stream = Readable.from(packed).pipe(createInflateRaw());
  try {
    for await (const chunk of stream) yield chunk;
  } finally {
    stream.destroy();
  }
}

/** Reads one case by every road; gives what is wrong. */
async function faultsOf({ name, bytes, r }, library) {
  const faults = [];
  const source = library.sourceOf(bytes);
  const options = { kernels: 'all', inflate };
  const read = [await library.inspectPlain(source, name, options)];
  if (bytes[0] === 0x50 && bytes[1] === 0x4b) read.push(await library.inspectWheel(source, name, options));
  for (const one of read) {
    if (one === null) continue;
    JSON.stringify(one.file);
    for (const { offset, reason } of one.unread) {
      if (!(offset >= 0 && Number.isInteger(offset)) || reason === '')
        faults.push(`names the place ${offset}: ${reason}`);
    }
  }
  const passing = library.passingFile(name, r.chance(0.5) ? bytes.length : null, { list: true });
  for (let at = 0; at < bytes.length && !passing.done;) {
    const step = 1 + r.below(r.chance(0.2) ? 64 : 65_536);
    passing.push(bytes.subarray(at, at + step));
    at += step;
  }
  await passing.end();
  library.parseCubin(bytes);
  library.parsePtx(bytes);
  const from = r.below(bytes.length + 1);
  library.unpackLz4(bytes.subarray(from), r.below(1 << 22));
  library.unpackZstd(joined(Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd), bytes.subarray(from)), r.below(1 << 22));
  library.demangle(`_Z${Buffer.from(bytes.subarray(from, from + r.below(2048))).toString('latin1')}`);
  return faults;
}

const milliseconds = (usage) => (usage.user + usage.system) / 1000;
if (values.bundle !== undefined) {
  await bundle(values.bundle);
  process.exit(0);
}

const library = await core();
const all = originals();
const mangled = readFileSync(join(root, 'fixtures/binaries/names.tsv'), 'utf8')
  .split('\n')
  .map((line) => line.split('\t')[0]);
let failed = 0;
let cases = 0;
let slowest = { ms: 0, number: 0 };

async function runCase(number) {
  const one = caseOf(number, all);
  const before = process.cpuUsage();
  let faults;
  try {
    faults = await faultsOf(one, library);
    let name = one.r.pick(mangled);
    const at = one.r.below(name.length);
    name = name.slice(0, at) + String.fromCharCode(33 + one.r.below(94)) + name.slice(at + one.r.below(3));
    library.demangle(name);
  } catch (error) {
    faults = [
      `throws ${error instanceof Error ? (error.stack ?? error.message).split('\n').slice(0, 4).join(' ') : String(error)}`,
    ];
  }
  const ms = milliseconds(process.cpuUsage(before));
  if (ms > slowest.ms) slowest = { ms, number };
  if (ms > slow) faults.push(`takes ${Math.round(ms)} ms for ${one.bytes.length} bytes`);
  const peak = process.resourceUsage().maxRSS / 1024;
  if (peak > memory) faults.push(`memory went up to ${Math.round(peak)} MiB`);
  for (const fault of faults) console.log(`seed ${seed} case ${number} (${one.name}): ${fault}`);
  if (faults.length > 0) failed++;
  cases++;
  return one;
}

if (values.case !== undefined) {
  const { name, bytes } = await runCase(Number(values.case));
  const file = `fuzz-${seed}-${values.case}-${name.replaceAll('/', '_')}`;
  writeFileSync(file, bytes);
  console.log(`its bytes are in ${file}`);
} else {
  const end = Date.now() + Number(values.seconds) * 1000;
  for (let number = 0; number < Number(values.cases) && Date.now() < end && failed < 20; number++)
    await runCase(number);
}
console.log(
  `${cases} cases of seed ${seed} from ${all.length} files: ${failed} failed; slowest ${Math.round(slowest.ms)} ms (case ${slowest.number}); at most ${Math.round(process.resourceUsage().maxRSS / 1024)} MiB`,
);
process.exitCode = failed === 0 ? 0 : 1;
