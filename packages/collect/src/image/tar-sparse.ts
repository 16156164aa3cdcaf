// Sparse files in tar: GNU's old form and the three of pax (GNU tar manual, "Storing Sparse Files").
import { decimalOf, numberOf, TarError } from './tar-fields.ts';
import type { Taker } from './tar-reader.ts';

/** Place and length of each piece that is there, one after the other; what lies between is zeros. */
export type SparseMap = readonly number[];

/** Zeros that one file may have where it is read: more are no file that a loader would take. */
const mostHoles = 4 * 1024 ** 3;
const mostPieces = 65_536;

/** The map of an old GNU header, or of a block that follows one. */
export function oldSparse(head: Uint8Array, header: number, follows = false): { map: number[]; more: boolean } {
  const map: number[] = [];
  const start = follows ? 0 : 386;
  for (let at = start; at < start + (follows ? 21 : 4) * 24; at += 24) {
    if (head[at] === 0 && head[at + 12] === 0) break;
    map.push(numberOf(head, at, 12, header), numberOf(head, at + 12, 12, header));
  }
  return { map, more: head[follows ? 504 : 482] === 1 };
}

/** What pax records say of a sparse file; null where it is none. The map may stand before the content (form 1.0). */
export function paxSparse(
  records: ReadonlyMap<string, string>,
  header: number,
): { readonly name: string | null; readonly real: number | null; readonly map: SparseMap | null } | null {
  const text = records.get('GNU.sparse.map');
  const inContent = records.get('GNU.sparse.major') === '1';
  if (text === undefined && !inContent) return null;
  const real = records.get('GNU.sparse.realsize') ?? records.get('GNU.sparse.size');
  const map = text === undefined || inContent ? null : text.split(',').map((each) => decimalOf(each, header));
  if (map !== null && map.length > 2 * mostPieces)
    throw new TarError(`header ${header} has more than ${mostPieces} holes`);
  return {
    name: records.get('GNU.sparse.name') ?? null,
    real: real === undefined ? null : decimalOf(real, header),
    map,
  };
}

const nothing: Uint8Array = new Uint8Array(64 * 1024);

/**
 * Takes the pieces and gives the whole file.
 * @throws TarError where the map is not in order or there is too much between the pieces
 */
export function expanding(taker: Taker, map: SparseMap, bytes: number, entry: number): Taker {
  let piece = 0;
  let at = 0;
  let left = 0;
  if (map.length % 2 !== 0) throw new TarError(`entry ${entry}: the map of the sparse file is damaged`);
  let before = 0;
  let present = 0;
  for (let each = 0; each < map.length; each += 2) {
    const end = map[each]! + map[each + 1]!;
    if (map[each]! < before || end > bytes) throw new TarError(`entry ${entry}: the map of the sparse file is damaged`);
    before = end;
    present += map[each + 1]!;
  }
  if (bytes - present > mostHoles) throw new TarError(`entry ${entry}: a sparse file with holes of ${bytes} bytes`);
  const zeros = (count: number): void => {
    at += count;
    for (let rest = count; rest > 0; rest -= nothing.length)
      taker.data(rest < nothing.length ? nothing.subarray(0, rest) : nothing);
  };
  const next = (): void => {
    while (left === 0 && piece < map.length) {
      zeros(map[piece]! - at);
      left = map[piece + 1]!;
      piece += 2;
    }
  };
  return {
    data: (chunk) => {
      let from = 0;
      while (from < chunk.length) {
        next();
        if (left === 0) return;
        const count = Math.min(left, chunk.length - from);
        taker.data(chunk.subarray(from, from + count));
        at += count;
        left -= count;
        from += count;
      }
    },
    end: () => {
      next();
      if (at < bytes && left === 0) zeros(bytes - at);
      taker.end();
    },
  };
}

/** The form 1.0 of pax: the map is lines of numbers before the content, padded to a block. */
export function sparseText(taker: Taker, bytes: number, entry: number): Taker {
  let numbers: number[] = [];
  let digits = '';
  let read = 0;
  let skip = -1;
  let inner: Taker | null = null;
  const complete = (): boolean => numbers.length > 0 && numbers.length === 1 + 2 * numbers[0]!;
  return {
    data: (chunk) => {
      let from = 0;
      while (from < chunk.length && skip < 0) {
        const byte = chunk[from++]!;
        read++;
        if (byte === 0x0a) {
          numbers.push(decimalOf(digits, entry));
          digits = '';
          if (numbers[0]! > mostPieces) throw new TarError(`entry ${entry} has more than ${mostPieces} holes`);
          if (complete()) skip = (512 - (read % 512)) % 512;
        } else if (digits.length < 20) digits += String.fromCharCode(byte);
        else throw new TarError(`entry ${entry}: the map of the sparse file is damaged`);
      }
      if (skip < 0) return;
      const padding = Math.min(skip, chunk.length - from);
      skip -= padding;
      from += padding;
      if (inner === null) {
        inner = expanding(taker, numbers.slice(1), bytes, entry);
        numbers = [];
      }
      if (from < chunk.length) inner.data(chunk.subarray(from));
    },
    end: () => (inner ?? taker).end(),
  };
}
