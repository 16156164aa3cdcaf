// Exported symbols of a file of which only the beginning is there: the dynamic section, which tells where they are, lies
// behind the code that they name. Linkers put the symbols before their names, and both before the code.
import { offsetOf } from './dynamic.ts';
import type { Elf } from './elf.ts';
import { stringAt } from './fields.ts';
import { parseSymbol } from './symbols.ts';
import type { Exported } from './symbols.ts';

const symbolBytes = 24;
const least = 4;
const leastUnnamed = 16;
const mostTries = 64;
const mostNumbers = 64;
const object = 1;

/** Symbols of `names` that the head of a 64-bit file seems to define. A wrong guess costs the reading of a few bytes. */
export function guessedSymbols(head: Uint8Array, elf: Elf, names: readonly string[]): readonly Exported[] {
  if (elf.header.bits !== 64) return [];
  const wanted = new Set(names);
  let tries = 0;
  for (let at = 64; at + symbolBytes * least <= head.length && tries < mostTries; at += 8) {
    if (!isZero(head, at) || !looksLikeSymbol(head, at + symbolBytes)) continue;
    tries += 1;
    let end = at + symbolBytes;
    while (end + symbolBytes <= head.length && looksLikeSymbol(head, end)) end += symbolBytes;
    if (end < at + symbolBytes * least) continue;
    const found = namedIn(head, elf, at, end, wanted);
    if (found !== null) return found;
    // patchelf moves the names to the end of the file: numbers that are exported are few, all are taken.
    if (end - at >= symbolBytes * leastUnnamed) return numbersIn(head, elf, at, end);
    at = end - 8;
  }
  return [];
}

/** The first symbol is all zero. */
function isZero(head: Uint8Array, at: number): boolean {
  for (let i = 0; i < symbolBytes; i += 1) if (head[at + i] !== 0) return false;
  return true;
}

function looksLikeSymbol(head: Uint8Array, at: number): boolean {
  const info = head[at + 4] ?? 0xff;
  const bind = info >> 4;
  const type = info & 15;
  return (bind === 1 || bind === 2 || bind === 10) && (type <= 6 || type === 10) && (head[at + 5] ?? 0xff) <= 3;
}

/** The names follow the symbols; null where what follows are no names. */
function namedIn(
  head: Uint8Array,
  elf: Elf,
  from: number,
  to: number,
  wanted: ReadonlySet<string>,
): readonly Exported[] | null {
  if (head[to] !== 0) return null;
  const found: Exported[] = [];
  for (let at = from + symbolBytes; at < to; at += symbolBytes) {
    const symbol = parseSymbol(head, at, elf);
    const name = stringAt(head, to + symbol.nameAt, 64);
    if (at < from + symbolBytes * least && !/^[\w.$@]{1,64}$/.test(name)) return null;
    if (!wanted.has(name) || symbol.section === 0 || symbol.address === null || symbol.size === null) continue;
    const offset = offsetOf(elf, symbol.address);
    if (offset !== null) found.push({ name, offset, size: symbol.size });
  }
  return found;
}

/** Objects of four bytes. */
function numbersIn(head: Uint8Array, elf: Elf, from: number, to: number): readonly Exported[] {
  const found: Exported[] = [];
  for (let at = from + symbolBytes; at < to && found.length < mostNumbers; at += symbolBytes) {
    const symbol = parseSymbol(head, at, elf);
    if ((symbol.info & 15) !== object || symbol.size !== 4 || symbol.section === 0 || symbol.address === null) continue;
    const offset = offsetOf(elf, symbol.address);
    if (offset !== null) found.push({ name: '', offset, size: 4 });
  }
  return found;
}
