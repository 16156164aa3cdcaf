// Environment reports of frameworks.
//
// Collecting environment information...
// PyTorch version: 2.7.1+cu126
// CUDA used to build PyTorch: 12.6
// OS: Ubuntu 22.04.5 LTS (x86_64)
// Libc version: glibc-2.35
// Python platform: Linux-5.15.0-119-generic-x86_64-with-glibc2.35
// Is CUDA available: False
// CUDA runtime version: 12.4.131
// GPU models and configuration:
// GPU 0: NVIDIA A100-SXM4-80GB
// Nvidia driver version: 470.256.02
// cuDNN version: Probably one of the following:
// /usr/lib/x86_64-linux-gnu/libcudnn.so.9.1.0
//
// vLLM prints `PyTorch version              : 2.9.1+cu130` under banners of `=`; sglang `GPU 0,1: NVIDIA H200`,
// `CUDA Driver Version: 575.51.03`; accelerate and transformers "- PyTorch version (GPU?): 2.2.1 (True)".
import type { Document, Line } from '../model/document.ts';
import type { FactSink, Parser } from './parser.ts';
import { gpuName } from './gpu-state.ts';
import { fileVersion } from './loader.ts';
import { addPlatformText } from './platform.ts';
import { capability, cudaMinor, cudaOfLocal, fullDriverRelease } from './releases.ts';
import { keyValue, known } from './values.ts';

type Reader = (value: string, line: Line, sink: FactSink, document: Document) => void;

/** Adds torch's version, and the CUDA release that its local part names. */
export function addTorch(text: string, line: Line, sink: FactSink, told?: boolean): void {
  const version = /^v?(\d{1,2}\.\d{1,3}[\w.+-]{0,60})/.exec(text.trim())?.[1];
  if (version === undefined) return;
  const options = told === true ? { told: true } : undefined;
  sink.add('torch.version', version, line, options);
  const cuda = cudaOfLocal(version);
  if (cuda !== undefined) sink.add('torch.cuda', cuda, line, options);
}

/** Adds whether CUDA is available to torch; that it is counts as working. */
export function addAvailable(text: string, line: Line, sink: FactSink): void {
  const word = /^(True|Yes|False|No)\b/i.exec(text.trim())?.[1]?.toLowerCase();
  if (word === undefined) return;
  const available = word === 'true' || word === 'yes';
  sink.add('torch.cuda-available', available, line);
  if (available) sink.add('works', { what: 'torch.cuda.is_available() is True', layer: 'framework' }, line);
}

function framework(name: string): Reader {
  return (value, line, sink) => {
    const version = /^v?(\d{1,4}\.\d{1,4}[\w.+-]{0,60})/.exec(value)?.[1];
    if (version !== undefined) sink.add('framework.version', { name, version }, line);
  };
}

function gpuLines(document: Document, header: Line, inline: string, sink: FactSink): void {
  const lines: Line[] = [];
  const take = (text: string, line: Line): void => {
    const match = /^GPU (\d{1,3}): (\S.{0,100})$/.exec(text.trim());
    const name = gpuName((match?.[2] ?? '').replace(/ ?\(UUID:.{0,90}$/, ''));
    if (name === null) return;
    sink.add('gpu.name', name, line);
    lines.push(line);
  };
  if (inline !== '') take(inline, header);
  for (let at = header.index + 1; at < Math.min(document.lines.length, header.index + 200); at++) {
    const line = document.lines[at]!;
    const text = line.clean.trim();
    if (/^GPU \d{1,3}:/.test(text)) take(text, line);
    else if (!text.startsWith('MIG ')) {
      // A list that ends with the text may have been cut.
      if (lines.length > 0 && (text === '' || text.startsWith('Nvidia driver')))
        sink.add('gpu.count', lines.length, lines);
      break;
    }
  }
  if (lines.length > 0) sink.add('driver.answers', true, lines);
}

function cudnnFiles(document: Document, header: Line, value: string, sink: FactSink): void {
  const take = (text: string, line: Line): boolean => {
    const match = /^(\/\S{1,400}\/(libcudnn\S{0,60}\.so\S{0,30})|[A-Z]:\\\S{1,300}cudnn\S{0,60}\.dll)$/.exec(
      text.trim(),
    );
    if (match === null) return false;
    const path = match[1]!;
    const version = fileVersion(path);
    sink.add(
      'cudnn.file',
      {
        soname: match[2] ?? path.slice(path.lastIndexOf('\\') + 1),
        path,
        ...(version === undefined ? {} : { version }),
      },
      line,
    );
    return true;
  };
  if (take(value, header)) return;
  for (let at = header.index + 1; at < header.index + 40; at++) {
    const line = document.lines[at];
    if (line === undefined || !take(line.clean, line)) return;
  }
}

const osName: Reader = (value, line, sink) => {
  const name = known(value);
  if (name === null || name.length > 100) return;
  const arch = /\((x86_64|aarch64|ppc64le)\)$/.exec(name);
  sink.add('os.name', name.replace(/ \((?:x86_64|aarch64|ppc64le|64-bit|64 bit|64位)\)$/, ''), line);
  if (arch !== null) sink.add('os.arch', arch[1] as 'x86_64' | 'aarch64' | 'ppc64le', line);
  if (/Windows/i.test(name)) sink.add('os.platform', 'windows', line);
};

const buildCuda: Reader = (value, line, sink) => {
  if (value === 'None' || value === 'N/A') sink.add('torch.cuda', null, line);
  else {
    const cuda = cudaMinor(value);
    if (cuda !== null) sink.add('torch.cuda', cuda, line);
  }
};

const driver: Reader = (value, line, sink) => {
  const release = fullDriverRelease(value);
  if (release !== null) sink.add('driver.version', release, line);
};

const readers: Readonly<Record<string, Reader>> = {
  'pytorch version': (value, line, sink) => addTorch(value, line, sink),
  pytorch: (value, line, sink) => addTorch(value, line, sink),
  'torch version': (value, line, sink) => addTorch(value, line, sink),
  'pytorch version (gpu?)': (value, line, sink) => {
    addTorch(value, line, sink);
    const available = /\((True|False)\)/.exec(value)?.[1];
    if (available !== undefined) addAvailable(available, line, sink);
  },
  'tensorflow version (gpu?)': (value, line, sink) => {
    const version = /^v?(\d{1,2}\.\d{1,3}[\w.+-]{0,60})/.exec(value)?.[1];
    if (version !== undefined) sink.add('framework.version', { name: 'tensorflow', version }, line);
    if (/\(True\)/.test(value)) sink.add('works', { what: 'TensorFlow finds a GPU', layer: 'framework' }, line);
  },
  'cuda used to build pytorch': buildCuda,
  'pytorch cuda version': buildCuda,
  'is cuda available': (value, line, sink) => addAvailable(value, line, sink),
  'cuda available': (value, line, sink) => addAvailable(value, line, sink),
  'cuda runtime version': (value, line, sink) => {
    // collect_env asks the local nvcc; other reports print a plain release of their own.
    const cuda = cudaMinor(value);
    if (cuda !== null && /^\d{1,2}\.\d{1,2}\.\d{1,4}$/.test(value)) sink.add('toolkit.nvcc', cuda, line);
    else if (cuda !== null && /^\d{1,2}\.\d$/.test(value)) sink.add('toolkit.runtime', cuda, line);
  },
  'gpu models and configuration': (value, line, sink, document) => gpuLines(document, line, value, sink),
  'gpu type': (value, line, sink) => {
    const name = gpuName(value);
    if (name !== null) sink.add('gpu.name', name, line);
  },
  'nvidia driver version': driver,
  // sglang prints the driver's release here, numba and cupy the CUDA release of the driver.
  'cuda driver version': driver,
  'cudnn version': (value, line, sink, document) => cudnnFiles(document, line, value, sink),
  os: osName,
  'libc version': (value, line, sink) => {
    const glibc = /^glibc-(\d\.\d{1,3})$/.exec(value)?.[1];
    if (glibc !== undefined) sink.add('os.glibc', glibc, line);
  },
  'python platform': (value, line, sink) => addPlatformText(value, line, sink),
  platform: (value, line, sink) => addPlatformText(value, line, sink),
  architecture: (value, line, sink) => {
    if (value === 'x86_64' || value === 'aarch64' || value === 'ppc64le') sink.add('os.arch', value, line);
  },
  'cuda_module_loading set to': (value, line, sink) => {
    const set = known(value);
    if (set !== null) sink.add('env', { name: 'CUDA_MODULE_LOADING', value: set }, line);
  },
  'vllm version': framework('vllm'),
  'vllm api server version': framework('vllm'),
  sglang: framework('sglang'),
  vllm: framework('vllm'),
  sgl_kernel: framework('sgl-kernel'),
  flashinfer_python: framework('flashinfer'),
  'accelerate version': framework('accelerate'),
  'transformers version': framework('transformers'),
  'pyrovision version': framework('pyrovision'),
  'tensorflow version': framework('tensorflow'),
  'jax version': framework('jax'),
  'jaxlib version': framework('jaxlib'),
  cuda_home: (value, line, sink) => {
    const set = known(value);
    if (set !== null && set.startsWith('/')) sink.add('env', { name: 'CUDA_HOME', value: set }, line);
  },
};

export const collectEnv: Parser = {
  id: 'collect-env',
  literals: [
    'version:',
    'version  ',
    'version (gpu?)',
    'used to build pytorch',
    'pytorch cuda version',
    'cuda available',
    'gpu models and conf',
    'gpu type:',
    'driver version:',
    'cudnn version',
    'libc version',
    'python platform',
    'platform:',
    'architecture:',
    'os: ',
    'os   ',
    'cuda_module_loading',
    'pytorch:',
    'sglang:',
    'vllm:',
    'sgl_kernel:',
    'flashinfer_python:',
    'cuda_home:',
    'compute capability:',
    'gpu 0,',
    'gpu 1,',
  ],
  keep: { before: 1, after: 4 },
  parse(document, hits, sink) {
    for (const line of hits) {
      if (line.prompt || line.told) continue;
      const text = line.clean.trim();
      if (text.length > 400) continue;
      const groups = /^GPU ([\d,]{1,60})(?: (Compute Capability))?: (\S.{0,100})$/.exec(text);
      if (groups !== null) {
        readGroup(groups[1]!, groups[2] !== undefined, groups[3]!, line, sink);
        continue;
      }
      const pair = keyValue(text.startsWith('- ') ? text.slice(2) : text);
      if (pair === null) continue;
      const reader = readers[pair.key.replaceAll('`', '').toLowerCase()];
      if (reader === undefined) continue;
      if (pair.value === '' && !/gpu models|cudnn version/i.test(pair.key)) continue;
      // `OS: …` and the like stand in many texts; here they count beside other lines of such a report.
      if (/^(?:OS|PyTorch|Platform|vllm|sglang)$/i.test(pair.key) && !inReport(document, line)) continue;
      reader(pair.value, line, sink, document);
    }
  },
};

/** sglang names all GPUs of one kind in one line, and their capability in another. */
function readGroup(numbers: string, isCapability: boolean, value: string, line: Line, sink: FactSink): void {
  if (isCapability) {
    const cc = capability(value);
    if (cc !== null) sink.add('gpu.compute-capability', cc, line);
    return;
  }
  const name = numbers.includes(',') ? gpuName(value) : null;
  if (name === null) return;
  sink.add('gpu.name', name, line);
  sink.add('gpu.count', numbers.split(',').length, line);
}

const reportMarks =
  /^(?:- )?(?:CUDA used to build|CUDA runtime version|CUDA_HOME:|Is CUDA available|CUDA available:|CUDA Driver Version:|Is debug build|Libc version|CMake version|GCC version\s{0,20}:|Clang version|Python platform|Collecting environment|GPU models and|System RAM|`?Accelerate`? version|`?transformers`? version|Numpy version|Byte Order|CPU op-mode|CPU\(s\)|Thread\(s\) per|NVCC:|flashinfer|sgl_kernel)/;

/** Does the line stand in an environment report, as the lines around it tell? */
export function inReport(document: Document, line: Line): boolean {
  for (let at = Math.max(0, line.index - 12); at < Math.min(document.lines.length, line.index + 13); at++) {
    if (at !== line.index && reportMarks.test(document.lines[at]!.clean)) return true;
  }
  return false;
}
