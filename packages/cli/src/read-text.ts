import { closeSync, openSync, readSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { whyUnreadable } from '@culprit/collect/unreadable';
import { toolError } from './errors.ts';

/** Most bytes that are read whole. */
const mostBytes = 256 * 1024 * 1024;

/**
 * A file, or standard input for `-`, as text; gzip is unpacked, UTF-16 with its mark decoded.
 * @throws CulpritError (exit 4) where it cannot be read or is too large to be held
 */
export function readText(name: string): string {
  const bytes = readBytes(name);
  // Shells of Windows write UTF-16.
  return bytes[0] === 0xff && bytes[1] === 0xfe ? bytes.subarray(2).toString('utf16le') : bytes.toString('utf8');
}

/** The same as bytes. */
function readBytes(name: string): Buffer {
  const called = name === '-' ? 'standard input' : name;
  const parts: Buffer[] = [];
  let size = 0;
  try {
    const file = name === '-' ? 0 : openSync(name, 'r');
    try {
      for (;;) {
        const part = Buffer.allocUnsafe(65_536);
        const count = readSync(file, part);
        if (count === 0) break;
        size += count;
        if (size > mostBytes) throw new Error(`it holds more than ${mostBytes / 1024 / 1024} MiB`);
        parts.push(part.subarray(0, count));
      }
    } finally {
      if (file !== 0) closeSync(file);
    }
    const bytes = Buffer.concat(parts);
    return bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes, { maxOutputLength: mostBytes }) : bytes;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EOF') return Buffer.concat(parts);
    const { reason, hint } = whyUnreadable(error);
    throw toolError('no-input', `${called} could not be read: ${reason}`, hint);
  }
}
