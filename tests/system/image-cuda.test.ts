import { mkdirSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clean, debianPackage, wheel } from '../real/download.ts';
import { scratch } from '../run-cli.ts';
import { lacks, shell } from './tools.ts';

const missing = lacks('buildah', 'dpkg', 'pip', 'python3');
const folder = scratch();
const cwd = folder.path('');
let problem: string | null = null;
const env = { CONTAINERS_STORAGE_CONF: folder.path('storage.conf'), BUILDAH_ISOLATION: 'chroot' };
const library = '/usr/lib/x86_64-linux-gnu';
const node = '--on driver=535.261.03,gpu=H100,toolkit=1.17.8,mode=legacy';
const site = '/usr/local/lib/python3.12/site-packages';

/** Real parts: Debian's CUDA 11.8 runtime and driver library 535, NVIDIA's wheels. */
function parts(): string | null {
  for (const [name, got] of [
    ['cudart', debianPackage('libcudart11.0')],
    ['driver', debianPackage('libcuda1')],
    ['cudart12', wheel('nvidia-cuda-runtime-cu12==12.4.127')],
    ['nvtx12', wheel('nvidia-nvtx-cu12==12.4.127')],
  ] as const) {
    if ('missing' in got) return `${name} cannot be had: ${got.missing}`;
    mkdirSync(folder.path(`parts/${name}`), { recursive: true });
    const ran = shell(
      name.endsWith('12')
        ? `python3 -m zipfile -e '${got.path}' ${cwd}/parts/${name}`
        : `cp -a '${got.path}'/root/. ${cwd}/parts/${name}/`,
    );
    if (ran.status !== 0) return ran.err;
  }
  return null;
}

function build(name: string, dockerfile: string): void {
  writeFileSync(folder.path(`${name}.Dockerfile`), dockerfile);
  const ran = shell(
    `set -e; buildah bud -q -f ${name}.Dockerfile -t ${name}:1 parts; buildah push -q ${name}:1 oci-archive:${name}.tar:1`,
    { cwd, env },
  );
  expect(ran.status, `${dockerfile}${ran.out}${ran.err}`).toBe(0);
}

interface Report {
  readonly status: string;
  readonly inventory: {
    readonly libcuda: readonly object[];
    readonly libraries: readonly object[];
    readonly packages: readonly object[];
  };
  readonly findings: readonly { readonly rule: string; readonly certainty: string }[];
  readonly predictions: readonly object[];
}

function report(name: string, ...flags: readonly string[]): Report {
  const ran = shell(`$culprit image --format json ${cwd}/${name}.tar ${flags.join(' ')}`, { cwd });
  expect(ran.err).toBe('');
  return JSON.parse(ran.out) as Report;
}

beforeAll(() => {
  if (missing !== null) return;
  problem = parts();
  if (problem !== null) return;
  writeFileSync(
    env.CONTAINERS_STORAGE_CONF,
    `[storage]\ndriver = "vfs"\ngraphroot = "${cwd}/graph"\nrunroot = "${cwd}/run"\n`,
  );
  writeFileSync(folder.path('parts/os-release'), 'ID=debian\nVERSION_ID="12"\n');
  const base = 'FROM scratch\nCOPY os-release /etc/os-release\n';
  build(
    'runtime',
    `${base}COPY cudart /\nENV CUDA_VERSION=11.8.0 NVIDIA_VISIBLE_DEVICES=all NVIDIA_DRIVER_CAPABILITIES=compute,utility NVIDIA_REQUIRE_CUDA="cuda>=11.8"\n`,
  );
  build('driver', `${base}COPY cudart /\nCOPY driver /\nENV NVIDIA_VISIBLE_DEVICES=all\n`);
  build(
    'wheels',
    `${base}COPY cudart12 ${site}\nCOPY nvtx12 ${site}\nENV NVIDIA_VISIBLE_DEVICES=all NVIDIA_DRIVER_CAPABILITIES=compute,utility NVIDIA_REQUIRE_CUDA="cuda>=12.4"\n`,
  );
});

afterAll(() => {
  if (missing === null && problem === null) shell('buildah rmi -af', { env });
  clean();
  folder.remove();
});

describe.skipIf(missing !== null)('images built of real CUDA parts', () => {
  it('a runtime of CUDA 11.8 runs on a node of driver 535', (context) => {
    if (problem !== null) return context.skip(problem);
    const { inventory, predictions } = report('runtime', node);
    expect(inventory.libraries).toEqual([
      { name: 'cudart', version: '11.8.89', path: `${library}/libcudart.so.11.8.89`, wins: true },
    ]);
    expect(inventory.libcuda).toEqual([]);
    expect(predictions).toMatchObject([
      {
        mode: 'legacy',
        requirement: { checked: true, holds: true, terms: [{ term: 'cuda>=11.8', holds: true }] },
        compat: { used: false },
        libcuda: { kind: 'host', version: '535.261.03' },
        answer: 'runs',
      },
    ]);
  });

  it('a driver library that was installed into the image is found by its own bytes', (context) => {
    if (problem !== null) return context.skip(problem);
    const { inventory, findings } = report('driver', node);
    expect(inventory.libcuda).toMatchObject([
      { kind: 'baked', version: expect.stringMatching(/^535\./), cuda: '12.2' },
    ]);
    expect(findings).toContainEqual(
      expect.objectContaining({ rule: 'image/driver-files-baked-into-image', certainty: 'proved' }),
    );
  });

  it('wheels of CUDA 12.4 whose image asks for 12.4 do not start there', (context) => {
    if (problem !== null) return context.skip(problem);
    const { inventory, predictions } = report('wheels', node);
    expect(inventory.libraries).toMatchObject([{ name: 'cudart', version: '12.4.127' }]);
    expect(inventory.packages).toEqual([
      { name: 'nvidia-cuda-runtime-cu12', version: '12.4.127', environment: '/usr/local' },
      { name: 'nvidia-nvtx-cu12', version: '12.4.127', environment: '/usr/local' },
    ]);
    expect(predictions).toMatchObject([
      { starts: false, answer: 'does-not-run', errorSeen: 'unsatisfied condition: cuda>=12.4' },
    ]);
    const [newer] = report('wheels', node.replace('535.261.03', '550.54.15')).predictions;
    expect(newer).toMatchObject({ starts: true, answer: 'runs', libcuda: { kind: 'host', version: '550.54.15' } });
  });
});
