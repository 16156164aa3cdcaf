// Small images that differ in one thing only: which libcuda they bring. What a node does with them is computed.
import type { FileFacts } from '../binary/model.ts';
import type { Knowledge } from '../knowledge/knowledge.ts';
import { contentsOf } from './inventory.ts';
import type { Node, Prediction, ScannedEntry, ScannedImage } from './model.ts';
import { predictAll } from './predict.ts';

export interface ImageScene {
  readonly id: string;
  /** What the image holds, for the reader. */
  readonly title: string;
  readonly image: ScannedImage;
}

/** A number is a file of that size, `-> x` a link, any other text a file with it, an object an ELF file. */
type Content = number | string | (Partial<FileFacts> & { readonly bytes: number });

const lib = '/usr/lib/x86_64-linux-gnu';
const toolkit = '/usr/local/cuda-12.6/targets/x86_64-linux/lib';

const plain: FileFacts = {
  kind: 'elf',
  machine: 'x86_64',
  soname: null,
  needed: [],
  rpath: [],
  runpath: [],
  glibc: null,
  library: null,
  libcuda: null,
  code: null,
  unread: [],
};

/** Debian with the runtime of CUDA 12.6 and a program for the usual data-centre GPUs. */
const base: Readonly<Record<string, Content>> = {
  '/etc/debian_version': '12.5\n',
  '/etc/os-release': 'ID=debian\nVERSION_ID="12"\n',
  '/etc/ld.so.conf': 'include /etc/ld.so.conf.d/*.conf\n',
  '/etc/ld.so.conf.d/libc.conf': '/usr/local/lib\n',
  '/etc/ld.so.conf.d/x86_64-linux-gnu.conf':
    '/usr/local/lib/x86_64-linux-gnu\n/lib/x86_64-linux-gnu\n/usr/lib/x86_64-linux-gnu\n',
  '/etc/ld.so.cache': 12_000,
  '/lib': '-> usr/lib',
  '/usr/local/cuda': '-> cuda-12.6',
  [`${toolkit}/libcudart.so.12`]: '-> libcudart.so.12.6.77',
  [`${toolkit}/libcudart.so.12.6.77`]: { bytes: 700_000, soname: 'libcudart.so.12' },
  '/opt/app/libkernels_cuda.so': {
    bytes: 500_000,
    code: { sass: ['sm_75', 'sm_80', 'sm_86', 'sm_89', 'sm_90'], ptx: ['compute_90'] },
  },
};

function driverLibrary(version: string, cuda: string | null): Content {
  return {
    bytes: 34_000_000,
    soname: 'libcuda.so.1',
    libcuda: { stub: false, version, cuda, note: null },
  };
}

/** The package cuda-compat of a CUDA release, in its folder. */
function compat(version: string, cuda: string): Readonly<Record<string, Content>> {
  const folder = `/usr/local/cuda-${cuda}/compat`;
  return {
    '/usr/local/cuda': `-> cuda-${cuda}`,
    [`${folder}/libcuda.so`]: '-> libcuda.so.1',
    [`${folder}/libcuda.so.1`]: `-> libcuda.so.${version}`,
    [`${folder}/libcuda.so.${version}`]: driverLibrary(version, cuda),
  };
}

function imageOf(
  id: string,
  title: string,
  files: Readonly<Record<string, Content>>,
  env: Readonly<Record<string, string>> = {},
): ImageScene {
  const entries = Object.entries({ ...base, ...files }).map(([path, content]): ScannedEntry => {
    if (typeof content === 'number') return { path, type: 'file', bytes: content };
    if (typeof content !== 'string') {
      const { bytes, ...facts } = content;
      return { path, type: 'file', bytes, binary: { ...plain, ...facts } };
    }
    if (content.startsWith('-> ')) return { path, type: 'symlink', bytes: 0, target: content.slice(3) };
    return { path, type: 'file', bytes: content.length, text: content };
  });
  const variables = {
    NVIDIA_VISIBLE_DEVICES: 'all',
    NVIDIA_DRIVER_CAPABILITIES: 'compute,utility',
    CUDA_VERSION: '12.6.3',
    NVIDIA_REQUIRE_CUDA: 'cuda>=12.0',
    ...env,
  };
  const image: ScannedImage = {
    reference: id,
    digest: null,
    platform: 'linux/amd64',
    config: {
      os: 'linux',
      architecture: 'amd64',
      variant: null,
      created: null,
      env: Object.entries(variables).map(([name, value]) => ({ name, value })),
      entrypoint: [],
      cmd: ['/opt/app/run'],
      user: null,
      labels: {},
      history: [{ createdBy: 'COPY . /', empty: false }],
    },
    layers: [
      {
        digest: null,
        diffId: null,
        bytes: 0,
        unpackedBytes: 0,
        entries,
        whiteouts: [],
        opaque: [],
        left: [],
      },
    ],
    quick: false,
    left: [],
  };
  return { id, title, image };
}

/** Images that bring no libcuda, one for newer CUDA, one by mistake, or one that is none. */
export const imageScenes: readonly ImageScene[] = [
  imageOf('none', 'no libcuda: CUDA 12.6 runtime and the program', {}),
  imageOf('compat', 'cuda-compat 12.6 in its folder, as in nvidia/cuda images', compat('560.35.05', '12.6')),
  imageOf('compat-in-cache', 'cuda-compat 12.6, and ld.so.conf.d names its folder', {
    ...compat('560.35.05', '12.6'),
    '/etc/ld.so.conf.d/00-cuda-compat.conf': '/usr/local/cuda-12.6/compat\n',
  }),
  imageOf('compat-in-path', 'cuda-compat 12.6, and LD_LIBRARY_PATH names its folder', compat('560.35.05', '12.6'), {
    LD_LIBRARY_PATH: '/usr/local/cuda-12.6/compat',
  }),
  imageOf('baked', 'a driver library that somebody installed with apt (libcuda 550.90.07)', {
    [`${lib}/libcuda.so`]: '-> libcuda.so.1',
    [`${lib}/libcuda.so.1`]: '-> libcuda.so.550.90.07',
    [`${lib}/libcuda.so.550.90.07`]: driverLibrary('550.90.07', null),
  }),
  imageOf(
    'stub',
    'the stub of the toolkit, and LD_LIBRARY_PATH names its folder',
    {
      [`${toolkit}/stubs/libcuda.so`]: {
        bytes: 65_000,
        soname: 'libcuda.so.1',
        libcuda: { stub: true, version: null, cuda: null, note: null },
      },
      [`${toolkit}/stubs/libcuda.so.1`]: '-> libcuda.so',
    },
    { LD_LIBRARY_PATH: `${toolkit}/stubs` },
  ),
];

/** What starts the container: mode and version of the container toolkit. */
export const imageRuntimes: readonly Pick<Node, 'mode' | 'toolkit'>[] = [
  { mode: 'legacy', toolkit: '1.17.4' },
  { mode: 'legacy', toolkit: '1.17.8' },
  { mode: 'cdi', toolkit: '1.17.8' },
  { mode: 'jit-cdi', toolkit: '1.18.1' },
  { mode: 'jit-cdi', toolkit: '1.20.0' },
  { mode: 'none' },
];

/** What the image does on a host with each of `imageRuntimes`, in their order; null where there is no such image. */
export function sceneOnHost(
  id: string,
  host: Pick<Node, 'driver' | 'gpu'>,
  knowledge: Knowledge,
): readonly Prediction[] | null {
  const scene = imageScenes.find((each) => each.id === id);
  if (scene === undefined) return null;
  const nodes = imageRuntimes.map((runtime): Node => ({ ...host, ...runtime, libdir: lib }));
  return predictAll(scene.image, contentsOf(scene.image, knowledge), nodes, knowledge);
}
