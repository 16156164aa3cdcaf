import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ImageOptions } from '../../packages/collect/src/image/index.ts';
import { openImage } from '../../packages/collect/src/image/index.ts';
import { scratch } from '../run-cli.ts';
import { lacks, shell } from './tools.ts';

const missing = lacks('docker-registry', 'htpasswd', 'skopeo', 'umoci', 'openssl');
const folder = scratch();
const cwd = folder.path('');
const port = 5300 + (process.pid % 500);
const host = `localhost:${port}`;
const credentials = 'someone:a:password';
let registry: ChildProcess | null = null;
let proxy: Server | null = null;

/** A step that must work: what it printed stands in the failure. */
function must(script: string): string {
  const ran = shell(script, { cwd, env: { host } });
  expect(ran.status, `${script}\n${ran.out}${ran.err}`).toBe(0);
  return ran.out;
}

async function read(reference: string, options: ImageOptions = {}) {
  const image = await openImage(reference, options);
  return {
    image,
    files: image.layers.flatMap((layer) =>
      layer.entries.map(({ path, type, text, target, binary }) => [
        path,
        type,
        text ?? target ?? binary?.machine ?? null,
      ]),
    ),
    whiteouts: image.layers.flatMap((layer) => layer.whiteouts),
  };
}

const trusted = (): ImageOptions => ({ ca: folder.path('registry.crt'), authFile: folder.path('auth.json') });

/** What the image below has in its layers, the lower ones first. */
const expected = [
  ['/etc/os-release', 'file', 'ID=debian\nVERSION_ID="12"\n'],
  ['/usr/local/cuda', 'symlink', 'cuda-12.6'],
  ['/usr/local/cuda-12.6', 'directory', null],
  ['/usr/local/cuda-12.6/version.json', 'file', '{"cuda":{"version":"12.6.3"}}'],
  ['/usr/lib/libcudart.so.12', 'file', 'x86_64'],
];

beforeAll(async () => {
  if (missing !== null) return;
  // Two layers; the second deletes a file of the first.
  mkdirSync(folder.path('base/etc'), { recursive: true });
  mkdirSync(folder.path('base/usr/local/cuda-12.6'), { recursive: true });
  writeFileSync(folder.path('base/etc/os-release'), 'ID=debian\nVERSION_ID="12"\n');
  writeFileSync(folder.path('base/etc/ld.so.conf'), '/usr/local/cuda/compat\n');
  writeFileSync(folder.path('base/usr/local/cuda-12.6/version.json'), '{"cuda":{"version":"12.6.3"}}');
  symlinkSync('cuda-12.6', folder.path('base/usr/local/cuda'));
  // A real program, cut; long enough that layers are read in threads.
  writeFileSync(folder.path('libcudart.so.12'), readFileSync(process.execPath).subarray(0, 32 * 1024 ** 2));
  must(`
    umoci init --layout made && umoci new --image made:amd64
    umoci unpack --rootless --image made:amd64 bundle && cp -a base/. bundle/rootfs/ && umoci repack --refresh-bundle --image made:amd64 bundle
    rm bundle/rootfs/etc/ld.so.conf && mkdir -p bundle/rootfs/usr/lib && cp libcudart.so.12 bundle/rootfs/usr/lib/
    umoci repack --refresh-bundle --image made:amd64 bundle
    umoci config --image made:amd64 --architecture amd64 --os linux --config.env CUDA_VERSION=12.6.3 --config.entrypoint /bin/sh
    umoci new --image made:arm64 && umoci config --image made:arm64 --architecture arm64 --os linux --config.env WHICH=arm64
    umoci gc --layout made`);
  cpSync(folder.path('bundle/rootfs'), folder.path('rootfs'), { recursive: true, verbatimSymlinks: true });
  must(`
    openssl req -x509 -newkey rsa:2048 -nodes -keyout registry.key -out registry.crt -days 2 -subj /CN=localhost \
      -addext subjectAltName=DNS:localhost,IP:127.0.0.1 2>/dev/null
    htpasswd -Bbn someone a:password > htpasswd && mkdir -p data certs && cp registry.crt certs/ca.crt`);
  writeFileSync(
    folder.path('config.yml'),
    [
      'version: 0.1',
      `storage: {filesystem: {rootdirectory: ${folder.path('data')}}, delete: {enabled: true}}`,
      `http: {addr: ${host}, secret: x, tls: {certificate: ${folder.path('registry.crt')}, key: ${folder.path('registry.key')}}}`,
      `auth: {htpasswd: {realm: r, path: ${folder.path('htpasswd')}}}`,
      'log: {level: error, accesslog: {disabled: true}}',
    ].join('\n'),
  );
  const auth = Buffer.from(credentials).toString('base64');
  writeFileSync(folder.path('auth.json'), JSON.stringify({ auths: { [host]: { auth } } }));
  registry = spawn('docker-registry', ['serve', folder.path('config.yml')], { stdio: 'ignore' });
  for (let i = 0; i < 100; i++) {
    const up = await new Promise<boolean>((resolve) => {
      const socket = connect(port, 'localhost', () => resolve(true));
      socket.on('error', () => resolve(false));
      socket.on('connect', () => socket.destroy());
    });
    if (up) break;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  must(`
    skopeo() { command skopeo --insecure-policy "$@"; }
    for arch in amd64 arm64; do
      skopeo copy -q --dest-creds '${credentials}' --dest-cert-dir certs oci:made:$arch docker://$host/team/image:$arch
    done
    skopeo copy -q oci:made:amd64 docker-archive:docker.tar:some/image:1
    skopeo copy -q oci:made:amd64 oci-archive:oci.tar:1
    skopeo copy -q oci:made:amd64 dir:folder
    skopeo copy -q --dest-compress-format zstd --dest-compress -f oci oci:made:amd64 oci:zstd:1
    skopeo copy -q --dest-decompress oci:made:amd64 dir:plain
    gzip -c docker.tar > docker.tar.gz; zstd -q oci.tar -o oci.tar.zst || true`);
  // The index of both, as a build for several platforms pushes it.
  must(`
    entry() { skopeo --insecure-policy inspect --raw --creds '${credentials}' --cert-dir certs docker://$host/team/image:$1 > m-$1
      printf '{"mediaType":"application/vnd.oci.image.manifest.v1+json","digest":"sha256:%s","size":%s,"platform":{"os":"linux","architecture":"%s"}}' \
        "$(sha256sum < m-$1 | cut -c1-64)" "$(wc -c < m-$1)" $1; }
    printf '{"schemaVersion":2,"mediaType":"application/vnd.oci.image.index.v1+json","manifests":[%s,%s]}' "$(entry amd64)" "$(entry arm64)" > index
    curl -sf --cacert registry.crt -u '${credentials}' -X PUT -H 'content-type: application/vnd.oci.image.index.v1+json' \
      --data-binary @index https://$host/v2/team/image/manifests/latest`);
}, 170_000);

afterAll(() => {
  registry?.kill();
  proxy?.close();
  folder.remove();
});

describe.skipIf(missing !== null)('an image that real programs made', () => {
  it.each([
    ['an OCI layout', 'oci:made:amd64'],
    ['an oci-archive', 'oci.tar'],
    ['an oci-archive, compressed', 'oci.tar.zst'],
    ['a docker-archive', 'docker.tar'],
    ['a docker-archive by name', 'docker-archive:docker.tar:some/image:1'],
    ['a docker-archive, compressed', 'docker.tar.gz'],
    ['a folder of skopeo', 'folder'],
    ['layers that are not compressed', 'dir:plain'],
    ['zstd layers', 'oci:zstd:1'],
  ])('%s', async (_, place) => {
    const reference = place.includes(':') ? place.replace(':', `:${cwd}/`) : `${cwd}/${place}`;
    const { image, files, whiteouts } = await read(reference);
    expect(files).toEqual(expect.arrayContaining(expected));
    expect(whiteouts).toEqual(['/etc/ld.so.conf']);
    expect(image).toMatchObject({ platform: 'linux/amd64', left: [] });
    expect(image.config!.env).toContainEqual({ name: 'CUDA_VERSION', value: '12.6.3' });
    expect(image.layers.every((layer) => layer.diffId !== null)).toBe(true);
  });

  it('a root file system', async () => {
    const { image, files } = await read(folder.path('rootfs'));
    expect(files).toEqual(expect.arrayContaining(expected));
    expect(image.platform).toBe('linux/amd64');
  });

  it('the root of a running process', async () => {
    const { image } = await read('self', { pid: process.pid, quick: true });
    expect(image.config!.env.some(({ name }) => name === 'PATH')).toBe(true);
  });
});

describe.skipIf(missing !== null)('a real registry with TLS and passwords', () => {
  it('gives the platform that is asked for', async () => {
    const amd = await read(`${host}/team/image`, { ...trusted(), platform: 'linux/amd64' });
    expect(amd.files).toEqual(expect.arrayContaining(expected));
    const arm = await openImage(`${host}/team/image`, { ...trusted(), platform: 'linux/arm64', quick: true });
    expect(arm.config!.env).toContainEqual({ name: 'WHICH', value: 'arm64' });
    await expect(openImage(`${host}/team/image`, { ...trusted(), platform: 'linux/s390x' })).rejects.toMatchObject({
      code: 'no-platform',
    });
  });

  it('is quick where only the configuration is asked for', async () => {
    const began = performance.now();
    await openImage(`${host}/team/image:amd64`, { ...trusted(), quick: true });
    expect(performance.now() - began).toBeLessThan(20_000);
  });

  it('is not trusted without its certificate, unless asked', async () => {
    const { ca: _, ...without } = trusted();
    await expect(openImage(`${host}/team/image:amd64`, without)).rejects.toMatchObject({
      code: 'unreachable',
      hint: expect.stringContaining('--ca'),
    });
    const image = await openImage(`${host}/team/image:amd64`, { ...without, insecure: true, quick: true });
    expect(image.platform).toBe('linux/amd64');
  });

  it('says when a password is missing or wrong, and what is not there', async () => {
    writeFileSync(folder.path('none.json'), '{}');
    const none = { ...trusted(), authFile: folder.path('none.json') };
    await expect(openImage(`${host}/team/image:amd64`, none)).rejects.toMatchObject({ code: 'denied' });
    writeFileSync(folder.path('wrong.json'), JSON.stringify({ auths: { [host]: { auth: 'YTpi' } } }));
    const wrong = { ...trusted(), authFile: folder.path('wrong.json') };
    await expect(openImage(`${host}/team/image:amd64`, wrong)).rejects.toMatchObject({ code: 'denied' });
    await expect(openImage(`${host}/team/image:other`, trusted())).rejects.toMatchObject({ code: 'no-image' });
  });

  it('is reached through a proxy', async () => {
    const asked: string[] = [];
    proxy = createServer((_, response) => void response.writeHead(405).end());
    proxy.on('connect', (request, client) => {
      asked.push(request.url!);
      const onward = connect(port, 'localhost', () => {
        client.write('HTTP/1.1 200 OK\r\n\r\n');
        client.pipe(onward).pipe(client);
      });
      onward.on('error', () => client.destroy());
      client.on('error', () => onward.destroy());
    });
    await new Promise<void>((resolve) => {
      proxy!.listen(0, '127.0.0.1', resolve);
    });
    const auth = Buffer.from(credentials).toString('base64');
    writeFileSync(folder.path('far.json'), JSON.stringify({ auths: { [`registry.test:${port}`]: { auth } } }));
    const options = {
      insecure: true,
      authFile: folder.path('far.json'),
      env: { ...process.env, HTTPS_PROXY: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, NO_PROXY: '' },
    };
    const { files } = await read(`registry.test:${port}/team/image:amd64`, options);
    expect(files).toEqual(expect.arrayContaining(expected));
    expect(new Set(asked)).toEqual(new Set([`registry.test:${port}`]));
  });

  it('is asked for new layers only where others are in the cache', async () => {
    const cache = folder.path('cache');
    const first = await openImage(`oci:${folder.path('made')}:amd64`, { cache });
    expect(readdirSync(cache)).toHaveLength(2);
    let bytes = 0;
    const second = await openImage(`${host}/team/image:amd64`, {
      ...trusted(),
      cache,
      progress: (state) => {
        ({ bytes } = state);
      },
    });
    expect(bytes).toBe(0);
    expect(second.layers).toEqual(first.layers);
  });

  it('that holds damaged content is found out', async () => {
    const hex = (await openImage(`${host}/team/image:amd64`, { ...trusted() })).layers[1]!.digest!.slice(7);
    const path = `${cwd}/data/docker/registry/v2/blobs/sha256/${hex.slice(0, 2)}/${hex}/data`;
    must(`printf x | dd of=${path} bs=1 seek=1000 conv=notrunc status=none`);
    await expect(openImage(`${host}/team/image:amd64`, trusted())).rejects.toMatchObject({
      code: 'damaged',
      message: expect.stringMatching(/layer 2 of 2 \(sha256:[0-9a-f]{64}\): its content has the digest/),
    });
    rmSync(folder.path('data'), { recursive: true });
  });
});

describe.skipIf(missing !== null)('the program itself', () => {
  it('reads large layers in threads, and small ones without', () => {
    const ran = shell(`$culprit image --format json oci:${cwd}/made:amd64`, { cwd });
    expect(ran.err).toBe('');
    expect(JSON.parse(ran.out)).toMatchObject({ schema: 'culprit/image@1', platform: 'linux/amd64' });
  });
});
