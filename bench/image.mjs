#!/usr/bin/env node
// Measures reading an image: a generated OCI layout of more than 4 GB in the temporary folder, deleted afterwards.
//   node bench/image.mjs             about two minutes, 10 GB of free space
//   node bench/image.mjs --quick     a tenth of it
// The yardstick inflates and hashes the same layers with node's zlib and as many worker threads as layers are read at a
// time. Exit status 1 below a floor.
import { spawn, spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  createReadStream,
  createWriteStream,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statfsSync,
  statSync,
} from 'node:fs';
import { readdirSync, renameSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createGunzip, createGzip } from 'node:zlib';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const workers = Math.min(availableParallelism(), 2);
const MiB = 1024 ** 2;
const kinds = ['weights', 'code', 'kernels', 'code', ...Array(400).fill('text')];
const machineCode = isMainThread ? readFileSync(process.execPath).subarray(0, 80 * MiB) : null;

if (isMainThread) await main();
else await yardstick(workerData);

async function main() {
  const quick = process.argv.includes('--quick');
  const layers = 8;
  const layerBytes = (quick ? 80 : 800) * MiB;
  const folder = mkdtempSync(join(tmpdir(), 'culprit-image-bench-'));
  const { bavail, bsize } = statfsSync(folder);
  const rows = [];
  try {
    if (bavail * bsize < layers * layerBytes * 1.5)
      throw new Error('there is too little free space for this benchmark');
    const reader = await bundled(folder);
    console.error('making the image …');
    const layout = join(folder, 'image');
    const digests = await makeImage(layout, layers, layerBytes);
    const blobs = join(layout, 'blobs/sha256');
    const stored = readdirSync(blobs).reduce((sum, name) => sum + statSync(join(blobs, name)).size, 0);
    const size = `${(stored / 1e9).toFixed(2)} GB stored, ${((layers * layerBytes) / 1e9).toFixed(2)} GB unpacked`;
    const floor = Math.min(
      await inflateAndHash(digests.map((each) => join(blobs, each))),
      await inflateAndHash(digests.map((each) => join(blobs, each))),
    );
    const cache = join(folder, 'cache');
    const full = [read(reader, layout, {}), read(reader, layout, {})].sort((a, b) => a.ms - b.ms)[0];
    rows.push(['inflate and hash, ' + workers + ' workers', seconds(floor), size, '']);
    rows.push([
      'full inspection',
      seconds(full.ms),
      'at most 1.3 × that',
      held(full.ms <= 1.3 * floor),
      `${(full.ms / floor).toFixed(2)} ×`,
    ]);
    rows.push(['memory', `${full.megabytes} MB`, 'at most 300 MB', held(full.megabytes <= 300)]);
    rows.push(...peers(layout, full.ms));
    const served = await serve(layout);
    try {
      const fast = await readAsync(reader, `127.0.0.1:${served.port}/bench/image:latest`, {
        quick: true,
        insecure: true,
      });
      rows.push(['--quick, local registry', seconds(fast.ms), 'at most 3 s', held(fast.ms <= 3000)]);
      read(reader, layout, { cache });
      const before = served.bytes();
      const again = await readAsync(reader, `127.0.0.1:${served.port}/bench/image:latest`, { cache, insecure: true });
      const fetched = served.bytes() - before;
      rows.push([
        'second scan, same layers',
        seconds(again.ms),
        'reads no layer',
        held(fetched < MiB),
        `${fetched} bytes fetched`,
      ]);
    } finally {
      served.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  for (const row of rows)
    console.log(
      row
        .map((each) => each.padEnd(34))
        .join(' ')
        .trimEnd(),
    );
  if (rows.some((row) => row.includes('BELOW'))) process.exitCode = 1;
}

/** What others that list the content of an image take; they unpack it to disk and look at no machine code. */
function peers(layout, own) {
  const programs = {
    syft: ['scan', '-q', '-o', 'json', `oci-dir:${layout}`],
    trivy: ['image', '-q', '--offline-scan', '--list-all-pkgs', '--skip-db-update', '--input', layout],
  };
  return Object.entries(programs).map(([name, args]) => {
    const began = performance.now();
    const ran = spawnSync(name, args, { stdio: ['ignore', 'ignore', 'pipe'], encoding: 'utf8', timeout: 600_000 });
    if (ran.error?.code === 'ENOENT') return [name, 'not installed here', 'no comparison'];
    if (ran.status !== 0) return [name, 'failed', (ran.stderr ?? '').trim().split('\n').at(-1)?.slice(0, 100) ?? ''];
    const ms = performance.now() - began;
    return [name, seconds(ms), 'for comparison', '', `${(ms / own).toFixed(2)} × of ours`];
  });
}

function held(is) {
  return is ? 'held' : 'BELOW';
}

function seconds(ms) {
  return `${(ms / 1000).toFixed(2)} s`;
}

/** The reader of images as one program of its own. */
async function bundled(folder) {
  const { rolldown } = await import('rolldown');
  const { conditionNames, imageWorker } = await import('../scripts/bundle-plugins.mjs');
  const entry = join(folder, 'read.ts');
  writeFileSync(
    entry,
    `import { openImage } from ${JSON.stringify(join(root, 'packages/collect/src/image/index.ts'))};
const [reference, options] = process.argv.slice(2);
const began = performance.now();
const image = openImage(reference, JSON.parse(options)).then((image) => {
  const left = [...image.left, ...image.layers.flatMap((layer) => layer.left)];
  console.log(JSON.stringify({ ms: performance.now() - began, megabytes: Math.round(process.resourceUsage().maxRSS / 1024),
    entries: image.layers.reduce((sum, layer) => sum + layer.entries.length, 0), left }));
});`,
  );
  const bundle = await rolldown({
    input: { read: entry },
    platform: 'node',
    resolve: { conditionNames },
    plugins: [imageWorker],
  });
  await bundle.write({
    dir: join(folder, 'program'),
    format: 'cjs',
    entryFileNames: '[name].cjs',
    chunkFileNames: '[name]-[hash].cjs',
  });
  await bundle.close();
  return join(folder, 'program/read.cjs');
}

function read(program, reference, options) {
  const ran = spawnSync(process.execPath, [program, reference, JSON.stringify(options)], { encoding: 'utf8' });
  if (ran.status !== 0) throw new Error(ran.stderr);
  return JSON.parse(ran.stdout);
}

async function readAsync(program, reference, options) {
  const child = spawn(process.execPath, [program, reference, JSON.stringify(options)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.on('data', (chunk) => (text += chunk));
  await once(child, 'close');
  return JSON.parse(text);
}

/** Random weights, libraries (of real machine code, and of random bytes as packed kernels are), many small texts. */
async function makeImage(layout, layers, bytes) {
  const blobs = join(layout, 'blobs/sha256');
  mkdirSync(blobs, { recursive: true });
  const made = [];
  for (let at = 0; at < layers; at += workers)
    made.push(
      ...(await Promise.all(
        Array.from({ length: Math.min(workers, layers - at) }, (_, i) => makeLayer(blobs, at + i, bytes)),
      )),
    );
  const put = (value, mediaType) => {
    const text = Buffer.from(JSON.stringify(value));
    const hex = createHash('sha256').update(text).digest('hex');
    writeFileSync(join(blobs, hex), text);
    return { mediaType, digest: `sha256:${hex}`, size: text.length };
  };
  const config = put(
    {
      os: 'linux',
      architecture: 'amd64',
      config: { Env: ['CUDA_VERSION=12.6.3'] },
      rootfs: { type: 'layers', diff_ids: made.map((each) => each.diffId) },
    },
    'application/vnd.oci.image.config.v1+json',
  );
  const manifest = put(
    {
      schemaVersion: 2,
      mediaType: 'application/vnd.oci.image.manifest.v1+json',
      config,
      layers: made.map(({ hex, size }) => ({
        mediaType: 'application/vnd.oci.image.layer.v1.tar+gzip',
        digest: `sha256:${hex}`,
        size,
      })),
    },
    'application/vnd.oci.image.manifest.v1+json',
  );
  writeFileSync(join(layout, 'oci-layout'), '{"imageLayoutVersion":"1.0.0"}');
  writeFileSync(join(layout, 'index.json'), JSON.stringify({ schemaVersion: 2, manifests: [manifest] }));
  return made.map((each) => each.hex);
}

async function makeLayer(blobs, number, bytes) {
  const path = join(blobs, `making-${number}`);
  const gzip = createGzip({ level: 1 });
  const out = createWriteStream(path);
  const tarHash = createHash('sha256');
  const stored = createHash('sha256');
  gzip.on('data', (chunk) => stored.update(chunk));
  gzip.pipe(out);
  const write = async (chunk) => {
    tarHash.update(chunk);
    if (!gzip.write(chunk)) await once(gzip, 'drain');
  };
  const words = Array.from({ length: 4096 }, () => randomBytes(3).toString('hex'));
  const text = Buffer.from(Array.from({ length: 150_000 }, (_, i) => words[(i * 7919 + (i >> 3)) % 4096]).join(' '));
  let left = bytes;
  let file = 0;
  while (left > 8192) {
    const kind = kinds[file % kinds.length];
    const size = Math.min(kind === 'text' ? (file * 7919) % 60_000 : 16 * MiB, left - 4096);
    const name = {
      weights: `opt/model/weights-${number}-${file}.safetensors`,
      code: `usr/local/lib/python3.12/site-packages/torch/lib/libtorch_cuda_part${number}_${file}.so`,
      kernels: `usr/local/lib/python3.12/site-packages/nvidia/cublas/lib/libcublas_part${number}_${file}.so.12`,
      text: `usr/local/lib/python3.12/site-packages/pkg${number}/module_${file}.py`,
    }[kind];
    await write(header(name, size));
    for (let rest = size; rest > 0;) {
      const most = Math.min(rest, MiB);
      const from = (size - rest) % (machineCode.length - MiB);
      const piece =
        kind === 'text'
          ? text.subarray(0, most)
          : kind === 'code'
            ? machineCode.subarray(from, from + most)
            : randomBytes(most);
      if (kind === 'kernels' && rest === size) machineCode.copy(piece, 0, 0, 64);
      await write(piece);
      rest -= piece.length;
    }
    const padding = (512 - (size % 512)) % 512;
    if (padding > 0) await write(Buffer.alloc(padding));
    left -= 512 + size + padding;
    file++;
  }
  await write(Buffer.alloc(1024));
  gzip.end();
  await once(out, 'close');
  const hex = stored.digest('hex');
  renameSync(path, join(blobs, hex));
  return { hex, diffId: `sha256:${tarHash.digest('hex')}`, size: statSync(join(blobs, hex)).size };
}

function header(name, size) {
  const head = Buffer.alloc(512);
  head.write(name.slice(0, 100), 0);
  head.write('0000644\0', 100);
  head.write('0000000\0', 108);
  head.write('0000000\0', 116);
  head.write(`${size.toString(8).padStart(11, '0')}\0`, 124);
  head.write('00000000000\0', 136);
  head.write('        ', 148);
  head.write('0', 156);
  head.write('ustar\u000000', 257);
  let sum = 0;
  for (const byte of head) sum += byte;
  head.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return head;
}

async function inflateAndHash(paths) {
  const queue = new Int32Array(new SharedArrayBuffer(4));
  const began = performance.now();
  await Promise.all(
    Array.from({ length: workers }, async () => {
      const worker = new Worker(fileURLToPath(import.meta.url), { workerData: { paths, queue } });
      await once(worker, 'exit');
    }),
  );
  return performance.now() - began;
}

async function yardstick({ paths, queue }) {
  for (;;) {
    const at = Atomics.add(queue, 0, 1);
    if (at >= paths.length) return;
    const hash = createHash('sha256');
    for await (const chunk of createReadStream(paths[at], { highWaterMark: 512 * 1024 }).pipe(
      createGunzip({ chunkSize: 512 * 1024 }),
    ))
      hash.update(chunk);
    parentPort.postMessage(hash.digest('hex'));
  }
}

/** A registry as far as pulling needs one. */
async function serve(layout) {
  let bytes = 0;
  const index = JSON.parse(await (await import('node:fs/promises')).readFile(join(layout, 'index.json'), 'utf8'));
  const [{ digest, mediaType }] = index.manifests;
  const server = createServer((request, response) => {
    const [, kind, name] = /^\/v2\/bench\/image\/(manifests|blobs)\/(.+)$/.exec(request.url) ?? [];
    if (kind === undefined) return response.writeHead(404).end();
    const wanted = name === 'latest' ? digest : name;
    response.setHeader('content-type', kind === 'manifests' ? mediaType : 'application/octet-stream');
    createReadStream(join(layout, 'blobs', wanted.replace(':', '/')))
      .on('data', (chunk) => (bytes += chunk.length))
      .on('error', () => response.destroy())
      .pipe(response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: server.address().port, bytes: () => bytes, close: () => server.close() };
}
