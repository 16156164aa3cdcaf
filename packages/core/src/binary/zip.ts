// Zip files, as wheels are, without unpacking them: the directory at the end, then members by their place.
// PKWARE APPNOTE 6.3.10: https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT
import { viewOf } from './bytes.ts';
import { u64, within } from './fields.ts';
import type { Unread } from './model.ts';
import type { ByteSource } from './source.ts';

export interface ZipMember {
  readonly name: string;
  /** 0 stored, 8 deflated. */
  readonly method: number;
  readonly encrypted: boolean;
  readonly packedBytes: number;
  readonly bytes: number;
  /** Of its local header. */
  readonly offset: number;
}

const endSignature = 0x06054b50;
const locatorSignature = 0x07064b50;
const end64Signature = 0x06064b50;
const centralSignature = 0x02014b50;
const localSignature = 0x04034b50;
const longestComment = 65_535;
const mostDirectory = 256 * 1024 ** 2;
const mostMembers = 200_000;
const piece = 4 * 1024 ** 2;

/** True where a zip file begins. */
export function isZip(head: Uint8Array): boolean {
  return head.length >= 4 && head[0] === 0x50 && head[1] === 0x4b && (head[2] === 3 || head[2] === 5);
}

/** Members in the order of the directory. Rejects only with the source. */
export async function readZip(
  source: ByteSource,
): Promise<{ readonly members: readonly ZipMember[]; readonly unread: readonly Unread[] }> {
  const nothing = (offset: number, reason: string): { members: ZipMember[]; unread: Unread[] } => ({
    members: [],
    unread: [{ offset, reason }],
  });
  const tailAt = Math.max(0, source.size - longestComment - 22);
  const tail = await source.read(tailAt, source.size - tailAt);
  const view = viewOf(tail);
  let end = tail.length - 22;
  while (end >= 0 && view.getUint32(end, true) !== endSignature) end -= 1;
  if (end < 0) return nothing(source.size, 'the directory at the end of the zip file is missing: the file is cut off');
  let size: number | null = view.getUint32(end + 12, true);
  let offset: number | null = view.getUint32(end + 16, true);
  if (end >= 20 && view.getUint32(end - 20, true) === locatorSignature) {
    const at = u64(view, end - 12, true);
    const record = at !== null && within(at, 56, source.size) ? await source.read(at, 56) : new Uint8Array(0);
    if (record.length < 56 || viewOf(record).getUint32(0, true) !== end64Signature)
      return nothing(tailAt + end - 20, 'the zip64 directory is said to lie where there is none');
    size = u64(viewOf(record), 40, true);
    offset = u64(viewOf(record), 48, true);
  }
  if (size === null || offset === null || !within(offset, size, source.size) || size > mostDirectory)
    return nothing(tailAt + end, 'the directory of the zip file is said to lie outside of it');
  const told = view.getUint16(end + 10, true);
  if (size === 0 && told > 0)
    return nothing(tailAt + end, `the directory of the zip file is said to have ${told} members in 0 bytes`);
  return readDirectory(source, offset, size);
}

async function readDirectory(
  source: ByteSource,
  from: number,
  size: number,
): Promise<{ readonly members: readonly ZipMember[]; readonly unread: readonly Unread[] }> {
  const members: ZipMember[] = [];
  const decoder = new TextDecoder();
  let at = 0;
  while (at < size) {
    const bytes = await source.read(from + at, Math.min(piece, size - at));
    const view = viewOf(bytes);
    let i = 0;
    while (i + 46 <= bytes.length) {
      if (view.getUint32(i, true) !== centralSignature)
        return { members, unread: [{ offset: from + at + i, reason: 'no entry of the zip directory is here' }] };
      const nameLength = view.getUint16(i + 28, true);
      const extraLength = view.getUint16(i + 30, true);
      const length = 46 + nameLength + extraLength + view.getUint16(i + 32, true);
      if (i + length > bytes.length) break;
      members.push(memberAt(bytes, view, i, nameLength, extraLength, decoder));
      if (members.length >= mostMembers)
        return {
          members,
          unread: [{ offset: from + at + i, reason: `more than ${mostMembers} members; the rest was not read` }],
        };
      i += length;
    }
    if (i === 0) {
      return { members, unread: [{ offset: from + at, reason: 'the zip directory ends inside an entry' }] };
    }
    at += i;
  }
  return { members, unread: [] };
}

function memberAt(
  bytes: Uint8Array,
  view: DataView,
  at: number,
  nameLength: number,
  extraLength: number,
  decoder: TextDecoder,
): ZipMember {
  let unpacked = view.getUint32(at + 24, true);
  let packed = view.getUint32(at + 20, true);
  let offset = view.getUint32(at + 42, true);
  const extraEnd = at + 46 + nameLength + extraLength;
  for (let i = at + 46 + nameLength; i + 4 <= extraEnd; i += 4 + view.getUint16(i + 2, true)) {
    if (view.getUint16(i, true) !== 1) continue;
    // Zip64: only fields that do not fit stand here, in this order.
    let field = i + 4;
    const wide = (value: number): number => {
      if (value !== 0xffff_ffff || field + 8 > extraEnd) return value;
      const found = u64(view, field, true) ?? Number.MAX_SAFE_INTEGER;
      field += 8;
      return found;
    };
    unpacked = wide(unpacked);
    packed = wide(packed);
    offset = wide(offset);
    break;
  }
  return {
    name: decoder.decode(bytes.subarray(at + 46, at + 46 + nameLength)),
    method: view.getUint16(at + 10, true),
    encrypted: (view.getUint16(at + 8, true) & 1) !== 0,
    packedBytes: packed,
    bytes: unpacked,
    offset,
  };
}

/** Place of the packed bytes of a member; a string says why there is none. */
export async function placeOfMember(source: ByteSource, member: ZipMember): Promise<number | string> {
  if (!within(member.offset, 30, source.size)) return 'the member is said to lie outside the zip file';
  const head = await source.read(member.offset, 30);
  if (head.length < 30 || viewOf(head).getUint32(0, true) !== localSignature)
    return 'no member of the zip file begins here';
  const at = member.offset + 30 + viewOf(head).getUint16(26, true) + viewOf(head).getUint16(28, true);
  return within(at, member.packedBytes, source.size) ? at : 'the member goes past the end of the zip file';
}
