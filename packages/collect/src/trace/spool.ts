import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A file of its own in the temporary folder, for what can only be read from one. */
export interface Spool {
  readonly path: string;
  push(bytes: Uint8Array): void;
  /** Takes it away. */
  close(): void;
}

/** @throws the system's error where there is no room */
export function openSpool(name: string): Spool {
  const folder = mkdtempSync(join(tmpdir(), 'culprit-'));
  const path = join(folder, name);
  const fd = openSync(path, 'wx', 0o600);
  return {
    path,
    push: (bytes) => {
      for (let at = 0; at < bytes.length;) at += writeSync(fd, bytes, at);
    },
    close: () => {
      closeSync(fd);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
