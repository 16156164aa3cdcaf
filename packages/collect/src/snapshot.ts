import { readFileSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import type { Snapshot } from '@culprit/core/model/snapshot';

/** All of a file or of standard input (`-`) as text. */
export async function readAll(name: string): Promise<string> {
  if (name !== '-') return readFileSync(name, 'utf8');
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > mostRead) break;
    parts.push(chunk);
  }
  return Buffer.concat(parts).toString('utf8');
}

const mostRead = 64 * 1024 * 1024;

/** Writes a snapshot as JSON; compressed where the name ends in `.gz`. Only its owner may read it. */
export function saveSnapshot(file: string, snapshot: Snapshot): void {
  const text = `${JSON.stringify(snapshot, null, 1)}\n`;
  writeFileSync(file, file.endsWith('.gz') ? gzipSync(text) : text, { mode: 0o600 });
}
