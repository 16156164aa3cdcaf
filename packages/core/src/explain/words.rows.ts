import type { Owner } from '../model/layer.ts';

/** A word that an answer uses: a rule of a judgement, a status, a certainty, a layer. */
export interface WordRow {
  readonly id: string;
  readonly kind: 'clause' | 'word';
  readonly title: string;
  readonly text: readonly string[];
  readonly owner: Owner | null;
  readonly next: readonly string[];
  readonly see: readonly string[];
}

const clause = (
  id: string,
  title: string,
  text: readonly string[],
  owner: Owner,
  next: readonly string[],
  see: readonly string[],
): WordRow => ({ id, kind: 'clause', title, text, owner, next, see });

const word = (id: string, title: string, text: readonly string[], see: readonly string[] = []): WordRow => ({
  id,
  kind: 'word',
  title,
  text,
  owner: null,
  next: [],
  see,
});

const layer = (id: string, what: string, command: string): WordRow => ({
  id,
  kind: 'word',
  title: `${id}: a layer that can be to blame`,
  text: [
    `It holds ${what}.`,
    'A fault of a lower layer usually explains those of higher ones, so the lowest proven fault leads.',
  ],
  owner: null,
  next: [command],
  see: [],
});

/** Words of the answers, rules of a judgement first. */
export const words: readonly WordRow[] = [
  clause(
    'minimum-driver',
    'minimum-driver: the driver is new enough for the CUDA release',
    [
      'Each CUDA major has a lowest driver branch; a program of that major never starts below it unless a compat libcuda is in use.',
    ],
    'operator',
    ['nvidia-smi --query-gpu=driver_version --format=csv,noheader'],
    ['minor-version', 'forward-compat'],
  ),
  clause(
    'backward',
    'backward: a newer driver runs older programs',
    [
      'The driver reports a CUDA release at least as new as the one the program was built with. This is the ordinary case and has no conditions of version.',
    ],
    'none',
    ['nvidia-smi'],
    ['backward-compatibility'],
  ),
  clause(
    'minor-version',
    'minor-version: a newer minor of the same CUDA major',
    [
      'The program is of the same CUDA major as the driver reports, but of a newer minor. It runs from CUDA 11 on as long as it needs no compilation of PTX at load and no function that only the newer driver has.',
    ],
    'operator',
    ['nvidia-smi | grep "CUDA Version"'],
    ['minor-version-compatibility', 'ptx-jit'],
  ),
  clause(
    'forward-compat',
    'forward-compat: a compat libcuda takes the place of the host’s',
    [
      'The user part of a newer driver, shipped as cuda-compat, runs above an older kernel module. Only data-center GPUs may use it, and only on the base branches of the matrix.',
    ],
    'operator',
    ['ls -l /usr/local/cuda/compat', 'nvidia-smi -q | grep -i "product name"'],
    ['forward-compatibility', 'cuda 803', 'cuda 804'],
  ),
  clause(
    'gpu-driver-support',
    'gpu-driver-support: this driver branch drives this GPU',
    ['Every GPU generation has a first driver branch and, once it is dropped, a last one.'],
    'operator',
    ['nvidia-smi --query-gpu=name,driver_version --format=csv'],
    ['driver-branch'],
  ),
  clause(
    'module-flavour',
    'module-flavour: open or proprietary kernel module',
    [
      'Blackwell and newer need the open kernel modules; Maxwell to Volta need the proprietary ones; those in between take either.',
    ],
    'operator',
    ['modinfo -F license nvidia'],
    ['blackwell-needs-open-kmod', 'open-kmod-gpu-not-enabled'],
  ),
  clause(
    'binary-arch',
    'binary-arch: the program has code for this GPU',
    ['Machine code of the same major at or below the GPU’s minor, or PTX at or below its compute capability.'],
    'developer',
    ['python -c "import torch; print(torch.cuda.get_arch_list())"', 'cuobjdump --list-elf LIBRARY'],
    ['compute-capability', 'cuda 209'],
  ),
  clause(
    'ptx-jit',
    'ptx-jit: the driver can compile the program’s PTX',
    [
      'Where machine code is missing, the driver compiles PTX at load. It can do so only if the PTX is of a CUDA release that the driver knows; minor version compatibility does not cover it.',
    ],
    'operator',
    ['nvidia-smi | grep "CUDA Version"'],
    ['ptx', 'jit', 'cuda 222'],
  ),
  clause(
    'cudnn',
    'cudnn: the loaded cuDNN fits what the program was built with',
    ['Same major and not older than at build; cuDNN has its own lowest driver and its own list of GPUs.'],
    'developer',
    ['python -c "import torch; print(torch.backends.cudnn.version())"'],
    ['cudnn-and-nccl-bundling'],
  ),
  clause(
    'nccl',
    'nccl: the loaded NCCL fits the driver, the GPU and the other ranks',
    ['Every rank loads the same NCCL, built for a CUDA major that the driver runs and with code for the GPU.'],
    'developer',
    ['python -c "import torch; print(torch.cuda.nccl.version())"'],
    ['cudnn-and-nccl-bundling'],
  ),
  clause(
    'image-requirement',
    'image-requirement: what the image asks of the driver',
    [
      'NVIDIA_REQUIRE_CUDA in an image is checked by the legacy hook before the container starts; with CDI only its cuda>= terms are, or none.',
    ],
    'operator',
    ['docker inspect IMAGE --format "{{json .Config.Env}}"'],
    ['container-runtime-injection', 'image-require-cuda-unsatisfied'],
  ),
  clause(
    'cpu-only',
    'cpu-only: a build without CUDA',
    ['The package was built for the processor only: no driver, GPU or container setting makes it use a GPU.'],
    'developer',
    ['python -c "import torch; print(torch.version.cuda)"'],
    ['cpu-only-framework-build'],
  ),
  clause(
    'claim',
    'claim: a sentence about the stack, true or false',
    [
      'A sentence is read as facts and judged by the same rules; the answer is true, false, depends or cannot tell, and names the rule that decides.',
    ],
    'none',
    ['culprit judge "SENTENCE"'],
    ['minimum-driver', 'minor-version-compatibility'],
  ),

  word(
    'fault',
    'fault: something of the stack is broken or does not fit',
    ['Somebody other than the author of the program has to act, or the build has to change. Exit status 1.'],
    ['likely', 'proved'],
  ),
  word('performance', 'performance: it works, but slowly', ['The answer names what limits it. Exit status 1.']),
  word('not-stack-fault', 'not-stack-fault: the program itself is wrong', [
    'Driver, toolkit and containers are as they should be; the program, its settings or its data have to change. Exit status 1.',
  ]),
  word('ok', 'ok: nothing is wrong', [
    'What was shown works or is an allowed combination, or no GPU is wanted. Exit status 0.',
  ]),
  word(
    'cannot-tell',
    'cannot-tell: the deciding fact is missing',
    ['The answer lists what it may be, and the command that decides. Exit status 3.'],
    ['possible'],
  ),
  word('proved', 'proved: printed facts and a published rule decide it', [
    'Every fact that the rule needs was printed by a program, and the rule was read in a primary source.',
  ]),
  word('likely', 'likely: the message names it, a deciding fact is missing', [
    'Or a fact was told by a person, or its source was not read. The command that would prove it stands below the answer.',
  ]),
  word(
    'possible',
    'possible: one of several',
    ['A possible cause alone accuses nobody: the answer stays "cannot tell".'],
    ['cannot-tell'],
  ),
  word('operator', 'operator: who runs nodes, cluster or images', [
    'Acts on drivers, container runtime, scheduler, fabric and hardware.',
  ]),
  word('developer', 'developer: who writes or builds the program or image', [
    'Acts on code, packages, build flags and the image.',
  ]),
  word('vendor', 'vendor: who makes the driver, the library or the product', [
    'Acts on a defect that neither operator nor developer can mend; until then there is a way round or another release.',
  ]),
  word('node-admin', 'node-admin: does a step on the node', ['A person with root on the machine.']),
  word('cluster-admin', 'cluster-admin: does a step on the cluster', [
    'A person who may change objects of Kubernetes or the settings of Slurm.',
  ]),
  word('image-owner', 'image-owner: changes the image', [
    'A person who may change the Dockerfile or whatever the image is made from.',
  ]),
  layer('hardware', 'GPU, its memory, power, cooling and PCIe slot', "dmesg -T | grep -E 'NVRM: Xid|AER'"),
  layer('fabric', 'NVLink, NVSwitch and the fabric manager', 'systemctl status nvidia-fabricmanager'),
  layer('host-os', 'kernel, C library, IOMMU, services and limits of the host', 'uname -r; dmesg -T | tail'),
  layer(
    'driver',
    'the NVIDIA kernel module and its libraries (libcuda, NVML)',
    'nvidia-smi; cat /proc/driver/nvidia/version',
  ),
  layer(
    'container-runtime',
    'container engine and NVIDIA Container Toolkit: what puts the GPU into a container',
    'docker info | grep -i runtime; nvidia-ctk --version',
  ),
  layer('orchestrator', 'Kubernetes, Slurm and their GPU plugins', 'kubectl describe node NODE'),
  layer('image', 'the container image: its files, variables and requirements', 'docker inspect IMAGE'),
  layer('toolkit', 'the CUDA toolkit: compiler, runtime and math libraries', 'nvcc --version'),
  layer('network', 'network interfaces, InfiniBand and RoCE between nodes', 'ip -br addr; ibstat'),
  layer('framework', 'PyTorch, JAX, TensorFlow, vLLM and their extensions', 'python -m torch.utils.collect_env'),
  layer('application', 'the program, its settings and its data', 'CUDA_LAUNCH_BLOCKING=1 PROGRAM'),
];
