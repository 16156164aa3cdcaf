import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { createDocument } from '../text/document.ts';
import { table } from './testing.ts';

const folder = new URL('../../../../fixtures/outputs/', import.meta.url);

function fixture(name: string): string {
  return readFileSync(new URL(name, folder), 'utf8');
}

type Expected = Readonly<Record<string, readonly unknown[]>>;

/** Each file, and every fact that it must give under the ids named. */
const rows: readonly (readonly [file: string, what: string, expected: Expected])[] = [
  [
    'nvidia-smi/table-r525-narrow.txt',
    'the narrow table, whose names are cut',
    {
      'driver.version': ['525.85.12'],
      'driver.cuda': ['12.0'],
      'driver.answers': [true],
      'gpu.count': [2],
      'gpu.name': ['Tesla V100-SXM2', 'NVIDIA A10G'],
      'gpu.state': [
        {
          index: 0,
          name: 'Tesla V100-SXM2...',
          computeMode: 'Default',
          mig: null,
          utilization: 12,
          memoryUsedMiB: 1337,
          memoryTotalMiB: 32768,
          eccUncorrected: 0,
          temperature: 41,
          powerWatts: 58,
        },
        {
          index: 1,
          name: 'NVIDIA A10G',
          computeMode: 'Default',
          mig: null,
          utilization: 0,
          memoryUsedMiB: 0,
          memoryTotalMiB: 23028,
          eccUncorrected: 2,
          temperature: 33,
          powerWatts: 16,
        },
      ],
      'gpu.processes': [['...nvs/train/bin/python3.10']],
    },
  ],
  [
    'nvidia-smi/table-r580.txt',
    'the wide table with an exclusive GPU and an ECC error',
    {
      'driver.version': ['580.105.08'],
      'driver.cuda': ['13.0'],
      'gpu.compute-mode': ['Default', 'Exclusive_Process'],
      'gpu.processes': [['/usr/bin/python3']],
    },
  ],
  [
    'nvidia-smi/table-r610.txt',
    'the table that says KMD and CUDA UMD',
    { 'driver.version': ['610.57.04'], 'driver.cuda': ['13.3'], 'gpu.name': ['NVIDIA H200'], 'gpu.processes': [[]] },
  ],
  [
    'nvidia-smi/table-cuda-version-na.txt',
    'a GPU that does not answer, and no libcuda',
    {
      'driver.version': ['570.124.06'],
      'driver.cuda-missing': [true],
      'gpu.state': [
        {
          index: 0,
          name: 'NVIDIA L40S',
          computeMode: 'Default',
          mig: null,
          utilization: null,
          memoryUsedMiB: 0,
          memoryTotalMiB: 46068,
          eccUncorrected: null,
          temperature: null,
          powerWatts: null,
          failedFields: ['eccUncorrected', 'temperature', 'power', 'utilization', 'mig'],
        },
      ],
    },
  ],
  ['nvidia-smi/version-r590.txt', 'the short versions', { 'driver.version': ['590.48.01'], 'driver.cuda': ['13.1'] }],
  [
    'nvidia-smi/q-head-r590.txt',
    'the long report',
    {
      'driver.version': ['590.48.01'],
      'driver.cuda': ['13.1'],
      'gpu.count': [2],
      'gpu.throttle': [['SW Power Cap']],
      'gpu.processes': [['/usr/bin/python3']],
      'gpu.state': [
        {
          index: 2,
          name: 'NVIDIA H100 80GB HBM3',
          uuid: 'GPU-7d1f2a90-0c3b-5e64-9a11-4b2f6c8de013',
          computeMode: 'Default',
          mig: 'Disabled',
          utilization: 100,
          memoryUsedMiB: 61204,
          memoryTotalMiB: 81559,
        },
      ],
    },
  ],
  [
    'nvidia-smi/xml-v13-r580.xml',
    'the same as XML, by path',
    {
      'driver.version': ['580.105.08'],
      'driver.cuda': ['13.0'],
      'gpu.count': [1],
      'gpu.throttle': [['SW Power Cap']],
      'gpu.processes': [['/usr/bin/python3']],
      'gpu.state': [
        {
          index: 0,
          name: 'NVIDIA H100 80GB HBM3',
          uuid: 'GPU-0b9e41c7-5528-4d1f-8d02-6a7b13cc9f40',
          computeMode: 'Default',
          mig: 'Disabled',
          utilization: 100,
          memoryUsedMiB: 61204,
          memoryTotalMiB: 81559,
          eccUncorrected: 0,
          temperature: 47,
          powerWatts: 512.4,
        },
      ],
    },
  ],
  [
    'nvidia-smi/query-gpu-units.csv',
    'a comma list with units, a failed cell and masks',
    {
      'driver.version': ['580.105.08'],
      'gpu.compute-capability': ['9.0'],
      'gpu.throttle': [['SW Power Cap'], ['Idle']],
      'gpu.state': [
        {
          index: 0,
          name: 'NVIDIA H100 80GB HBM3',
          uuid: 'GPU-0b9e41c7-5528-4d1f-8d02-6a7b13cc9f40',
          mig: 'Disabled',
          utilization: 100,
          memoryUsedMiB: 61204,
          memoryTotalMiB: 81559,
          eccUncorrected: 0,
          powerWatts: 512.4,
        },
        {
          index: 1,
          name: 'NVIDIA H100 80GB HBM3',
          uuid: 'GPU-93c0d6aa-1f77-4e0b-b5b4-20d8e1f3a7c6',
          mig: 'Disabled',
          utilization: 0,
          memoryUsedMiB: 4,
          memoryTotalMiB: 81559,
          eccUncorrected: null,
          powerWatts: 72.05,
          failedFields: ['eccUncorrected'],
        },
      ],
    },
  ],
  [
    'nvidia-smi/query-compute-apps.csv',
    'processes of another namespace',
    { 'gpu.processes': [['/usr/bin/python3', 'pid 1840388']] },
  ],
  [
    'nvidia-smi/list-mig.txt',
    'a list with MIG devices',
    {
      'gpu.count': [2],
      'gpu.mig-device': [
        { gpu: 0, profile: '3g.40gb', uuid: 'MIG-2f6f1c1e-7d9b-5b0e-90c4-55ab1a7782f1' },
        { gpu: 0, profile: '1g.10gb', uuid: 'MIG-b3aa5d02-6e84-5c3f-8a97-0f4d7f6e1190' },
      ],
    },
  ],
  [
    'nvidia-smi/topo-m.txt',
    'the topology with its underlined header',
    {
      'gpu.topology': [
        { from: 'GPU0', to: 'GPU1', path: 'NV18' },
        { from: 'GPU0', to: 'NIC0', path: 'PIX' },
        { from: 'GPU0', to: 'NIC1', path: 'SYS' },
        { from: 'GPU1', to: 'NIC0', path: 'SYS' },
        { from: 'GPU1', to: 'NIC1', path: 'PXB' },
        { from: 'NIC0', to: 'NIC1', path: 'SYS' },
      ],
    },
  ],
  [
    'nvidia-smi/nvlink-s.txt',
    'links, one of them inactive',
    {
      'gpu.nvlink': [
        { gpu: 0, link: 0, gigabytesPerSecond: 26.562 },
        { gpu: 0, link: 1, gigabytesPerSecond: 26.562 },
        { gpu: 0, link: 2, gigabytesPerSecond: null },
        { gpu: 1, link: 0, gigabytesPerSecond: 25 },
        { gpu: 1, link: 1, gigabytesPerSecond: 25 },
      ],
    },
  ],
  [
    'nvidia-smi/err-mismatch.txt',
    'the library that does not fit',
    { 'driver.library': ['565.57'], 'driver.answers': [] },
  ],
  ['nvidia-smi/err-no-devices.txt', 'no answer', { 'driver.answers': [], 'gpu.count': [] }],
  ['nvidia-smi/err-no-driver.txt', 'no driver', { 'driver.answers': [], 'driver.version': [] }],
  [
    'proc/version-proprietary.txt',
    'the module that is loaded',
    { 'driver.module': ['550.135'], 'driver.flavour': ['proprietary'], 'os.arch': ['x86_64'] },
  ],
  ['proc/version-open.txt', 'the open module', { 'driver.module': ['580.95.05'], 'driver.flavour': ['open'] }],
  ['proc/gpu-information.txt', 'the model of a GPU', { 'gpu.name': ['NVIDIA H100 80GB HBM3'] }],
  [
    'proc/modinfo-nvidia-open.txt',
    'the module file on disk',
    {
      'driver.module-file': ['580.95.05'],
      'driver.flavour': ['open'],
      'driver.module': [],
      'driver.module-file-kernel': ['5.15.0-119-generic'],
    },
  ],
  [
    'proc/mountinfo-legacy.txt',
    'what the legacy runtime mounted, and the image compat library over it',
    {
      'driver.library': ['550.135'],
      'container.injection': ['legacy'],
      'container.mount': [
        { path: '/usr/lib/x86_64-linux-gnu/libnvidia-ml.so.550.135', from: 'host' },
        { path: '/usr/lib/x86_64-linux-gnu/libcuda.so.550.135', from: 'host' },
        { path: '/usr/lib/x86_64-linux-gnu/libcuda.so.560.35.05', from: 'image' },
      ],
    },
  ],
  ['proc/mountinfo-cdi.txt', 'what CDI mounted', { 'driver.library': ['580.95.05'], 'container.injection': ['cdi'] }],
  [
    'proc/maps-libcuda-injected.txt',
    'the libcuda of a process, from the host',
    {
      'driver.library': ['580.95.05'],
      'container.mount': [{ path: '/usr/lib/x86_64-linux-gnu/libcuda.so.580.95.05', from: 'host' }],
    },
  ],
  [
    'proc/maps-libcuda-compat.txt',
    'the libcuda of a process, from the image',
    {
      'driver.library': ['535.183.06'],
      'container.mount': [
        { path: '/usr/local/cuda-13.0/compat/libcuda.so.580.95.05', from: 'image' },
        { path: '/usr/lib/x86_64-linux-gnu/libnvidia-ml.so.535.183.06', from: 'host' },
      ],
    },
  ],
  [
    'linker/ldconfig-p-compat-first.txt',
    'the loader cache in its order, without 32-bit entries',
    {
      'loader.cache': [
        { soname: 'libcuda.so.1', path: '/usr/local/cuda-12.9/compat/libcuda.so.1' },
        { soname: 'libcuda.so.1', path: '/usr/lib/x86_64-linux-gnu/libcuda.so.1' },
        { soname: 'libcuda.so', path: '/usr/local/cuda-12.9/compat/libcuda.so' },
      ],
    },
  ],
  [
    'linker/ldd-missing.txt',
    'a library that the loader does not find',
    {
      'loader.resolved': [
        { soname: 'libcudart.so.12', path: '/usr/local/cuda/lib64/libcudart.so.12' },
        { soname: 'libcuda.so.1', path: null },
        {
          soname: 'libnccl.so.2',
          path: '/opt/venv/lib/python3.11/site-packages/torch/lib/../../nvidia/nccl/lib/libnccl.so.2',
        },
        { soname: 'libc.so.6', path: '/lib/x86_64-linux-gnu/libc.so.6' },
      ],
    },
  ],
  ['toolkit/nvcc-12.6.txt', 'the compiler', { 'toolkit.nvcc': ['12.6'] }],
  ['toolkit/version-12.4.json', 'the version file', { 'toolkit.installed': ['12.4.1'], 'driver.version': [] }],
  ['toolkit/version-date-form.json', 'a version file whose third part is a date', { 'toolkit.installed': ['12.6'] }],
  ['toolkit/version-10.2.txt', 'the old version file', { 'toolkit.installed': ['10.2.89'] }],
  [
    'cuda-samples/devicequery-pass.txt',
    'a sample that passed',
    {
      'driver.cuda': ['12.8'],
      'toolkit.runtime': ['12.4'],
      'gpu.compute-capability': ['9.0'],
      works: [{ what: 'a CUDA sample passed', layer: 'driver' }],
    },
  ],
  ['cuda-samples/devicequery-fail-35.txt', 'a sample that failed', { works: [], 'framework.devices': [] }],
  [
    'pyenv/torch-collect-env.txt',
    'the environment report of torch',
    {
      'torch.version': ['2.7.1+cu126'],
      'torch.cuda': ['12.6'],
      'torch.cuda-available': [false],
      'toolkit.nvcc': ['12.4'],
      'driver.version': ['470.256.02'],
      'gpu.count': [2],
      'os.kernel': ['5.15.0-119-generic'],
      'os.glibc': ['2.35'],
      'cudnn.file': [
        { soname: 'libcudnn.so.9.1.0', path: '/usr/lib/x86_64-linux-gnu/libcudnn.so.9.1.0', version: '9.1.0' },
        { soname: 'libcudnn_ops.so.9.1.0', path: '/usr/lib/x86_64-linux-gnu/libcudnn_ops.so.9.1.0', version: '9.1.0' },
      ],
      works: [],
    },
  ],
  [
    'pyenv/cupy-show-config.txt',
    'the configuration of CuPy',
    {
      'driver.cuda': ['12.4'],
      'toolkit.runtime': ['12.8'],
      'toolkit.installed': ['12.6'],
      'nccl.version': ['2.23.4'],
      'gpu.compute-capability': ['8.9'],
      'cudnn.loaded': [],
    },
  ],
  [
    'pyenv/numba-s-excerpt.txt',
    'the report of Numba',
    { 'driver.cuda': ['12.4'], 'toolkit.runtime': ['12.8'], 'gpu.name': ['NVIDIA L40S'] },
  ],
  [
    'pyenv/jax-print-environment-info.txt',
    'the report of JAX with nvidia-smi in it',
    {
      'framework.devices': [4],
      'driver.version': ['550.135'],
      'driver.cuda': ['12.4'],
      'gpu.name': ['NVIDIA H100 80GB HBM3'],
    },
  ],
  [
    'pyenv/tf-build-info.txt',
    'what TensorFlow was built with',
    {
      'toolkit.runtime': ['12.5.1'],
      'cudnn.built-for': ['9'],
      'framework.arch-list': [{ name: 'tensorflow', targets: ['sm_60', 'sm_70', 'sm_80', 'sm_89', 'compute_90'] }],
    },
  ],
  [
    'pyenv/pip-list.txt',
    'a package list with a warning in it',
    {
      package: [
        { name: 'nvidia-cudnn-cu12', version: '9.5.1.17', manager: 'pip' },
        { name: 'nvidia-nccl-cu12', version: '2.26.2', manager: 'pip' },
        { name: 'torch', version: '2.7.1+cu126', manager: 'pip' },
        { name: 'trainer', version: '0.3.0.dev1', manager: 'pip' },
      ],
      'torch.cuda': ['12.6'],
    },
  ],
  [
    'pyenv/pip-freeze.txt',
    'requirements, some of them with an address',
    {
      package: [
        { name: 'flash-attn', version: '2.7.4.post1', manager: 'pip' },
        { name: 'nvidia-nccl-cu12', version: '2.26.2', manager: 'pip' },
        { name: 'torch', version: '2.7.1+cu126', manager: 'pip' },
        { name: 'triton', version: '3.3.1', manager: 'pip' },
      ],
    },
  ],
  ['pyenv/pip-list.json', 'a package list as JSON', { 'torch.version': ['2.7.1+cu126'], 'torch.cuda': ['12.6'] }],
  ['pyenv/uv-pip-list.txt', 'the list of uv', { 'torch.version': ['2.7.1+cu126'] }],
  [
    'pyenv/conda-list.txt',
    'conda, whose build text names CUDA',
    { 'torch.version': ['2.7.1'], 'torch.cuda': ['12.6'] },
  ],
  [
    'pyenv/METADATA-torch.txt',
    'the head of a wheel and not its body',
    {
      package: [{ name: 'torch', version: '2.7.1+cu126', manager: 'pip' }],
      'package.pin': [
        { by: 'torch', name: 'nvidia-cuda-runtime-cu12', version: '12.6.77' },
        { by: 'torch', name: 'nvidia-cudnn-cu12', version: '9.5.1.17' },
        { by: 'torch', name: 'nvidia-nccl-cu12', version: '2.26.2' },
        { by: 'torch', name: 'triton', version: '3.3.1' },
      ],
    },
  ],
  [
    'kernel/api-mismatch.txt',
    'five lines of one message',
    { 'driver.library': ['565.57.01'], 'driver.module': ['550.135'] },
  ],
  [
    'kernel/oom-memcg.txt',
    'a process that its memory group killed',
    {
      'os.oom-kill': [
        {
          process: 'python3',
          pid: 771203,
          memcg: true,
          limitKiB: 67108864,
          anonKiB: 59764800,
          shmemKiB: 4194304,
          group: '/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod4d1c.slice/cri-containerd-9f2b.scope',
        },
      ],
    },
  ],
  [
    'nccl/init-2.21.txt',
    'a communicator that was set up',
    {
      'nccl.version': ['2.21.5+cuda12.4'],
      'driver.cuda': ['12.4'],
      'nccl.net': ['IB'],
      'nccl.interfaces': [['eth0'], ['mlx5_0', 'mlx5_1']],
      'nccl.transport': ['NET/IB/GDRDMA', 'NET/IB', 'P2P/CUMEM', 'P2P/IPC/read'],
      'nccl.init-complete': [true],
    },
  ],
  ['nccl/warn-version-mismatch.txt', 'two releases of one job', { 'nccl.version': ['2.21.5', '2.22.3'] }],
  ['nccl/warn-cuda-failure.txt', 'a failure', { 'nccl.init-complete': [], works: [], 'driver.cuda': ['12.2'] }],
  [
    'slurm/scontrol-show-node.txt',
    'a drained node',
    { 'slurm.node': [{ name: 'gn077', state: 'MIXED+DRAIN', reason: 'Xid 79 on GPU 4', gpus: 8, gpusUsed: 5 }] },
  ],
  [
    'slurm/sacct-P.txt',
    'steps that ran out of memory',
    {
      'slurm.job': [
        { id: '441207', state: 'OUT_OF_MEMORY', exit: '0:125', gpus: 16 },
        { id: '441207.batch', state: 'OUT_OF_MEMORY', exit: '0:125', gpus: 8 },
        { id: '441207.extern', state: 'COMPLETED', exit: '0:0', gpus: 16 },
        { id: '441207.0', state: 'OUT_OF_MEMORY', exit: '0:125', gpus: 16 },
      ],
    },
  ],
  [
    'slurm/scontrol-show-job-d.txt',
    'a job',
    { 'slurm.job': [{ id: '441207', state: 'RUNNING', exit: null, gpus: 16 }] },
  ],
  [
    'k8s/pod.json',
    'a pod that was killed for its memory',
    {
      env: [
        { name: 'NVIDIA_DISABLE_REQUIRE', value: '1' },
        { name: 'LD_LIBRARY_PATH', value: '/usr/local/cuda/compat:/usr/local/nvidia/lib64' },
      ],
      'program.exit': [{ code: 137 }],
      'image.reference': ['registry.example.com/ml/train:cu126'],
    },
  ],
  [
    'k8s/node.json',
    'a node and its labels',
    {
      'driver.version': ['550.135'],
      'driver.cuda': ['12.4'],
      'gpu.compute-capability': ['9.0'],
      'gpu.name': ['NVIDIA H100 80GB HBM3'],
    },
  ],
];

describe('what each output says', () => {
  test.each(rows)('%s: %s', (file, _what, expected) => {
    const found = table(fixture(file));
    for (const [id, values] of Object.entries(expected)) expect({ [id]: found[id] ?? [] }).toEqual({ [id]: values });
  });

  test('Xids of every kind of log', () => {
    const short = (file: string): unknown =>
      (table(fixture(file))['gpu.xid'] ?? []).map((each) => [
        (each as { xid: number }).xid,
        (each as { pci: string }).pci,
      ]);
    expect(short('kernel/xid-dmesg.txt')).toEqual([
      [79, '0000:8d:00'],
      [31, '0000:a3:00'],
      [119, '0000:a3:00'],
      [154, '0000:a3:00'],
    ]);
    expect(short('kernel/xid-dmesg-T.txt')).toEqual([
      [94, '0000:41:00'],
      [43, '0000:41:00'],
    ]);
    expect(short('kernel/xid-journal-iso.txt')).toEqual([
      [48, '0000:5d:00'],
      [63, '0000:5d:00'],
      [13, '0000:5d:00'],
    ]);
    expect(table(fixture('kernel/xid-dmesg-T.txt'))['gpu.sxid']).toEqual([
      { sxid: 20034, pci: '0000:c4:00', message: 'Fatal, Link 33 LTSSM Fault Up' },
    ]);
  });

  test('columns of a list without a header come from the command', () => {
    const query =
      'index,name,pci.bus_id,driver_version,memory.total,memory.used,utilization.gpu,ecc.errors.uncorrected.volatile.total,power.draw,compute_cap';
    const found = table(
      `$ nvidia-smi --query-gpu=${query} --format=csv,noheader,nounits\n${fixture('nvidia-smi/query-gpu-noheader-nounits.csv')}`,
    );
    expect(found['driver.version']).toEqual(['470.256.02']);
    expect(found['gpu.compute-capability']).toEqual(['7.5']);
    expect(found['gpu.state']).toEqual([
      {
        index: 0,
        name: 'Tesla T4',
        utilization: 0,
        memoryUsedMiB: 0,
        memoryTotalMiB: 15109,
        eccUncorrected: null,
        powerWatts: 9.41,
      },
      {
        index: 1,
        name: 'Tesla T4',
        utilization: 99,
        memoryUsedMiB: 14022,
        memoryTotalMiB: 15109,
        eccUncorrected: null,
        powerWatts: null,
        failedFields: ['power'],
      },
    ]);
  });

  test('a loaded version is known by the command that showed it', () => {
    const text = fixture('proc/sys-module-nvidia-version.txt');
    expect(table(text)['driver.module']).toBeUndefined();
    expect(table(`$ cat /sys/module/nvidia/version\n${text}`)['driver.module']).toEqual(['580.95.05']);
    expect(table(createDocument(text, { source: 'sys-module-nvidia-version' }))['driver.module']).toEqual([
      '580.95.05',
    ]);
  });
});
