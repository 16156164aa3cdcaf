#!/usr/bin/env node
// Bundles the command line with core and collect inside: packages/cli/dist/.
//   node scripts/build.mjs            does nothing when the bundle is newer than every source
//   node scripts/build.mjs --force    bundles in any case
//   node scripts/build.mjs --clean    removes at once what older bundles left behind
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
  'packages/cli/bin',
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
      for (const [key, table] of Object.entries(defaultKnowledge)) {
        if (typeof table === 'string') {
          parts.push(`  ${key}: ${JSON.stringify(table)},`);
          continue;
        }
        const emit = (name, content) => {
          const json = plainJson(content, key);
          const fileName = `${name}-${createHash('sha256').update(json).digest('hex').slice(0, 8)}.json`;
          this.emitFile({ type: 'asset', fileName, source: json });
          return JSON.stringify(fileName);
        };
        const value =
          key === 'signatures'
            ? `signaturesOf(read(${emit(
                key,
                table.map((row) => split(withoutPatterns(row), false)),
              )}), ${emit(
                `${key}-rest`,
                table.map((row) => split(row, true)),
              )})`
            : `read(${emit(key, table)})`;
        parts.push(`  get ${key}() { return keep(this, ${JSON.stringify(key)}, ${value}); },`);
      }
      return {
        moduleType: 'js',
        code: `${lazyPrologue}\nexport const defaultKnowledge = {\n${parts.join('\n')}\n};\n`,
      };
    },
  },
};

/** The same rows for whoever imports the table itself. */
const signatureTable = {
  name: 'signature-table',
  load: {
    filter: { id: /[\\/]knowledge[\\/]signatures[\\/]signatures\.ts$/ },
    handler: () => ({
      moduleType: 'js',
      code: "import { defaultKnowledge } from '../knowledge.ts';\nexport const signatures = defaultKnowledge.signatures;\n",
    }),
  },
};

const lazyPrologue = `
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
const read = (name) => JSON.parse(readFileSync(join(__dirname, name), 'utf8'));
const keep = (object, key, value) => {
  Object.defineProperty(object, key, { value, enumerable: true });
  return value;
};
const signatureOf = ({ patterns, ...row }, rest) => {
  let made;
  return {
    ...row,
    get patterns() { return (made ??= patterns.map(([source, flags]) => new RegExp(source, flags))); },
    get meaning() { return rest().meaning; },
    get examples() { return rest().examples; },
    get causes() { return rest().causes; },
    get fixOrder() { return rest().fixOrder; },
    get commands() { return rest().commands; },
    get sources() { return rest().sources; },
  };
};
const signaturesOf = (rows, restName) => {
  let rest;
  return rows.map((row, at) => signatureOf(row, () => (rest ??= read(restName))[at]));
};
`;

/** What of a signature is asked for only once it has been met. */
const lateFields = ['meaning', 'examples', 'causes', 'fixOrder', 'commands', 'sources'];
const split = (row, late) =>
  Object.fromEntries(Object.entries(row).filter(([key]) => lateFields.includes(key) === late));

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
  plugins: [pages, lazyKnowledge, signatureTable],
  transform: { target: 'node20.19' },
});
let output;
try {
  ({ output } = await bundle.write({
    dir: next,
    // Node starts CommonJS 60 ms sooner than modules: its loader of modules is asynchronous. dist has a manifest of its own.
    format: 'cjs',
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
    comments: { legal: true, annotation: false, jsdoc: false },
    // Every file that is opened at start costs a millisecond or two: few of them, and none that a command does not need.
    codeSplitting: {
      groups: [
        {
          name: 'start',
          test: /cli[\\/]src[\\/](?:errors|output|version|parse-line|commands[\\/]\w+-command)/,
        },
        { name: 'rules', test: /core[\\/]src[\\/](?:diagnose|parse|rules)[\\/]/ },
        {
          name: 'base',
          priority: 2,
          test: /core[\\/]src[\\/](?:model|text[\\/](?!nearest)|versions|compat|report[\\/](?:json-report|paint|visible|words|exit-status)|knowledge[\\/]knowledge\.ts)/,
        },
      ],
    },
    minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
  }));
} finally {
  await bundle.close();
}

writeFileSync(join(next, 'licenses.txt'), licensesOf(output));
writeFileSync(join(next, 'package.json'), '{ "type": "commonjs" }\n');

// A command may be running from the old bundle, or another build may run beside this one: chunks carry a hash in their
// name, so the new ones are put beside the old ones and the entry is replaced last.
mkdirSync(dist, { recursive: true });
const made = readdirSync(next);
for (const name of made.sort((a, b) => Number(a === 'main.js') - Number(b === 'main.js')))
  renameSync(join(next, name), join(dist, name));
rmSync(next, { recursive: true, force: true });
const patience = flags.has('--clean') ? 0 : 600_000;
for (const name of readdirSync(dist)) {
  const path = join(dist, name);
  if (
    made.includes(name.replace(/\.v[\d.]+\.cache$/, '')) ||
    path === stamp ||
    Date.now() - statSync(path).mtimeMs < patience
  )
    continue;
  rmSync(path, { force: true });
}
compileAhead();
writeFileSync(stamp, wanted);
if (!flags.has('--quiet'))
  console.error(`built ${relative(root, dist).split(sep).join('/')} in ${Date.now() - started} ms`);

/**
 * Runs the bundle on small inputs and keeps what V8 compiled beside each file, so that the next start need not. A file
 * that an earlier input loaded keeps what was written then.
 */
function compileAhead() {
  const inputs = [
    ['diagnose', '--format', 'json', '-'],
    ['judge', 'torch 2.7.0+cu128 on driver 550.54.15 with V100'],
    ['explain', '804'],
  ];
  const program = `
    const { load, scripts } = require(${JSON.stringify(join(root, 'packages/cli/bin/load.js'))});
    const { existsSync, renameSync, writeFileSync } = require('node:fs');
    process.on('exit', () => {
      for (const [path, script] of scripts) {
        const cache = path + '.' + process.version + '.cache';
        if (path.endsWith('main.js') || existsSync(cache)) continue;
        writeFileSync(cache + process.pid, script.createCachedData());
        renameSync(cache + process.pid, cache);
      }
    });
    load('main.js');`;
  const sample = [
    'NVRM version: NVIDIA UNIX x86_64 Kernel Module  570.124.06  Wed Feb 26 02:15:01 UTC 2025',
    '| NVIDIA-SMI 570.124.06             Driver Version: 570.124.06   CUDA Version: 12.8     |',
    'torch 2.7.0+cu128',
    'RuntimeError: CUDA error: no kernel image is available for execution on the device',
    '',
  ].join('\n');
  for (const args of inputs)
    spawnSync(process.execPath, ['-e', program, '--', 'culprit', ...args], {
      input: sample,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
}

/** Licences of the packages whose code is inside the bundle. */
function licensesOf(chunks) {
  const folders = new Set();
  for (const id of chunks.flatMap((chunk) => chunk.moduleIds ?? [])) {
    const found = /^(.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+)[\\/]/.exec(id);
    if (found !== null) folders.add(found[1]);
  }
  return [...folders]
    .map((folder) => {
      const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
      const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
      const text = file === undefined ? `Licence: ${license}` : readFileSync(join(folder, file), 'utf8').trim();
      return `${name} ${version}\n\n${text}\n`;
    })
    .sort()
    .join(`\n${'-'.repeat(80)}\n\n`);
}
