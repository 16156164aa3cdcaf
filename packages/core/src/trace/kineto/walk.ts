/*
 * Steps over JSON in bytes, without a copy. Every function gives the place behind what it stepped over, or `unfinished`,
 * or the place where it is no JSON, as `damagedAt` makes it.
 */

/** The bytes end before the value does. */
export const unfinished = -1;

/** A place where the bytes are no JSON, told apart from places that are reached; its own inverse. */
export function damagedAt(place: number): number {
  return -2 - place;
}

/** 0 may stand outside of strings; others stop a loop: 1 `"`, 2 `{ [`, 3 `} ]`, 4 nothing of JSON. */
export const classes: Uint8Array = new Uint8Array(256).fill(4);
// Of letters only those of true, false, null, NaN and Infinity.
for (const character of ' \t\n\r,:+-.0123456789truefalsnNIiyE') classes[character.codePointAt(0)!] = 0;
classes[0x22] = 1;
classes[0x7b] = 2;
classes[0x5b] = 2;
classes[0x7d] = 3;
classes[0x5d] = 3;

/** @param at behind the opening quotation mark; @returns the place of the closing one */
export function stringEnd(bytes: Uint8Array, at: number, end: number): number {
  while (at < end) {
    const byte = bytes[at]!;
    if (byte === 0x22) return at;
    at += byte === 0x5c ? 2 : 1;
  }
  return unfinished;
}

export function blanksEnd(bytes: Uint8Array, at: number, end: number): number {
  while (at < end) {
    const byte = bytes[at]!;
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return at;
    at++;
  }
  return end;
}

/** @param at the opening bracket; @returns behind the closing one */
function nestedEnd(bytes: Uint8Array, at: number, end: number): number {
  let depth = 0;
  while (at < end) {
    const kind = classes[bytes[at]!]!;
    at++;
    if (kind === 0) continue;
    if (kind === 1) {
      let byte = 0;
      while (at < end && (byte = bytes[at]!) !== 0x22) at += byte === 0x5c ? 2 : 1;
      if (at >= end) return unfinished;
      at++;
    } else if (kind === 2) depth++;
    else if (kind === 3) {
      depth--;
      if (depth === 0) return at;
    } else return damagedAt(at - 1);
  }
  return unfinished;
}

/** @param at the first byte of the value; @returns behind its last */
export function valueEnd(bytes: Uint8Array, at: number, end: number): number {
  if (at >= end) return unfinished;
  const first = bytes[at]!;
  if (first === 0x22) {
    const close = stringEnd(bytes, at + 1, end);
    return close < 0 ? close : close + 1;
  }
  const kind = classes[first]!;
  if (kind === 2) return nestedEnd(bytes, at, end);
  if (kind !== 0 || first === 0x2c || first === 0x3a) return damagedAt(at);
  const from = at;
  while (at < end) {
    const byte = bytes[at]!;
    if (byte === 0x2c || byte === 0x7d || byte === 0x5d || byte <= 0x20) return at;
    if (at - from > 64 || classes[byte] !== 0) return damagedAt(at);
    at++;
  }
  return unfinished;
}

/** Where a member of an object stands. */
export interface Member {
  keyFrom: number;
  keyTo: number;
  valueFrom: number;
  valueTo: number;
  /** The object ended instead. */
  closed: boolean;
}

export function newMember(): Member {
  return { keyFrom: 0, keyTo: 0, valueFrom: 0, valueTo: 0, closed: false };
}

/**
 * Steps over one member of an object.
 * @param at behind `{` or behind the last member
 * @returns behind the member, or behind the bracket where the object ends
 */
export function memberEnd(bytes: Uint8Array, at: number, end: number, first: boolean, into: Member): number {
  at = blanksEnd(bytes, at, end);
  if (at >= end) return unfinished;
  into.closed = bytes[at] === 0x7d;
  if (into.closed) return at + 1;
  if (!first) {
    if (bytes[at] !== 0x2c) return damagedAt(at);
    at = blanksEnd(bytes, at + 1, end);
    if (at >= end) return unfinished;
    // A comma before the bracket is no JSON, and some writers leave one.
    into.closed = bytes[at] === 0x7d;
    if (into.closed) return at + 1;
  }
  if (bytes[at] !== 0x22) return damagedAt(at);
  const close = stringEnd(bytes, at + 1, end);
  if (close < 0) return close;
  into.keyFrom = at + 1;
  into.keyTo = close;
  at = blanksEnd(bytes, close + 1, end);
  if (at >= end) return unfinished;
  if (bytes[at] !== 0x3a) return damagedAt(at);
  at = blanksEnd(bytes, at + 1, end);
  const behind = valueEnd(bytes, at, end);
  if (behind < 0) return behind;
  into.valueFrom = at;
  into.valueTo = behind;
  return behind;
}
