import type { Row } from './samples.test.rows.ts';

const noKernel: readonly string[] = ['said.cuda-no-kernel-image'];
const noRuntime: readonly string[] = ['said.containerd-no-runtime'];
const a100 = '00000000:07:00.0';

/** Outputs of orchestrators, engines, hosts, networks and loggers, and what each must give. */
export const inputs: Readonly<Record<string, Row>> = {
  'k8s/describe-pod.txt': {
    what: 'a described pod',
    gives: {
      'k8s.pod': [
        { name: 'train-0', namespace: 'ml', phase: 'Failed', reason: 'UnexpectedAdmissionError', node: 'trn-0412' },
      ],
      'k8s.container': [
        { name: 'main', state: 'waiting', reason: 'CrashLoopBackOff', exit: null, restarts: 4 },
        { state: 'terminated', exit: 137, last: true },
      ],
      'k8s.event': [
        { type: 'Normal', reason: 'Scheduled', count: 1 },
        { type: 'Warning', reason: 'FailedCreatePodSandBox', object: 'pod/train-0', count: 3 },
      ],
      'k8s.condition': [{ kind: 'Pod', type: 'Ready', status: 'False' }],
      'k8s.device-request': [{ container: 'main', resource: 'nvidia.com/gpu', count: 2 }],
      'k8s.memory-volume': [{ sizeMiB: 16384 }],
      'k8s.pod-runtime-class': ['nvidia'],
      env: [{ name: 'NVIDIA_DISABLE_REQUIRE', value: '1' }],
    },
    said: noRuntime,
  },
  'k8s/describe-node.txt': {
    what: 'a described node',
    gives: {
      'k8s.device-resource': [
        { node: 'gpu-node-1', resource: 'nvidia.com/gpu', capacity: 8, allocatable: 7, allocated: 7 },
      ],
      'k8s.taint': [
        { key: 'nvidia.com/gpu', value: 'present' },
        { key: 'node.kubernetes.io/unreachable', value: null },
      ],
      'k8s.condition': [
        { kind: 'Node', type: 'MemoryPressure', status: 'False', reason: 'KubeletHasSufficientMemory' },
      ],
      'k8s.label': [{ name: 'nvidia.com/mig.strategy', value: 'single' }],
      'os.kernel': ['5.15.0-119-generic'],
      'container.engine': [{ name: 'containerd', version: '1.7.24' }],
    },
    nothing: ['k8s.event', 'k8s.pod'],
  },
  'k8s/get-events.txt': {
    what: 'listed events',
    gives: { 'k8s.event': [{ reason: 'FailedScheduling', object: 'pod/train-1', count: null }] },
  },
  'k8s/get-pods-wide.txt': {
    what: 'listed pods',
    gives: { 'k8s.pod': [{ name: 'train-0', phase: 'CrashLoopBackOff', node: 'trn-0412' }] },
  },
  'k8s/get-nodes-wide.txt': {
    what: 'listed nodes',
    gives: {
      'k8s.condition': [{ name: 'trn-0412', type: 'Ready', status: 'False' }],
      'k8s.taint': [{ node: 'trn-0412', key: 'node.kubernetes.io/unschedulable' }],
      'os.kernel': ['5.15.0-119-generic'],
    },
  },
  'k8s/pod.yaml': {
    what: 'a pod as YAML, its message folded',
    gives: {
      'k8s.container': [
        { name: 'main', state: 'terminated', reason: 'StartError', exit: 128, last: true },
        { state: 'waiting', reason: 'CrashLoopBackOff' },
      ],
      'k8s.memory-volume': [{ path: '/dev/shm', sizeMiB: 64 }],
      'k8s.device-request': [{ count: 8 }],
      'image.requirement': ['cuda>=12.8'],
    },
    said: ['said.ncc-requirement-unsatisfied'],
  },
  'k8s/cluster-policy.yaml': {
    what: 'the policy of the GPU operator, in a list',
    gives: {
      'k8s.operator-component': [
        { name: 'driver', enabled: false, version: '570.124.06' },
        { name: 'cdi', enabled: true, version: null },
      ],
      'k8s.condition': [{ kind: 'Other', type: 'ClusterPolicy', status: 'notReady' }],
    },
  },
  'container/docker-inspect.txt': {
    what: 'an inspected container',
    gives: {
      'container.state': [{ name: 'trainer', status: 'exited', exit: 137, oomKilled: true, error: null }],
      'container.device-request': [{ driver: '', count: -1, capabilities: ['gpu'] }],
      'container.runtime': ['runc'],
      'image.cuda': ['12.4.1'],
      env: [{ name: 'NVIDIA_DRIVER_CAPABILITIES', value: 'utility' }],
      'os.shm-mib': [64],
    },
  },
  'container/docker-info.txt': {
    what: 'docker info',
    gives: {
      'container.engine': [{ name: 'docker', version: '27.3.1' }],
      'container.cgroup': [{ version: 2, driver: 'systemd' }],
      'container.default-runtime': ['runc'],
    },
  },
  'container/compose.txt': {
    what: 'a reservation of Compose',
    gives: { 'container.device-request': [{ driver: 'nvidia', count: -1, capabilities: ['gpu'] }] },
  },
  'container/containerd-config.txt': {
    what: "containerd's settings",
    gives: {
      'container.default-runtime': ['nvidia'],
      'container.runtimes': [['nvidia']],
      'container.engine-setting': [
        { engine: 'containerd', name: 'plugins.io.containerd.grpc.v1.cri.enable_cdi', value: 'true' },
        { engine: 'containerd', value: '/usr/bin/nvidia-container-runtime' },
      ],
    },
  },
  'container/crio-conf.txt': {
    what: "CRI-O's settings",
    gives: { 'container.engine-setting': [{ engine: 'cri-o', name: 'crio.runtime.default_runtime', value: 'nvidia' }] },
  },
  'container/daemon-json.txt': {
    what: "Docker's settings",
    gives: {
      'container.engine-setting': [
        { engine: 'docker', name: 'features.cdi', value: 'true' },
        { engine: 'docker', name: 'exec-opts', value: 'native.cgroupdriver=cgroupfs' },
      ],
      'container.runtimes': [['nvidia']],
    },
  },
  'container/crictl-inspect.txt': {
    what: 'a container of the CRI',
    gives: { 'container.state': [{ name: 'main', status: 'exited', exit: 137, oomKilled: true }] },
  },
  'container/toolkit-config.txt': {
    what: "the container toolkit's settings",
    gives: { 'container.toolkit-setting': [{ section: 'nvidia-container-cli', key: 'no-cgroups', value: 'true' }] },
  },
  'container/cli-info.txt': {
    what: 'nvidia-container-cli info',
    gives: { 'driver.version': ['550.135'], 'driver.cuda': ['12.4'] },
  },
  'container/cli-list.txt': { what: 'nvidia-container-cli list', nothing: ['works'] },
  'container/ctk-cdi-list.txt': {
    what: 'CDI devices',
    gives: { 'cdi.devices': [['nvidia.com/gpu=0', 'nvidia.com/gpu=all']] },
    nothing: ['k8s.resource'],
  },
  'dcgm/diag-3x.txt': {
    what: 'diagnostics of DCGM 3',
    gives: {
      'driver.version': ['535.129.03'],
      'dcgm.test': [
        { test: 'Persistence Mode', gpu: null, status: 'fail' },
        { test: 'GPU Memory', gpu: 3, status: 'fail' },
        { test: 'Targeted Power', status: 'skip' },
      ],
    },
  },
  'dcgm/diag-4x.txt': {
    what: 'diagnostics of DCGM 4',
    gives: {
      'dcgm.test': [
        { test: 'memory', gpu: 0, status: 'pass' },
        { test: 'memory', gpu: 1, status: 'fail', message: 'Error in memory' },
      ],
    },
  },
  'dcgm/health.txt': {
    what: 'health watches',
    gives: {
      'dcgm.health': [
        { gpu: null, system: 'overall', status: 'Warning' },
        { gpu: 2, system: 'Thermal' },
      ],
    },
  },
  'dcgm/nvlink-status.txt': {
    what: 'links by letters',
    gives: {
      'gpu.nvlink-state': [
        { device: 'gpu 0', link: 1, state: 'down' },
        { device: 'gpu 0', link: 3, state: 'unsupported' },
      ],
    },
  },
  'network/ibstat.txt': {
    what: 'ibstat',
    gives: {
      'ib.port': [
        { device: 'mlx5_7', state: 'Down', physical: 'LinkUp', rate: 200, layer: 'InfiniBand' },
        { device: 'mlx5_8', state: 'Active', layer: 'Ethernet' },
      ],
      'ib.firmware': [{ device: 'mlx5_7', version: '20.28.4000' }],
    },
  },
  'network/ibdev2netdev.txt': {
    what: 'ibdev2netdev',
    gives: { 'ib.port': [{ device: 'mlx5_0', state: null, interface: 'ibp26s0' }] },
  },
  'network/rdma-link.txt': {
    what: 'rdma link',
    gives: {
      'ib.port': [
        { device: 'mlx5_0', state: 'Active' },
        { device: 'mlx5_1', state: 'Down', physical: 'Polling' },
      ],
    },
  },
  'network/ibv-devinfo.txt': {
    what: 'ibv_devinfo',
    gives: { 'ib.port': [{ device: 'mlx5_0', state: 'Active', mtu: 4096 }] },
  },
  'network/ip-a.txt': {
    what: 'ip a',
    gives: {
      'net.interface': [
        { name: 'lo', state: 'UP' },
        { name: 'eth0', state: 'UP', mtu: 9000, addresses: ['10.0.0.5/24'] },
      ],
    },
  },
  'network/ethtool.txt': { what: 'ethtool', gives: { 'net.interface': [{ name: 'eth0', speed: 100_000 }] } },
  'network/lspci-vv.txt': {
    what: 'lspci',
    gives: {
      'pci.gpu': [{ address: '19:00.0', driver: 'nvidia', revision: 'a1' }],
      'pci.link': [{ speed: 16, speedMax: 32, width: 8, widthMax: 16, downgraded: true }],
      'gpu.expected': [{ expected: 1, found: null, by: 'lspci' }],
    },
  },
  'packages/apt-history.txt': {
    what: 'what apt did',
    gives: {
      'package.change': [
        {
          action: 'upgrade',
          name: 'libnvidia-compute-550',
          from: '550.120-0ubuntu1',
          to: '550.144.03-0ubuntu1',
          time: '2026-03-02 06:51:12',
        },
        { action: 'install', name: 'linux-image-5.15.0-130-generic', from: null },
      ],
    },
  },
  'packages/dpkg-log.txt': {
    what: 'what dpkg did',
    gives: {
      'package.change': [
        { action: 'upgrade', name: 'libnvidia-compute-550', at: Date.UTC(2026, 2, 2, 6, 51, 40) },
        { action: 'install', name: 'nvidia-dkms-550', from: null },
      ],
    },
  },
  'packages/dnf-history-info.txt': {
    what: 'what dnf did',
    gives: {
      'package.change': [
        {
          action: 'upgrade',
          name: 'kmod-nvidia-latest-dkms',
          from: '570.86.15-1.el9',
          to: '570.124.06-1.el9',
          at: null,
        },
      ],
    },
  },
  'host/selinux.txt': {
    what: 'SELinux and what it denied',
    gives: {
      'os.selinux': ['enforcing'],
      'os.access-denied': [{ by: 'selinux', process: 'nvidia-smi', operation: 'read', target: 'params' }],
    },
  },
  'host/apparmor.txt': {
    what: 'what AppArmor denied',
    gives: { 'os.access-denied': [{ by: 'apparmor', target: '/dev/nvidia0', profile: 'docker-default' }] },
  },
  'host/dev-nvidia.txt': {
    what: 'device nodes',
    gives: { 'device.node': [{ path: '/dev/nvidiactl', mode: 'crw-rw----', group: 'video', major: 195, minor: 255 }] },
  },
  'host/systemctl-status.txt': { what: 'a unit', gives: { 'os.service': [{ unit: 'nvidia-imex', state: 'failed' }] } },
  'slurm/sinfo-R.txt': {
    what: 'sinfo -R',
    gives: { 'slurm.reason': [{ of: 'node', name: 'gn077', reason: 'gres/gpu count repor' }] },
  },
  'slurm/squeue.txt': { what: 'squeue', gives: { 'slurm.reason': [{ of: 'job', name: '441210', state: 'PD' }] } },
  'slurm/sacct.txt': {
    what: 'sacct in columns',
    gives: {
      'slurm.job': [{ id: '441207', state: 'OUT_OF_MEMORY', exit: '0:125', gpus: null }],
      'program.exit': [{ code: 1 }],
    },
  },
  'slurm/gres-conf.txt': {
    what: 'gres.conf',
    gives: {
      'slurm.gres': [
        { node: 'gn[077-078]', type: 'h100', count: 8 },
        { autodetect: 'nvml', count: null },
      ],
    },
  },
  'slurm/slurm-conf.txt': {
    what: 'slurm.conf',
    gives: { 'slurm.gres': [{ node: 'gn077', count: 8 }], 'gpu.expected': [{ expected: 4, found: 3, by: 'slurm' }] },
    nothing: ['slurm.node'],
  },
  'slurm/slurmctld-log.txt': {
    what: "the controller's log",
    gives: { 'gpu.expected': [{ expected: 4, found: 3, by: 'slurm' }] },
  },
  'pyenv/xformers-info.txt': {
    what: 'xformers',
    gives: {
      'framework.feature': [
        { feature: 'memory_efficient_attention.cutlassF', state: 'unavailable' },
        { feature: 'swiglu.fused.p.cpp', state: 'not-built' },
      ],
      'package.built-for': [{ name: 'xformers', torch: '2.1.0+cu118', cuda: '11.8' }],
      'torch.version': ['2.0.1+cu118'],
      'gpu.compute-capability': ['6.0'],
    },
  },
  'pyenv/bitsandbytes.txt': {
    what: 'bitsandbytes',
    gives: { 'gpu.compute-capability': ['7.0', '8.9'], 'torch.cuda': ['11.7', '12.4'] },
  },
  'pyenv/ollama.txt': {
    what: 'ollama and llama.cpp',
    gives: {
      'framework.compute': [
        { library: 'cuda', device: 'NVIDIA GeForce RTX 4090' },
        { library: 'cpu', device: null },
      ],
      'framework.offload': [{ layers: 20, of: 33 }],
      'driver.cuda': ['12.4'],
      'framework.devices': [1],
    },
  },
  'pyenv/accelerate-env.txt': {
    what: 'accelerate env',
    gives: { 'torch.version': ['2.5.1+cu124'], 'torch.cuda-available': [true] },
  },
  'pyenv/ds-report.txt': {
    what: 'ds_report',
    gives: {
      'toolkit.nvcc': ['12.2'],
      'torch.cuda': ['12.4'],
      'package.built-for': [{ name: 'deepspeed', cuda: '12.4' }],
    },
  },
  'nvidia-smi/q-full-r550.txt': {
    what: 'the whole long report of a sick vGPU',
    gives: {
      'gpu.mig-mode': [{ gpu: a100, current: false, pending: true }],
      'gpu.licence': [{ gpu: a100, product: 'NVIDIA Virtual Compute Server', status: 'Unlicensed (Restricted)' }],
      'gpu.virtualization': [{ gpu: a100, mode: 'VGPU' }],
      'gpu.clock-reasons': [{ gpu: a100, active: ['HW Slowdown', 'HW Thermal Slowdown'] }],
      'gpu.pcie': [{ generation: 1, generationMax: 4, width: 16, replays: 12, utilization: 0, performanceState: 'P8' }],
      'gpu.ecc-mode': [{ current: true, pending: false }],
      'gpu.ecc-errors': [{ volatileUncorrected: 3, aggregateUncorrected: 4, sramThresholdExceeded: false }],
      'gpu.remapped-rows': [{ uncorrectable: 2, pending: true, failed: false }],
      'gpu.retired-pages': [{ singleBit: null, doubleBit: null, pending: null }],
      'gpu.temperature': [{ now: 91, slowdown: 89, shutdown: 92 }],
      'gpu.power': [{ limit: 300, defaultLimit: 400 }],
      'gpu.clocks': [{ sm: 210, smMax: 1410, applications: 1155, applicationsDefault: 1275 }],
      'gpu.fabric': [{ state: 'In Progress', status: null }],
      'gpu.gsp-firmware': [{ version: null }],
    },
  },
  'nvidia-smi/bug-report.txt': {
    what: 'a bug report of the driver, section by section',
    gives: {
      'driver.module': ['550.120'],
      'driver.library': ['550.144'],
      'driver.module-file-kernel': ['5.15.0-119-generic'],
      'os.kernel': ['5.15.0-119-generic'],
      'pci.gpu': [{ address: '19:00.0', driver: 'nvidia' }],
    },
    nothing: ['driver.answers'],
    said: ['said.nvml-driver-library-mismatch'],
  },
  'nvidia-smi/table-mig.txt': {
    what: 'the table of MIG devices',
    gives: {
      'gpu.mig-instance': [
        { gpu: 0, gi: 1, memoryTotalMiB: 40192, multiprocessors: 42 },
        { gpu: 0, gi: 5, memoryUsedMiB: 25 },
      ],
      'gpu.state': [{ mig: 'Enabled', utilization: null, eccUncorrected: null }],
    },
  },
  'nvidia-smi/nvlink-e.txt': {
    what: 'error counters of links',
    gives: {
      'gpu.nvlink-errors': [
        { gpu: 0, link: 0, counter: 'CRC Errors', count: 12 },
        { gpu: 1, count: 7 },
      ],
    },
  },
  'nvidia-smi/imex-ctl.txt': {
    what: 'the memory export service',
    gives: {
      'fabric.imex': [
        { what: 'domain', state: 'DEGRADED' },
        { what: 'node 10.0.0.2', state: 'DEGRADED' },
      ],
    },
  },
  'logs/docker-json.txt': {
    what: 'Docker records',
    gives: { 'program.exception': [{ type: 'RuntimeError' }] },
    said: noKernel,
  },
  'logs/cri.txt': {
    what: 'lines of the CRI',
    gives: { 'program.exception': [{ type: 'RuntimeError' }] },
    said: noKernel,
  },
  'logs/structlog.txt': {
    what: 'a traceback in one field',
    gives: { 'program.exception': [{ type: 'RuntimeError' }] },
    said: noKernel,
  },
  'logs/journal-json.txt': { what: 'the journal as JSON', gives: { 'gpu.xid': [{ xid: 79, host: 'trn-0412' }] } },
  'logs/google-cloud.txt': { what: 'a cloud log', said: noKernel },
  'logs/containerd.txt': { what: "containerd's log", said: noRuntime },
  'logs/kubelet.txt': { what: "kubelet's log, escaped twice", said: noRuntime },
  'logs/github-run.txt': { what: 'a hosted runner', said: noKernel },
  'logs/compose.txt': { what: 'a service of Compose', said: noKernel },
  'logs/windows.txt': { what: 'a byte order mark and CR LF', said: noKernel },
};
