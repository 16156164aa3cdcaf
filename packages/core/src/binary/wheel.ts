// Python wheels: zip files (https://packaging.python.org/en/latest/specifications/binary-distribution-format/), read
// without unpacking them to disk. Members that are stored are read by range; deflated ones pass by, only small ones are held.
import { inspected, inspectPlain, joined, kernelsOf, kindOf, summary } from './inspect.ts';
import type { InspectOptions } from './inspect.ts';
import { toldBeside } from './neighbours.ts';
import { partOf, sourceOf } from './parts.ts';
import { passingFile } from './passing.ts';
import type { Inspected, UnreadPlace } from './report.ts';
import type { ByteSource } from './source.ts';
import { againFrom } from './again.ts';
import { placeOfMember, readZip } from './zip.ts';
import type { ZipMember } from './zip.ts';

/** Members up to this size are unpacked into memory. */
const mostHeld = 16 * 1024 ** 2;
/** Unpacked bytes of one wheel; the largest known one has 4 GB. */
const mostUnpacked = 24 * 1024 ** 3;
const step = 1024 ** 2;
/** Local header of a member without its name. */
const leastHeader = 30;
const mostUnread = 200;

/** Reads a wheel: one entry for it, with the files inside that hold GPU code or are CUDA libraries. */
export async function inspectWheel(source: ByteSource, path: string, options: InspectOptions): Promise<Inspected> {
  const { members, unread } = await readZip(source);
  const all: UnreadPlace[] = unread.map((one) => ({ path, ...one }));
  const note = (offset: number, reason: string): void => {
    if (all.length < mostUnread) all.push({ path, offset, reason });
  };
  const parts: Inspected[] = [];
  let budget = mostUnpacked;
  let unclaimed = source.size;
  for (const member of members) {
    if (!mayHoldCode(member)) continue;
    if (member.encrypted) {
      note(member.offset, `${member.name} is encrypted`);
      continue;
    }
    if (member.method !== 0 && member.method !== 8) {
      note(member.offset, `${member.name} is packed by method ${member.method}, which wheels do not use`);
      continue;
    }
    const at = await placeOfMember(source, member);
    if (typeof at === 'string') {
      note(member.offset, `${member.name}: ${at}`);
      continue;
    }
    // Members of a real zip file do not share bytes: those that do make a small file a large one.
    if (member.packedBytes > unclaimed) {
      note(
        member.offset,
        `${member.name} and what came before claim more bytes than the zip file has; the rest was not read`,
      );
      break;
    }
    unclaimed -= member.packedBytes + leastHeader;
    if (member.method === 8 && member.bytes > budget) {
      note(
        member.offset,
        `${member.name} and what came before unpack to more than ${mostUnpacked} bytes; it was not read`,
      );
      continue;
    }
    if (member.method === 8) budget -= member.bytes;
    const found = await inspectOne(source, at, member, options, note);
    if (found === null) continue;
    parts.push(found);
    for (const one of found.unread)
      note(member.offset, `${member.name}, ${one.offset} of the unpacked file: ${one.reason}`);
  }
  // Parts of one release lie in one folder of the wheel.
  const told = toldBeside(parts.map((one) => one.file));
  const whole = parts.map((one, i) => ({ ...one, file: told[i] ?? one.file }));
  return { ...joined(path, 'wheel', whole), unread: all };
}

/** Names of files that are machine code, by their ending; Python and data files are not opened. */
function mayHoldCode(member: ZipMember): boolean {
  const name = member.name.slice(member.name.lastIndexOf('/') + 1);
  // A size of 0 for packed bytes that are there is a lie of the directory, which reading it brings to light.
  if (name === '' || (member.bytes < 64 && member.packedBytes < 64)) return false;
  return name.includes('.so') || !name.includes('.') || /\.(?:a|o|cubin|fatbin|node|exe)$/.test(name);
}

async function inspectOne(
  source: ByteSource,
  at: number,
  member: ZipMember,
  options: InspectOptions,
  note: (offset: number, reason: string) => void,
): Promise<Inspected | null> {
  if (member.method === 0) return inspectPlain(partOf(source, at, member.packedBytes), member.name, options);
  const { inflate } = options;
  if (inflate === undefined) {
    note(member.offset, `${member.name} is deflated, and nothing here inflates`);
    return null;
  }
  const open = (): AsyncIterable<Uint8Array> => bounded(inflate(packed(source, at, member.packedBytes)), member.bytes);
  try {
    return member.bytes <= mostHeld
      ? await inHand(open(), member, options)
      : await passingBy(open, member, options, note);
  } catch (error) {
    note(member.offset, `${member.name} cannot be inflated: ${error instanceof Error ? error.message : 'damaged'}`);
    return null;
  }
}

async function* packed(source: ByteSource, at: number, length: number): AsyncGenerator<Uint8Array> {
  for (let done = 0; done < length;) {
    const bytes = await source.read(at + done, Math.min(step, length - done));
    if (bytes.length === 0) return;
    done += bytes.length;
    yield bytes;
  }
}

/** Ends where the directory says that the member ends: what unpacks to more is a lie or a bomb. */
async function* bounded(bytes: AsyncIterable<Uint8Array>, size: number): AsyncGenerator<Uint8Array> {
  let done = 0;
  for await (const chunk of bytes) {
    const rest = size - done;
    if (chunk.length > rest) {
      if (rest > 0) yield chunk.subarray(0, rest);
      throw new Error(`it unpacks to more than the ${size} bytes that the directory says`);
    }
    done += chunk.length;
    yield chunk;
  }
  if (done < size) throw new Error(`it unpacks to ${done} bytes; the directory says ${size}`);
}

async function inHand(
  bytes: AsyncIterable<Uint8Array>,
  member: ZipMember,
  options: InspectOptions,
): Promise<Inspected | null> {
  // The size is the directory's word; memory is taken as bytes come.
  let whole = new Uint8Array(Math.min(member.bytes, 64 * 1024));
  let filled = 0;
  for await (const chunk of bytes) {
    if (filled === 0 && kindOf(chunk) === null) return null;
    if (filled + chunk.length > whole.length) {
      const next = new Uint8Array(Math.min(mostHeld, Math.max(whole.length * 2, filled + chunk.length)));
      next.set(whole.subarray(0, filled));
      whole = next;
    }
    whole.set(chunk, filled);
    filled += chunk.length;
  }
  return inspectPlain(sourceOf(whole.subarray(0, filled)), member.name, options);
}

async function passingBy(
  open: () => AsyncIterable<Uint8Array>,
  member: ZipMember,
  options: InspectOptions,
  note: (offset: number, reason: string) => void,
): Promise<Inspected | null> {
  const passing = passingFile(member.name, member.bytes, { list: true });
  for await (const chunk of open()) {
    passing.push(chunk);
    if (passing.done) return null;
  }
  const facts = await passing.end();
  if (facts === null) return null;
  const entries = passing.entries();
  const code = summary(entries);
  // Kernels need the code once more: the member is inflated again, and only if it was asked for.
  const kernels = await kernelsOf(againFrom(open, member.bytes), entries, {
    ...options,
    kernels: options.kernels === 'all' ? 'all' : 'none',
  });
  for (const one of kernels.unread) note(member.offset, `${member.name}, ${one.offset}: ${one.reason}`);
  return {
    ...inspected(member.name, facts.kind, { ...facts, neededVersions: [] }, code, kernels.list, kernels.toolkit),
    unread: facts.unread.map((one) => ({ path: member.name, ...one })),
  };
}
