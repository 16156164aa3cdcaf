import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root: string = fileURLToPath(new URL('..', import.meta.url));
export const entry: string = join(root, 'packages/cli/bin/culprit.js');

export interface Ran {
  readonly status: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs the built command as a user would. */
export function culprit(
  args: readonly string[],
  options: { readonly input?: string | Uint8Array; readonly env?: Record<string, string>; readonly cwd?: string } = {},
): Ran {
  const ran = spawnSync(process.execPath, [entry, ...args], {
    input: options.input ?? '',
    env: { ...process.env, ...options.env },
    cwd: options.cwd ?? root,
    maxBuffer: 256 * 1024 * 1024,
    timeout: 120_000,
  });
  return { status: ran.status, out: ran.stdout.toString('utf8'), err: ran.stderr.toString('utf8') };
}

/** A folder that is gone after the tests. */
export function scratch(): { readonly path: (name: string) => string; readonly remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'culprit-test-'));
  return { path: (name) => join(folder, name), remove: () => rmSync(folder, { recursive: true, force: true }) };
}
