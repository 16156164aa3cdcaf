/*
 * Steps over one event and notes where its values stand. This is where the time of a large trace goes: the loops are
 * written out, and an event that nobody needs is left as soon as its category says so.
 */
import { categories, categoryOf, mayBeRange, mayBeWait } from './categories.ts';
import { blanksEnd, classes, damagedAt, unfinished, valueEnd } from './walk.ts';

/** What an event is known by. The slots of `Fields` stand in this order. */
export const fieldNames = ['ph', 'cat', 'name', 'pid', 'tid', 'ts', 'dur', 'args', 'id'] as const;
export const field = { ph: 0, cat: 1, name: 2, pid: 3, tid: 4, ts: 5, dur: 6, args: 7, id: 8 } as const;

/**
 * Where the values of an event stand: start and end of each, in pairs; a start of 0 says that it is absent. The category
 * and the phase follow.
 */
export type Fields = Int32Array;

const categorySlot = fieldNames.length * 2;
const phaseSlot = categorySlot + 1;

export function newFields(): Fields {
  return new Int32Array(phaseSlot + 1);
}

/** One of `categories`. */
export function categoryAt(fields: Fields): number {
  return fields[categorySlot]!;
}

/** The byte of its phase: `X` where it has none. */
export function phaseAt(fields: Fields): number {
  return fields[phaseSlot]!;
}

function fieldOf(bytes: Uint8Array, from: number, length: number): number {
  const first = bytes[from]!;
  const second = bytes[from + 1]!;
  if (length === 2) {
    if (first === 0x70) return second === 0x68 ? field.ph : -1;
    if (first === 0x74) return second === 0x73 ? field.ts : -1;
    return first === 0x69 && second === 0x64 ? field.id : -1;
  }
  const third = bytes[from + 2]!;
  if (length === 3) {
    if (first === 0x63) return second === 0x61 && third === 0x74 ? field.cat : -1;
    if (first === 0x70) return second === 0x69 && third === 0x64 ? field.pid : -1;
    if (first === 0x74) return second === 0x69 && third === 0x64 ? field.tid : -1;
    return first === 0x64 && second === 0x75 && third === 0x72 ? field.dur : -1;
  }
  if (length !== 4) return -1;
  const fourth = bytes[from + 3]!;
  if (first === 0x6e) return second === 0x61 && third === 0x6d && fourth === 0x65 ? field.name : -1;
  return first === 0x61 && second === 0x72 && third === 0x67 && fourth === 0x73 ? field.args : -1;
}

/** Quotation marks that have to follow the bytes at hand, so that loops end without asking where they are. */
export const sentinels = 4;

/**
 * @param bytes with `sentinels` behind the last one that is at hand
 * @param at the `{` of the event
 * @param end at most where the sentinels begin
 * @returns behind it, `unfinished` or a place made by `damagedAt`; what is not needed may lack fields
 */
export function eventEnd(bytes: Uint8Array, at: number, end: number, fields: Fields): number {
  for (let slot = 0; slot < categorySlot; slot++) fields[slot] = 0;
  fields[categorySlot] = categories.unknown;
  fields[phaseSlot] = 0x58;
  at++;
  for (let first = true; ; first = false) {
    let byte = 0;
    while ((byte = bytes[at]!) <= 0x20) at++;
    if (at >= end) return unfinished;
    if (byte === 0x7d) return at + 1;
    if (!first) {
      if (byte !== 0x2c) return damagedAt(at);
      at++;
      while ((byte = bytes[at]!) <= 0x20) at++;
      if (at >= end) return unfinished;
      // A comma before the bracket is no JSON, and some writers leave one.
      if (byte === 0x7d) return at + 1;
    }
    if (byte !== 0x22) return damagedAt(at);
    const key = ++at;
    while ((byte = bytes[at]!) !== 0x22) at += byte === 0x5c ? 2 : 1;
    const length = at - key;
    at++;
    while ((byte = bytes[at]!) <= 0x20) at++;
    if (at >= end) return unfinished;
    if (byte !== 0x3a) return damagedAt(at);
    at++;
    while ((byte = bytes[at]!) <= 0x20) at++;
    if (at >= end) return unfinished;
    const from = at;
    if (byte === 0x22) {
      at++;
      while ((byte = bytes[at]!) !== 0x22) at += byte === 0x5c ? 2 : 1;
      at++;
      if (at > end) return unfinished;
    } else {
      at = byte === 0x7b || byte === 0x5b ? bracketsEnd(bytes, at, end, 0) : valueEnd(bytes, at, end);
      if (at < 0) return at;
    }
    if (length > 4) continue;
    const which = fieldOf(bytes, key, length);
    if (which < 0) continue;
    fields[which * 2] = from;
    fields[which * 2 + 1] = at;
    if (which > field.name) continue;
    if (which === field.cat && bytes[from] === 0x22) fields[categorySlot] = categoryOf(bytes, from + 1, at - 1);
    else if (which === field.ph) fields[phaseSlot] = bytes[from + 1]!;
    if (isOfNoUse(bytes, fields)) return bracketsEnd(bytes, at, end, 1);
  }
}

/** `nestedEnd` of bytes with sentinels behind. */
function bracketsEnd(bytes: Uint8Array, at: number, end: number, depth: number): number {
  for (;;) {
    let kind = 0;
    while ((kind = classes[bytes[at++]!]!) === 0);
    if (at > end) return unfinished;
    if (kind === 1) {
      let byte = 0;
      while ((byte = bytes[at++]!) !== 0x22) if (byte === 0x5c) at++;
      if (at > end) return unfinished;
    } else if (kind === 2) depth++;
    else if (kind === 4) return damagedAt(at - 1);
    else if (--depth === 0) return at;
  }
}

/** True where nothing else of the event matters. Beginnings and ends count even then: others are told by them. */
function isOfNoUse(bytes: Uint8Array, fields: Fields): boolean {
  if (fields[field.ph * 2] === 0) return false;
  const phase = fields[phaseSlot]!;
  if (phase === 0x42 || phase === 0x45 || phase === 0x4d) return false;
  if (phase !== 0x58) return true;
  const category = fields[categorySlot]!;
  if (category === categories.ignored) return true;
  const name = fields[field.name * 2]!;
  if (name === 0) return false;
  return category === categories.operator
    ? !mayBeRange(bytes, name)
    : category === categories.python && !mayBeWait(bytes, name);
}

/** True where an event begins at this `{`: its first key is one of an event's. Unfinished where the bytes do not tell. */
export function looksLikeEvent(bytes: Uint8Array, at: number, end: number): boolean | typeof unfinished {
  at = blanksEnd(bytes, at + 1, end);
  if (at >= end) return unfinished;
  if (bytes[at] !== 0x22) return false;
  let close = at + 1;
  while (close < end && close - at <= 5 && bytes[close] !== 0x22) close++;
  if (close >= end) return unfinished;
  if (bytes[close] !== 0x22 || fieldOf(bytes, at + 1, close - at - 1) < 0) return false;
  at = blanksEnd(bytes, close + 1, end);
  if (at >= end) return unfinished;
  return bytes[at] === 0x3a;
}
