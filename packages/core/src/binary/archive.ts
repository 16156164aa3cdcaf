// Static libraries: `ar` archives, System V and BSD names. https://man.freebsd.org/cgi/man.cgi?query=ar&sektion=5
import { stringAt } from './fields.ts';
import type { Unread } from './model.ts';
import type { ByteSource } from './source.ts';

export interface ArchiveMember {
  readonly name: string;
  readonly offset: number;
  readonly size: number;
}

const magicLength = 8;
const headerLength = 60;
const mostMembers = 100_000;
const mostNames = 4 * 1024 ** 2;

/** True where an archive begins; a thin one names files elsewhere. */
export function isArchive(head: Uint8Array): boolean {
  const text = stringAt(head, 0, magicLength);
  return text === '!<arch>\n' || text === '!<thin>\n';
}

/** Members of an archive in their order, without tables of symbols and names. Rejects only with the source. */
export async function readArchive(
  source: ByteSource,
): Promise<{ readonly members: readonly ArchiveMember[]; readonly unread: readonly Unread[] }> {
  const members: ArchiveMember[] = [];
  const unread: Unread[] = [];
  if (stringAt(await source.read(0, magicLength), 0, magicLength) === '!<thin>\n') {
    return { members, unread: [{ offset: 0, reason: 'a thin archive: its members are files elsewhere; name those' }] };
  }
  let names: Uint8Array = new Uint8Array(0);
  let at = magicLength;
  while (at < source.size) {
    const head = await source.read(at, headerLength + 256);
    const size = sizeOf(head);
    if (head.length < headerLength || size === null) {
      unread.push({
        offset: at,
        reason:
          head.length < headerLength ? 'the archive ends inside a header' : 'no header of an archive member is here',
      });
      break;
    }
    const from = at + headerLength;
    if (size > source.size - from) {
      unread.push({ offset: at, reason: `a member of ${size} bytes goes past the end of the archive` });
      break;
    }
    const raw = stringAt(head, 0, 16).trimEnd();
    if (raw === '//') names = await source.read(from, Math.min(size, mostNames));
    else if (raw !== '/' && raw !== '/SYM64/' && !raw.startsWith('__.SYMDEF')) {
      const inline = /^#1\/(\d{1,6})$/.exec(raw)?.[1];
      const taken = inline === undefined ? 0 : Math.min(Number(inline), size);
      members.push({
        name: inline === undefined ? nameOf(raw, names) : stringAt(head, headerLength, Math.min(taken, 256)),
        offset: from + taken,
        size: size - taken,
      });
      if (members.length >= mostMembers) {
        unread.push({ offset: at, reason: `more than ${mostMembers} members; the rest was not read` });
        break;
      }
    }
    at = from + size + (size % 2);
  }
  return { members, unread };
}

function sizeOf(head: Uint8Array): number | null {
  if (head[58] !== 0x60 || head[59] !== 0x0a) return null;
  const text = stringAt(head.subarray(48, 58), 0, 10).trim();
  return /^\d{1,10}$/.test(text) ? Number(text) : null;
}

/** `libfoo.o/` of System V, `/123` for a place in the table of long names. */
function nameOf(raw: string, names: Uint8Array): string {
  const place = /^\/(\d{1,10})$/.exec(raw)?.[1];
  if (place === undefined) return raw.endsWith('/') ? raw.slice(0, -1) : raw;
  const line = stringAt(names, Number(place), 1024).split('\n')[0] ?? '';
  return line.endsWith('/') ? line.slice(0, -1) : line;
}
