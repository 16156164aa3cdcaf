#!/usr/bin/env node
// Bundles the command line with core and collect inside: packages/cli/dist/.
//   node scripts/build.mjs            does nothing when the bundle is newer than every source
//   node scripts/build.mjs --force    bundles in any case
//   node scripts/build.mjs --clean    removes at once what older bundles left behind
//   node scripts/build.mjs --types    also emits packages/core/dist and packages/collect/dist (tsc), for packaging
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { signatureOf } from './freshness.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const dist = join(root, 'packages/cli/dist');
const stamp = join(dist, 'build.stamp');
const flags = new Set(process.argv.slice(2));

const watched = [
  'packages/cli/bin',
  'packages/core/src',
  'packages/collect/src',
  'packages/view/src',
  'packages/cli/src',
  'packages/cli/package.json',
  'package-lock.json',
  'probe/probe.sh',
  'probe/sample.sh',
  'scripts/build.mjs',
  'scripts/bundle-plugins.mjs',
];

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

const wanted = signatureOf(root, watched);
const upToDate = !flags.has('--force') && existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted;
if (upToDate) process.exit(0);

const { rolldown } = await import('rolldown');
const {
  conditionNames,
  imageWorker,
  lazyKnowledge,
  pages,
  probeScript,
  sampleScript,
  scanWorker,
  signatureTable,
  sqliteWasm,
  viewModules,
  viewScripts,
} = await import('./bundle-plugins.mjs');

const started = Date.now();
const next = `${dist}.next.${process.pid}`;
const bundle = await rolldown({
  input: { main: join(root, 'packages/cli/src/main.ts') },
  platform: 'node',
  resolve: { conditionNames },
  plugins: [
    pages,
    probeScript,
    sampleScript,
    imageWorker,
    scanWorker,
    viewScripts,
    lazyKnowledge('files'),
    signatureTable,
    sqliteWasm('files'),
  ],
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
    minify: { compress: false, mangle: false, codegen: { removeWhitespace: process.env.PLAIN === undefined } },
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
  for (const id of [...chunks.flatMap((chunk) => chunk.moduleIds ?? []), ...viewModules]) {
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
