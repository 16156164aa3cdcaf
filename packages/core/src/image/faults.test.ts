import { describe, expect, it } from 'vitest';
import { inspectImage } from './report.ts';
import { cudaBase, cudaDevel, dist, samples, status, torchWheels, ubuntu } from './samples.ts';
import type { LayerScan, ScannedImage } from './model.ts';
import { image, layer } from './testing.ts';

const lib = '/usr/lib/x86_64-linux-gnu';
const packages = '/usr/local/lib/python3.12/dist-packages';
const cuda = 'nvidia/cuda:12.6.2-cudnn-devel-ubuntu22.04';
const torch = 'pytorch/pytorch:2.7.0-cuda12.6-cudnn9-runtime';
const torchDevel = 'pytorch/pytorch:2.7.0-cuda12.6-cudnn9-devel';
const ngc = 'nvcr.io/nvidia/pytorch:24.10-py3';
const real = (version: string): object => ({
  bytes: 30_000_000,
  soname: 'libcuda.so.1',
  libcuda: { stub: false, version, cuda: null, note: null },
});

/** A usual image with more on top. */
function on(
  base: string,
  files: Parameters<typeof layer>[0],
  env: Readonly<Record<string, string>> = {},
  more: Partial<LayerScan> = {},
): ScannedImage {
  const made = samples[base]!();
  const variables = [
    ...made.config!.env.filter((each) => !(each.name in env)),
    ...Object.entries(env).map(([name, value]) => ({ name, value })),
  ];
  return {
    ...made,
    config: {
      ...made.config!,
      env: variables,
      history: [...made.config!.history, { createdBy: 'RUN /bin/sh -c last step', empty: false }],
    },
    layers: [...made.layers, layer(files, more)],
  };
}

function entrypoint(made: ScannedImage, words: readonly string[]): ScannedImage {
  return { ...made, config: { ...made.config!, entrypoint: words } };
}

const cases: readonly (readonly [string, () => ScannedImage, string | null])[] = [
  [
    'a driver that apt installed',
    () =>
      on(torch, {
        [`${lib}/libcuda.so.535.183.01`]: real('535.183.01'),
        [`${lib}/libcuda.so.1`]: '-> libcuda.so.535.183.01',
      }),
    'image/driver-files-baked-into-image',
  ],
  [
    'NVML alone',
    () => on(cuda, { [`${lib}/libnvidia-ml.so.550.54.15`]: 2_000_000 }),
    'image/driver-files-baked-into-image',
  ],
  [
    'a module of the kernel',
    () => on(cuda, { '/lib/modules/5.15.0-91-generic/updates/dkms/nvidia.ko': 60_000_000 }),
    'image/driver-files-baked-into-image',
  ],
  [
    'a wheel that was repaired with libcuda in it',
    () =>
      on(torch, { '/opt/conda/lib/python3.11/site-packages/x.libs/libcuda-1a2b3c4d.so.550.54.15': real('550.54.15') }),
    'image/driver-files-baked-into-image',
  ],
  [
    'a driver that a later layer removed again',
    () => on('nvidia/cuda:12.6.2-base-ubuntu22.04', {}, {}, { whiteouts: [`${lib}/libcuda.so.535.183.01`] }),
    null,
  ],
  ['a script that is called nvidia-smi', () => on(cuda, { '/usr/local/bin/nvidia-smi': 400 }), null],
  [
    'empty files of a build on a GPU host',
    () =>
      on(torch, {
        [`${lib}/libcuda.so.535.183.01`]: 0,
        [`${lib}/libnvidia-ml.so.535.183.01`]: 0,
        '/usr/bin/nvidia-smi': 0,
      }),
    'image/driver-ghost-files-in-image',
  ],
  [
    'compat in ld.so.conf.d',
    () => on(cuda, { '/etc/ld.so.conf.d/cuda-compat.conf': '/usr/local/cuda/compat\n' }),
    'image/compat-registered-for-every-host',
  ],
  [
    'compat in ld.so.conf.d, sorted last',
    () => on(cuda, { '/etc/ld.so.conf.d/zzz-cuda-compat.conf': '/usr/local/cuda/compat\n' }),
    null,
  ],
  [
    'compat in LD_LIBRARY_PATH',
    () => on(cuda, {}, { LD_LIBRARY_PATH: '/usr/local/cuda-12.6/compat:/usr/local/cuda/lib64' }),
    'image/compat-registered-for-every-host',
  ],
  [
    'compat in the cache alone',
    () =>
      on(cuda, {
        '/etc/ld.so.cache':
          "1 libs found in cache `/etc/ld.so.cache'\n\tlibcuda.so.1 (libc6,x86-64) => /usr/local/cuda-12.6/compat/libcuda.so.1\n",
      }),
    null,
  ],
  [
    'an entrypoint that replaced that of NGC',
    () => entrypoint(samples[ngc]!(), ['python', 'serve.py']),
    'image/compat-entrypoint-replaced',
  ],
  ['an entrypoint of its own on nvidia/cuda', () => entrypoint(samples[cuda]!(), ['python', 'serve.py']), null],
  [
    'a stub under its run-time name on the path',
    () =>
      on(
        cuda,
        { '/usr/local/cuda-12.6/targets/x86_64-linux/lib/stubs/libcuda.so.1': '-> libcuda.so' },
        { LD_LIBRARY_PATH: '/usr/local/cuda/lib64/stubs:/usr/local/cuda/lib64' },
      ),
    'host-os/libcuda-stub-on-path',
  ],
  [
    'a stub folder in ld.so.conf.d',
    () => on(cuda, { '/etc/ld.so.conf.d/stubs.conf': '/usr/local/cuda/lib64/stubs\n' }),
    'host-os/libcuda-stub-on-path',
  ],
  [
    'a stub that was linked into the system folder',
    () => on(cuda, { [`${lib}/libcuda.so.1`]: '-> /usr/local/cuda/lib64/stubs/libcuda.so' }),
    'host-os/libcuda-stub-on-path',
  ],
  [
    'capabilities without compute',
    () => on(torch, {}, { NVIDIA_DRIVER_CAPABILITIES: 'utility,video' }),
    'container-runtime/driver-capabilities-lack-compute',
  ],
  ['all capabilities', () => on(torch, {}, { NVIDIA_DRIVER_CAPABILITIES: 'all' }), null],
  [
    'capabilities for graphics in an image without CUDA',
    () => image([layer(ubuntu)], { NVIDIA_DRIVER_CAPABILITIES: 'graphics,utility' }),
    null,
  ],
  [
    'a floor of an older major',
    () => on(torch, {}, { NVIDIA_REQUIRE_CUDA: 'cuda>=11.8' }),
    'image/image-gate-lower-than-content',
  ],
  ['a floor of an older minor', () => on(torch, {}, { NVIDIA_REQUIRE_CUDA: 'cuda>=12.1' }), null],
  [
    'libraries for another CPU',
    () => image([layer({ ...ubuntu, [`${lib}/libnccl.so.2.23.4`]: { soname: 'libnccl.so.2', machine: 'aarch64' } })]),
    'image/image-wrong-platform',
  ],
  [
    'a toolkit to compile for another CPU',
    () =>
      on(cuda, {
        '/usr/local/cuda-12.6/targets/sbsa-linux/lib/libcudart.so.12.6.77': {
          soname: 'libcudart.so.12',
          machine: 'aarch64',
        },
      }),
    null,
  ],
  [
    'CUDA 10',
    () =>
      image([
        layer({
          ...ubuntu,
          '/usr/local/cuda-10.2/targets/x86_64-linux/lib/libcudart.so.10.2.89': { soname: 'libcudart.so.10.2' },
        }),
      ]),
    'toolkit/cuda-release-end-of-life',
  ],
  [
    'a CPU build of torch on nvidia/cuda',
    () =>
      on(cuda, {
        ...dist(packages, 'torch', '2.7.0+cpu'),
        [`${packages}/torch/version.py`]: "__version__ = '2.7.0+cpu'\ncuda: Optional[str] = None\n",
      }),
    'framework/cpu-only-framework-build',
  ],
  [
    'a CPU build of conda on nvidia/cuda',
    () => on(cuda, { '/opt/conda/conda-meta/pytorch-2.5.1-cpu_generic_py312_0.json': 9 }),
    'framework/cpu-only-framework-build',
  ],
  [
    'a CPU build on Arm',
    () => {
      const made = image(
        [
          layer(ubuntu),
          layer(cudaBase),
          layer({
            ...dist(packages, 'torch', '2.5.1'),
            [`${packages}/torch/version.py`]: "__version__ = '2.5.1'\ncuda: Optional[str] = None\n",
          }),
        ],
        { CUDA_VERSION: '12.6.2' },
        { architecture: 'arm64' },
      );
      return {
        ...made,
        layers: made.layers.map((each) => ({
          ...each,
          entries: each.entries.map((entry) =>
            entry.binary === undefined ? entry : { ...entry, binary: { ...entry.binary, machine: 'aarch64' as const } },
          ),
        })),
      };
    },
    'framework/aarch64-cpu-only-wheel',
  ],
  [
    'two NCCL wheels',
    () => on(torch, dist('/opt/conda/lib/python3.11/site-packages', 'nvidia_nccl_cu13', '2.27.7')),
    'nccl/mixed-cuda-major-packages',
  ],
  [
    'NCCL wheels of two majors in two environments',
    () => on(torch, dist('/opt/other/lib/python3.12/site-packages', 'nvidia_nccl_cu13', '2.27.7')),
    null,
  ],
  [
    'two CuPy packages',
    () => on(cuda, { ...dist(packages, 'cupy_cuda11x', '13.3.0'), ...dist(packages, 'cupy_cuda12x', '13.3.0') }),
    'nccl/mixed-cuda-major-packages',
  ],
  [
    'CuPy for CUDA 11 beside CUDA 12',
    () => on(cuda, dist(packages, 'cupy_cuda11x', '13.3.0')),
    'framework/wheel-needs-other-cuda-major',
  ],
  ['CuPy for CUDA 12 beside CUDA 12', () => on(cuda, dist(packages, 'cupy_cuda12x', '13.3.0')), null],
  [
    'xFormers for another CUDA',
    () => on(torch, { ...dist('/opt/conda/lib/python3.11/site-packages', 'xformers', '0.0.29+cu118') }),
    'framework/wheel-needs-other-cuda-major',
  ],
  [
    'an older nvJitLink in LD_LIBRARY_PATH',
    () => on(torchDevel, {}, { LD_LIBRARY_PATH: '/usr/local/cuda/lib64' }),
    'toolkit/nvjitlink-older-shadow',
  ],
  [
    'a cuDNN whose pin does not hold',
    () => on('ubuntu:22.04', torchWheels(packages, { cudnn: '9.1.0.70' })),
    'framework/pinned-packages-replaced',
  ],
  ['a cuDNN that is newer than its pin', () => on('ubuntu:22.04', torchWheels(packages, { cudnn: '9.8.0.87' })), null],
  [
    'parts of two cuDNN releases in one folder',
    () =>
      on(cuda, {
        [`${lib}/libcudnn_graph.so.9.5.1`]: {
          soname: 'libcudnn_graph.so.9',
          library: { name: 'cudnn_graph', version: '9.5.1' },
        },
      }),
    'cudnn/two-cudnn-releases',
  ],
  [
    'cuDNN of the system and of the toolkit',
    () => on(cuda, { '/usr/local/cuda-12.6/targets/x86_64-linux/lib/libcudnn.so.9.5.1': { soname: 'libcudnn.so.9' } }),
    'cudnn/two-cudnn-releases',
  ],
  [
    'cuDNN 8 beside cuDNN 9',
    () =>
      on(cuda, {
        [`${lib}/libcudnn.so.8.9.7`]: { soname: 'libcudnn.so.8', library: { name: 'cudnn', version: '8.9.7' } },
      }),
    null,
  ],
  [
    'an older cuDNN of the system before that of a package',
    () => {
      const folder = '/opt/venv/lib/python3.12/site-packages';
      return on(
        cuda,
        {
          ...dist(folder, 'onnxruntime_gpu', '1.20.1'),
          [`${folder}/nvidia/cudnn/lib/libcudnn.so.9`]: {
            soname: 'libcudnn.so.9',
            library: { name: 'cudnn', version: '9.5.1' },
          },
          [`${folder}/onnxruntime/capi/libonnxruntime_providers_cuda.so`]: {
            needed: ['libcudnn.so.9'],
            runpath: ['$ORIGIN/../../nvidia/cudnn/lib'],
          },
        },
        { LD_LIBRARY_PATH: lib },
      );
    },
    'cudnn/cudnn-system-shadows-bundled',
  ],
];

describe('an image with', () => {
  it.each(cases)('%s', (_, make, rule) => {
    const { report } = inspectImage(make());
    const accused = report.findings.filter((each) => each.certainty !== 'possible');
    expect([accused[0]?.rule ?? null, report.status]).toEqual([rule, rule === null ? 'ok' : 'fault']);
    for (const each of accused) expect(each.evidence.length).toBeGreaterThan(0);
  });

  it('a part that was not read is neither sound nor accused', () => {
    const made = samples[torch]!();
    const { report, verdict } = inspectImage({ ...made, layers: made.layers.slice(0, 1), quick: true });
    expect(report.status).toBe('cannot-tell');
    expect(verdict.unknown.length).toBeGreaterThan(0);
  });

  it('texts of others in its history says nothing by them', () => {
    const made = image(
      [layer(ubuntu), layer(cudaBase), layer(cudaDevel)],
      {},
      {
        history: [
          {
            createdBy: 'RUN echo "NVRM: API mismatch: the client has the version 535.1" # CUDA error: out of memory',
            empty: false,
          },
          { createdBy: 'RUN apt-get install -y nvidia-driver-535 && apt-get purge -y nvidia-driver-535', empty: false },
          { createdBy: 'image libcuda kind=baked path=/usr/lib/libcuda.so.1', empty: false },
        ],
      },
    );
    expect(inspectImage(made).report.status).toBe('ok');
  });

  it('two Pythons of one prefix are two environments', () => {
    const made = image([
      layer({
        ...ubuntu,
        ...dist('/usr/local/lib/python3.10/dist-packages', 'nvidia_nccl_cu12', '2.26.2'),
        ...dist('/usr/local/lib/python3.12/dist-packages', 'nvidia_nccl_cu13', '2.27.7'),
      }),
    ]);
    const { report } = inspectImage(made);
    expect(report.status).toBe('ok');
    expect(report.inventory.packages.map((each) => each.environment)).toEqual([
      '/usr',
      '/usr/local/lib/python3.12/dist-packages',
    ]);
  });

  it('a dpkg record', () => {
    const made = image([
      layer({ ...ubuntu, '/var/lib/dpkg/status': status({ 'libcudnn9-cuda-12': '9.1.0.70-1', libc6: '2.35' }) }),
    ]);
    expect(inspectImage(made).report.inventory.packages).toEqual([
      { name: 'libcudnn9-cuda-12', version: '9.1.0.70-1', environment: 'dpkg' },
    ]);
  });
});
