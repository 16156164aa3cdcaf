#!/usr/bin/env node
// Builds one self-contained file for nodes without Node.js: dist/culprit-linux-x64, dist/culprit-linux-arm64.
//   node scripts/build-binary.mjs               both
//   node scripts/build-binary.mjs x64           one of them (x64, arm64)
// Bun (MIT) is the runtime inside. It comes from the npm registry into a temporary folder, its checksum is that of the
// list below, and no package of this repository depends on it or runs its scripts.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import {
  conditionNames,
  embeddedPage,
  imageWorker,
  lazyKnowledge,
  pages,
  probeScript,
  sampleScript,
  signatureTable,
  sqliteWasm,
  viewScripts,
} from './bundle-plugins.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const version = '1.4.4';
/** Machine → package, SHA-512 of its archive. The x64 one runs on processors without AVX2 too. */
const runtimes = {
  x64: {
    package: '@oven/bun-linux-x64-baseline',
    target: 'bun-linux-x64-baseline',
    integrity: 'FBU6T21NT+i+rESbi0Z8A8G5xN51c+WZ0v6pIjI6szSzOlqVNv64nf7FPnwNIyxKD1M7Wg5cEobLC/QbzCeLtA==',
  },
  arm64: {
    package: '@oven/bun-linux-aarch64',
    target: 'bun-linux-arm64',
    integrity: 'ZTVtpf9zmHSBVPX1sBwe5agGb/rN34yPGg/Hby8e2Ax2uCUA2URZKlZH7qLntK7qaFJCMXh9v0GWNYN2zINz1w==',
  },
};
const bunLicense =
  'MIT, with parts of JavaScriptCore and WebKit under LGPL-2 and others: https://bun.com/docs/project/licensing\n';
const own = process.arch === 'arm64' ? 'arm64' : 'x64';
const wanted = process.argv.slice(2).filter((each) => !each.startsWith('-'));
for (const each of wanted)
  if (runtimes[each] === undefined)
    throw new Error(`no machine ${each}; there are ${Object.keys(runtimes).join(', ')}`);
const machines = wanted.length === 0 ? Object.keys(runtimes) : wanted;

const folder = mkdtempSync(join(tmpdir(), 'culprit-binary-'));
const out = join(root, 'dist');
try {
  // The bundle for Node brings the licences of the packages inside.
  run(process.execPath, [join(root, 'scripts/build.mjs'), '--quiet']);
  run(process.execPath, [join(root, 'scripts/build-web.mjs'), '--quiet']);
  const entry = await bundled();
  mkdirSync(out, { recursive: true });
  const bun = runtime(own);
  for (const machine of machines) {
    const file = join(out, `culprit-linux-${machine}`);
    run(bun, [
      'build',
      '--compile',
      '--bytecode',
      '--no-compile-autoload-dotenv',
      '--no-compile-autoload-bunfig',
      `--target=${runtimes[machine].target}`,
      `--compile-executable-path=${runtime(machine)}`,
      entry,
      `--outfile=${file}`,
    ]);
    const bytes = statSync(file).size;
    console.error(`built dist/culprit-linux-${machine}: ${(bytes / 1e6).toFixed(0)} MB`);
  }
  const licenses = readFileSync(join(root, 'packages/cli/dist/licenses.txt'), 'utf8');
  writeFileSync(join(out, 'licenses.txt'), `Bun ${version}\n\n${bunLicense}\n${'-'.repeat(80)}\n\n${licenses}`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** The whole program as one file of CommonJS: tables as strings that are read when they are first asked for. */
async function bundled() {
  const bundle = await rolldown({
    input: { culprit: join(root, 'packages/cli/src/main.ts') },
    platform: 'node',
    resolve: { conditionNames },
    plugins: [
      pages,
      probeScript,
      sampleScript,
      imageWorker,
      viewScripts,
      embeddedPage,
      lazyKnowledge('inline'),
      signatureTable,
      sqliteWasm('inline'),
    ],
  });
  await bundle.write({
    dir: folder,
    format: 'cjs',
    entryFileNames: '[name].cjs',
    codeSplitting: false,
    comments: { legal: true, annotation: false, jsdoc: false },
    minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
  });
  await bundle.close();
  return join(folder, 'culprit.cjs');
}

/** Path of Bun for a machine; downloaded at most once. */
function runtime(machine) {
  const { package: name, integrity } = runtimes[machine];
  const place = join(folder, machine);
  const bun = join(place, 'package/bin/bun');
  if (existsSync(bun)) return bun;
  mkdirSync(place, { recursive: true });
  const packed = run('npm', [
    'pack',
    '--silent',
    '--ignore-scripts',
    `--pack-destination=${place}`,
    `${name}@${version}`,
  ]).trim();
  const archive = join(place, packed.split('\n').at(-1));
  const found = createHash('sha512').update(readFileSync(archive)).digest('base64');
  if (found !== integrity) throw new Error(`${name}@${version} is not what it was: sha512-${found}`);
  run('tar', ['-xzf', archive, '-C', place]);
  rmSync(archive);
  return bun;
}

function run(command, args) {
  const ran = spawnSync(command, args, {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, BUN_INSTALL: folder, DO_NOT_TRACK: '1' },
  });
  if (ran.status !== 0) throw new Error(`${command} ${args[0]}: ${ran.error?.message ?? ran.stderr}`);
  return ran.stdout;
}
