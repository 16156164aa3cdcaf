#!/usr/bin/env node
// Builds what a command needs, where it is older than its sources, and runs it: npm start -- COMMAND …
import { spawn, spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const args = process.argv.slice(2);

const builds = ['build.mjs', ...(args.find((each) => !each.startsWith('-')) === 'open' ? ['build-web.mjs'] : [])];
for (const script of builds) {
  // What is built is told on standard error: standard output is the command's.
  const built = spawnSync(process.execPath, [join(root, 'scripts', script)], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (built.status !== 0) process.exit(built.status ?? 1);
}
const child = spawn(process.execPath, [join(root, 'packages/cli/bin/culprit.js'), ...args], { stdio: 'inherit' });
// The terminal sends Ctrl-C to both; the command decides how it ends.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.on('exit', (status, signal) => {
  if (signal === null) process.exit(status ?? 1);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
