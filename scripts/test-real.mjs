#!/usr/bin/env node
// Runs the optional tests that download large public files (tests/real). There are none in this release.
import { existsSync, readdirSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const folder = join(root, 'tests/real');
if (!existsSync(folder) || readdirSync(folder).length === 0) {
  console.log('no tests with downloaded files in this release');
  process.exit(0);
}
const args = [
  join(root, 'node_modules/vitest/vitest.mjs'),
  'run',
  '--dir',
  folder,
  '--exclude',
  '',
  ...process.argv.slice(2),
];
process.exit(spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' }).status ?? 1);
