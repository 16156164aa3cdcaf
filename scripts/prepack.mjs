#!/usr/bin/env node
// Run by npm before the package of the command line is packed: a clean bundle, the licence and the readme beside it.
import { spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, existsSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const built = spawnSync(process.execPath, [join(root, 'scripts/build.mjs'), '--force', '--clean', '--quiet'], {
  stdio: ['ignore', 'ignore', 'inherit'],
});
if (built.status !== 0) process.exit(built.status ?? 1);
const page = spawnSync(process.execPath, [join(root, 'scripts/build-web.mjs'), '--quiet'], {
  stdio: ['ignore', 'ignore', 'inherit'],
});
if (page.status !== 0) process.exit(page.status ?? 1);
rmSync(join(root, 'packages/cli/web'), { recursive: true, force: true });
cpSync(join(root, 'packages/web/dist'), join(root, 'packages/cli/web'), { recursive: true });
for (const name of ['LICENSE', 'README.md']) {
  if (existsSync(join(root, name))) copyFileSync(join(root, name), join(root, 'packages/cli', name));
}
