#!/usr/bin/env node
// Bundles the command line with core and collect inside: packages/cli/dist/.
//   node scripts/build.mjs            does nothing when the bundle is newer than every source
//   node scripts/build.mjs --force
//   node scripts/build.mjs --types    also emits packages/core/dist and packages/collect/dist (tsc), for packaging
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const dist = join(root, 'packages/cli/dist');
const stamp = join(dist, 'build.stamp');
const flags = new Set(process.argv.slice(2));

const watched = [
  'packages/core/src',
  'packages/collect/src',
  'packages/cli/src',
  'packages/cli/package.json',
  'package-lock.json',
  'scripts/build.mjs',
];

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
  const tsc = spawnSync(
    process.execPath,
    [join(root, 'node_modules/typescript/bin/tsc'), '-b', 'packages/core', 'packages/collect'],
    {
      cwd: root,
      stdio: 'inherit',
    },
  );
  if (tsc.status !== 0) process.exit(tsc.status ?? 1);
}

const wanted = signature();
const upToDate = !flags.has('--force') && existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted;
if (upToDate) process.exit(0);

const { rolldown } = await import('rolldown');
const conditionNames = ['source', 'node', 'import', 'default'];

/**
 * Start-up counts: most runs touch a few of the tables only. The tables are evaluated here, written as one JSON file
 * each, and read when a run first asks for them; patterns of signatures are compiled when they are first tried.
 */
const lazyKnowledge = {
  name: 'lazy-knowledge',
  load: {
    filter: { id: /[\\/]core[\\/]src[\\/]knowledge[\\/]knowledge\.ts$/ },
    async handler(id) {
      const { defaultKnowledge } = await evaluated(id);
      const parts = [];
      for (const [key, value] of Object.entries(defaultKnowledge)) {
        if (typeof value === 'string') {
          parts.push(`  ${key}: ${JSON.stringify(value)},`);
          continue;
        }
        const json = plainJson(key === 'signatures' ? value.map(withoutPatterns) : value, key);
        const fileName = `${key}-${createHash('sha256').update(json).digest('hex').slice(0, 8)}.json`;
        this.emitFile({ type: 'asset', fileName, source: json });
        const read = `read(${JSON.stringify(fileName)})`;
        parts.push(
          `  get ${key}() { return keep(this, ${JSON.stringify(key)}, ${key === 'signatures' ? `${read}.map(withPatterns)` : read}); },`,
        );
      }
      return {
        moduleType: 'js',
        code: `${lazyPrologue}\nexport const defaultKnowledge = {\n${parts.join('\n')}\n};\n`,
      };
    },
  },
};

const lazyPrologue = `
import { readFileSync } from 'node:fs';
const read = (name) => JSON.parse(readFileSync(new URL('./' + name, import.meta.url), 'utf8'));
const keep = (object, key, value) => {
  Object.defineProperty(object, key, { value, enumerable: true });
  return value;
};
class Signature {
  #sources;
  #patterns;
  constructor({ patterns, ...rest }) {
    Object.assign(this, rest);
    this.#sources = patterns;
  }
  get patterns() {
    return (this.#patterns ??= this.#sources.map(([source, flags]) => new RegExp(source, flags)));
  }
}
const withPatterns = (row) => new Signature(row);
`;

const withoutPatterns = (row) => ({ ...row, patterns: row.patterns.map((pattern) => [pattern.source, pattern.flags]) });

/** JSON of a table. Fails on anything that would not come back as it was. */
function plainJson(value, table) {
  return JSON.stringify(value, (key, each) => {
    const plain =
      each === null ||
      ['string', 'boolean'].includes(typeof each) ||
      (typeof each === 'number' && Number.isFinite(each)) ||
      (each === undefined && key !== '') ||
      Array.isArray(each) ||
      (typeof each === 'object' && Object.getPrototypeOf(each) === Object.prototype);
    if (!plain) throw new Error(`table ${table}: ${key} holds a value that JSON cannot carry`);
    return each;
  });
}

/** Bundles a module of core and runs it. */
async function evaluated(id) {
  const bundle = await rolldown({ input: id, resolve: { conditionNames }, logLevel: 'silent' });
  const { output } = await bundle.generate({ format: 'esm', codeSplitting: false });
  await bundle.close();
  return import(`data:text/javascript;base64,${Buffer.from(output[0].code).toString('base64')}`);
}

/** Rule pages, embedded as one module that is loaded when a page is asked for. */
const pages = {
  name: 'rule-pages',
  load: {
    filter: { id: /[\\/]cli[\\/]src[\\/]rule-pages\.ts$/ },
    handler() {
      const folder = join(root, 'packages/core/src/rules');
      const found = {};
      for (const layer of readdirSync(folder, { withFileTypes: true }).filter((each) => each.isDirectory())) {
        for (const name of readdirSync(join(folder, layer.name)).filter((each) => each.endsWith('.md'))) {
          found[`${layer.name}/${basename(name, '.md')}`] = readFileSync(join(folder, layer.name, name), 'utf8');
        }
      }
      const code = `export const pages = JSON.parse(${JSON.stringify(JSON.stringify(found))});`;
      return { moduleType: 'js', code };
    },
  },
};

const started = Date.now();
const next = `${dist}.next.${process.pid}`;
const bundle = await rolldown({
  input: { main: join(root, 'packages/cli/src/main.ts') },
  platform: 'node',
  resolve: { conditionNames },
  plugins: [pages, lazyKnowledge],
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
for (const name of made.sort((a, b) => Number(a === 'main.js') - Number(b === 'main.js')))
  renameSync(join(next, name), join(dist, name));
rmSync(next, { recursive: true, force: true });
for (const name of readdirSync(dist)) {
  const path = join(dist, name);
  if (!made.includes(name) && path !== stamp && Date.now() - statSync(path).mtimeMs > 600_000)
    rmSync(path, { force: true });
}
writeFileSync(stamp, wanted);
if (!flags.has('--quiet'))
  console.error(`built ${relative(root, dist).split(sep).join('/')} in ${Date.now() - started} ms`);
