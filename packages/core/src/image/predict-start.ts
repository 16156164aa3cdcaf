// How a container of an image is started on a node: which injection mode runs, and what it brings of the host.
import { parseContainerToolkit, possibleModes, toolkitAtLeast, toolkitGenerations } from '../compat/injection.ts';
import type { RealMode } from '../compat/injection.ts';
import type { Injected, Node } from './model.ts';
import { parseDockerVersion } from './node.ts';

/** One way in which the container can be started. */
export interface Start {
  readonly mode: RealMode | 'none';
  readonly toolkit: readonly number[];
  /** Folder of the container in which the driver libraries appear; null where nothing is injected. */
  readonly folder: string | null;
  /** What tells it from the other ways. */
  readonly name: string;
}

/** What of an image counts for its start. */
export interface StartOf {
  /** Folder of legacy mode. */
  readonly driverFolder: string;
  readonly platform: string;
  /** The GPU is that of a Tegra system; null where the GPU is not known. */
  readonly tegra: boolean | null;
}

/** Every way that the keys leave open. */
export function startsOf(node: Node, image: StartOf): readonly Start[] {
  const given = node.toolkit === undefined ? null : parseContainerToolkit(node.toolkit);
  const starts: Start[] = [];
  for (const toolkit of given === null ? toolkitGenerations : [given]) {
    for (const mode of modesOf(node, toolkit, given !== null, image.tegra)) {
      if (mode === 'none') {
        starts.push({ mode, toolkit, folder: null, name: 'nothing injected' });
        continue;
      }
      for (const folder of foldersOf(node, mode, image)) {
        const where = mode === 'legacy' || node.libdir !== undefined ? '' : `, driver libraries in ${folder}`;
        starts.push({ mode, toolkit, folder, name: `${mode}, container toolkit ${toolkit.join('.')}${where}` });
      }
    }
  }
  return starts;
}

/**
 * `auto` asks for CDI names first, then for a Tegra system, then takes the default of the version. `docker --gpus` is the
 * hook (legacy); from Docker 29 on CDI where its specification exists, which the toolkit writes by itself from 1.18 on.
 */
function modesOf(
  node: Node,
  toolkit: readonly number[],
  toolkitKnown: boolean,
  tegra: boolean | null,
): readonly (RealMode | 'none')[] {
  if (node.mode === 'none') return ['none'];
  if (node.mode !== undefined && node.mode !== 'auto') return [node.mode];
  const byCdi = node.start === 'cdi' || node.deviceList === 'cdi-annotations' || node.deviceList === 'cdi-cri';
  if (byCdi) return ['cdi'];
  if (node.start === 'gpus') return ofGpusFlag(node, toolkit);
  if (node.runtime === 'runc') return ['none'];
  const resolved: RealMode = tegra === true ? 'csv' : (possibleModes('auto', toolkit)[0] ?? 'legacy');
  if (node.mode === 'auto' || node.start === 'runtime' || node.runtime === 'nvidia' || node.deviceList !== undefined)
    return tegra === null ? [resolved] : [resolved];
  if (tegra === true) return ['csv', 'cdi'];
  // Nothing says how: of a known toolkit whatever it can do, of an unknown one what is usual for each generation.
  if (!toolkitKnown) return toolkitAtLeast(toolkit, 1, 18) ? ['legacy', 'jit-cdi'] : ['legacy', 'cdi'];
  return toolkitAtLeast(toolkit, 1, 18) ? ['legacy', 'jit-cdi', 'cdi'] : ['legacy', 'cdi'];
}

function ofGpusFlag(node: Node, toolkit: readonly number[]): readonly RealMode[] {
  const docker = node.docker === undefined ? null : parseDockerVersion(node.docker);
  const major = docker?.[0] ?? null;
  // nvidia-cdi-hook, which Docker looks for, came with 1.16.
  if ((major !== null && major < 29) || !toolkitAtLeast(toolkit, 1, 16)) return ['legacy'];
  return major === 29 && toolkitAtLeast(toolkit, 1, 18) ? ['cdi'] : ['cdi', 'legacy'];
}

/** The image decides in legacy mode, the host in the others; a host that is not known is like Debian or like Red Hat. */
function foldersOf(node: Node, mode: RealMode, image: StartOf): readonly string[] {
  if (mode === 'legacy') return [image.driverFolder];
  if (node.libdir !== undefined) return [node.libdir];
  if (mode === 'csv') return [`/usr/lib/${multiarch(image.platform)}/tegra`];
  return [`/usr/lib/${multiarch(image.platform)}`, '/usr/lib64'];
}

function multiarch(platform: string): string {
  return platform.startsWith('linux/arm64') ? 'aarch64-linux-gnu' : 'x86_64-linux-gnu';
}

const ofCapability: Readonly<Record<string, readonly string[]>> = {
  utility: ['libnvidia-ml.so', 'libnvidia-cfg.so', 'libnvidia-nscq.so'],
  compute: [
    'libcuda.so',
    'libcudadebugger.so',
    'libnvidia-opencl.so',
    'libnvidia-gpucomp.so',
    'libnvidia-ptxjitcompiler.so',
    'libnvidia-allocator.so',
    'libnvidia-nvvm.so',
    'libnvidia-pkcs11.so',
  ],
  video: ['libvdpau_nvidia.so', 'libnvidia-encode.so', 'libnvidia-opticalflow.so', 'libnvcuvid.so'],
  graphics: [
    'libnvidia-eglcore.so',
    'libnvidia-glcore.so',
    'libnvidia-glvkspirv.so',
    'libnvoptix.so',
    'libGLX_nvidia.so',
    'libEGL_nvidia.so',
  ],
  ngx: ['libnvidia-ngx.so'],
  display: [],
  compat32: [],
};

/** Driver capabilities of an image in legacy mode. `unsupported`: names that refuse the start. */
export interface Capabilities {
  readonly names: readonly string[];
  readonly unsupported: readonly string[];
}

/**
 * NVIDIA_DRIVER_CAPABILITIES as legacy mode takes it: unset or empty is utility and compute; unset in an image that has
 * CUDA_VERSION and no NVIDIA_REQUIRE_CUDA is all.
 */
export function capabilitiesOf(env: Readonly<Record<string, string>>): Capabilities {
  const text = env['NVIDIA_DRIVER_CAPABILITIES'];
  const all = Object.keys(ofCapability);
  if (text === undefined || text.trim() === '') {
    const old = text === undefined && env['CUDA_VERSION'] !== undefined && env['NVIDIA_REQUIRE_CUDA'] === undefined;
    return { names: old ? all : ['utility', 'compute'], unsupported: [] };
  }
  const words = text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
  if (words.includes('all')) return { names: all, unsupported: [] };
  return {
    names: words.filter((word) => Object.hasOwn(ofCapability, word)),
    unsupported: words.filter((word) => !Object.hasOwn(ofCapability, word)),
  };
}

/** What a start brings of the host; null where nothing. */
export function injectedBy(start: Start, capabilities: Capabilities): Injected | null {
  if (start.mode === 'none') return null;
  if (start.mode !== 'legacy') return { folder: start.folder, capabilities: null, libraries: ['*.so'] };
  const libraries = capabilities.names.flatMap((name) => ofCapability[name] ?? []);
  return { folder: start.folder, capabilities: capabilities.names, libraries };
}
