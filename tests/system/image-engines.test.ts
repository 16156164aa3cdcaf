import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { root, scratch } from '../run-cli.ts';
import type { Started } from './image-services.ts';
import { containerdService, dockerService, readImage, registryService } from './image-services.ts';
import { lacks, shell } from './tools.ts';

const missing = lacks('buildah', 'skopeo', 'tar');
const noDocker = missing ?? lacks('dockerd');
const noPodman = missing ?? lacks('podman');
const noContainerd = missing ?? lacks('containerd', 'ctr', 'docker-registry', 'curl');
const folder = scratch();
const cwd = folder.path('');
const running: Started[] = [];

const env = {
  CONTAINERS_STORAGE_CONF: folder.path('storage.conf'),
  BUILDAH_ISOLATION: 'chroot',
};

function must(script: string, more: Record<string, string> = {}): string {
  const ran = shell(`set -e; skopeo() { command skopeo --insecure-policy "$@"; }\n${script}`, {
    cwd,
    env: { ...env, ...more },
  });
  expect(ran.status, `${script}\n${ran.out}${ran.err}`).toBe(0);
  return ran.out;
}

/** The image below: two layers, the second takes a file of the first away. */
async function holds(reference: string, options: Parameters<typeof readImage>[1] = {}): Promise<void> {
  const read = await readImage(reference, options);
  expect(read.files).toEqual(
    expect.arrayContaining([
      ['/etc/os-release', 'file', 'ID=debian\n'],
      ['/usr/lib/libcudart.so.12', 'file', 'x86_64'],
    ]),
  );
  expect(read).toMatchObject({ platform: 'linux/amd64', left: [], verified: true });
  expect(read.env).toContain('CUDA_VERSION=12.6.3');
}

beforeAll(() => {
  if (missing !== null) return;
  writeFileSync(
    env.CONTAINERS_STORAGE_CONF,
    `[storage]\ndriver = "vfs"\ngraphroot = "${cwd}/graph"\nrunroot = "${cwd}/run"\n`,
  );
  mkdirSync(folder.path('base/etc'), { recursive: true });
  mkdirSync(folder.path('more/usr/lib'), { recursive: true });
  writeFileSync(folder.path('base/etc/os-release'), 'ID=debian\n');
  cpSync(`${root}/fixtures/binaries/cuda13/libaccel.so`, folder.path('more/usr/lib/libcudart.so.12'));
  writeFileSync(
    folder.path('Dockerfile'),
    'FROM scratch\nCOPY base /\nENV CUDA_VERSION=12.6.3\nCOPY more /\nENTRYPOINT ["/bin/app"]\n',
  );
  must('buildah bud -q --layers -t team/image:1 .');
});

afterAll(() => {
  for (const each of running) each.stop();
  if (missing === null) shell('buildah rmi -af', { env });
  folder.remove();
});

describe.skipIf(missing !== null)('archives of buildah', () => {
  it.each(['docker-archive', 'oci-archive', 'oci', 'dir'])('%s', async (kind) => {
    must(`buildah push -q team/image:1 ${kind}:${cwd}/buildah-${kind}`);
    await holds(`${kind}:${cwd}/buildah-${kind}`);
  });
});

describe.skipIf(noPodman !== null)('what podman saves', () => {
  it.each(['docker-archive', 'oci-archive', 'oci-dir', 'docker-dir'])('%s', async (format) => {
    must(`podman save -q --format ${format} -o podman-${format} team/image:1`);
    await holds(folder.path(`podman-${format}`));
  });

  it('several images in one archive', async () => {
    must(`podman tag team/image:1 team/image:2 && podman pull -q docker-archive:buildah-docker-archive >/dev/null
      podman save -q -m -o several.tar team/image:1 team/image:2`);
    await holds(`docker-archive:${cwd}/several.tar:localhost/team/image:2`);
  });
});

describe.skipIf(noDocker !== null)('what docker saves', () => {
  let docker: Started;

  beforeAll(async () => {
    docker = await dockerService(folder.path('docker'));
    running.push(docker);
    must(
      `buildah push -q team/image:1 docker-archive:load.tar:team/image:1 && docker load -q -i load.tar && docker save -o saved.tar team/image:1`,
      { DOCKER_HOST: docker.address },
    );
  });

  it('a real engine', async () => {
    expect(docker.problem).toBeNull();
    await holds(folder.path('saved.tar'));
    await holds(`docker-archive:${cwd}/saved.tar:team/image:1`);
    must('gzip -kf saved.tar');
    await holds(folder.path('saved.tar.gz'));
  });

  it.each([
    ['Docker 25.0, whose OCI part names no layers', 'none'],
    ['Docker 25.0 of an image that was pulled: the OCI part names what the registry had', 'pulled'],
    ['Docker from 25.0.3 on', 'all'],
  ] as const)('the form of %s', async (_, layers) => {
    asOfDocker25(layers);
    await holds(folder.path('docker25.tar'));
    await holds(`docker-archive:${cwd}/docker25.tar:team/image:1`);
  });
});

/** Puts a real save into the form that moby's image/tarexport/save.go writes since 25.0. */
function asOfDocker25(which: 'none' | 'pulled' | 'all'): void {
  const [from, to] = [folder.path('unpacked'), folder.path('docker25')];
  for (const each of [from, to]) rmSync(each, { recursive: true, force: true });
  must(`mkdir unpacked && tar -xf saved.tar -C unpacked && mkdir -p docker25/blobs/sha256`);
  const type = 'application/vnd.oci.image.';
  const put = (bytes: Uint8Array, mediaType: string): { digest: string; size: number; mediaType: string } => {
    const hex = createHash('sha256').update(bytes).digest('hex');
    writeFileSync(`${to}/blobs/sha256/${hex}`, bytes);
    return { mediaType, digest: `sha256:${hex}`, size: bytes.length };
  };
  const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));
  const [old] = JSON.parse(readFileSync(`${from}/manifest.json`, 'utf8')) as readonly [
    { readonly Config: string; readonly Layers: readonly string[] },
  ];
  const config = put(readFileSync(`${from}/${old.Config}`), `${type}config.v1+json`);
  const stored = old.Layers.map((each) => put(readFileSync(`${from}/${each}`), `${type}layer.v1.tar`));
  const elsewhere = stored.map(({ size }, at) => ({
    mediaType: `${type}layer.v1.tar+gzip`,
    digest: `sha256:${String(at).repeat(64)}`,
    size,
  }));
  const layers = { none: [], pulled: elsewhere, all: stored }[which];
  const manifest = put(
    json({ schemaVersion: 2, mediaType: `${type}manifest.v1+json`, config, layers }),
    `${type}manifest.v1+json`,
  );
  const annotations = {
    'io.containerd.image.name': 'docker.io/team/image:1',
    'org.opencontainers.image.ref.name': '1',
  };
  const blob = (digest: string): string => `blobs/sha256/${digest.slice(7)}`;
  writeFileSync(`${to}/oci-layout`, '{"imageLayoutVersion":"1.0.0"}');
  writeFileSync(
    `${to}/index.json`,
    json({
      schemaVersion: 2,
      mediaType: `${type}index.v1+json`,
      manifests: [{ ...manifest, annotations, platform: { architecture: 'amd64', os: 'linux' } }],
    }),
  );
  writeFileSync(
    `${to}/manifest.json`,
    json([
      {
        Config: blob(config.digest),
        RepoTags: ['team/image:1'],
        Layers: stored.map(({ digest }) => blob(digest)),
        ...(which === 'pulled' && {
          LayerSources: Object.fromEntries(stored.map(({ digest }, at) => [digest, elsewhere[at]])),
        }),
      },
    ]),
  );
  must('tar -C docker25 -cf docker25.tar .');
}

describe.skipIf(noContainerd !== null)('a real store of containerd', () => {
  const store = folder.path('containerd/root');
  let registry: Started;

  beforeAll(async () => {
    const containerd = await containerdService(folder.path('containerd'));
    registry = await registryService(folder.path('registry'));
    running.push(containerd, registry);
    must(`
      ctr() { command ctr -a ${containerd.address} "$@"; }
      buildah push -q team/image:1 oci-archive:import.tar:1
      buildah push -q --tls-verify=false team/image:1 docker://${registry.address}/team/image:1
      ctr -n k8s.io images import --no-unpack --base-name docker.io/team/image import.tar
      ctr -n other content fetch --plain-http ${registry.address}/team/image:1`);
  });

  it('an image that was imported, by its name', async () => {
    await holds('docker.io/team/image:1', { containerd: store });
    await holds('team/image:1', { containerd: store, namespace: 'k8s.io' });
  });

  it('an image that was fetched, by its name and by its digest', async () => {
    await holds(`${registry.address}/team/image:1`, { containerd: store });
    const { digest } = await readImage(`${registry.address}/team/image:1`, { containerd: store, quick: true });
    await holds(digest!, { containerd: store });
    await holds(`${registry.address}/team/image@${digest!}`, { containerd: store });
  });

  it('is looked through in one namespace where one is named', async () => {
    await expect(
      readImage(`${registry.address}/team/image:1`, { containerd: store, namespace: 'k8s.io' }),
    ).rejects.toMatchObject({ code: 'no-image', hint: expect.stringContaining('docker.io/team/image:1') });
  });

  it('says which layer it no longer keeps', async () => {
    const blobs = `${store}/io.containerd.content.v1.content/blobs/sha256`;
    const { digest } = await readImage('team/image:1', { containerd: store, quick: true });
    const { layers } = JSON.parse(readFileSync(`${blobs}/${digest!.slice(7)}`, 'utf8')) as {
      readonly layers: readonly { readonly digest: string }[];
    };
    expect(readdirSync(blobs)).toContain(layers[1]!.digest.slice(7));
    rmSync(`${blobs}/${layers[1]!.digest.slice(7)}`);
    await expect(readImage('team/image:1', { containerd: store })).rejects.toMatchObject({
      code: 'no-image',
      message: expect.stringContaining('is not kept on this node'),
    });
  });

  it('is read by the program itself', () => {
    const ran = shell(`$culprit image --format json --containerd ${store} ${registry.address}/team/image:1 --quick`, {
      cwd,
    });
    expect(ran.err).toBe('');
    expect(JSON.parse(ran.out)).toMatchObject({ schema: 'culprit/image@1', platform: 'linux/amd64' });
  });
});
