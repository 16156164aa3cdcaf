#!/usr/bin/env node
// Bundles the command line with core and collect inside: packages/cli/dist/.
//   node scripts/build.mjs            does nothing when the bundle is newer than every source
//   node scripts/build.mjs --force
//   node scripts/build.mjs --types    also emits packages/core/dist and packages/collect/dist (tsc), for packaging
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const dist = join(root, 'packages/cli/dist');
const stamp = join(dist, 'build.stamp');
const flags = new Set(process.argv.slice(2));

const watched = ['packages/core/src', 'packages/collect/src', 'packages/cli/src', 'packages/cli/package.json', 'package-lock.json', 'scripts/build.mjs'];

/** Newest change below a path, and how many files there are: a removed file counts too. */
function state(path, seen = { newest: 0, files: 0 }) {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return seen;
  if (found.isDirectory()) {
    for (const name of readdirSync(path)) state(join(path, name), seen);
  } else if (!path.endsWith('.test.ts')) {
    seen.files++;
    seen.newest = Math.max(seen.newest, found.mtimeMs);
  }
  return seen;
}

function signature() {
  const seen = { newest: 0, files: 0 };
  for (const path of watched) state(join(root, path), seen);
  return `${seen.files} files, newest ${Math.round(seen.newest)}, node ${process.versions.node}\n`;
}

if (flags.has('--types')) {
  const tsc = spawnSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-b', 'packages/core', 'packages/collect'], {
    cwd: root,
    stdio: 'inherit',
  });
  if (tsc.status !== 0) process.exit(tsc.status ?? 1);
}

const wanted = signature();
const upToDate = !flags.has('--force') && existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted;
if (upToDate) process.exit(0);

/**
 * Turns a table of plain values into a string that is parsed at first use of the module: V8 reads JSON faster than
 * object literals, and nothing of it is compiled. Tables with patterns or functions stay as they are.
 */
function tableOf(module) {
  const names = Object.keys(module);
  if (names.length === 0) return null;
  const parts = [];
  for (const name of names) {
    const json = plainJson(module[name]);
    if (json === null) return null;
    parts.push(`export const ${name} = /* @__PURE__ */ JSON.parse(${JSON.stringify(json)});`);
  }
  return parts.join('\n');
}

function plainJson(value) {
  let plain = true;
  const json = JSON.stringify(value, (_key, each) => {
    if (typeof each === 'function' || each instanceof RegExp || typeof each === 'bigint' || each === undefined) plain = false;
    else if (typeof each === 'object' && each !== null && !Array.isArray(each) && Object.getPrototypeOf(each) !== Object.prototype) plain = false;
    else if (typeof each === 'number' && !Number.isFinite(each)) plain = false;
    return each;
  });
  return plain && json !== undefined && json.length > 4096 ? json : null;
}

const { rolldown } = await import('rolldown');

/** Rule pages, embedded as one module that is loaded when a page is asked for. */
const pages = {
  name: 'rule-pages',
  resolveId: (id) => (id === 'culprit:rule-pages' ? '\0culprit:rule-pages' : null),
  load(id) {
    if (id !== '\0culprit:rule-pages') return null;
    const folder = join(root, 'packages/core/src/rules');
    const found = {};
    for (const layer of readdirSync(folder, { withFileTypes: true })) {
      if (!layer.isDirectory()) continue;
      for (const name of readdirSync(join(folder, layer.name))) {
        if (name.endsWith('.md')) found[`${layer.name}/${basename(name, '.md')}`] = readFileSync(join(folder, layer.name, name), 'utf8');
      }
    }
    return `export const pages = JSON.parse(${JSON.stringify(JSON.stringify(found))});`;
  },
};

const tables = {
  name: 'tables',
  transform: {
    filter: { id: /[\\/]knowledge[\\/].*\.rows\.ts$/ },
    async handler(_code, id) {
      try {
        const table = tableOf(await bundledModule(id));
        return table === null ? null : { code: table, moduleType: 'js' };
      } catch {
        return null;
      }
    },
  },
};

/** A TypeScript module as it evaluates; tables import types only, so that a stripped copy is enough. */
async function bundledModule(id) {
  const bundle = await rolldown({ input: id, resolve: { conditionNames: ['source', 'node', 'import'] }, logLevel: 'silent' });
  const { output } = await bundle.generate({ format: 'esm' });
  await bundle.close();
  return import(`data:text/javascript;base64,${Buffer.from(output[0].code).toString('base64')}`);
}

const started = Date.now();
const next = `${dist}.next.${process.pid}`;
const bundle = await rolldown({
  input: { main: join(root, 'packages/cli/src/main.ts') },
  platform: 'node',
  resolve: { conditionNames: ['source', 'node', 'import', 'default'] },
  plugins: [pages, tables],
  transform: { target: 'node20.19' },
});
try {
  await bundle.write({
    dir: next,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
    comments: { legal: true, annotation: false, jsdoc: false },
  });
} finally {
  await bundle.close();
}

// A command may be running from the old bundle, or another build may run beside this one: chunks carry a hash in their
// name, so the new ones are put beside the old ones and the entry is replaced last.
if (flags.has('--clean')) rmSync(dist, { recursive: true, force: true });
mkdirSync(dist, { recursive: true });
const made = readdirSync(next);
for (const name of made.sort((a, b) => Number(a === 'main.js') - Number(b === 'main.js'))) renameSync(join(next, name), join(dist, name));
rmSync(next, { recursive: true, force: true });
for (const name of readdirSync(dist)) {
  const path = join(dist, name);
  if (!made.includes(name) && path !== stamp && Date.now() - statSync(path).mtimeMs > 600_000) rmSync(path, { force: true });
}
writeFileSync(stamp, wanted);
if (!flags.has('--quiet')) console.error(`built ${relative(root, dist).split(sep).join('/')} in ${Date.now() - started} ms`);
