import { closeSync, openSync, readFileSync, readSync } from 'node:fs';

/** More than any build file or list of nodes has; parsers say what they do with a text that is cut. */
const most = 10 << 20;

/** A text file, at most its first 10 MiB: a device or a pipe without an end does not fill the memory. `-` is standard input. */
export function readBounded(file: string): string {
  if (file === '-') return readFileSync(0, 'utf8');
  const descriptor = openSync(file, 'r');
  try {
    const pieces: Buffer[] = [];
    let length = 0;
    while (length < most) {
      const piece = Buffer.allocUnsafe(Math.min(1 << 16, most - length));
      const bytes = readSync(descriptor, piece, 0, piece.length, null);
      if (bytes === 0) break;
      pieces.push(piece.subarray(0, bytes));
      length += bytes;
    }
    return Buffer.concat(pieces).toString('utf8');
  } finally {
    closeSync(descriptor);
  }
}
