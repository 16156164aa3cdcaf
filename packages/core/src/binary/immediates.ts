// Numbers that short functions hold in their code. A function that answers with the version of its library has that
// number as an operand; no instruction is run or fully decoded.
import { viewOf } from './bytes.ts';

/** 32-bit operands of `mov` in x86-64 code: to a register, and to memory. Each in the order of the code. */
export function movedNumbers(code: Uint8Array): readonly number[] {
  const view = viewOf(code);
  const numbers: number[] = [];
  for (let at = 0; at + 5 <= code.length; at += 1) {
    const byte = code[at] ?? 0;
    if (byte >= 0xb8 && byte <= 0xbf) numbers.push(view.getUint32(at + 1, true));
    if (byte !== 0xc7) continue;
    // C7 /0: mod and rm say how many bytes of address stand before the operand.
    const form = code[at + 1] ?? 0;
    if ((form & 0x38) !== 0) continue;
    const mode = form >> 6;
    if (mode === 3) continue;
    const rm = form & 7;
    const sib = rm === 4 ? 1 : 0;
    const address = mode === 1 ? 1 : mode === 2 || rm === 5 ? 4 : 0;
    const from = at + 2 + sib + address;
    if (from + 4 <= code.length) numbers.push(view.getUint32(from, true));
  }
  return numbers;
}

/** Numbers that aarch64 code puts into a register by `movz` and `movk`. */
export function builtNumbers(code: Uint8Array): readonly number[] {
  const view = viewOf(code);
  const numbers: number[] = [];
  const registers = new Map<number, number>();
  for (let at = 0; at + 4 <= code.length; at += 4) {
    const word = view.getUint32(at, true);
    const register = word & 31;
    const value = (word >>> 5) & 0xffff;
    const shift = ((word >>> 21) & 3) * 16;
    if (shift > 16) continue;
    if ((word & 0x7f80_0000) === 0x5280_0000) {
      registers.set(register, value * 2 ** shift);
      numbers.push(value * 2 ** shift);
    } else if ((word & 0x7f80_0000) === 0x7280_0000 && shift === 16) {
      const low = (registers.get(register) ?? 0) % 0x1_0000;
      numbers.push(value * 0x1_0000 + low);
    }
  }
  return numbers;
}

/** Places, from the start of the code, that x86-64 code calls directly. */
export function calledPlaces(code: Uint8Array): readonly number[] {
  const view = viewOf(code);
  const places: number[] = [];
  for (let at = 0; at + 5 <= code.length && places.length < 64; at += 1) {
    if (code[at] === 0xe8) places.push(at + 5 + view.getInt32(at + 1, true));
  }
  return places;
}

/**
 * The number that a function writes through its first argument after it looked that this is not null:
 * `test rdi, rdi; je …; mov dword [rdi], NUMBER`, as `cudaRuntimeGetVersion` does. Null for any other code.
 */
export function writtenNumber(code: Uint8Array, from: number = 0): number | null {
  const endbr = code[from] === 0xf3 && code[from + 1] === 0x0f && code[from + 2] === 0x1e && code[from + 3] === 0xfa;
  const at = endbr ? from + 4 : from;
  if (at + 11 > code.length) return null;
  if (code[at] !== 0x48 || code[at + 1] !== 0x85 || code[at + 2] !== 0xff || code[at + 3] !== 0x74) return null;
  if (code[at + 5] !== 0xc7 || code[at + 6] !== 0x07) return null;
  return viewOf(code).getUint32(at + 7, true);
}
