// JSON of strangers: asked for by kind, never trusted.
import { ImageError } from './errors.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

/** @throws ImageError where it is no JSON object */
export function objectOf(bytes: Uint8Array, what: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes));
  } catch {
    throw new ImageError('damaged', `${what}: it is no JSON`);
  }
  if (!isObject(value)) throw new ImageError('damaged', `${what}: it is no JSON object`);
  return value;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A field of that name that is a string, else null. */
export function stringOf(object: JsonObject, key: string): string | null {
  const value = Object.hasOwn(object, key) ? object[key] : null;
  return typeof value === 'string' ? value : null;
}

export function numberOf(object: JsonObject, key: string): number | null {
  const value = object[key];
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
}

export function objectIn(object: JsonObject, key: string): JsonObject {
  const value = object[key];
  return isObject(value) ? value : {};
}

/** Strings of a list; what is none is left out. */
export function stringsOf(object: JsonObject, key: string): readonly string[] {
  const value = object[key];
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}

export function objectsOf(object: JsonObject, key: string): readonly JsonObject[] {
  const value = object[key];
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** Fields whose value is a string. */
export function recordOf(value: JsonObject): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(value).filter((each): each is [string, string] => typeof each[1] === 'string'),
  );
}
