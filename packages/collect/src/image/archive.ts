// Files of a tar archive by name: read at any place, or, where the whole archive is compressed, as they go by.
import { ImageError } from './errors.ts';
import { normalPath, printable } from './layer-collector.ts';
import type { OpenFile } from './open-file.ts';
import type { InflaterOf } from './packing.ts';
import { packingOf } from './packing.ts';
import { TarError } from './tar-fields.ts';
import type { Taker, TarEntry } from './tar-reader.ts';
import { TarReader } from './tar-reader.ts';

/** Gets the bytes of one file in order. */
export interface Sink {
  push(chunk: Uint8Array): Promise<void>;
  end(): Promise<void>;
}

export interface Archive {
  readonly place: string;
  /** Bytes of a file; null where there is none of that name. Links inside the archive are followed. */
  sizeOf(name: string): number | null;
  /** Under which name the bytes lie, links followed. */
  placeOf(name: string): string | null;
  /**
   * @throws ImageError where it is missing or too long
   */
  small(name: string, most: number): Promise<Uint8Array>;
  /** Absent where the archive can only be read from its beginning. */
  stream?(name: string): AsyncIterable<Uint8Array>;
  /** Reads the archive once more and hands over files whose sink is given. */
  inOrder?(sinkOf: (name: string) => Sink | null): Promise<void>;
  close(): Promise<void>;
}

interface Found {
  readonly offset: number;
  readonly bytes: number;
  readonly link: string | null;
}

const mostMembers = 200_000;
const mostLinks = 16;
const step = 64 * 1024;
/** What a piece of the archive inflates to is held until it was read: Zstandard gives up to 32,000 times as much. */
const zstdPiece = 4096;
/** Small files of a compressed archive that are held: manifests and configurations. */
const mostHeld = 64 * 1024 ** 2;
const mostSmall = 16 * 1024 ** 2;

/**
 * The tar archive in a file, compressed or not. Closing it closes the file, as does an error.
 * @param path how it is called
 * @throws ImageError where it is none, or damaged
 */
export async function archiveOf(path: string, file: OpenFile, inflaterOf: InflaterOf): Promise<Archive> {
  try {
    const first = await file.read(0, 512);
    if (first.length === 0) throw new ImageError('no-image', `${path}: the file is empty`);
    return packingOf(first) === null ? await seekable(path, file, first) : await packed(path, file, inflaterOf);
  } catch (error) {
    await file.close();
    if (error instanceof TarError)
      throw new ImageError(
        'damaged',
        `${path}: ${error.message}`,
        'the archive is damaged or cut: save the image again',
      );
    throw error;
  }
}

async function seekable(path: string, file: OpenFile, first: Uint8Array): Promise<Archive> {
  const found = new Map<string, Found>();
  const reader = new TarReader((entry) => {
    keep(found, entry, path);
    return null;
  });
  if (first.length < 512) throw noArchive(path, first);
  let at = 0;
  while (at < file.size && !reader.ended) {
    const chunk = await file.read(at, step);
    if (chunk.length === 0) break;
    try {
      reader.push(chunk);
    } catch (error) {
      if (error instanceof TarError && at === 0 && reader.entries === 0) throw noArchive(path, first);
      throw error;
    }
    at += chunk.length;
    if (at + reader.idle > file.size) throw new TarError(`the tar ends within entry ${reader.entries}`);
    at += reader.idle;
    reader.skip();
  }
  reader.end();
  const { placeOf, sizeOf } = namesOf(found);
  const need = (name: string): Found => {
    const place = placeOf(name);
    if (place === null) throw missing(path, name);
    return found.get(place)!;
  };
  return {
    place: path,
    placeOf,
    sizeOf,
    small: async (name, most) => {
      const { offset, bytes } = need(name);
      if (bytes > most) throw new ImageError('too-much', `${path}: ${printable(name)} is longer than ${most} bytes`);
      return file.read(offset, bytes);
    },
    stream: (name) => {
      const { offset, bytes } = need(name);
      return file.stream(offset, bytes);
    },
    close: () => file.close(),
  };
}

function keep(found: Map<string, Found>, entry: TarEntry, path: string): void {
  if (found.size >= mostMembers)
    throw new ImageError('too-much', `${path}: the archive has more than ${mostMembers} files`);
  const name = normalPath(entry.name);
  if (name === null) return;
  if (entry.type === 'file') found.set(name, { offset: entry.offset, bytes: entry.bytes, link: null });
  else if (entry.type === 'symlink') {
    const target = normalPath(`${name.slice(0, name.lastIndexOf('/'))}/${entry.link}`);
    if (target !== null && !entry.link.startsWith('/')) found.set(name, { offset: 0, bytes: 0, link: target });
  } else if (entry.type === 'hardlink') {
    const target = normalPath(entry.link);
    if (target !== null) found.set(name, { offset: 0, bytes: 0, link: target });
  }
}

function namesOf(found: ReadonlyMap<string, Found>): Pick<Archive, 'placeOf' | 'sizeOf'> {
  const placeOf = (name: string): string | null => {
    let at = normalPath(name);
    for (let links = 0; at !== null && links <= mostLinks; links++) {
      const file = found.get(at);
      if (file === undefined) return null;
      if (file.link === null) return at;
      at = file.link;
    }
    return null;
  };
  return {
    placeOf,
    sizeOf: (name) => {
      const place = placeOf(name);
      return place === null ? null : found.get(place)!.bytes;
    },
  };
}

/** The archive is gone through twice: for its names and small files, then for the layers. */
async function packed(path: string, file: OpenFile, inflaterOf: InflaterOf): Promise<Archive> {
  const found = new Map<string, Found>();
  const held = new Map<string, Uint8Array>();
  let bytes = 0;
  await through(path, file, inflaterOf, (entry) => {
    keep(found, entry, path);
    const name = normalPath(entry.name);
    if (entry.type !== 'file' || name === null || entry.bytes > mostSmall || bytes + entry.bytes > mostHeld)
      return null;
    if (entry.bytes > 4 * 1024 ** 2 && !name.endsWith('.json')) return null;
    bytes += entry.bytes;
    const content = new Uint8Array(entry.bytes);
    let filled = 0;
    return {
      data: (chunk) => {
        content.set(chunk, filled);
        filled += chunk.length;
      },
      end: () => {
        // Of small files, only JSON is asked for by name.
        const first = content[0];
        if (first === 0x7b || first === 0x5b || filled < 4096) held.set(name, content);
        else bytes -= content.length;
      },
    };
  });
  const { placeOf, sizeOf } = namesOf(found);
  return {
    place: path,
    placeOf,
    sizeOf,
    small: async (name, most) => {
      const place = placeOf(name);
      if (place === null) throw missing(path, name);
      const content = held.get(place);
      if (content === undefined || content.length > most)
        throw new ImageError('too-much', `${path}: ${printable(name)} is no small JSON file`);
      return content;
    },
    inOrder: async (sinkOf) => {
      await through(path, file, inflaterOf, (entry, wait) => {
        const name = normalPath(entry.name);
        const sink = entry.type === 'file' && name !== null ? sinkOf(name) : null;
        if (sink === null) return null;
        if (entry.bytes === 0) return { data: () => {}, end: () => wait(() => sink.end()) };
        return {
          data: (chunk) => wait(() => sink.push(chunk)),
          end: () => wait(() => sink.end()),
        };
      });
    },
    close: () => file.close(),
  };
}

/** Goes through a compressed tar; what is put on `wait` is done before more is inflated. */
async function through(
  path: string,
  file: OpenFile,
  inflaterOf: InflaterOf,
  entry: (entry: TarEntry, wait: (work: () => Promise<void>) => void) => Taker | null,
): Promise<void> {
  const waiting: (() => Promise<void>)[] = [];
  let unpacked = 0;
  const reader = new TarReader((each) => entry(each, (work) => void waiting.push(work)));
  const ready: Uint8Array[] = [];
  const first = await file.read(0, 8);
  const piece = packingOf(first) === 'zstd' ? zstdPiece : step;
  const inflater = inflaterOf(first, (chunk) => {
    ready.push(chunk);
  });
  const drain = async (): Promise<void> => {
    for (let chunk = ready.shift(); chunk !== undefined; chunk = ready.shift()) {
      unpacked += chunk.length;
      reader.push(chunk);
      for (let work = waiting.shift(); work !== undefined; work = waiting.shift()) await work();
    }
  };
  try {
    for (let at = 0; at < file.size && !reader.ended; at += step) {
      const bytes = await file.read(at, step);
      for (let from = 0; from < bytes.length && !reader.ended; from += piece) {
        await inflater.push(bytes.subarray(from, from + piece));
        await drain();
      }
      if (unpacked > 1024 ** 4) throw new ImageError('too-much', `${path}: it unpacks to more than 1 TiB`);
    }
    if (!reader.ended) {
      const wrong = await inflater.end();
      await drain();
      if (wrong !== null)
        throw new ImageError('damaged', `${path}: ${wrong}`, 'the archive is damaged or cut: save the image again');
      reader.end();
    }
  } catch (error) {
    if (error instanceof TarError && reader.entries === 0)
      throw new ImageError('no-image', `${path}: it is compressed, but no tar archive`);
    throw error;
  } finally {
    inflater.close();
  }
}

function missing(path: string, name: string): ImageError {
  return new ImageError(
    'no-image',
    `${path}: there is no ${printable(name)} in the archive`,
    'the image is not whole: save it again',
  );
}

function noArchive(path: string, first: Uint8Array): ImageError {
  const kind =
    first[0] === 0x7f && first[1] === 0x45
      ? 'a program or library'
      : first[0] === 0x50 && first[1] === 0x4b
        ? 'a zip archive'
        : first[0] === 0x68 && first[1] === 0x73 && first[2] === 0x71
          ? 'a squashfs file system'
          : first[0] === 0x42 && first[1] === 0x5a && first[2] === 0x68
            ? 'compressed with bzip2'
            : first[0] === 0xfd && first[1] === 0x37
              ? 'compressed with xz'
              : 'no tar archive';
  return new ImageError('no-image', `${path}: it is ${kind}`, 'an image is saved by: docker save -o FILE IMAGE');
}
