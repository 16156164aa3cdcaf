// Usual images as their public build files make them: paths, links, variables and the sizes that matter. For tests.
import type { Made } from './testing.ts';
import type { ScannedImage } from './model.ts';
import { image, layer } from './testing.ts';

const lib = '/usr/lib/x86_64-linux-gnu';
const requirement =
  'cuda>=12.6 brand=unknown,driver>=470,driver<471 brand=grid,driver>=470,driver<471 brand=tesla,driver>=470,driver<471 brand=tesla,driver>=535,driver<536 brand=tesla,driver>=550,driver<551';

/** Ubuntu, with the folders that its packages configure. */
export const ubuntu: Made = {
  '/etc/os-release': '-> ../usr/lib/os-release',
  '/usr/lib/os-release':
    'PRETTY_NAME="Ubuntu 22.04.5 LTS"\nNAME="Ubuntu"\nVERSION_ID="22.04"\nID=ubuntu\nID_LIKE=debian\n',
  '/etc/debian_version': 'bookworm/sid\n',
  '/lib': '-> usr/lib',
  '/lib64': '-> usr/lib64',
  '/etc/ld.so.conf': 'include /etc/ld.so.conf.d/*.conf\n',
  '/etc/ld.so.conf.d/libc.conf': '# libc default configuration\n/usr/local/lib\n',
  '/etc/ld.so.conf.d/x86_64-linux-gnu.conf':
    '# Multiarch support\n/usr/local/lib/x86_64-linux-gnu\n/lib/x86_64-linux-gnu\n/usr/lib/x86_64-linux-gnu\n',
  '/var/lib/dpkg/status': status({ libc6: '2.35-0ubuntu3.8' }),
};

/** A dpkg status file. */
export function status(packages: Readonly<Record<string, string>>): string {
  return Object.entries(packages)
    .map(
      ([name, version]) => `Package: ${name}\nStatus: install ok installed\nArchitecture: amd64\nVersion: ${version}\n`,
    )
    .join('\n');
}

/** What `cuda-cudart`, `cuda-compat` and the alternatives of nvidia/cuda:12.6-base leave. */
export const cudaBase: Made = {
  '/usr/local/cuda': '-> /etc/alternatives/cuda',
  '/etc/alternatives/cuda': '-> /usr/local/cuda-12.6',
  '/usr/local/cuda-12': '-> /etc/alternatives/cuda-12',
  '/etc/alternatives/cuda-12': '-> /usr/local/cuda-12.6',
  '/usr/local/cuda-12.6/lib64': '-> targets/x86_64-linux/lib',
  '/usr/local/cuda-12.6/targets/x86_64-linux/lib/libcudart.so.12': '-> libcudart.so.12.6.77',
  '/usr/local/cuda-12.6/targets/x86_64-linux/lib/libcudart.so.12.6.77': { soname: 'libcudart.so.12' },
  '/usr/local/cuda-12.6/compat/libcuda.so': '-> libcuda.so.1',
  '/usr/local/cuda-12.6/compat/libcuda.so.1': '-> libcuda.so.560.35.05',
  '/usr/local/cuda-12.6/compat/libcuda.so.560.35.05': {
    bytes: 34_000_000,
    soname: 'libcuda.so.1',
    libcuda: { stub: false, version: '560.35.05', cuda: '12.6', note: null },
  },
  '/usr/local/cuda-12.6/compat/libnvidia-nvvm.so.560.35.05': 1_000_000,
  '/usr/local/cuda-12.6/compat/libnvidia-ptxjitcompiler.so.560.35.05': 1_000_000,
  '/usr/local/cuda-12.6/compat/libcudadebugger.so.560.35.05': 1_000_000,
  '/etc/ld.so.conf.d/000_cuda.conf': '/usr/local/cuda/targets/x86_64-linux/lib\n',
  '/etc/ld.so.conf.d/988_cuda-12.conf': '/usr/local/cuda-12/targets/x86_64-linux/lib\n',
  '/etc/ld.so.conf.d/nvidia.conf': '/usr/local/nvidia/lib\n/usr/local/nvidia/lib64\n',
};

const cudaEnv = {
  PATH: '/usr/local/nvidia/bin:/usr/local/cuda/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  NVARCH: 'x86_64',
  NVIDIA_REQUIRE_CUDA: requirement,
  NV_CUDA_CUDART_VERSION: '12.6.77-1',
  CUDA_VERSION: '12.6.2',
  LD_LIBRARY_PATH: '/usr/local/nvidia/lib:/usr/local/nvidia/lib64',
  NVIDIA_VISIBLE_DEVICES: 'all',
  NVIDIA_DRIVER_CAPABILITIES: 'compute,utility',
};

const math: Made = Object.fromEntries(
  [
    ['libcublas', '12.6.3.3'],
    ['libcublasLt', '12.6.3.3'],
    ['libcufft', '11.3.0.4'],
    ['libcurand', '10.3.7.77'],
    ['libcusolver', '11.7.1.2'],
    ['libcusparse', '12.5.4.2'],
    ['libnvJitLink', '12.6.77'],
    ['libnvrtc', '12.6.77'],
  ].flatMap(([stem, version]) => {
    const soname = `${stem}.so.${version!.split('.')[0]}`;
    const folder = '/usr/local/cuda-12.6/targets/x86_64-linux/lib';
    return [
      [`${folder}/${soname}`, `-> ${stem}.so.${version}`],
      [`${folder}/${stem}.so.${version}`, { soname }],
    ];
  }),
);

export const cudaDevel: Made = {
  '/usr/local/cuda-12.6/bin/nvcc': 20_000_000,
  '/usr/local/cuda-12.6/targets/x86_64-linux/lib/stubs/libcuda.so': {
    bytes: 65_000,
    soname: 'libcuda.so.1',
    libcuda: { stub: true, version: null, cuda: '12.6', note: null },
  },
  '/usr/local/cuda-12.6/targets/x86_64-linux/lib/stubs/libnvidia-ml.so': 30_000,
  '/usr/local/cuda-12.6/version.json': JSON.stringify({
    cuda: { name: 'CUDA SDK', version: '12.6.2' },
    cuda_cudart: { name: 'CUDA Runtime (cudart)', version: '12.6.77' },
    libcublas: { name: 'CUDA cuBLAS', version: '12.6.3.3' },
    nvidia_driver: { name: 'NVIDIA Linux Driver', version: '560.35.03' },
  }),
};

const systemCudnn: Made = {
  [`${lib}/libcudnn.so.9`]: '-> libcudnn.so.9.1.0',
  [`${lib}/libcudnn.so.9.1.0`]: { soname: 'libcudnn.so.9', library: { name: 'cudnn', version: '9.1.0' } },
  [`${lib}/libcudnn_ops.so.9`]: '-> libcudnn_ops.so.9.1.0',
  [`${lib}/libcudnn_ops.so.9.1.0`]: { soname: 'libcudnn_ops.so.9', library: { name: 'cudnn_ops', version: '9.1.0' } },
};

const systemNccl: Made = {
  [`${lib}/libnccl.so.2`]: '-> libnccl.so.2.23.4',
  [`${lib}/libnccl.so.2.23.4`]: { soname: 'libnccl.so.2', library: { name: 'nccl', version: '2.23.4' } },
};

/** A dist-info folder. */
export function dist(folder: string, name: string, version: string, requires: readonly string[] = []): Made {
  return {
    [`${folder}/${name}-${version}.dist-info/METADATA`]: `Metadata-Version: 2.1\nName: ${name}\nVersion: ${version}\n${requires
      .map((each) => `Requires-Dist: ${each}\n`)
      .join('')}\nDescription\n`,
  };
}

const linux = `; platform_system == "Linux" and platform_machine == "x86_64"`;

/** torch of PyPI with its wheels, as pip installs them. */
export function torchWheels(
  folder: string,
  change: {
    readonly torch?: string;
    readonly cuda?: string;
    readonly cudnn?: string;
    readonly nvjitlink?: string;
  } = {},
): Made {
  const cuda = change.cuda ?? '12.6';
  const cu = `cu${cuda.split('.')[0]}`;
  const torch = change.torch ?? '2.7.0';
  const origin =
    '$ORIGIN/../../nvidia/cudnn/lib:$ORIGIN/../../nvidia/cusparse/lib:$ORIGIN/../../nvidia/cuda_runtime/lib:$ORIGIN/../../nvidia/nccl/lib:$ORIGIN/../../nvidia/cublas/lib:$ORIGIN';
  return {
    ...dist(folder, 'torch', torch, [
      'filelock',
      `nvidia-cuda-runtime-${cu}==${cuda}.77 ${linux}`,
      `nvidia-cudnn-${cu}==9.5.1.17 ${linux}`,
      `nvidia-nccl-${cu}==2.26.2 ${linux}`,
      `nvidia-nvjitlink-${cu}==${cuda}.85 ${linux}`,
      `nvidia-cublas-${cu}==${cuda}.4.1 ${linux}`,
      `triton==3.3.0 ${linux}`,
      'opt-einsum>=3.3 ; extra == "opt-einsum"',
    ]),
    ...dist(folder, 'triton', '3.3.0'),
    ...dist(folder, `nvidia_cuda_runtime_${cu}`, `${cuda}.77`),
    ...dist(folder, `nvidia_cudnn_${cu}`, change.cudnn ?? '9.5.1.17'),
    ...dist(folder, `nvidia_nccl_${cu}`, '2.26.2'),
    ...dist(folder, `nvidia_nvjitlink_${cu}`, change.nvjitlink ?? `${cuda}.85`),
    ...dist(folder, `nvidia_cublas_${cu}`, `${cuda}.4.1`),
    [`${folder}/torch/version.py`]: `from typing import Optional\n\n__all__ = ['__version__']\n__version__ = '${torch}+${cu}${cuda.split('.')[1]}'\ndebug = False\ncuda: Optional[str] = '${cuda}'\nhip: Optional[str] = None\n`,
    [`${folder}/torch/lib/libtorch_cuda.so`]: {
      bytes: 900_000_000,
      soname: 'libtorch_cuda.so',
      needed: [
        'libcudnn.so.9',
        'libnccl.so.2',
        'libcublas.so.12',
        'libcublasLt.so.12',
        'libcusparse.so.12',
        'libcudart.so.12',
      ],
      rpath: [origin],
      code: { sass: ['sm_50', 'sm_80', 'sm_86', 'sm_90'], ptx: [] },
    },
    [`${folder}/nvidia/cudnn/lib/libcudnn.so.9`]: {
      soname: 'libcudnn.so.9',
      library: { name: 'cudnn', version: (change.cudnn ?? '9.5.1.17').split('.').slice(0, 3).join('.') },
    },
    [`${folder}/nvidia/nccl/lib/libnccl.so.2`]: {
      soname: 'libnccl.so.2',
      library: { name: 'nccl', version: '2.26.2' },
    },
    [`${folder}/nvidia/cublas/lib/libcublas.so.12`]: {
      soname: 'libcublas.so.12',
      needed: ['libcublasLt.so.12'],
      runpath: ['$ORIGIN'],
    },
    [`${folder}/nvidia/cublas/lib/libcublasLt.so.12`]: { soname: 'libcublasLt.so.12' },
    [`${folder}/nvidia/cuda_runtime/lib/libcudart.so.12`]: { soname: 'libcudart.so.12' },
    [`${folder}/nvidia/nvjitlink/lib/libnvJitLink.so.12`]: {
      soname: 'libnvJitLink.so.12',
      library: { name: 'nvJitLink', version: change.nvjitlink ?? `${cuda}.85` },
    },
    [`${folder}/nvidia/cusparse/lib/libcusparse.so.12`]: {
      soname: 'libcusparse.so.12',
      needed: ['libnvJitLink.so.12'],
      runpath: ['$ORIGIN:$ORIGIN/../../nvjitlink/lib'],
    },
  };
}

export const samples: Readonly<Record<string, () => ScannedImage>> = {
  'ubuntu:22.04': () => image([layer(ubuntu)], { PATH: '/usr/bin:/bin' }),
  'python:3.12-slim': () =>
    image(
      [
        layer({
          '/etc/os-release': 'ID=debian\nVERSION_ID="12"\n',
          '/etc/debian_version': '12.8\n',
          '/etc/ld.so.conf': 'include /etc/ld.so.conf.d/*.conf\n',
        }),
        layer({ ...dist('/usr/local/lib/python3.12/site-packages', 'pip', '24.3.1') }),
      ],
      { PATH: '/usr/local/bin:/usr/local/sbin:/usr/sbin:/usr/bin:/sbin:/bin', PYTHON_VERSION: '3.12.7' },
    ),
  'python:3.12-slim with torch for the CPU': () => {
    const folder = '/usr/local/lib/python3.12/site-packages';
    return image([
      layer({ '/etc/os-release': 'ID=debian\nVERSION_ID="12"\n', '/etc/debian_version': '12.8\n' }),
      layer({
        ...dist(folder, 'torch', '2.7.0+cpu'),
        [`${folder}/torch/version.py`]: "__version__ = '2.7.0+cpu'\ncuda: Optional[str] = None\n",
      }),
    ]);
  },
  'nvidia/cuda:12.6.2-base-ubuntu22.04': () =>
    image([layer(ubuntu), layer(cudaBase), layer({ '/opt/nvidia/nvidia_entrypoint.sh': banner })], cudaEnv, {
      entrypoint: ['/opt/nvidia/nvidia_entrypoint.sh'],
    }),
  'nvidia/cuda:12.6.2-cudnn-runtime-ubuntu22.04': () =>
    image([layer(ubuntu), layer(cudaBase), layer({ ...math, ...systemNccl }), layer(systemCudnn)], cudaEnv),
  'nvidia/cuda:12.6.2-cudnn-devel-ubuntu22.04': () =>
    image([layer(ubuntu), layer(cudaBase), layer({ ...math, ...systemNccl }), layer(cudaDevel), layer(systemCudnn)], {
      ...cudaEnv,
      LIBRARY_PATH: '/usr/local/cuda/lib64/stubs',
    }),
  'nvidia/cuda:12.6.2-runtime-rockylinux9': () =>
    image(
      [
        layer({
          '/etc/os-release': 'ID="rocky"\nVERSION_ID="9.4"\n',
          '/etc/redhat-release': 'Rocky Linux release 9.4 (Blue Onyx)\n',
          '/lib64': '-> usr/lib64',
          '/etc/ld.so.conf': 'include ld.so.conf.d/*.conf\n',
          '/var/lib/rpm/rpmdb.sqlite': 9_000_000,
        }),
        layer(cudaBase),
        layer({
          ...math,
          '/usr/lib64/libnccl.so.2': '-> libnccl.so.2.23.4',
          '/usr/lib64/libnccl.so.2.23.4': { soname: 'libnccl.so.2' },
        }),
      ],
      cudaEnv,
    ),
  'pytorch/pytorch:2.7.0-cuda12.6-cudnn9-runtime': () =>
    image(
      [
        layer(ubuntu),
        layer({
          ...torchWheels('/opt/conda/lib/python3.11/site-packages'),
          '/opt/conda/conda-meta/python-3.11.10-h955ad1f_0.json': 5000,
          '/opt/conda/conda-meta/history': 10,
        }),
      ],
      {
        PATH: '/opt/conda/bin:/usr/local/nvidia/bin:/usr/local/cuda/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
        NVIDIA_VISIBLE_DEVICES: 'all',
        NVIDIA_DRIVER_CAPABILITIES: 'compute,utility',
        LD_LIBRARY_PATH: '/usr/local/nvidia/lib:/usr/local/nvidia/lib64',
        PYTORCH_VERSION: '2.7.0',
      },
    ),
  'pytorch/pytorch:2.7.0-cuda12.6-cudnn9-devel': () =>
    image(
      [
        layer(ubuntu),
        layer(cudaBase),
        layer({ ...math, ...systemNccl, ...cudaDevel }),
        layer(systemCudnn),
        layer({
          ...torchWheels('/opt/conda/lib/python3.11/site-packages'),
          '/opt/conda/conda-meta/python-3.11.10-h955ad1f_0.json': 5000,
        }),
      ],
      {
        ...cudaEnv,
        PATH: `/opt/conda/bin:${cudaEnv.PATH}`,
        LIBRARY_PATH: '/usr/local/cuda/lib64/stubs',
        PYTORCH_VERSION: '2.7.0',
      },
    ),
  'nvcr.io/nvidia/pytorch:24.10-py3': () => {
    const folder = '/usr/local/lib/python3.10/dist-packages';
    const compat = '/usr/local/cuda-12.6/compat/lib.real';
    return image(
      [
        layer(ubuntu),
        layer({
          '/usr/local/cuda': '-> cuda-12.6',
          '/usr/local/cuda-12.6/lib64': '-> targets/x86_64-linux/lib',
          '/usr/local/cuda-12.6/targets/x86_64-linux/lib/libcudart.so.12': '-> libcudart.so.12.6.77',
          '/usr/local/cuda-12.6/targets/x86_64-linux/lib/libcudart.so.12.6.77': { soname: 'libcudart.so.12' },
          [`${compat}/libcuda.so.1`]: '-> libcuda.so.560.35.03',
          [`${compat}/libcuda.so.560.35.03`]: {
            bytes: 34_000_000,
            soname: 'libcuda.so.1',
            libcuda: { stub: false, version: '560.35.03', cuda: '12.6', note: null },
          },
          '/etc/ld.so.conf.d/00-cuda-compat.conf': '/usr/local/cuda/compat/lib\n',
          '/etc/shinit_v2': '_CUDA_COMPAT_PATH=${_CUDA_COMPAT_PATH:-/usr/local/cuda/compat}\n',
          ...math,
          ...cudaDevel,
          ...systemNccl,
        }),
        layer({
          ...systemCudnn,
          [`${lib}/libnvinfer.so.10`]: '-> libnvinfer.so.10.5.0',
          [`${lib}/libnvinfer.so.10.5.0`]: { soname: 'libnvinfer.so.10' },
          '/opt/hpcx/ompi/lib/libmpi.so.40': '-> libmpi.so.40.30.7',
          '/opt/hpcx/ompi/lib/libmpi.so.40.30.7': { soname: 'libmpi.so.40' },
          '/opt/hpcx/ucx/lib/libucp.so.0': '-> libucp.so.0.0.0',
          '/opt/hpcx/ucx/lib/libucp.so.0.0.0': { soname: 'libucp.so.0' },
        }),
        layer({
          ...dist(folder, 'torch', '2.5.0a0+e000cf0ad9.nv24.10'),
          [`${folder}/torch/version.py`]: "__version__ = '2.5.0a0+e000cf0ad9.nv24.10'\ncuda: Optional[str] = '12.6'\n",
          [`${folder}/torch/lib/libtorch_cuda.so`]: {
            soname: 'libtorch_cuda.so',
            needed: ['libcudnn.so.9', 'libnccl.so.2', 'libcudart.so.12'],
            rpath: ['$ORIGIN'],
            code: { sass: ['sm_70', 'sm_80', 'sm_90'], ptx: ['compute_90'] },
          },
          '/opt/nvidia/nvidia_entrypoint.sh': '#!/bin/bash\nsource /etc/shinit_v2\nexec "$@"\n',
          '/opt/nvidia/entrypoint.d/50-gpu-driver-check.sh':
            'if [[ "${_CUDA_COMPAT_STATUS:-}" == "CUDA Driver OK" ]]; then echo "NOTE: CUDA Forward Compatibility mode ENABLED."; fi\n',
        }),
      ],
      {
        PATH: '/usr/local/nvidia/bin:/usr/local/cuda/bin:/usr/local/mpi/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
        CUDA_VERSION: '12.6.2.004',
        CUDA_DRIVER_VERSION: '560.35.03',
        _CUDA_COMPAT_PATH: '/usr/local/cuda/compat',
        NVIDIA_REQUIRE_CUDA: 'cuda>=9.0',
        NVIDIA_VISIBLE_DEVICES: 'all',
        NVIDIA_DRIVER_CAPABILITIES: 'compute,utility,video',
        NVIDIA_PYTORCH_VERSION: '24.10',
        OPENMPI_VERSION: '4.1.7',
        OPENUCX_VERSION: '1.18.0',
        LD_LIBRARY_PATH: '/usr/local/cuda/compat/lib:/usr/local/nvidia/lib:/usr/local/nvidia/lib64',
        LIBRARY_PATH: '/usr/local/cuda/lib64/stubs:',
      },
      { entrypoint: ['/opt/nvidia/nvidia_entrypoint.sh'] },
    );
  },
  'vllm/vllm-openai:v0.10.0': () =>
    image(
      [
        layer(ubuntu),
        layer(cudaBase),
        layer({ ...math, ...systemNccl, ...cudaDevel }),
        layer({
          ...torchWheels('/usr/local/lib/python3.12/dist-packages'),
          ...dist('/usr/local/lib/python3.12/dist-packages', 'vllm', '0.10.0', ['torch==2.7.0']),
          ...dist('/usr/local/lib/python3.12/dist-packages', 'xformers', '0.0.31'),
          ...dist('/usr/local/lib/python3.12/dist-packages', 'bitsandbytes', '0.46.1'),
          '/usr/local/lib/python3.12/dist-packages/vllm/_C.abi3.so': {
            soname: '_C.abi3.so',
            needed: ['libtorch_cuda.so', 'libcudart.so.12'],
            code: { sass: ['sm_80', 'sm_90', 'sm_100'], ptx: ['compute_120'] },
          },
          '/usr/lib/python3/dist-packages/six-1.16.0.egg-info/PKG-INFO': 100,
        }),
      ],
      { ...cudaEnv, LIBRARY_PATH: '/usr/local/cuda/lib64/stubs' },
      { entrypoint: ['python3', '-m', 'vllm.entrypoints.openai.api_server'] },
    ),
  'tensorflow/tensorflow:2.17.0-gpu': () => {
    const folder = '/usr/local/lib/python3.11/dist-packages';
    const stubs = '/usr/local/cuda-12.6/targets/x86_64-linux/lib/stubs';
    return image(
      [
        layer(ubuntu),
        layer(cudaBase),
        layer({
          ...math,
          ...cudaDevel,
          [`${stubs}/libcuda.so.1`]: '-> /usr/local/cuda/lib64/stubs/libcuda.so',
          '/etc/ld.so.conf.d/z-cuda-stubs.conf': '/usr/local/cuda/lib64/stubs\n',
        }),
        layer({
          ...dist(folder, 'tensorflow', '2.17.0', ['nvidia-cublas-cu12==12.3.4.1 ; extra == "and-cuda"']),
          [`${folder}/tensorflow/python/platform/build_info.py`]:
            'build_info = collections.OrderedDict([("cuda_version", "12.3"), ("cudnn_version", "8"), ("is_cuda_build", True)])\n',
          [`${folder}/tensorflow/libtensorflow_cc.so.2`]: { soname: 'libtensorflow_cc.so.2', runpath: ['$ORIGIN'] },
        }),
      ],
      { ...cudaEnv, LD_LIBRARY_PATH: '/usr/local/nvidia/lib:/usr/local/nvidia/lib64:/usr/local/cuda/lib64' },
    );
  },
  'ollama/ollama:0.11.0': () =>
    image(
      [
        layer(ubuntu),
        layer({
          '/usr/lib/ollama/cuda_v12/libcublas.so.12': '-> libcublas.so.12.8.4.1',
          '/usr/lib/ollama/cuda_v12/libcublas.so.12.8.4.1': { soname: 'libcublas.so.12' },
          '/usr/lib/ollama/cuda_v12/libcudart.so.12.8.90': { soname: 'libcudart.so.12' },
          '/usr/lib/ollama/cuda_v12/libggml-cuda.so': {
            soname: 'libggml-cuda.so',
            needed: ['libcublas.so.12', 'libcuda.so.1'],
            code: { sass: ['sm_50', 'sm_90'], ptx: ['compute_90'] },
          },
          '/usr/lib/ollama/cuda_v13/libcublas.so.13.0.0.19': { soname: 'libcublas.so.13' },
          '/usr/lib/ollama/cuda_v13/libcudart.so.13.0.48': { soname: 'libcudart.so.13' },
        }),
      ],
      {
        LD_LIBRARY_PATH: '/usr/local/nvidia/lib:/usr/local/nvidia/lib64',
        NVIDIA_DRIVER_CAPABILITIES: 'compute,utility',
        NVIDIA_VISIBLE_DEVICES: 'all',
      },
      { entrypoint: ['/bin/ollama'] },
    ),
  'nvcr.io/nvidia/cuda:12.6.2-base-ubi9 of a device plugin': () =>
    image([
      layer({
        '/etc/os-release': 'ID="rhel"\nVERSION_ID="9.4"\n',
        '/usr/bin/nvidia-container-cli': 60_000,
        '/usr/lib64/libnvidia-container.so.1.17.8': 200_000,
        '/usr/bin/nvidia-ctk': 9_000_000,
      }),
    ]),
  'rocm/pytorch': () => {
    const folder = '/opt/venv/lib/python3.10/site-packages';
    return image([
      layer(ubuntu),
      layer({
        ...dist(folder, 'torch', '2.7.0+rocm6.3'),
        [`${folder}/torch/version.py`]:
          "__version__ = '2.7.0+rocm6.3'\ncuda: Optional[str] = None\nhip: Optional[str] = '6.3.42131'\n",
        ...dist(folder, 'nvidia_ml_py', '12.560.30'),
      }),
    ]);
  },
  'nvcr.io/nvidia/driver:580.95.05-ubuntu22.04': () =>
    image(
      [
        layer(ubuntu),
        layer({
          '/usr/local/bin/nvidia-driver': 30_000,
          '/usr/src/nvidia-580.95.05/dkms.conf': 100,
          [`${lib}/libcuda.so.580.95.05`]: {
            bytes: 90_000_000,
            libcuda: { stub: false, version: '580.95.05', cuda: '13.0', note: null },
          },
          '/usr/bin/nvidia-smi': 1_000_000,
        }),
      ],
      { DRIVER_VERSION: '580.95.05' },
      { entrypoint: ['nvidia-driver', 'init'] },
    ),
};

/** What the script of nvidia/cuda does: a banner. */
const banner = '#!/bin/bash\nfor f in /opt/nvidia/entrypoint.d/*; do source "$f"; done\nexec "$@"\n';
