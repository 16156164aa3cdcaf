import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import type { LayerScan, ScannedImage } from '@culprit/core/image/model';
import { normalPath } from './layer-collector.ts';
import { nodeTools } from './inflate.ts';
import { LayerReader } from './layer-reader.ts';
import { openImage } from './open-image.ts';
import { TarError } from './tar-fields.ts';
import { TarReader } from './tar-reader.ts';
import type { MadeLayer, TarPart } from './testing.ts';
import { makeImage, pax, sha256, tarMember, tarOf, withSum, writeLayout } from './testing.ts';

const folder = mkdtempSync(join(tmpdir(), 'culprit-image-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let made = 0;

const gzip = 'application/vnd.oci.image.layer.v1.tar+gzip';

async function scan(
  layers: readonly MadeLayer[],
  options: Parameters<typeof openImage>[1] = {},
): Promise<ScannedImage> {
  const place = join(folder, `image-${made++}`);
  writeLayout(place, [makeImage(layers)]);
  return openImage(place, options);
}

async function layerOf(...parts: readonly (TarPart | Uint8Array)[]): Promise<LayerScan> {
  return (await scan([{ tar: tarOf(...parts) }])).layers[0]!;
}

const osRelease: TarPart = { name: 'etc/os-release', content: 'ID=ubuntu\n' };
const paths = (layer: LayerScan): readonly string[] => layer.entries.map(({ path }) => path);

describe('a layer', () => {
  it('keeps texts, libraries and links of interest and nothing else', async () => {
    const layer = await layerOf(
      osRelease,
      { name: './usr/lib/x86_64-linux-gnu/libcuda.so.1', type: '2', link: 'libcuda.so.535.104.05' },
      { name: 'usr/lib/x86_64-linux-gnu/libcuda.so.535.104.05', content: 'not ELF' },
      { name: 'usr/share/doc/x', content: 'of no interest' },
      { name: 'usr/local/cuda', type: '2', link: '/etc/alternatives/cuda' },
    );
    expect(layer.entries).toEqual([
      { path: '/etc/os-release', type: 'file', bytes: 10, text: 'ID=ubuntu\n' },
      { path: '/usr/lib/x86_64-linux-gnu/libcuda.so.1', type: 'symlink', bytes: 0, target: 'libcuda.so.535.104.05' },
      { path: '/usr/lib/x86_64-linux-gnu/libcuda.so.535.104.05', type: 'file', bytes: 7 },
      { path: '/usr/local/cuda', type: 'symlink', bytes: 0, target: '/etc/alternatives/cuda' },
    ]);
    expect(layer.left).toEqual([]);
  });

  it.each([
    ['as it is', (tar: Uint8Array) => ({ tar })],
    ['as gzip', (tar: Uint8Array) => ({ tar, stored: gzipSync(tar), mediaType: gzip })],
    ['as gzip that the manifest calls a tar', (tar: Uint8Array) => ({ tar, stored: gzipSync(tar) })],
    [
      'as several gzip members',
      (tar: Uint8Array) => ({
        tar,
        stored: Buffer.concat([gzipSync(tar.subarray(0, 700)), gzipSync(tar.subarray(700))]),
      }),
    ],
  ])('is read when stored %s, and both digests are told', async (_, store) => {
    const tar = tarOf(osRelease);
    const layer = store(tar) as MadeLayer;
    const [read] = (await scan([layer])).layers;
    expect(read).toMatchObject({ digest: sha256(layer.stored ?? tar), diffId: sha256(tar), unpackedBytes: tar.length });
    expect(paths(read!)).toEqual(['/etc/os-release']);
  });

  it('tells deletions and hidden folders', async () => {
    const layer = await layerOf(
      { name: 'usr/local/.wh.cuda' },
      { name: 'opt/venv/.wh..wh..opq' },
      { name: '.wh..wh..opq' },
      { name: '.wh..wh.plnk', type: '5' },
      { name: 'etc/.wh...' },
      { name: 'etc/.wh.' },
    );
    expect(layer).toMatchObject({ whiteouts: ['/usr/local/cuda'], opaque: ['/opt/venv', '/'], entries: [] });
    expect(layer.left).toHaveLength(1);
    expect(layer.left[0]).toMatch(/deletions of no name \(2\)/);
  });

  it('lets what comes later replace what came before, a folder too', async () => {
    const layer = await layerOf(
      { name: 'usr/local/cuda/version.json', content: '{}' },
      osRelease,
      { name: 'usr/local/cuda', type: '2', link: 'cuda-12.6' },
      { name: 'etc/os-release', content: 'ID=debian\n' },
    );
    expect(paths(layer)).toEqual(['/usr/local/cuda', '/etc/os-release']);
    expect(layer.entries[1]!.text).toBe('ID=debian\n');
  });

  it('reads what is stored twice once', async () => {
    const tar = tarOf(osRelease);
    const image = await scan([{ tar }, { tar }]);
    expect(image.layers[0]).toBe(image.layers[1]);
  });
});

describe('names that lead out', () => {
  it.each([
    ['../../etc/os-release', null],
    ['a/../../etc/os-release', null],
    ['/etc/os-release', '/etc/os-release'],
    ['//etc///os-release', '/etc/os-release'],
    ['etc/x/../os-release', '/etc/os-release'],
    ['./etc/./os-release', '/etc/os-release'],
    ['.', '/'],
    ['./', '/'],
    ['usr/lib/', '/usr/lib'],
    ['..', null],
    ['a/..', '/'],
    ['..a/b..', '/..a/b..'],
    ['a'.repeat(5000), null],
    ['a/'.repeat(300), null],
  ])('%s', (name, path) => expect(normalPath(name)).toBe(path));

  it('are passed over and said', async () => {
    const layer = await layerOf({ name: '../../etc/os-release', content: 'ID=evil' }, osRelease);
    expect(layer.entries).toMatchObject([{ path: '/etc/os-release', text: 'ID=ubuntu\n' }]);
    expect(layer.left[0]).toMatch(/layer 1 of 1 .*lead out of the image.*\(1\): \.\.\/\.\.\/etc\/os-release/);
  });

  it('are passed over where a hard link has one; control characters do not reach the message', async () => {
    const layer = await layerOf(
      { name: 'usr/lib/libcuda.so.1', type: '1', link: '../../../x' },
      { name: '../\u001b[31m' },
    );
    expect(layer.entries).toEqual([]);
    expect(layer.left).toHaveLength(2);
    expect(layer.left.join('')).not.toContain('\u001b');
  });

  it('keeps links as they are written, absolute and out of the image: nobody follows them here', async () => {
    const layer = await layerOf({ name: 'usr/lib/libcuda.so.1', type: '2', link: '../../../../etc/shadow' });
    expect(layer.entries[0]).toMatchObject({ type: 'symlink', target: '../../../../etc/shadow' });
  });

  it.each(['3', '4', '6'])('a device or pipe (type %s) of that name is no file', async (type) => {
    const layer = await layerOf({ name: 'usr/lib/libcuda.so.1', type, size: 4096 }, osRelease);
    expect(paths(layer)).toEqual(['/etc/os-release']);
    expect(layer.left[0]).toMatch(/devices, pipes and sockets/);
  });
});

describe('forms of tar', () => {
  it('reads long names of GNU and pax, and numbers in base 256', async () => {
    const deep = `opt/${'d'.repeat(120)}/lib/python3.12/site-packages/torch/version.py`;
    const size = Buffer.alloc(12);
    size[0] = 0x80;
    size[11] = 3;
    const layer = await layerOf(
      tarMember({ name: '././@LongLink', type: 'L', content: `${deep}\0` }),
      { name: deep.slice(0, 100), content: 'a = 1' },
      pax({ path: deep.replace('opt', 'srv'), mtime: '1.5' }),
      { name: 'short', content: 'b' },
      { name: 'etc/os-release', content: 'abc', size },
    );
    expect(layer.entries).toMatchObject([
      { path: `/${deep}`, text: 'a = 1' },
      { path: `/${deep.replace('opt', 'srv')}`, text: 'b' },
      { path: '/etc/os-release', text: 'abc' },
    ]);
  });

  it('reads the size from pax', async () => {
    const layer = await layerOf(
      pax({ size: '3' }),
      { name: 'etc/os-release', content: 'abc', size: 0 },
      {
        name: 'etc/debian_version',
        content: '12',
      },
    );
    expect(layer.entries.map(({ text }) => text)).toEqual(['abc', '12']);
  });

  it('fills the holes of sparse files (pax 0.1, pax 1.0, old GNU)', async () => {
    const old = Buffer.alloc(512);
    old.write('etc/alpine-release', 0);
    old.write('00000000003\0', 124);
    old.write('S', 156);
    old.write('ustar  \0', 257);
    old.write('00000000002\0', 386);
    old.write('00000000003\0', 398);
    old.write('00000000006\0', 483);
    const layer = await layerOf(
      pax({ 'GNU.sparse.map': '0,1,4,1', 'GNU.sparse.size': '5', 'GNU.sparse.name': 'etc/os-release' }),
      { name: 'x', content: 'ab' },
      pax({
        'GNU.sparse.major': '1',
        'GNU.sparse.minor': '0',
        'GNU.sparse.realsize': '4',
        'GNU.sparse.name': 'etc/debian_version',
      }),
      { name: 'y', content: Buffer.concat([Buffer.from('1\n1\n2\n'), Buffer.alloc(506), Buffer.from('yz')]) },
      Buffer.concat([withSum(old), Buffer.from('xyz'), Buffer.alloc(509)]),
    );
    expect(layer.entries.map(({ path, bytes, text }) => [path, bytes, text])).toEqual([
      ['/etc/os-release', 5, 'a\0\0\0b'],
      ['/etc/debian_version', 4, '\0yz\0'],
      ['/etc/alpine-release', 6, '\0\0xyz\0'],
    ]);
  });

  it.each([
    [
      'a negative size',
      { name: 'x', size: Buffer.from([0xff, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255]) },
    ],
    [
      'a size beyond all numbers',
      { name: 'x', size: Buffer.from([0x80, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255]) },
    ],
    ['a size that is no number', { name: 'x', size: Buffer.from('99999999999\0') }],
    ['a size beyond the end', { name: 'x', size: 10_000_000 }],
    ['a long name of a gigabyte', { name: 'x', type: 'L', size: 2 ** 30 }],
    ['a damaged pax header', { name: 'x', type: 'x', content: '99 path=x\n' }],
    ['a pax size that is none', Buffer.concat([pax({ size: '-1' }), tarMember({ name: 'x' })])],
    [
      'holes out of order',
      Buffer.concat([
        pax({ 'GNU.sparse.map': '9,1,0,1', 'GNU.sparse.size': '10' }),
        tarMember({ name: 'etc/os-release', content: 'ab' }),
      ]),
    ],
    [
      'holes of a terabyte',
      Buffer.concat([
        pax({ 'GNU.sparse.map': '0,1', 'GNU.sparse.size': '1000000000000' }),
        tarMember({ name: 'usr/lib/libcuda.so.1', content: 'a' }),
      ]),
    ],
    ['a wrong checksum', Buffer.concat([Buffer.from('junk'), Buffer.alloc(508)])],
  ] as const)('says where and why: %s', async (_, part) => {
    await expect(layerOf(osRelease, part as TarPart | Uint8Array)).rejects.toMatchObject({
      name: 'ImageError',
      code: 'damaged',
      message: expect.stringMatching(/image-\d+: layer 1 of 1 \(sha256:[0-9a-f]{64}\): .*(?:header|entry) \d/),
    });
  });

  it('never does anything but read or refuse, whatever comes', () => {
    const good = tarOf(osRelease, pax({ path: 'x' }), { name: 'y', content: 'z'.repeat(600) });
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(good.length - 1), fc.nat(255)), { maxLength: 20 }),
        fc.nat(good.length),
        fc.integer({ min: 1, max: 700 }),
        (changes, length, step) => {
          const bytes = Buffer.from(good.subarray(0, length));
          for (const [at, value] of changes) if (at < length) bytes[at] = value;
          const reader = new TarReader(() => ({ data: () => {}, end: () => {} }));
          try {
            for (let at = 0; at < bytes.length; at += step) reader.push(bytes.subarray(at, at + step));
            reader.end();
          } catch (error) {
            expect(error).toBeInstanceOf(TarError);
          }
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe('damaged and hostile layers', () => {
  it('a digest that the content does not have', async () => {
    const digest = `sha256:${'0'.repeat(64)}`;
    await expect(scan([{ tar: tarOf(osRelease), digest }])).rejects.toMatchObject({
      code: 'damaged',
      message: expect.stringMatching(/layer 1 of 1 \(sha256:0{64}\): its content has the digest sha256:/),
    });
  });

  it('an unpacked digest that the content does not have', async () => {
    const tar = tarOf(osRelease);
    const wrong = { tar, stored: gzipSync(tar), diffId: `sha256:${'1'.repeat(64)}` };
    await expect(scan([wrong])).rejects.toMatchObject({ message: expect.stringMatching(/unpacked it has the digest/) });
  });

  it('a gzip layer that ends early, and one that is damaged inside', async () => {
    const tar = tarOf(osRelease, { name: 'x', content: Buffer.alloc(100_000, 7) });
    const whole = gzipSync(tar);
    const cut = whole.subarray(0, whole.length - 20);
    await expect(scan([{ tar, stored: cut }])).rejects.toMatchObject({
      message: expect.stringMatching(/layer 1 of 1 .*compressed data ends early/),
    });
    const bad = Buffer.from(whole);
    bad.fill(0xff, 60, 90);
    await expect(scan([{ tar, stored: bad }])).rejects.toMatchObject({
      message: expect.stringMatching(/layer 1 of 1 .*compressed data is damaged/),
    });
  });

  it('a layer that is shorter than the manifest says', async () => {
    const place = join(folder, `image-${made++}`);
    const tar = tarOf(osRelease);
    writeLayout(place, [makeImage([{ tar }])]);
    writeFileSync(join(place, 'blobs', sha256(tar).replace(':', '/')), tar.subarray(0, 1000));
    await expect(openImage(place)).rejects.toMatchObject({
      message: expect.stringMatching(/it ends after 1000 of the \d+ bytes/),
    });
  });

  it('a bomb is cut, its digest still verified, and it is said', async () => {
    const part = gzipSync(Buffer.alloc(64 * 1024 ** 2));
    const head = gzipSync(Buffer.concat([tarMember(osRelease), tarMember({ name: 'big', size: 40 * 64 * 1024 ** 2 })]));
    const stored = Buffer.concat([head, ...Array.from({ length: 40 }, () => part)]);
    const image = await scan([{ tar: Buffer.alloc(0), stored }]);
    const [layer] = image.layers;
    expect(layer!.digest).toBe(sha256(stored));
    expect(layer!.diffId).toBeNull();
    expect(layer!.left[0]).toMatch(/read up to here: it unpacks to more than 200 times its size/);
    expect(layer!.unpackedBytes).toBeLessThan(1.1 * 1024 ** 3);
    expect(paths(layer!)).toEqual(['/etc/os-release']);
  });

  it('a time limit is said', async () => {
    const image = await scan([{ tar: tarOf(osRelease) }], { limitMs: -1 });
    expect(image.layers[0]!.left.join(' ')).toMatch(/time limit/);
  });

  it('a million empty files take no memory', async () => {
    const want = { place: 'x', digest: null, diffId: null, bytes: null, deep: false, until: Infinity };
    const reader = new LayerReader(want, nodeTools);
    const before = process.memoryUsage().heapUsed;
    const batch = Buffer.concat(Array.from({ length: 10_000 }, (_, i) => tarMember({ name: `usr/lib/f${i}` })));
    for (let i = 0; i < 100; i++) await reader.push(batch);
    const layer = await reader.end();
    expect(layer.entries).toEqual([]);
    expect(layer.unpackedBytes).toBe(512_000_000);
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(150 * 1024 ** 2);
  }, 60_000);

  it('more entries, links and deletions than any image has are counted and said', async () => {
    const links = Array.from({ length: 100_005 }, (_, i) =>
      tarMember({ name: `usr/share/l${i}`, type: '2', link: 'x' }),
    );
    const layer = await layerOf(...links, osRelease);
    expect(layer.entries.at(-1)!.path).toBe('/etc/os-release');
    expect(layer.left[0]).toMatch(/links beyond 100000 \(5\)/);
  });
});

describe('an image of parts that do not fit', () => {
  it.each([
    ['an index that names itself', /name one another|other than|digest/],
    ['a manifest that is no JSON', /it is no JSON/],
    ['a configuration that names another number of layers', /it names 2 layers, the manifest 1/],
    ['an artifact that is no image', /no container image but application\/vnd\.cncf\.helm/],
    ['the old form of manifests', /schema 1/],
  ])('%s', async (what, message) => {
    const place = join(folder, `image-${made++}`);
    const image = makeImage([{ tar: tarOf(osRelease) }]);
    const blobs = new Map(image.blobs);
    const put = (text: string): { digest: string; size: number } => {
      const bytes = Buffer.from(text);
      blobs.set(sha256(bytes), bytes);
      return { digest: sha256(bytes), size: bytes.length };
    };
    const own = JSON.parse(Buffer.from(blobs.get(image.manifest.digest)!).toString()) as Record<string, unknown>;
    const deep = (levels: number): { digest: string; size: number } =>
      levels === 0 ? image.manifest : put(JSON.stringify({ schemaVersion: 2, manifests: [deep(levels - 1)] }));
    const start =
      what === 'an index that names itself'
        ? deep(9)
        : what === 'a manifest that is no JSON'
          ? put('{]')
          : what === 'the old form of manifests'
            ? put(JSON.stringify({ schemaVersion: 1, fsLayers: [] }))
            : what === 'an artifact that is no image'
              ? put(
                  JSON.stringify({
                    ...own,
                    config: { ...put('{}'), mediaType: 'application/vnd.cncf.helm.config.v1+json' },
                  }),
                )
              : put(
                  JSON.stringify({
                    ...own,
                    config: put(
                      JSON.stringify({ rootfs: { diff_ids: [sha256(Buffer.from('a')), sha256(Buffer.from('b'))] } }),
                    ),
                  }),
                );
    writeLayout(place, [{ ...image, blobs }], { schemaVersion: 2, manifests: [start] });
    await expect(openImage(place)).rejects.toThrow(message);
  });

  it('chooses the platform that was asked for, and names those that there are', async () => {
    const place = join(folder, `image-${made++}`);
    const images = ['amd64', 'arm64'].map((architecture) =>
      makeImage([{ tar: tarOf({ name: 'etc/os-release', content: architecture }) }], { os: 'linux', architecture }),
    );
    const manifests = [
      { ...images[0]!.manifest, platform: { os: 'linux', architecture: 'amd64' } },
      { ...images[1]!.manifest, platform: { os: 'linux', architecture: 'arm64', variant: 'v8' } },
      { ...images[1]!.manifest, platform: { os: 'unknown', architecture: 'unknown' } },
    ];
    writeLayout(place, images, { schemaVersion: 2, manifests });
    const arm = await openImage(place, { platform: 'linux/arm64' });
    expect([arm.platform, arm.layers[0]!.entries[0]!.text]).toEqual(['linux/arm64', 'arm64']);
    expect((await openImage(place, { platform: 'x86_64' })).platform).toBe('linux/amd64');
    await expect(openImage(place, { platform: 'linux/s390x' })).rejects.toMatchObject({
      code: 'no-platform',
      hint: 'it is there for linux/amd64, linux/arm64: --platform',
    });
  });

  it('reads the configuration only when asked to be quick', async () => {
    const image = await scan([{ tar: tarOf(osRelease), digest: `sha256:${'0'.repeat(64)}` }], { quick: true });
    expect(image).toMatchObject({ quick: true, layers: [] });
    expect(image.left).toHaveLength(1);
  });
});

describe('the cache', () => {
  it('saves reading a layer again, and is not trusted where it is damaged', async () => {
    const cache = join(folder, 'cache');
    const tar = tarOf(osRelease);
    const place = join(folder, `image-${made++}`);
    writeLayout(place, [makeImage([{ tar, stored: gzipSync(tar) }])]);
    const first = await openImage(place, { cache });
    const blob = join(place, 'blobs', first.layers[0]!.digest!.replace(':', '/'));
    const stored = readFileSync(blob);
    rmSync(blob);
    expect((await openImage(place, { cache })).layers).toEqual(first.layers);
    writeFileSync(blob, stored);
    const [name, ...others] = readdirSync(cache);
    expect(others).toEqual([]);
    const kept = readFileSync(join(cache, name!), 'utf8');
    for (const bad of [kept.replace('ubuntu', 'debian'), kept.slice(0, 50), '', 'culprit layer 0 x\n{}']) {
      writeFileSync(join(cache, name!), bad);
      const again = await openImage(place, { cache });
      expect(again.layers).toEqual(first.layers);
      expect(again.left[0]).toMatch(/^cache: .* is not used/);
    }
    expect(gunzipSync(stored)).toEqual(tar);
  });
});
