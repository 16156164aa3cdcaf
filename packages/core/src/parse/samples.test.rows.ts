import { expect } from 'vitest';

// What each kept output must give. `nothing`: ids that must not be there, since the tool had no value; what is unknown
// is never 0.

export interface Row {
  readonly what: string;
  /** Values of which each must be there; objects may hold more fields. */
  readonly gives?: Readonly<Record<string, readonly unknown[]>>;
  readonly nothing?: readonly string[];
  readonly said?: readonly string[];
  /** A command before it, where the file alone does not name its columns. */
  readonly prompt?: string;
}

const gpu0 = '00000000:5D:00.0';
const libnccl = '/usr/lib/x86_64-linux-gnu/libnccl.so.2';

export const rows: Readonly<Record<string, Row>> = {
  'nvidia-smi/table-r525-narrow.txt': {
    what: 'the narrow table',
    gives: {
      'driver.version': ['525.85.12'],
      'driver.cuda': ['12.0'],
      'gpu.count': [2],
      'gpu.state': [
        { index: 0, name: 'Tesla V100-SXM2...', eccUncorrected: 0, utilization: 12 },
        { index: 1, eccUncorrected: 2, utilization: 0 },
      ],
    },
  },
  'nvidia-smi/table-r580.txt': {
    what: 'the wide table',
    gives: {
      'driver.version': ['580.105.08'],
      'driver.cuda': ['13.0'],
      'gpu.state': [{ utilization: 100 }, { utilization: 0, computeMode: 'Exclusive_Process', eccUncorrected: 1 }],
    },
  },
  'nvidia-smi/table-r610.txt': {
    what: 'the table with KMD and CUDA UMD',
    gives: { 'driver.version': ['610.57.04'], 'driver.cuda': ['13.3'] },
  },
  'nvidia-smi/table-cuda-version-na.txt': {
    what: 'no libcuda and a GPU that fails',
    gives: {
      'driver.cuda-missing': [true],
      'gpu.state': [
        { temperature: null, powerWatts: null, utilization: null, failedFields: expect.any(Array) as unknown },
      ],
    },
    nothing: ['driver.cuda'],
  },
  'nvidia-smi/version-r590.txt': {
    what: '--version',
    gives: { 'driver.version': ['590.48.01'], 'driver.cuda': ['13.1'] },
  },
  'nvidia-smi/q-head-r590.txt': {
    what: 'the long report',
    gives: {
      'driver.version': ['590.48.01'],
      'driver.cuda': ['13.1'],
      'gpu.state': [{ index: 2, uuid: 'GPU-7d1f2a90-0c3b-5e64-9a11-4b2f6c8de013' }],
      'gpu.gsp-firmware': [{ gpu: gpu0, version: '590.48.01' }],
      'gpu.pcie': [{ gpu: gpu0, generation: 5, generationMax: 5, width: 8, widthMax: 16, utilization: 100 }],
      'gpu.clock-reasons': [{ gpu: gpu0, active: ['SW Power Cap'] }],
      'gpu.mig-mode': [{ gpu: gpu0, current: false, pending: false }],
      'gpu.persistence-mode': [{ gpu: gpu0, on: true }],
      'gpu.recovery-action': [{ gpu: gpu0, action: 'None' }],
    },
    nothing: ['gpu.ecc-errors', 'gpu.remapped-rows', 'gpu.power', 'gpu.licence'],
  },
  'nvidia-smi/xml-v13-r580.xml': {
    what: 'the same as XML, by path',
    gives: {
      'driver.version': ['580.105.08'],
      'gpu.clocks': [{ sm: 1725, smMax: 1980, memory: 2619, applications: null }],
      'gpu.power': [{ draw: 512.4, limit: 700, defaultLimit: null }],
      'gpu.temperature': [{ now: 47, margin: 39, shutdown: null }],
      'gpu.pcie': [{ generation: 5, width: 16, replays: null }],
      'gpu.ecc-errors': [{ volatileUncorrected: 0, aggregateUncorrected: null }],
    },
  },
  'nvidia-smi/query-gpu-units.csv': {
    what: 'a comma list with units',
    gives: {
      'gpu.throttle': [['SW Power Cap'], ['Idle']],
      'gpu.clock-reasons': [
        { gpu: '0', active: ['SW Power Cap'] },
        { gpu: '1', active: ['Idle'] },
      ],
      'gpu.ecc-errors': [{ gpu: '1', volatileUncorrected: null }],
    },
  },
  'nvidia-smi/query-gpu-noheader-nounits.csv': {
    what: 'a comma list without its head',
    prompt:
      'nvidia-smi --query-gpu=index,name,pci.bus_id,driver_version,memory.total,memory.used,utilization.gpu,ecc.errors.uncorrected.volatile.total,power.draw,compute_cap --format=csv,noheader,nounits',
    gives: {
      'driver.version': ['470.256.02'],
      'gpu.compute-capability': ['7.5'],
      'gpu.count': [2],
      'gpu.state': [
        { index: 0, eccUncorrected: null, powerWatts: 9.41 },
        { index: 1, eccUncorrected: null, powerWatts: null, utilization: 99 },
      ],
    },
  },
  'nvidia-smi/query-compute-apps.csv': {
    what: 'processes of another namespace',
    gives: { 'gpu.processes': [['/usr/bin/python3', 'pid 1840388']] },
  },
  'nvidia-smi/dmon-default-r590.txt': {
    what: 'dmon with its head twice',
    gives: {
      'util.samples': [
        { gpu: 0, count: 3, sm: { mean: 100, min: 100, max: 100 } },
        { gpu: 1, count: 2, sm: { mean: 0, min: 0, max: 0 } },
      ],
    },
  },
  'nvidia-smi/dmon-old-r470.txt': {
    what: 'the old dmon without memory temperature',
    gives: { 'util.samples': [{ gpu: 1, count: 1 }], 'util.column': [{ gpu: 0, name: 'gtemp', mean: 35 }] },
  },
  'nvidia-smi/dmon-put-thrash.txt': {
    what: 'copies both ways at 10 GB/s',
    gives: {
      'util.samples': [{ gpu: 0, memory: { mean: 1.3 } }],
      'util.column': [
        { gpu: 0, name: 'rxpci', count: 3 },
        { gpu: 0, name: 'txpci', mean: 10103.3 },
      ],
    },
  },
  'nvidia-smi/dmon-mig-dashes.txt': {
    what: 'dmon under MIG, without utilisation',
    gives: { 'util.column': [{ gpu: 0, name: 'pwr', mean: 166 }] },
    nothing: ['util.samples'],
  },
  'nvidia-smi/dmon-gpm.txt': {
    what: 'dmon with performance counters',
    gives: {
      'util.column': [
        { gpu: 0, name: 'smutil', mean: 11 },
        { gpu: 1, name: 'smutil', mean: 93 },
      ],
    },
  },
  'nvidia-smi/pmon.txt': {
    what: 'processes, one of them with a blank in its name',
    gives: { 'gpu.processes': [['python3', 'my app']] },
    nothing: ['util.samples'],
  },
  'nvidia-smi/list-mig.txt': {
    what: 'the list with MIG devices',
    gives: { 'gpu.count': [2], 'gpu.mig-device': [{ gpu: 0, profile: '3g.40gb' }, { gpu: 0 }] },
  },
  'nvidia-smi/topo-m.txt': {
    what: 'the topology',
    gives: {
      'gpu.topology': [
        { from: 'GPU0', to: 'GPU1', path: 'NV18' },
        { from: 'GPU0', to: 'NIC0', path: 'PIX' },
        { from: 'GPU1', to: 'NIC1', path: 'PXB' },
      ],
      'gpu.affinity': [
        { device: 'GPU0', cpus: '0-47,96-143', numa: '0' },
        { device: 'GPU1', numa: '1' },
      ],
    },
  },
  'nvidia-smi/nvlink-s.txt': {
    what: 'links',
    gives: {
      'gpu.nvlink': [
        { gpu: 0, link: 2, gigabytesPerSecond: null },
        { gpu: 1, gigabytesPerSecond: 25 },
      ],
    },
  },
  'nvidia-smi/err-mismatch.txt': {
    what: 'a mismatch',
    gives: { 'driver.library': ['565.57'] },
    nothing: ['driver.answers', 'gpu.count'],
    said: ['said.'],
  },
  'nvidia-smi/err-no-devices.txt': { what: 'no devices', nothing: ['driver.answers', 'gpu.count'], said: ['said.'] },
  'nvidia-smi/err-no-driver.txt': { what: 'no driver', nothing: ['driver.answers'], said: ['said.'] },
  'nvidia-smi/err-unknown.txt': { what: 'lost devices', nothing: ['driver.answers'], said: ['said.'] },
  'proc/version-proprietary.txt': {
    what: 'the proprietary module',
    gives: { 'driver.module': ['550.135'], 'driver.flavour': ['proprietary'], 'os.arch': ['x86_64'] },
  },
  'proc/version-open.txt': {
    what: 'the open module',
    gives: { 'driver.module': ['580.95.05'], 'driver.flavour': ['open'] },
  },
  'proc/gpu-information.txt': {
    what: 'a GPU under /proc',
    gives: {
      'gpu.name': ['NVIDIA H100 80GB HBM3'],
      'gpu.gsp-firmware': [{ gpu: '0000:19:00.0', version: '580.95.05' }],
      'gpu.excluded': [{ gpu: '0000:19:00.0', excluded: false }],
    },
  },
  'proc/modinfo-nvidia-open.txt': {
    what: 'the module file',
    gives: { 'driver.module-file': ['580.95.05'], 'driver.flavour': ['open'] },
    nothing: ['driver.module'],
  },
  'proc/sys-module-nvidia-version.txt': {
    what: 'the loaded version',
    prompt: 'cat /sys/module/nvidia/version',
    gives: { 'driver.module': ['580.95.05'] },
  },
  'proc/params-excerpt.txt': {
    what: 'parameters',
    gives: { 'driver.parameter': [{ name: 'RmProfilingAdminOnly', value: '1' }] },
  },
  'proc/mountinfo-legacy.txt': {
    what: 'mounts of the legacy mode',
    gives: {
      'driver.library': ['550.135'],
      'container.injection': ['legacy'],
      'container.mount': [{ path: '/usr/lib/x86_64-linux-gnu/libcuda.so.560.35.05', from: 'image' }],
    },
  },
  'proc/mountinfo-cdi.txt': {
    what: 'mounts of CDI',
    gives: { 'driver.library': ['580.95.05'], 'container.injection': ['cdi'] },
  },
  'proc/maps-libcuda-injected.txt': {
    what: 'a process with the host libcuda',
    gives: { 'container.mount': [{ path: '/usr/lib/x86_64-linux-gnu/libcuda.so.580.95.05', from: 'host' }] },
  },
  'proc/maps-libcuda-compat.txt': {
    what: 'a process with the image libcuda',
    gives: { 'container.mount': [{ path: '/usr/local/cuda-13.0/compat/libcuda.so.580.95.05', from: 'image' }] },
  },
  'linker/ldconfig-p-compat-first.txt': {
    what: 'the cache with compat first',
    gives: { 'loader.cache': [{ soname: 'libcuda.so.1', path: '/usr/local/cuda-12.9/compat/libcuda.so.1' }] },
  },
  'linker/ldconfig-p-injected.txt': {
    what: 'the cache of a container',
    gives: { 'loader.cache': [{ soname: 'libcuda.so.1' }, { soname: 'libnccl.so.2', path: libnccl }] },
  },
  'linker/ldd-missing.txt': {
    what: 'a missing library',
    gives: { 'loader.resolved': [{ soname: 'libcuda.so.1', path: null }] },
  },
  'toolkit/nvcc-12.6.txt': { what: 'nvcc', gives: { 'toolkit.nvcc': ['12.6'] } },
  'toolkit/version-12.4.json': { what: 'the version file', gives: { 'toolkit.installed': ['12.4.1'] } },
  'toolkit/version-date-form.json': { what: 'a date as third part', gives: { 'toolkit.installed': ['12.6'] } },
  'toolkit/version-10.2.txt': { what: 'the old version file', gives: { 'toolkit.installed': ['10.2.89'] } },
  'cuda-samples/devicequery-pass.txt': {
    what: 'a sample that passed',
    gives: {
      'driver.cuda': ['12.8'],
      'toolkit.runtime': ['12.4'],
      'gpu.compute-capability': ['9.0'],
      works: [{ layer: 'driver' }],
    },
  },
  'cuda-samples/devicequery-fail-35.txt': {
    what: 'a sample that failed',
    nothing: ['works', 'gpu.count'],
    said: ['said.'],
  },
  'cuda-samples/bandwidthtest.txt': {
    what: 'copy rates',
    gives: { 'profile.bandwidth': [{ direction: 'h2d', gbPerSecond: 24.6 }] },
  },
  'pyenv/torch-collect-env.txt': {
    what: 'the report of torch',
    gives: {
      'torch.version': ['2.7.1+cu126'],
      'torch.cuda': ['12.6'],
      'torch.cuda-available': [false],
      'driver.version': ['470.256.02'],
      'toolkit.nvcc': ['12.4'],
      'cudnn.file': [{ version: '9.1.0' }],
      package: [
        { name: 'nvidia-cudnn-cu12', version: '9.5.1.17' },
        { name: 'nvidia-nccl-cu12', version: '2.26.2' },
      ],
    },
    nothing: ['works'],
  },
  'pyenv/cupy-show-config.txt': {
    what: 'the configuration of CuPy',
    gives: {
      'driver.cuda': ['12.4'],
      'toolkit.runtime': ['12.8'],
      'toolkit.installed': ['12.6'],
      'nccl.built-for': ['2.25.5'],
      'nccl.version': ['2.23.4'],
      'gpu.compute-capability': ['8.9'],
    },
    nothing: ['cudnn.loaded'],
  },
  'pyenv/numba-s-excerpt.txt': {
    what: 'the report of Numba',
    gives: {
      'driver.cuda': ['12.4'],
      'toolkit.runtime': ['12.8'],
      'numba.minor-version-compatibility': [{ needed: true, used: false }],
    },
  },
  'pyenv/jax-print-environment-info.txt': {
    what: 'the report of JAX',
    gives: { 'framework.devices': [4], 'driver.version': ['550.135'], 'driver.cuda': ['12.4'] },
  },
  'pyenv/tf-build-info.txt': {
    what: 'the build of TensorFlow',
    gives: { 'toolkit.runtime': ['12.5.1'], 'cudnn.built-for': ['9'], 'framework.arch-list': [{ name: 'tensorflow' }] },
  },
  'pyenv/pip-list.txt': { what: 'pip list', gives: { package: [{ name: 'torch', version: '2.7.1+cu126' }] } },
  'pyenv/pip-freeze.txt': { what: 'pip freeze', gives: { package: [{ name: 'flash-attn', version: '2.7.4.post1' }] } },
  'pyenv/pip-list.json': { what: 'pip list as JSON', gives: { 'torch.version': ['2.7.1+cu126'] } },
  'pyenv/uv-pip-list.txt': { what: 'uv pip list', gives: { 'torch.version': ['2.7.1+cu126'] } },
  'pyenv/conda-list.txt': { what: 'conda list', gives: { 'torch.version': ['2.7.1'], 'torch.cuda': ['12.6'] } },
  'pyenv/METADATA-torch.txt': {
    what: 'metadata of a wheel',
    gives: { 'package.pin': [{ by: 'torch', name: 'nvidia-cudnn-cu12', version: '9.5.1.17' }] },
  },
  'pyenv/WHEEL-torch.txt': { what: 'the tag of a wheel', nothing: ['works'] },
  'dcgm/dcgmi-dmon.txt': {
    what: 'DCGM fields',
    gives: {
      'dcgm.metric': [
        { name: 'GPUTL', gpu: '0', value: 98 },
        { name: 'SMACT', gpu: '0', value: 0.209 },
        { name: 'SMACT', gpu: '1', value: 0.871 },
      ],
    },
  },
  'dcgm/dcgmi-diag-4x.json': {
    what: 'diagnostics',
    gives: {
      'driver.version': ['580.95.05'],
      'dcgm.test': [
        { test: 'software', gpu: 1, status: 'fail', message: expect.stringContaining('Persistence mode') as unknown },
        { test: 'memory', gpu: 0, status: 'pass' },
        { test: 'memory', gpu: 1, status: 'skip' },
      ],
    },
  },
  'dcgm/exporter-metrics.txt': {
    what: 'an exporter',
    gives: {
      'dcgm.metric': [
        { name: 'DCGM_FI_DEV_GPU_UTIL', gpu: '0', value: 99 },
        { name: 'DCGM_FI_DEV_GPU_UTIL', gpu: '1', value: 0 },
        { name: 'DCGM_FI_PROF_SM_ACTIVE', gpu: '0', value: 0.214021 },
      ],
      'gpu.last-xid': [{ gpu: '0', xid: 31 }],
      'driver.version': ['580.95.05'],
    },
  },
  'kernel/xid-dmesg.txt': {
    what: 'Xids of dmesg',
    gives: { 'gpu.xid': [{ xid: 79, pid: null }, { xid: 31, pid: 88213 }, { xid: 119 }, { xid: 154 }] },
  },
  'kernel/xid-dmesg-T.txt': {
    what: 'Xids of a MIG instance and an SXid',
    gives: { 'gpu.xid': [{ xid: 94 }, { xid: 43 }], 'gpu.sxid': [{ sxid: 20034 }] },
  },
  'kernel/xid-journal-iso.txt': {
    what: 'Xids with three kinds of time',
    gives: { 'gpu.xid': [{ xid: 48 }, { xid: 63 }, { xid: 13 }] },
  },
  'kernel/api-mismatch.txt': {
    what: 'a mismatch in the kernel log',
    gives: { 'driver.library': ['565.57.01'], 'driver.module': ['550.135'] },
  },
  'kernel/oom-memcg.txt': {
    what: 'a memory group at its limit',
    gives: {
      'os.oom-kill': [{ process: 'python3', pid: 771203, limitKiB: 67108864, anonKiB: 59764800, shmemKiB: 4194304 }],
    },
  },
  'nsys/stats-text.txt': {
    what: 'three tables of nsys',
    gives: { 'profile.api': [{ name: 'cudaLaunchKernel', calls: 40960 }], 'profile.kernels': [{ instances: 40960 }] },
  },
  'nsys/cuda_api_sum.csv': {
    what: 'API calls',
    gives: { 'profile.api': [{ name: 'cudaStreamSynchronize', calls: 128 }] },
  },
  'nsys/cuda_gpu_kern_sum.csv': { what: 'kernels', gives: { 'profile.kernels': [{ totalNs: 256264100 }] } },
  'nsys/gpukernsum-2022.csv': { what: 'kernels, old', gives: { 'profile.kernels': [{ instances: 480 }] } },
  'nsys/cuda_gpu_trace.csv': {
    what: 'a trace',
    gives: { 'profile.bandwidth': [{ memory: 'pageable', direction: 'h2d' }] },
  },
  'nsys/cuda_gpu_mem_size_sum.csv': {
    what: 'sizes of copies',
    gives: { 'profile.copies': [{ kind: 'h2d', count: 384 }] },
  },
  'nsys/um_total_sum.csv': { what: 'page faults', gives: { 'profile.page-faults': [{ gpuFaults: 2110443 }] } },
  'nsys/schema-min.sql': {
    what: 'an export',
    gives: { 'gpu.name': ['NVIDIA H100 80GB HBM3'], 'gpu.compute-capability': ['9.0'] },
  },
  'ncu/details.csv': {
    what: 'a kernel profile',
    gives: {
      'profile.metric': [
        { name: 'registers-per-thread', value: 18 },
        { name: 'block-limit-registers', value: 10 },
        { name: 'achieved-occupancy', value: 78.91 },
      ],
    },
  },
  'ncu/raw.csv': {
    what: 'the raw page',
    gives: {
      'profile.metric': [
        { name: 'registers-per-thread', value: 18, kernel: expect.stringContaining('axpy') as unknown },
        { name: 'active-threads-per-warp', value: 9.41, kernel: 'branchy(int *)' },
      ],
    },
  },
  'kineto/mini-default-stream.json': {
    what: 'a trace of torch',
    gives: {
      'gpu.name': ['NVIDIA H100 80GB HBM3'],
      'driver.cuda': ['12.8'],
      'toolkit.runtime': ['12.6'],
      'nccl.version': ['2.21.5'],
    },
  },
  'nccl/init-2.21.txt': {
    what: 'a communicator',
    gives: {
      'nccl.version': ['2.21.5+cuda12.4'],
      'driver.cuda': ['12.4'],
      'nccl.net': ['IB'],
      'nccl.transport': ['NET/IB/GDRDMA', 'NET/IB'],
      'nccl.init-complete': [true],
    },
  },
  'nccl/warn-cuda-failure.txt': { what: 'failures', nothing: ['nccl.init-complete', 'works'], said: ['said.'] },
  'nccl/warn-version-mismatch.txt': { what: 'two releases', gives: { 'nccl.version': ['2.21.5', '2.22.3'] } },
  'nccl/warn-shm.txt': { what: 'too little shared memory', said: ['said.'] },
  'slurm/scontrol-show-node.txt': {
    what: 'a drained node',
    gives: {
      'slurm.node': [{ name: 'gn077', state: 'MIXED+DRAIN', reason: 'Xid 79 on GPU 4', gpus: 8, gpusUsed: 5 }],
      'slurm.allocation': [{ of: 'node', name: 'gn077', indexes: [0, 1, 2, 3, 6] }],
    },
  },
  'slurm/scontrol-show-job-d.txt': {
    what: 'a job and its GPUs',
    gives: {
      'slurm.job': [{ id: '441207', state: 'RUNNING', gpus: 16 }],
      'slurm.allocation': [{ of: 'job', nodes: 'gn[077-078]', gpus: 8, indexes: [0, 1, 2, 3, 4, 5, 6, 7] }],
    },
  },
  'slurm/sacct-P.txt': {
    what: 'steps out of memory',
    gives: { 'slurm.job': [{ id: '441207.batch', state: 'OUT_OF_MEMORY' }], 'os.oom-kill': [{ process: 'python' }] },
  },
  'k8s/pod.json': {
    what: 'a pod',
    gives: {
      'k8s.container': [
        { pod: 'train-0', name: 'main', state: 'waiting', reason: 'CrashLoopBackOff', restarts: 4 },
        { name: 'main', state: 'terminated', reason: 'OOMKilled', exit: 137, last: true },
      ],
      'k8s.memory-volume': [{ pod: 'train-0', sizeMiB: 16384 }],
      'k8s.device-request': [{ resource: 'nvidia.com/gpu', count: 1 }],
      env: [{ name: 'NVIDIA_DISABLE_REQUIRE', value: '1' }],
    },
  },
  'k8s/node.json': {
    what: 'a node that lost a GPU',
    gives: {
      'driver.version': ['550.135'],
      'driver.cuda': ['12.4'],
      'k8s.device-resource': [{ node: 'trn-0412', resource: 'nvidia.com/gpu', capacity: 8, allocatable: 7 }],
      'k8s.condition': [{ kind: 'Node', type: 'Ready', status: 'True' }],
      'k8s.taint': [{ key: 'nvidia.com/gpu', effect: 'NoSchedule' }],
      'container.engine': [{ name: 'containerd', version: '1.7.24' }],
    },
  },
  'k8s/events.json': {
    what: 'three kinds of events',
    gives: {
      'k8s.event': [
        { reason: 'FailedScheduling', object: 'pod/train-1', count: 12 },
        { reason: 'FailedCreatePodSandBox', count: 7, time: '2025-08-21T09:04:00.120000Z' },
        {
          reason: 'Failed',
          count: 3,
          message: expect.stringContaining('unsatisfied condition: cuda>=12.6') as unknown,
        },
      ],
    },
    said: ['said.'],
  },
  'container/cdi-spec.yaml': {
    what: 'a CDI specification',
    gives: {
      'cdi.path': ['/usr/lib/x86_64-linux-gnu/libcuda.so.550.135'],
      'cdi.devices': [
        ['nvidia.com/gpu=0', 'nvidia.com/gpu=GPU-0b9e41c7-5528-4d1f-8d02-6a7b13cc9f40', 'nvidia.com/gpu=all'],
      ],
    },
  },
  'container/cli-errors.txt': { what: 'seven causes', said: ['said.'] },
  'container/docker-save-manifest.json': { what: 'an image archive', gives: { 'image.reference': ['train:cu126'] } },
};
