// What the name of a base image tells.
import { parseImageReference } from '../../compat/image-lookup.ts';
import { parseCuda } from '../../versions/cuda.ts';

export interface BaseImage {
  readonly kind: 'cuda' | 'ngc' | 'framework' | 'other';
  /** CUDA release: `12.6`; null where the name does not tell. */
  readonly cuda: string | null;
  /** Has a compiler. */
  readonly devel: boolean;
  /** `ubuntu18.04`; null where the name does not tell. */
  readonly os: string | null;
}

/** Repositories of nvcr.io/nvidia whose entrypoint tests the driver and switches the compat libraries on. */
const withEntrypoint = new Set(
  'pytorch tensorflow tritonserver jax mxnet nemo tensorrt cuda-dl-base modulus physicsnemo pyg dgl paddlepaddle rapidsai merlin-pytorch merlin-tensorflow merlin-hugectr cuda-quantum maxtext'.split(
    ' ',
  ),
);

/** Reads `nvidia/cuda:12.6.3-cudnn-devel-ubuntu22.04`, `nvcr.io/nvidia/pytorch:24.10-py3`. */
export function baseImageOf(reference: string): BaseImage {
  const parsed = parseImageReference(reference);
  const other: BaseImage = { kind: 'other', cuda: null, devel: false, os: null };
  if (parsed === null) return other;
  const parts = parsed.repository.split('/');
  const name = parts.at(-1) ?? '';
  const owner = parts.at(-2) ?? '';
  const tag = parsed.tag ?? '';
  if (/^cuda(?:-arm64|gl)?$/.test(name) && owner === 'nvidia') {
    const cuda = parseCuda(tag.split('-')[0] ?? '');
    const os =
      /(ubuntu\d\d\.\d\d|ubi\d{1,2}|centos\d|rockylinux\d{1,2}|amzn\d{1,4}|opensuse\d{2,3}|debian\d{1,2}|azl\d|cm2)/.exec(
        tag,
      )?.[1];
    return {
      kind: 'cuda',
      cuda: cuda === null || cuda.minor === null ? null : `${cuda.major}.${cuda.minor}`,
      devel: tag.includes('devel'),
      os: os ?? null,
    };
  }
  if (parsed.registry === 'nvcr.io' && owner === 'nvidia' && withEntrypoint.has(name))
    return { kind: 'ngc', cuda: null, devel: true, os: null };
  const named = /cuda(\d{2})(?:\.(\d{1,2}))?/.exec(tag);
  const gpu =
    (name === 'pytorch' && owner === 'pytorch' && named !== null) ||
    (name === 'tensorflow' && owner === 'tensorflow' && tag.includes('gpu')) ||
    (name === 'vllm-openai' && owner === 'vllm');
  if (!gpu) return other;
  return {
    kind: 'framework',
    cuda: named?.[2] === undefined ? null : `${named[1]!}.${named[2]}`,
    devel: tag.includes('devel'),
    os: null,
  };
}

/** Distributions of nvidia/cuda tags whose maker no longer gives updates. */
export const endedSystems: Readonly<Record<string, string>> = {
  'ubuntu14.04': 'Ubuntu 14.04',
  'ubuntu16.04': 'Ubuntu 16.04',
  'ubuntu18.04': 'Ubuntu 18.04',
  centos6: 'CentOS 6',
  centos7: 'CentOS 7',
  centos8: 'CentOS 8',
  ubi7: 'UBI 7',
  debian9: 'Debian 9',
  debian10: 'Debian 10',
};

/** Variables that a base image brings, as far as its name tells. */
export function inheritedEnv(reference: string): Readonly<Record<string, string>> {
  const base = baseImageOf(reference);
  if (base.kind === 'other') return {};
  return {
    NVIDIA_VISIBLE_DEVICES: 'all',
    NVIDIA_DRIVER_CAPABILITIES: 'compute,utility',
    LD_LIBRARY_PATH: '/usr/local/nvidia/lib:/usr/local/nvidia/lib64',
    PATH: '/usr/local/nvidia/bin:/usr/local/cuda/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    ...(base.cuda === null ? {} : { CUDA_VERSION: base.cuda }),
  };
}
