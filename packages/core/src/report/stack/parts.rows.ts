import type { Layer } from '../../model/layer.ts';

/** A part of the stack as it is drawn, from the hardware up. */
export interface PartRow {
  readonly id: PartId;
  readonly title: string;
  readonly layers: readonly Layer[];
  /** Who ships it, and where it has to be. */
  readonly shippedBy: string;
  /** Facts that say its release or kind, with the words before the value. */
  readonly facts: readonly (readonly [id: string, words: string])[];
}

export type PartId =
  | 'hardware'
  | 'host'
  | 'kernel-module'
  | 'driver-libraries'
  | 'container'
  | 'toolkit'
  | 'cudnn'
  | 'nccl'
  | 'framework'
  | 'application';

export const stackParts: readonly PartRow[] = [
  {
    id: 'hardware',
    title: 'GPU',
    layers: ['hardware', 'fabric', 'network'],
    shippedBy: 'the machine',
    facts: [
      ['gpu.name', ''],
      ['gpu.compute-capability', 'compute capability'],
      ['gpu.count', 'GPUs:'],
      ['gpu.mig-mode', 'MIG'],
      ['fabric.nvswitch', 'NVSwitch'],
    ],
  },
  {
    id: 'host',
    title: 'Kernel and system of the host',
    layers: ['host-os', 'orchestrator'],
    shippedBy: 'the distribution; a container shares the kernel and brings its own glibc',
    facts: [
      ['os.name', ''],
      ['os.kernel', 'kernel'],
      ['os.arch', ''],
      ['os.glibc', 'glibc'],
    ],
  },
  {
    id: 'kernel-module',
    title: 'Kernel module (nvidia.ko)',
    layers: ['driver'],
    shippedBy: 'the driver package of the host; never in an image',
    facts: [
      ['driver.module', ''],
      ['driver.flavour', ''],
      ['driver.version', 'driver'],
    ],
  },
  {
    id: 'driver-libraries',
    title: 'Driver libraries (libcuda, libnvidia-ml, PTX compiler)',
    layers: ['driver'],
    shippedBy: 'the driver package of the host; injected into a container, or cuda-compat of the image in their place',
    facts: [
      ['driver.library', ''],
      ['driver.cuda', 'serves CUDA'],
      ['image.libcuda', 'libcuda of the image:'],
    ],
  },
  {
    id: 'container',
    title: 'Container runtime and image',
    layers: ['container-runtime', 'image'],
    shippedBy: 'NVIDIA Container Toolkit on the host; the image by its owner',
    facts: [
      ['container.toolkit-version', 'toolkit'],
      ['container.injection', ''],
      ['container.engine', ''],
      ['image.reference', 'image'],
      ['image.cuda', 'CUDA of the image'],
    ],
  },
  {
    id: 'toolkit',
    title: 'CUDA toolkit libraries (cudart, cuBLAS, NVRTC, nvcc)',
    layers: ['toolkit'],
    shippedBy: 'the image or the wheels nvidia-*-cu12, nvidia-*; a toolkit on the host does not count inside',
    facts: [
      ['toolkit.runtime', 'runtime'],
      ['toolkit.nvcc', 'nvcc'],
      ['toolkit.installed', 'installed'],
    ],
  },
  {
    id: 'cudnn',
    title: 'cuDNN',
    layers: ['cudnn'],
    shippedBy: 'the wheel nvidia-cudnn, the framework, or a package of the image',
    facts: [
      ['cudnn.loaded', 'loaded'],
      ['cudnn.built-for', 'built for'],
    ],
  },
  {
    id: 'nccl',
    title: 'NCCL',
    layers: ['nccl'],
    shippedBy: 'the wheel nvidia-nccl, the framework, or a package of the image',
    facts: [
      ['nccl.version', ''],
      ['nccl.built-for', 'built for'],
      ['nccl.net', 'network'],
    ],
  },
  {
    id: 'framework',
    title: 'Framework',
    layers: ['framework'],
    shippedBy: 'its wheel, with the CUDA it was built for',
    facts: [
      ['torch.version', 'torch'],
      ['torch.cuda', 'built for CUDA'],
      ['framework.version', ''],
    ],
  },
  {
    id: 'application',
    title: 'Application',
    layers: ['application'],
    shippedBy: 'the developer',
    facts: [
      ['program.exception', ''],
      ['program.exit', ''],
    ],
  },
];

/** Where two parts must fit together: the classes of causes that break it there. */
export interface JointRow {
  readonly below: PartId;
  readonly above: PartId;
  /** What has to hold. */
  readonly rule: string;
  readonly classes: readonly string[];
}

export const stackJoints: readonly JointRow[] = [
  {
    below: 'hardware',
    above: 'kernel-module',
    rule: 'the branch and the flavour of the module drive this GPU',
    classes: ['kmod-flavour'],
  },
  {
    below: 'host',
    above: 'kernel-module',
    rule: 'the module is built for the running kernel and loaded',
    classes: ['kmod-not-loaded', 'driver-missing', 'driver-install', 'uvm'],
  },
  {
    below: 'kernel-module',
    above: 'driver-libraries',
    rule: 'both are of one release',
    classes: ['kmod-userspace-mismatch', 'two-drivers', 'persistence'],
  },
  {
    below: 'driver-libraries',
    above: 'container',
    rule: 'the libraries and devices of the host are put into the container',
    classes: [
      'container-runtime-missing',
      'container-runtime',
      'container-runtime-bug',
      'cdi',
      'cgroup',
      'driver-capabilities',
      'k8s',
      'k8s-libpath',
      'driver-libs-in-image',
      'libcuda-stub',
    ],
  },
  {
    below: 'driver-libraries',
    above: 'toolkit',
    rule: 'the driver serves the CUDA version, by its floor, a compat libcuda or the same major',
    classes: ['driver-too-old', 'forward-compat', 'ptx-newer-than-driver', 'image-require'],
  },
  {
    below: 'host',
    above: 'container',
    rule: 'glibc and architecture of the image fit the host',
    classes: ['glibc', 'image-platform'],
  },
  {
    below: 'toolkit',
    above: 'cudnn',
    rule: 'cuDNN is of the CUDA major and not older than the program was built for',
    classes: ['cudnn'],
  },
  {
    below: 'toolkit',
    above: 'nccl',
    rule: 'NCCL is of the CUDA major, one release on all ranks, and knows the GPU',
    classes: ['nccl-library', 'mixed-cuda-packages'],
  },
  {
    below: 'toolkit',
    above: 'framework',
    rule: 'the libraries that the framework links are found, of its major and not shadowed',
    classes: ['toolkit-libs-missing', 'toolkit-lib-shadowed', 'build-toolchain'],
  },
  {
    below: 'hardware',
    above: 'framework',
    rule: 'the binary holds machine code or PTX for this GPU',
    classes: ['arch', 'cpu-only', 'aarch64-wheel', 'jetson', 'ptxas-engine'],
  },
  {
    below: 'framework',
    above: 'application',
    rule: 'extensions are built for this framework',
    classes: ['extension-abi'],
  },
];
