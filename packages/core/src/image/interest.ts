// Which paths of a layer the inventory wants, and how. Called once for every path of an image, millions of them: no
// regular expression before a path is likely, no allocation but the base name.
import type { Interest } from './model.ts';

/** Files that are read whole, by their full path. */
const texts: ReadonlySet<string> = new Set([
  '/etc/os-release',
  '/usr/lib/os-release',
  '/etc/debian_version',
  '/etc/alpine-release',
  '/etc/redhat-release',
  '/etc/ld.so.conf',
  '/etc/ld.so.cache',
  '/etc/nv_tegra_release',
  '/var/lib/dpkg/status',
  '/lib/apk/db/installed',
  '/usr/lib/apk/db/installed',
]);

/** Files that are only listed, by their full path. */
const listed: ReadonlySet<string> = new Set([
  '/lib',
  '/lib64',
  '/bin',
  '/usr/lib64',
  '/etc/alternatives',
  '/usr/local/cuda',
  '/usr/local/nvidia',
  '/usr/local/nvidia/lib',
  '/usr/local/nvidia/lib64',
  '/var/lib/rpm/Packages',
  '/var/lib/rpm/Packages.db',
  '/var/lib/rpm/rpmdb.sqlite',
  '/usr/lib/sysimage/rpm/Packages.db',
  '/usr/lib/sysimage/rpm/rpmdb.sqlite',
]);

/** Endings of names that can be of interest; names that end in a number (`cuda-12.6`) can, too. */
const endings: ReadonlySet<string> = new Set([
  'py',
  'sh',
  'cfg',
  'json',
  'conf',
  'path',
  'txt',
  'cache',
  'sqlite',
  'db',
  'bin',
  'ko',
  'xz',
  'zst',
  'gz',
  'real',
  'd',
  'cubin',
  'fatbin',
  'dist-info',
  'egg-info',
]);

const longestText = 128;

/** Programs that come with the driver. */
export const driverTools: ReadonlySet<string> = new Set([
  'nvidia-smi',
  'nvidia-debugdump',
  'nvidia-persistenced',
  'nvidia-cuda-mps-control',
  'nvidia-cuda-mps-server',
  'nvidia-modprobe',
  'nvidia-settings',
  'nvidia-xconfig',
  'nvidia-installer',
  'nvidia-uninstall',
  'nvidia-imex',
  'nvidia-imex-ctl',
  'nv-fabricmanager',
]);

/** Programs that come with the driver or with the container toolkit of a host. */
const hostTools: ReadonlySet<string> = new Set([
  ...driverTools,
  'nvidia-fabricmanager',
  'nvidia-container-cli',
  'nvidia-container-runtime',
  'nvidia-container-runtime-hook',
  'nvidia-container-toolkit',
  'nvidia-ctk',
  'nvidia-cdi-hook',
]);

/** Beginnings of names of libraries whose bytes say what they are. */
const libraries: readonly string[] = [
  'libcuda.so',
  'libcudart',
  'libcudnn',
  'libnccl',
  'libcublas',
  'libnvJitLink',
  'libnvrtc',
  'libnvvm.so',
  'libcufft',
  'libcufile.so',
  'libcurand',
  'libcusolver',
  'libcusparse',
  'libcupti.so',
  'libcutensor',
  'libnvfatbin',
  'libnvjpeg',
  'libnpp',
  'libnvinfer',
  'libnvonnxparser',
  'libnvshmem_host',
  'libucp.so',
  'libucs.so',
  'libuct.so',
  'libuct_cuda',
  'libmpi.so',
  'libopen-rte',
  'libtorch.so',
  'libtorch_cuda',
  'libtorch_global_deps',
  'libtorch_python',
  'libc10_cuda',
  'libtorch_hip',
  'libtensorflow_cc',
  'libtensorflow_framework',
  'libonnxruntime_providers_cuda',
  'libonnxruntime_providers_tensorrt',
  'libbitsandbytes',
  'libggml-cuda',
  'libggml_cuda',
  'libctranslate2',
  'libmagma',
];

/** Folders of Python packages whose compiled modules hold GPU code. */
const extensions: readonly string[] = [
  '/vllm/',
  '/flash_attn',
  '/xformers/',
  '/bitsandbytes/',
  '/jax_plugins/',
  '/jax_cuda',
  '/jaxlib/',
  '/cupy/',
  '/cupy_backends/',
  '/mamba_ssm',
  '/selective_scan_cuda',
  '/causal_conv1d',
  '/transformer_engine',
  '/torchvision/',
  '/torchaudio/',
  '/deepspeed/',
  '/apex',
  '/flashinfer',
  '/sgl_kernel/',
  '/tensorrt_llm/',
  '/auto_gptq',
  '/exllama',
  '/awq_',
];

/** Beginnings of the distribution names whose METADATA is read; all other distributions are known by their folder. */
const distributions: readonly string[] = [
  'torch',
  'triton',
  'pytorch_triton',
  'jax',
  'tensorflow',
  'tf_nightly',
  'cupy',
  'vllm',
  'flash_attn',
  'flash-attn',
  'flashinfer',
  'xformers',
  'bitsandbytes',
  'nvidia_',
  'onnxruntime',
  'tensorrt',
  'transformer_engine',
  'deepspeed',
  'sglang',
  'sgl_kernel',
  'numba',
  'paddlepaddle',
  'mxnet',
  'cuda_',
];

/**
 * What is done with a path when a layer is read.
 * @param path absolute and normal
 * @param deep true: every ELF file and everything that can carry GPU code is read (`--deep`)
 */
export function interestOf(path: string, deep = false): Interest {
  const slash = path.lastIndexOf('/');
  const name = path.slice(slash + 1);
  if (name.length === 0 || path.charCodeAt(0) !== 47) return 'no';
  const dot = name.indexOf('.so');
  // `/etc/ld.so.conf` and `/etc/ld.so.cache` are no libraries.
  if (dot > 0 && !path.startsWith('/etc/')) {
    const after = name.charCodeAt(dot + 3);
    // `.so`, `.so.1`, `.so-hash`; not `.sock`, `.sources`.
    if (Number.isNaN(after) || after === 46 || after === 45) return ofLibrary(path, name, deep);
  }
  // Most paths of an image end in one of many endings that nobody asks for.
  const last = name.lastIndexOf('.');
  if (last > 0 && last < name.length - 1 && !endings.has(name.slice(last + 1))) {
    const digit = name.charCodeAt(last + 1);
    if (digit < 48 || digit > 57) return 'no';
  }
  if (name.endsWith('.py')) return isBuildRecord(path, name) ? 'text' : 'no';
  const second = path.charCodeAt(5);
  // /usr/share, /proc, /sys hold much and nothing of note.
  if (second === 115 && path.startsWith('/usr/share/')) return 'no';
  if (path.startsWith('/proc/') || path.startsWith('/sys/')) return 'no';
  if (path.length <= longestText) {
    if (texts.has(path)) return 'text';
    if (listed.has(path)) return 'list';
    if (path.startsWith('/etc/')) return inEtc(path, name);
  }
  return ofOther(path, name, slash, deep);
}

/** Links to folders lie anywhere (`/opt/venv`, `/usr/lib/python3`): those whose target may be a folder are listed. */
export function interestOfLink(path: string, target: string): Interest {
  if (interestOf(path) !== 'no') return 'list';
  const name = target.slice(target.lastIndexOf('/') + 1);
  if (path.startsWith('/usr/share/') || path.startsWith('/proc/') || path.startsWith('/sys/')) return 'no';
  if (path.startsWith('/etc/rc') || path.startsWith('/etc/systemd/') || path.startsWith('/etc/ssl/')) return 'no';
  const dot = name.lastIndexOf('.');
  if (dot <= 0) return 'list';
  // `python3.12`, `cuda-12.6`, `lib.real` are folders; `x.txt`, `libm.so.6` are not.
  const last = name.charCodeAt(name.length - 1);
  if (name.includes('.so')) return 'no';
  return (last >= 48 && last <= 57) || name.endsWith('.real') || name.endsWith('.d') ? 'list' : 'no';
}

/** Most bytes that are read of a text; a longer one is only listed. */
export function mostTextBytes(path: string): number {
  if (path === '/var/lib/dpkg/status' || path.endsWith('/apk/db/installed')) return 32 << 20;
  return path === '/etc/ld.so.cache' ? 8 << 20 : 1 << 20;
}

function ofLibrary(path: string, name: string, deep: boolean): Interest {
  if (deep) return 'binary';
  if (!name.startsWith('lib')) {
    // Python's compiled modules: `_C.abi3.so`, `flash_attn_2_cuda.cpython-312-x86_64-linux-gnu.so`.
    if (name.includes('_cuda') || name.includes('cuda_')) return 'binary';
    if (!path.includes('-packages/')) return 'no';
    for (const each of extensions) if (path.includes(each)) return 'binary';
    return 'no';
  }
  for (const each of libraries) if (name.startsWith(each)) return 'binary';
  if (
    name.startsWith('libnvidia-') ||
    name.startsWith('libnvcuvid') ||
    name.startsWith('libnvoptix') ||
    name.startsWith('libcudadebugger') ||
    name.startsWith('libGLX_nvidia') ||
    name.startsWith('libEGL_nvidia') ||
    name.startsWith('libvdpau_nvidia')
  )
    return 'list';
  if (path.includes('/compat/') || path.includes('/stubs/') || path.includes('/torch/lib/')) return 'list';
  return name.includes('cuda') ? 'binary' : 'no';
}

function inEtc(path: string, name: string): Interest {
  if (path.startsWith('/etc/ld.so.conf.d/')) return name.endsWith('.conf') ? 'text' : 'no';
  if (path.startsWith('/etc/alternatives/cuda')) return 'list';
  if (path.startsWith('/etc/ld-musl-')) return 'text';
  if (path === '/etc/shinit_v2' || path === '/etc/environment' || path === '/etc/profile.d/nvidia.sh') return 'text';
  return 'no';
}

/** Files of Python packages that tell how they were built. */
function isBuildRecord(path: string, name: string): boolean {
  if (name === 'version.py') return path.endsWith('/torch/version.py') || path.endsWith('/jaxlib/version.py');
  return name === 'build_info.py' && path.endsWith('/platform/build_info.py');
}

function ofOther(path: string, name: string, slash: number, deep: boolean): Interest {
  if (name === 'METADATA' || name === 'PKG-INFO' || name === 'INSTALLER' || name === 'direct_url.json') {
    const info = path.slice(path.lastIndexOf('/', slash - 1) + 1, slash);
    if (!info.endsWith('.dist-info') && !info.endsWith('.egg-info')) return 'no';
    return ofDistribution(info) ? 'text' : name === 'METADATA' || name === 'PKG-INFO' ? 'list' : 'no';
  }
  if (name.endsWith('.dist-info') || name.endsWith('.egg-info')) return 'list';
  if (name === 'pyvenv.cfg' || name === 'cpp_lib.json' || name === '_wheel.json') return 'text';
  if (name.endsWith('.json')) {
    if (path.includes('/conda-meta/')) return 'list';
    return name === 'version.json' && path.includes('/cuda') ? 'text' : 'no';
  }
  if (name === 'version.txt') return path.includes('/cuda') ? 'text' : 'no';
  if (name === 'site-packages' || name === 'dist-packages' || name === 'conda-meta' || name === 'stubs') return 'list';
  if (name.startsWith('nv') && (hostTools.has(name) || name.startsWith('nvcc'))) {
    if (path.endsWith(`/bin/${name}`) || path.endsWith(`/sbin/${name}`)) return 'list';
  }
  if (name === 'nvidia_entrypoint.sh' || path.startsWith('/opt/nvidia/entrypoint.d/')) return 'text';
  if (name.endsWith('.sh') && name.includes('entrypoint')) return 'text';
  if (name.startsWith('cuda-') || name === 'cuda' || name === 'compat' || name === 'compat_orin') return 'list';
  if (path.includes('/compat/')) return 'list';
  if (name.startsWith('nvidia') && isModule(path, name)) return 'list';
  if (path.startsWith('/usr/src/nvidia-') || path.startsWith('/var/lib/dkms/nvidia'))
    return path.split('/').length === 4 || name === 'dkms.conf' ? 'list' : 'no';
  if (name.startsWith('gsp') && name.endsWith('.bin') && path.includes('/firmware/nvidia/')) return 'list';
  if (path.startsWith('/var/lib/dpkg/status.d/')) return name.endsWith('.md5sums') ? 'no' : 'text';
  if (name.endsWith('.cubin') || name.endsWith('.fatbin')) return deep ? 'binary' : 'no';
  return deep && (path.includes('/bin/') || path.startsWith('/opt/')) && !name.includes('.') ? 'binary' : 'no';
}

/** `nvidia.ko`, `nvidia-uvm.ko.zst`. */
function isModule(path: string, name: string): boolean {
  const at = name.indexOf('.ko');
  return at > 0 && (at + 3 === name.length || name.charCodeAt(at + 3) === 46) && path.includes('/modules/');
}

function ofDistribution(info: string): boolean {
  const first = info.charCodeAt(0) | 32;
  const lower = info.toLowerCase();
  for (const each of distributions) if (each.charCodeAt(0) === first && lower.startsWith(each)) return true;
  return false;
}
