import { contentsOf } from './inventory.ts';
import { defaultKnowledge } from '../knowledge/knowledge.ts';
import type { Node, Prediction, ScannedImage } from './model.ts';
import { predictAll } from './predict.ts';
import { image, layer } from './testing.ts';
import type { Made } from './testing.ts';
import { nodeOfText } from './node.ts';

// Images and questions for the tests of predictions.

export const debian: Made = {
  '/etc/debian_version': '12.5',
  '/etc/os-release': 'ID=debian\nVERSION_ID="12"\n',
  '/etc/ld.so.conf': 'include /etc/ld.so.conf.d/*.conf\n',
  '/etc/ld.so.conf.d/libc.conf': '/usr/local/lib\n',
  '/etc/ld.so.conf.d/x86_64-linux-gnu.conf':
    '/usr/local/lib/x86_64-linux-gnu\n/lib/x86_64-linux-gnu\n/usr/lib/x86_64-linux-gnu\n',
  '/lib': '-> usr/lib',
  '/etc/ld.so.cache': 1000,
};

export const rhel: Made = {
  '/etc/redhat-release': 'Red Hat Enterprise Linux release 9.4 (Plow)',
  '/etc/os-release': 'ID="rhel"\nVERSION_ID="9.4"\n',
  '/etc/ld.so.conf': 'include ld.so.conf.d/*.conf\n',
  '/lib64': '-> usr/lib64',
  '/etc/ld.so.cache': 1000,
};

const libcuda = (version: string | null, note: readonly number[] | null, cuda: string | null = null): object => ({
  bytes: 70_000_000,
  soname: 'libcuda.so.1',
  libcuda: {
    stub: false,
    version,
    cuda,
    note: note === null ? null : { cuda, drivers: note, text: '' },
  },
});

const usual = { NVIDIA_VISIBLE_DEVICES: 'all', NVIDIA_DRIVER_CAPABILITIES: 'compute,utility' };

/** The compat package of a CUDA release where the toolkit puts it. */
export function compat(version: string, cuda: string, note: readonly number[] | null = null): Made {
  const folder = `/usr/local/cuda-${cuda}/compat`;
  return {
    '/usr/local/cuda': '-> /etc/alternatives/cuda',
    '/etc/alternatives/cuda': `-> /usr/local/cuda-${cuda}`,
    [`${folder}/libcuda.so.${version}`]: libcuda(version, note, cuda),
    [`${folder}/libcuda.so.1`]: `-> libcuda.so.${version}`,
    [`${folder}/libcuda.so`]: '-> libcuda.so.1',
  };
}

/** A driver library that someone installed. */
export function baked(version: string, folder = '/usr/lib/x86_64-linux-gnu'): Made {
  return {
    [`${folder}/libcuda.so.${version}`]: libcuda(version, null),
    [`${folder}/libcuda.so.1`]: `-> libcuda.so.${version}`,
  };
}

export function regular(version: string, folder = '/usr/lib/x86_64-linux-gnu'): Made {
  return { [`${folder}/libcuda.so.1`]: libcuda(version, null) };
}

export const stub: object = {
  bytes: 40_000,
  soname: 'libcuda.so.1',
  libcuda: { stub: true, version: null, cuda: null, note: null },
};

export const made = (
  files: Made,
  env: Readonly<Record<string, string>> = {},
  more: object = {},
  base: Made = debian,
): ScannedImage => image([layer({ ...base, ...files })], { ...usual, ...env }, more);

export const clean: ScannedImage = made({});

export const compat131: ScannedImage = made(compat('590.44.01', '13.1', [535, 550, 570, 575, 580, 590]));
export const compat126: ScannedImage = made(compat('560.35.05', '12.6'));

/** NVIDIA's own images keep the libraries out of the toolkit's sight. */
export const ngc: ScannedImage = made(
  {
    '/usr/local/cuda': '-> /usr/local/cuda-12.6',
    '/usr/local/cuda-12.6/compat/lib.real/libcuda.so.560.35.05': libcuda('560.35.05', null, '12.6'),
    '/usr/local/cuda-12.6/compat/lib.real/libcuda.so.1': '-> libcuda.so.560.35.05',
    '/opt/nvidia/nvidia_entrypoint.sh': '#!/bin/bash\n. /opt/nvidia/entrypoint.d/50-gpu-driver-check.sh\nexec "$@"\n',
    '/opt/nvidia/entrypoint.d/50-gpu-driver-check.sh': 'cuda compat _CUDA_COMPAT_STATUS lib.real\n',
  },
  {
    CUDA_VERSION: '12.6.2.004',
    NVIDIA_REQUIRE_CUDA: 'cuda>=9.0',
    _CUDA_COMPAT_PATH: '/usr/local/cuda/compat',
    LD_LIBRARY_PATH: '/usr/local/cuda/compat/lib:/usr/local/nvidia/lib:/usr/local/nvidia/lib64',
  },
  { entrypoint: ['/opt/nvidia/nvidia_entrypoint.sh'] },
);

/** A program with machine code for the named GPUs, made by CUDA 12.6. */
export function program(sass: readonly string[], ptx: readonly string[] = []): Made {
  return { '/opt/app/libkernels_cuda.so': { bytes: 500_000, code: { sass, ptx } } };
}

/** One prediction by the words of `--on`. */
export function predicted(scanned: ScannedImage, on: string, more: Partial<Node> = {}): Prediction {
  const { nodes, errors } = nodeOfText(on, '--on');
  const [node] = nodes;
  if (node === undefined) throw new Error(JSON.stringify(errors));
  const contents = contentsOf(scanned, defaultKnowledge);
  return predictAll(scanned, contents, [{ ...node, ...more }])[0]!;
}
