import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import type { ScannedImage } from '@culprit/core/image/model';
import { findCredentials } from './credentials.ts';
import { openImage } from './open-image.ts';
import { proxyFor } from './proxy.ts';
import { parseReference } from './reference.ts';
import { challengesOf, realmOf } from './registry-auth.ts';
import type { Made } from './testing.ts';
import { makeImage, sha256, tarMember, tarOf, writeLayout } from './testing.ts';

const folder = mkdtempSync(join(tmpdir(), 'culprit-source-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const osRelease = { name: 'etc/os-release', content: 'ID=ubuntu\n' };
const tar = tarOf(osRelease);
const stored = gzipSync(tar);
const image = makeImage([{ tar, stored }]);
const env = { HOME: join(folder, 'nobody'), PATH: '/usr/bin:/bin' };

const textOf = (scanned: ScannedImage): string | undefined => scanned.layers[0]!.entries[0]!.text;

describe('references', () => {
  it.each([
    ['ubuntu', 'registry-1.docker.io', 'library/ubuntu', 'latest', null],
    ['ubuntu:22.04', 'registry-1.docker.io', 'library/ubuntu', '22.04', null],
    ['docker.io/ubuntu', 'registry-1.docker.io', 'library/ubuntu', 'latest', null],
    ['docker://pytorch/pytorch', 'registry-1.docker.io', 'pytorch/pytorch', 'latest', null],
    ['index.docker.io/a/b:c', 'registry-1.docker.io', 'a/b', 'c', null],
    ['nvcr.io/nvidia/pytorch:24.05-py3', 'nvcr.io', 'nvidia/pytorch', '24.05-py3', null],
    ['localhost/x', 'localhost', 'x', 'latest', null],
    ['localhost:5000/x:y', 'localhost:5000', 'x', 'y', null],
    ['[::1]:5000/x/y', '[::1]:5000', 'x/y', 'latest', null],
    [`a.b/c@sha256:${'0'.repeat(64)}`, 'a.b', 'c', null, `sha256:${'0'.repeat(64)}`],
    [`a.b/c:d@sha256:${'0'.repeat(64)}`, 'a.b', 'c', 'd', `sha256:${'0'.repeat(64)}`],
  ])('%s', (text, host, repository, tag, digest) => {
    expect(parseReference(text)).toMatchObject({ host, repository, tag, digest });
  });

  it.each([
    '',
    'UPPER',
    'a b',
    'a/../b',
    'https://x/y',
    'a.b/c@sha256:123',
    'a:b:c',
    'x.y/',
    '-a',
    'a/b:-',
    '/x',
    'a@b@c',
  ])('%j is none', (text) => expect(() => parseReference(text)).toThrow(/is no image reference/));
});

describe('proxies', () => {
  it.each([
    ['https://quay.io/', { HTTPS_PROXY: 'http://p:3128' }, 'p:3128'],
    ['https://quay.io/', { https_proxy: 'p:3128' }, 'p:3128'],
    ['http://quay.io/', { HTTPS_PROXY: 'http://p:3128' }, null],
    ['https://quay.io/', { HTTPS_PROXY: 'http://p:1', NO_PROXY: 'quay.io' }, null],
    ['https://cdn.quay.io/', { HTTPS_PROXY: 'http://p:1', NO_PROXY: '.quay.io' }, null],
    ['https://cdn.quay.io/', { HTTPS_PROXY: 'http://p:1', no_proxy: 'quay.io' }, null],
    ['https://notquay.io/', { HTTPS_PROXY: 'http://p:1', no_proxy: 'quay.io' }, 'p:1'],
    ['https://10.1.2.3/', { HTTPS_PROXY: 'http://p:1', no_proxy: '10.0.0.0/8' }, null],
    ['https://11.1.2.3/', { HTTPS_PROXY: 'http://p:1', no_proxy: '10.0.0.0/8' }, 'p:1'],
    ['https://r:5000/', { HTTPS_PROXY: 'http://p:1', no_proxy: 'r:5001' }, 'p:1'],
    ['https://r:5000/', { HTTPS_PROXY: 'http://p:1', no_proxy: 'r:5000' }, null],
    ['https://localhost:5000/', { HTTPS_PROXY: 'http://p:1' }, null],
    ['https://quay.io/', { HTTPS_PROXY: 'http://p:1', NO_PROXY: '*' }, null],
  ])('%s with %j', (url, variables, host) => expect(proxyFor(new URL(url), variables)?.host ?? null).toBe(host));
});

describe('challenges', () => {
  it('are read with commas and quotes inside, and several in one', () => {
    const [bearer, basic] = challengesOf(
      'Bearer realm="https://auth.x/token",service="a, b",scope="repository:x:pull,push", Basic realm="y \\"z\\""',
    );
    expect([bearer!.scheme, bearer!.values.get('scope'), bearer!.values.get('service')]).toEqual([
      'bearer',
      'repository:x:pull,push',
      'a, b',
    ]);
    expect([basic!.scheme, basic!.values.get('realm')]).toEqual(['basic', 'y "z"']);
  });

  it.each([
    ['http://auth.x/token', /https addresses only/],
    ['https://169.254.169.254/latest', /link-local/],
    ['https://[fe80::1]/x', /link-local/],
    ['https://u:p@auth.x/', /password/],
    ['https://127.0.0.1/x', /this machine/],
    ['/token', /no address/],
  ])('send no credentials to %s', (realm, why) =>
    expect(() => realmOf(realm, new URL('https://registry.x/'), false)).toThrow(why),
  );
});

describe('credentials', () => {
  const config = (value: unknown): { HOME: string; PATH: string } => {
    const home = mkdtempSync(join(folder, 'home-'));
    mkdirSync(join(home, '.docker'));
    writeFileSync(join(home, '.docker/config.json'), typeof value === 'string' ? value : JSON.stringify(value));
    return { HOME: home, PATH: `${join(folder, 'bin')}:/usr/bin:/bin` };
  };
  const auth = Buffer.from('me:pass:word').toString('base64');

  it.each([
    ['auths of the registry', { auths: { 'r.x': { auth } } }, 'r.x', 'pass:word'],
    ['auths with a scheme', { auths: { 'https://r.x/v2/': { auth } } }, 'r.x', 'pass:word'],
    ['the most exact entry', { auths: { 'r.x': { auth: 'eA==' }, 'r.x/team/app': { auth } } }, 'r.x', 'pass:word'],
    ['Docker Hub by its old name', { auths: { 'https://index.docker.io/v1/': { auth } } }, 'docker.io', 'pass:word'],
    ['another registry', { auths: { 'other.x': { auth } } }, 'r.x', null],
    ['an entry without content', { auths: { 'r.x': {} } }, 'r.x', null],
    ['a file that is no JSON', '{"auths": secret', 'r.x', null],
  ])('%s', async (_, value, registry, password) => {
    const found = await findCredentials(registry, 'team/app', config(value), undefined);
    expect(found.credentials).toEqual(password === null ? null : { kind: 'basic', username: 'me', password });
    expect(JSON.stringify(found.trouble)).not.toContain('secret');
  });

  it('come from helpers, which get the name of the registry on standard input', async () => {
    mkdirSync(join(folder, 'bin'), { recursive: true });
    const helper = join(folder, 'bin/docker-credential-test');
    writeFileSync(
      helper,
      '#!/bin/sh\nread name\n[ "$1" = get ] && printf \'{"Username":"u","Secret":"for %s"}\' "$name"\n',
    );
    chmodSync(helper, 0o755);
    const store = await findCredentials('r.x', 'a', config({ credsStore: 'test', auths: { 'r.x': {} } }), undefined);
    expect(store.credentials).toEqual({ kind: 'basic', username: 'u', password: 'for r.x' });
    const one = await findCredentials('r.x', 'a', config({ credHelpers: { 'r.x': 'test' } }), undefined);
    expect(one.credentials).toEqual({ kind: 'basic', username: 'u', password: 'for r.x' });
    const missing = await findCredentials('r.x', 'a', config({ credHelpers: { 'r.x': 'not-there' } }), undefined);
    expect(missing.trouble[0]).toMatch(/docker-credential-not-there is not installed/);
    const evil = await findCredentials('r.x', 'a', config({ credHelpers: { 'r.x': '../../bin/sh' } }), undefined);
    expect(evil.trouble[0]).toMatch(/is none/);
  });
});

describe('a registry', () => {
  const servers: Server[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) server.close().closeAllConnections();
  });
  const listen = async (answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> => {
    const server = createServer(answer);
    servers.push(server);
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    return `127.0.0.1:${(server.address() as AddressInfo).port}`;
  };
  const content = (made: Made) => (request: IncomingMessage, response: ServerResponse) => {
    const name = request.url!.split('/').at(-1)!;
    const bytes = made.blobs.get(name === 'latest' ? made.manifest.digest : name);
    if (bytes === undefined)
      response.writeHead(404).end('{"errors":[{"code":"MANIFEST_UNKNOWN","message":"manifest unknown"}]}');
    else {
      const range = /bytes=(\d+)-(\d*)/.exec(request.headers.range ?? '');
      const from = Number(range?.[1] ?? 0);
      const to = range?.[2] ? Number(range[2]) + 1 : bytes.length;
      response.writeHead(range === null ? 200 : 206, { 'content-range': `bytes ${from}-${to - 1}/${bytes.length}` });
      response.end(bytes.subarray(from, to));
    }
  };

  it('is read without TLS only where that is said', async () => {
    const host = await listen(content(image));
    await expect(openImage(`${host}/x`, { env })).rejects.toMatchObject({
      code: 'unreachable',
      hint: expect.stringContaining('--insecure'),
    });
    const read = await openImage(`${host}/x`, { env, insecure: true });
    expect([read.digest, textOf(read)]).toEqual([image.manifest.digest, 'ID=ubuntu\n']);
  });

  it('says what is not there', async () => {
    const host = await listen(content(image));
    await expect(openImage(`${host}/x:other`, { env, insecure: true })).rejects.toMatchObject({
      code: 'no-image',
      message: expect.stringContaining('manifest other is not in the registry (MANIFEST_UNKNOWN: manifest unknown)'),
    });
  });

  it('gives no other content than its digest says', async () => {
    const host = await listen((request, response) => {
      if (request.url!.includes('/blobs/')) response.end(Buffer.alloc(stored.length));
      else content(image)(request, response);
    });
    await expect(openImage(`${host}/x`, { env, insecure: true })).rejects.toMatchObject({ code: 'damaged' });
  });

  it('gets a token with the stored name and password; storage it sends to gets none of it', async () => {
    const auths = join(folder, 'auths.json');
    const seen: string[] = [];
    const storage = await listen((request, response) => {
      seen.push(`storage ${request.headers.authorization ?? 'nothing'}`);
      content(image)(request, response);
    });
    const host = await listen((request, response) => {
      const { authorization } = request.headers;
      if (request.url!.startsWith('/token')) {
        seen.push(`token ${authorization} ${request.url}`);
        response.end('{"token":"abc","expires_in":300}');
      } else if (authorization !== 'Bearer abc')
        response.writeHead(401, { 'www-authenticate': `Bearer realm="http://${host}/token",service="s"` }).end();
      else if (request.url!.includes('/blobs/'))
        response.writeHead(307, { location: `http://${storage}/${request.url!.split('/').at(-1)}` }).end();
      else content(image)(request, response);
    });
    writeFileSync(auths, JSON.stringify({ auths: { [host]: { auth: Buffer.from('u:p').toString('base64') } } }));
    const read = await openImage(`${host}/team/x`, { env, insecure: true, authFile: auths });
    expect(textOf(read)).toBe('ID=ubuntu\n');
    expect(seen).toEqual([
      `token Basic ${Buffer.from('u:p').toString('base64')} /token?service=s&scope=repository%3Ateam%2Fx%3Apull`,
      'storage nothing',
      'storage nothing',
    ]);
  });

  it('is asked again after an error, and where a connection broke from that place on', async () => {
    let manifests = 0;
    const ranges: string[] = [];
    const host = await listen((request, response) => {
      if (request.url!.includes('/manifests/') && manifests++ === 0) response.writeHead(503).end();
      else if (request.url!.endsWith(sha256(stored))) {
        ranges.push(request.headers.range ?? 'all');
        if (ranges.length > 1) content(image)(request, response);
        else {
          response.writeHead(200, { 'content-length': stored.length });
          response.write(stored.subarray(0, 50), () => setTimeout(() => response.destroy(), 20));
        }
      } else content(image)(request, response);
    });
    expect(textOf(await openImage(`${host}/x`, { env, insecure: true }))).toBe('ID=ubuntu\n');
    expect(ranges).toEqual(['all', 'bytes=50-']);
  });

  it('sends to no link-local address', async () => {
    const host = await listen((_, response) => {
      response.writeHead(307, { location: 'http://169.254.169.254/latest/meta-data' }).end();
    });
    await expect(openImage(`${host}/x`, { env, insecure: true })).rejects.toThrow(/link-local/);
  });

  it('is reached through a proxy by CONNECT, with the name and password of the proxy', async () => {
    const asked: string[] = [];
    const proxy = await listen((_, response) => void response.end());
    servers.at(-1)!.on('connect', (request, socket) => {
      asked.push(`${request.url} ${request.headers['proxy-authorization']}`);
      const onward = connect(9, '127.0.0.1');
      onward.on('error', () => socket.destroy());
      socket.on('error', () => {});
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      socket.destroy();
    });
    const through = { ...env, HTTPS_PROXY: `http://me:pw@${proxy}` };
    await expect(openImage('registry.example/x', { env: through })).rejects.toMatchObject({ code: 'unreachable' });
    expect(asked[0]).toBe(`registry.example:443 Basic ${Buffer.from('me:pw').toString('base64')}`);
  });

  it('is asked for parts only where a layer has a table of contents (eStargz)', async () => {
    const files = [
      { name: 'etc/os-release', content: Buffer.from('ID=ubuntu\n') },
      { name: 'big', content: Buffer.from(Array.from({ length: 400_000 }, (_, i) => (i * 7919 + (i >> 7)) & 255)) },
    ];
    const members: Buffer[] = [];
    const entries = files.map(({ name, content: bytes }) => {
      const member = tarMember({ name, content: bytes });
      const before = gzipSync(member.subarray(0, 512));
      const offset = members.reduce((sum, each) => sum + each.length, 0) + before.length;
      members.push(before, gzipSync(member.subarray(512)));
      return { name, type: 'reg', size: bytes.length, offset, digest: sha256(bytes), chunkDigest: sha256(bytes) };
    });
    const toc = Buffer.from(JSON.stringify({ version: 1, entries }));
    const at = members.reduce((sum, each) => sum + each.length, 0);
    const extra = Buffer.from(`SG\u0016\u0000${at.toString(16).padStart(16, '0')}STARGZ`, 'latin1');
    const footer = Buffer.concat([
      Buffer.from([31, 139, 8, 4, 0, 0, 0, 0, 0, 255, extra.length, 0]),
      extra,
      Buffer.from([1, 0, 0, 255, 255, 0, 0, 0, 0, 0, 0, 0, 0]),
    ]);
    expect(footer).toHaveLength(51);
    const blob = Buffer.concat([...members, gzipSync(tarOf({ name: 'stargz.index.json', content: toc })), footer]);
    const annotations = { 'containerd.io/snapshot/stargz/toc.digest': sha256(toc) };
    let sent = 0;
    const serve = async (made: Made): Promise<string> =>
      listen((request, response) => {
        if (request.url!.endsWith(sha256(blob)))
          sent += Number(/-(\d+)/.exec(request.headers.range ?? '')?.[1] ?? blob.length);
        content(made)(request, response);
      });
    const good = makeImage([{ tar, stored: blob, annotations }]);
    const seen: (string | undefined)[] = [];
    const host = await listen((request, response) => {
      if (request.url!.endsWith(sha256(blob))) seen.push(request.headers.range);
      content(good)(request, response);
    });
    const read = await openImage(`${host}/x`, { env, insecure: true });
    expect(textOf(read)).toBe('ID=ubuntu\n');
    expect(seen).toHaveLength(3);
    expect(seen).not.toContain(undefined);
    expect(read.layers[0]).toMatchObject({ digest: sha256(blob), diffId: null });
    const lies = makeImage([
      { tar, stored: blob, annotations: { 'containerd.io/snapshot/stargz/toc.digest': sha256(Buffer.from('other')) } },
    ]);
    await expect(openImage(`${await serve(lies)}/x`, { env, insecure: true })).rejects.toThrow(
      /table of contents has another digest/,
    );
    expect(sent).toBeGreaterThan(0);
  });
});

describe('archives', () => {
  const config = Buffer.from(
    JSON.stringify({
      os: 'linux',
      architecture: 'amd64',
      rootfs: { diff_ids: [sha256(tar)] },
      config: { Env: ['A=b'] },
    }),
  );
  const name = sha256(config).slice(7);
  const manifest = [{ Config: `${name}.json`, RepoTags: ['x:1'], Layers: ['abc/layer.tar'] }];
  const parts = [
    { name: `${name}.json`, content: config },
    { name: 'other/layer.tar', content: tar },
    { name: 'abc/layer.tar', type: '2', link: '../other/layer.tar' },
    { name: 'manifest.json', content: JSON.stringify(manifest) },
  ];
  const write = (bytes: Uint8Array, end = 'tar'): string => {
    const path = join(mkdtempSync(join(folder, 'archive-')), `image.${end}`);
    writeFileSync(path, bytes);
    return path;
  };

  it.each([
    ['plain', (bytes: Buffer) => bytes],
    ['compressed as a whole', (bytes: Buffer) => gzipSync(bytes)],
  ])('of docker save, %s, layers that are links', async (_, pack) => {
    const read = await openImage(write(pack(tarOf(...parts))));
    expect(read).toMatchObject({ digest: sha256(config), platform: 'linux/amd64' });
    expect(read.config!.env).toEqual([{ name: 'A', value: 'b' }]);
    expect(textOf(read)).toBe('ID=ubuntu\n');
    expect(read.layers[0]!.diffId).toBe(sha256(tar));
  });

  it('choose by tag, and say which tags there are', async () => {
    const path = write(tarOf(...parts));
    expect(textOf(await openImage(`docker-archive:${path}:docker.io/library/x:1`))).toBe('ID=ubuntu\n');
    await expect(openImage(`docker-archive:${path}:y`)).rejects.toMatchObject({
      code: 'no-image',
      hint: 'there is x:1',
    });
  });

  it('are refused where a layer is another one, missing, or the file is cut', async () => {
    const other = parts.map((part) => (part.name === 'other/layer.tar' ? { ...part, content: tarOf() } : part));
    await expect(openImage(write(tarOf(...other)))).rejects.toThrow(/layer 1 of 1 .*digest/);
    await expect(
      openImage(write(tarOf(...parts.filter(({ name: each }) => each !== 'other/layer.tar')))),
    ).rejects.toThrow(/layer 1 of 1 \(abc\/layer\.tar\) is not in the archive/);
    await expect(openImage(write(tarOf(...parts).subarray(0, 3000)))).rejects.toMatchObject({ code: 'damaged' });
  });

  it.each([
    ['a program', Buffer.from('\u007fELF'), /a program or library/],
    ['nothing', Buffer.alloc(0), /empty/],
    ['a zip', Buffer.concat([Buffer.from('PK\u0003\u0004'), Buffer.alloc(600, 1)]), /a zip archive/],
    ['a tar of other things', tarOf(osRelease), /no saved image/],
    ['gzip of no tar', gzipSync(Buffer.alloc(2000, 65)), /no tar archive/],
  ])('that are %s say so', async (_, bytes, message) => {
    await expect(openImage(write(bytes))).rejects.toThrow(message);
  });

  it.each(['./not-there.tar', '/not/there', 'oci:/not/there:x'])('%s is a path', async (path) => {
    await expect(openImage(path)).rejects.toMatchObject({
      code: 'no-image',
      message: expect.stringContaining('no such file'),
    });
  });
});

describe('a root file system', () => {
  it('is no empty folder; one that does not look like a root says so', async () => {
    const root = mkdtempSync(join(folder, 'empty-'));
    await expect(openImage(root)).rejects.toMatchObject({
      code: 'no-image',
      message: expect.stringContaining('empty'),
    });
    writeFileSync(join(root, 'notes'), 'x');
    expect((await openImage(root)).left.join()).toMatch(/is it a root file system/);
    mkdirSync(join(root, 'etc'));
    expect((await openImage(root)).left.join()).not.toMatch(/is it a root file system/);
  });

  it('is read without following a link, and never outside', async () => {
    const root = mkdtempSync(join(folder, 'root-'));
    const outside = mkdtempSync(join(folder, 'outside-'));
    writeFileSync(join(outside, 'os-release'), 'ID=outside\n');
    mkdirSync(join(outside, 'ld.so.conf.d'));
    writeFileSync(join(outside, 'ld.so.conf.d/x.conf'), '/outside\n');
    mkdirSync(join(root, 'etc'));
    mkdirSync(join(root, 'usr/lib'), { recursive: true });
    symlinkSync(join(outside, 'os-release'), join(root, 'etc/os-release'));
    symlinkSync(join(outside, 'ld.so.conf.d'), join(root, 'etc/ld.so.conf.d'));
    symlinkSync('../../../../../..', join(root, 'up'));
    writeFileSync(join(root, 'usr/lib/os-release'), 'ID=inside\n');
    writeFileSync(join(root, 'etc/.wh.debian_version'), '');
    const [pipe] = [join(root, 'etc/ld.so.conf')];
    execFileSync('mkfifo', [pipe]);
    const read = await openImage(root, { platform: 'linux/amd64' });
    const texts = read.layers[0]!.entries.filter(({ text }) => text !== undefined);
    expect(texts.map(({ path, text }) => [path, text])).toEqual([['/usr/lib/os-release', 'ID=inside\n']]);
    expect(read.layers[0]!.whiteouts).toEqual([]);
    expect(read.layers[0]!.entries.filter(({ type }) => type === 'symlink').map(({ path }) => path)).toEqual([
      '/etc/ld.so.conf.d',
      '/etc/os-release',
      '/up',
    ]);
    expect(read.layers[0]!.left[0]).toMatch(/devices, pipes and sockets/);
  });

  it('of a process that is not there is said', async () => {
    await expect(openImage('x', { pid: 999_999_999 })).rejects.toMatchObject({ code: 'no-image' });
  });
});

describe('a store of containerd', () => {
  it('is read by digest; a layer that it threw away is named', async () => {
    const root = mkdtempSync(join(folder, 'containerd-'));
    const content = join(root, 'io.containerd.content.v1.content');
    writeLayout(content, [image]);
    const read = await openImage(image.manifest.digest, { containerd: root });
    expect(textOf(read)).toBe('ID=ubuntu\n');
    rmSync(join(content, 'blobs', sha256(stored).replace(':', '/')));
    await expect(openImage(`r.x/y@${image.manifest.digest}`, { containerd: root })).rejects.toMatchObject({
      message: expect.stringMatching(/layer 1 of 1 .* is not kept on this node/),
    });
  });
});
