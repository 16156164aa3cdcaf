/*
 * Numbers out of bytes. Times of a trace are microseconds, absolute ones of 16 digits with three more behind the point:
 * too many for one double, so the whole and the fraction are kept apart.
 */

const decoder = new TextDecoder();

/** A time in whole microseconds and the nanoseconds beyond them. */
export interface Micros {
  whole: number;
  nanos: number;
}

/**
 * Reads a number of microseconds, bare or in quotation marks.
 * @returns false where it is no finite number
 */
export function microsOf(bytes: Uint8Array, from: number, to: number, into: Micros): boolean {
  if (bytes[from] === 0x22) {
    from++;
    to--;
  }
  let at = from;
  const negative = bytes[at] === 0x2d;
  if (negative) at++;
  let whole = 0;
  const digits = at;
  for (; at < to; at++) {
    const digit = bytes[at]! - 48;
    if (digit < 0 || digit > 9) break;
    whole = whole * 10 + digit;
  }
  if (at === digits || at - digits > 16) return slowMicros(bytes, from, to, into);
  let nanos = 0;
  if (at < to) {
    if (bytes[at] !== 0x2e) return slowMicros(bytes, from, to, into);
    at++;
    let worth = 100;
    for (; at < to; at++) {
      const digit = bytes[at]! - 48;
      if (digit < 0 || digit > 9) return slowMicros(bytes, from, to, into);
      nanos += digit * worth;
      worth /= 10;
      if (worth < 1e-6) worth = 0;
    }
    nanos = Math.round(nanos);
  }
  into.whole = negative ? -whole : whole;
  into.nanos = negative ? -nanos : nanos;
  return true;
}

function slowMicros(bytes: Uint8Array, from: number, to: number, into: Micros): boolean {
  const value = numberOf(bytes, from, to);
  if (value === null) return false;
  into.whole = Math.floor(value);
  into.nanos = Math.round((value - into.whole) * 1000);
  return Number.isSafeInteger(into.whole);
}

/** Any finite number, bare or in quotation marks; null for everything else. */
export function numberOf(bytes: Uint8Array, from: number, to: number): number | null {
  if (bytes[from] === 0x22) {
    from++;
    to--;
  }
  if (to <= from || to - from > 64) return null;
  const text = decoder.decode(bytes.subarray(from, to));
  if (!/^[-+]?(?:\d{1,40}\.?\d{0,40}|\.\d{1,40})(?:[eE][-+]?\d{1,4})?$/.test(text)) return null;
  const value = Number(text);
  return Number.isFinite(value) ? value : null;
}

/** A whole number of at most 15 digits without a string; others the slow way. Null where it is none. */
export function wholeOf(bytes: Uint8Array, from: number, to: number): number | null {
  let at = from;
  let end = to;
  if (bytes[at] === 0x22) {
    at++;
    end--;
  }
  const negative = bytes[at] === 0x2d;
  if (negative) at++;
  if (at >= end || end - at > 15) return slowWhole(bytes, from, to);
  let value = 0;
  for (; at < end; at++) {
    const digit = bytes[at]! - 48;
    if (digit < 0 || digit > 9) return slowWhole(bytes, from, to);
    value = value * 10 + digit;
  }
  return negative ? -value : value;
}

function slowWhole(bytes: Uint8Array, from: number, to: number): number | null {
  const value = numberOf(bytes, from, to);
  return value === null ? null : Math.trunc(value);
}

/** Numbers that join events; those beyond 2^53 get one of their own, so that neighbours stay apart. */
export class IdTable {
  #large = new Map<string, number>();
  /** Ids that were too many to keep. */
  lost = 0;

  /** @returns -1 where there is none; 0 counts as none, as profilers number from 1 */
  of(bytes: Uint8Array, from: number, to: number): number {
    const small = to - from <= 15 ? wholeOf(bytes, from, to) : null;
    if (small !== null) return small > 0 ? small : -1;
    const text = decoder.decode(bytes.subarray(from, Math.min(to, from + 66))).replaceAll('"', '');
    if (!/^\+?\d{1,40}$/.test(text)) return -1;
    const value = Number(text);
    if (Number.isSafeInteger(value)) return value > 0 ? value : -1;
    const known = this.#large.get(text);
    if (known !== undefined) return known;
    if (this.#large.size >= 1_000_000) {
      this.lost++;
      return -1;
    }
    const given = Number.MAX_SAFE_INTEGER - this.#large.size;
    this.#large.set(text, given);
    return given;
  }
}

/** Up to three whole numbers of `[128, 1, 1]`; missing ones are 1. */
export function triple(bytes: Uint8Array, from: number, to: number, into: Float64Array, offset: number): boolean {
  let axis = 0;
  let value = -1;
  into[offset + 1] = 1;
  into[offset + 2] = 1;
  for (let at = from; at < to && axis < 3; at++) {
    const digit = bytes[at]! - 48;
    if (digit >= 0 && digit <= 9) value = (value < 0 ? 0 : value * 10) + digit;
    else if (value >= 0) {
      into[offset + axis++] = value;
      value = -1;
    }
  }
  return axis > 0;
}
