#!/usr/bin/env node
// Builds the page: packages/web/dist/, static files for any file server.
//   node scripts/build-web.mjs            does nothing when the page is newer than every source
//   node scripts/build-web.mjs --force    builds in any case
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { signatureOf } from './freshness.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const web = join(root, 'packages/web');
const dist = join(web, 'dist');
// Not in dist: what lies there is served.
const stamp = join(web, '.types/page.stamp');
const flags = new Set(process.argv.slice(2));

const watched = [
  'packages/web/src',
  'packages/web/index.html',
  'packages/web/package.json',
  'packages/web/vite.config.ts',
  'packages/view/src',
  'packages/core/src',
  'examples',
  'package-lock.json',
  'scripts/build-web.mjs',
];

const wanted = signatureOf(root, watched);
const upToDate = existsSync(join(dist, 'index.html')) && existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted;
if (upToDate && !flags.has('--force')) process.exit(0);

const started = Date.now();
// A page may be served from dist meanwhile: the new one takes its place at once.
const next = `${dist}.next.${process.pid}`;
const vite = join(root, 'node_modules/vite/bin/vite.js');
const built = spawnSync(process.execPath, [vite, 'build', '--logLevel', 'error', '--outDir', next, '--emptyOutDir'], {
  cwd: web,
  stdio: ['ignore', 'ignore', 'inherit'],
});
if (built.status !== 0) {
  rmSync(next, { recursive: true, force: true });
  console.error('the page could not be built');
  process.exit(built.status ?? 1);
}
const old = `${dist}.old.${process.pid}`;
if (existsSync(dist)) renameSync(dist, old);
renameSync(next, dist);
rmSync(old, { recursive: true, force: true });
mkdirSync(dirname(stamp), { recursive: true });
writeFileSync(stamp, wanted);
if (!flags.has('--quiet')) console.error(`built packages/web/dist in ${Date.now() - started} ms`);
