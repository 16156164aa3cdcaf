import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { root, scratch } from '../run-cli.ts';
import type { Started } from './image-services.ts';
import { readImage, registryService } from './image-services.ts';
import { lacks, shell } from './tools.ts';

const missing = lacks('docker-registry', 'skopeo', 'curl');
const folder = scratch();
const cwd = folder.path('');
let registry: Started;

/** As its writer says; fixtures/images/README.md tells how it was made. */
const toc = 'sha256:0b4b57258d08ce82d8184ce61242deab54f51fc7a7e17c77514c10c30611478c';
const stargz = readFileSync(`${root}/fixtures/images/estargz.tar.gz`);

const expected = [
  ['/etc/os-release', 'file', 'ID=debian\nVERSION_ID="12"\n'],
  ['/usr/local/cuda', 'symlink', 'cuda-12.6'],
  ['/usr/local/cuda-12.6/version.json', 'file', '{"cuda":{"version":"12.6.3"}}'],
  ['/usr/lib/libcudart.so', 'file', 'x86_64'],
  ['/usr/lib/libcudart.so.12', 'hardlink', '/usr/lib/libcudart.so'],
];

const sha256 = (bytes: Uint8Array): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

/** An OCI layout of one layer. */
function layout(name: string, layer: Uint8Array, annotations: Readonly<Record<string, string>>): void {
  const blobs = folder.path(`${name}/blobs/sha256`);
  mkdirSync(blobs, { recursive: true });
  const put = (bytes: Uint8Array, mediaType: string): object => {
    const digest = sha256(bytes);
    writeFileSync(`${blobs}/${digest.slice(7)}`, bytes);
    return { mediaType, digest, size: bytes.length };
  };
  const json = (value: object): Buffer => Buffer.from(JSON.stringify(value));
  const type = 'application/vnd.oci.image.';
  const config = put(
    json({
      os: 'linux',
      architecture: 'amd64',
      config: {},
      rootfs: { type: 'layers', diff_ids: [sha256(gunzipSync(layer))] },
    }),
    `${type}config.v1+json`,
  );
  const layers = [{ ...put(layer, `${type}layer.v1.tar+gzip`), annotations }];
  const manifest = put(
    json({ schemaVersion: 2, mediaType: `${type}manifest.v1+json`, config, layers }),
    `${type}manifest.v1+json`,
  );
  writeFileSync(folder.path(`${name}/oci-layout`), '{"imageLayoutVersion":"1.0.0"}');
  writeFileSync(folder.path(`${name}/index.json`), json({ schemaVersion: 2, manifests: [manifest] }));
}

function must(script: string): void {
  const ran = shell(`set -e; skopeo() { command skopeo --insecure-policy "$@"; }\n${script}`, { cwd });
  expect(ran.status, `${script}\n${ran.out}${ran.err}`).toBe(0);
}

beforeAll(async () => {
  if (missing !== null) return;
  registry = await registryService(folder.path('registry'));
  layout('estargz', stargz, { 'containerd.io/snapshot/stargz/toc.digest': toc });
  must(`
    skopeo copy -q --dest-compress --dest-compress-format zstd:chunked -f oci oci:estargz dir:chunked
    for name in oci:estargz dir:chunked; do
      skopeo copy -q --dest-tls-verify=false $name docker://${registry.address}/layers/\${name#*:}:1
    done`);
});

afterAll(() => {
  if (missing === null) registry.stop();
  folder.remove();
});

describe.skipIf(missing !== null)('layers with a table of contents, as their own tools make them', () => {
  it.each([
    ['eStargz', 'estargz'],
    ['zstd:chunked', 'chunked'],
  ])('%s is read from a registry by the parts that matter', async (_, name) => {
    const { files, streamed, left } = await readImage(`${registry.address}/layers/${name}:1`, { insecure: true });
    expect(streamed).toBe(0);
    expect(files).toEqual(expect.arrayContaining(expected));
    expect(left).toEqual([]);
  });

  it.each([
    ['eStargz', 'oci', 'estargz'],
    ['zstd:chunked', 'dir', 'chunked'],
  ])('%s tells the same where it is read whole', async (_, kind, name) => {
    const parts = await readImage(`${registry.address}/layers/${name}:1`, { insecure: true });
    const { files, streamed, verified, left } = await readImage(`${kind}:${folder.path(name)}`);
    expect(streamed).toBeGreaterThan(100_000);
    expect(verified).toBe(true);
    expect(files.filter(([path]) => !path.includes('stargz'))).toEqual(parts.files);
    expect(left).toEqual([]);
  });

  it('a table that was changed is found out', async () => {
    layout('other', stargz, { 'containerd.io/snapshot/stargz/toc.digest': `sha256:${'0'.repeat(64)}` });
    must(`skopeo copy -q --dest-tls-verify=false oci:other docker://${registry.address}/layers/other:1`);
    await expect(readImage(`${registry.address}/layers/other:1`, { insecure: true })).rejects.toMatchObject({
      code: 'damaged',
    });
  });
});

describe.skipIf(lacks('zstd', 'tar') !== null)('a real Zstandard layer of many blocks', () => {
  it.each(['-1', '-5 --long=24', '-3 --ultra --check'])('packed with %s', async (flags) => {
    mkdirSync(folder.path('big/opt'), { recursive: true });
    mkdirSync(folder.path('big/etc'), { recursive: true });
    writeFileSync(folder.path('big/opt/node'), readFileSync(process.execPath).subarray(0, 12 * 1024 ** 2));
    writeFileSync(folder.path('big/etc/os-release'), 'ID=debian\n');
    must(`
      rm -rf z && mkdir -p z/blobs/sha256 && tar -C big -cf big.tar . && zstd -q ${flags} -f big.tar -o big.zst
      size() { wc -c < $1; }; sum() { sha256sum < $1 | cut -c1-64; }
      put() { cp $1 z/blobs/sha256/$(sum $1); printf '{"mediaType":"application/vnd.oci.image.%s","digest":"sha256:%s","size":%s}' $2 $(sum $1) $(size $1); }
      printf '{"os":"linux","architecture":"amd64","rootfs":{"type":"layers","diff_ids":["sha256:%s"]}}' $(sum big.tar) > config
      printf '{"schemaVersion":2,"config":%s,"layers":[%s]}' "$(put config config.v1+json)" "$(put big.zst layer.v1.tar+zstd)" > manifest
      printf '{"schemaVersion":2,"manifests":[%s]}' "$(put manifest manifest.v1+json)" > z/index.json
      printf '{"imageLayoutVersion":"1.0.0"}' > z/oci-layout`);
    const { files, verified } = await readImage(`oci:${folder.path('z')}`);
    expect(files).toContainEqual(['/etc/os-release', 'file', 'ID=debian\n']);
    expect(verified).toBe(true);
  });
});
