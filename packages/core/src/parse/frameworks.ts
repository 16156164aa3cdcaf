// Reports of JAX, TensorFlow, CuPy and Numba.
//
// jax:    0.6.2
// jaxlib: 0.6.2
// device info: NVIDIA H100 80GB HBM3-4, 4 local devices"
// OrderedDict({'cuda_compute_capabilities': ['sm_60', 'compute_90'], 'cuda_version': '12.5.1', 'cudnn_version': '9', 'is_cuda_build': True})
// CuPy Version                 : 13.4.1
// CUDA Driver Version          : 12040
// CUDA Runtime Version         : 12080 (linked to CuPy) / 12060 (locally installed)
// NCCL Build Version           : 22505
// Device 0 Compute Capability  : 89
// __CUDA Information__
// CUDA Driver Version                           : 12.4
// CUDA Runtime Version                          : 12.8
// id 0             b'NVIDIA L40S'                              [SUPPORTED]
import type { Line } from '../model/document.ts';
import type { FactSink, Parser } from './parser.ts';
import { wholeLine } from './blocks.ts';
import { addKernel, addPlatformText } from './platform.ts';
import { gpuName } from './gpu-state.ts';
import { addDeviceList } from './python-print.ts';
import { capability, cudaMinor, cudaToolkit, cudnnRelease, ncclRelease } from './releases.ts';
import { keyValue, known } from './values.ts';

export const jaxInfo: Parser = {
  id: 'jax',
  literals: [
    'jax: ',
    'jaxlib: ',
    'local device',
    'cudadevice(',
    'cpudevice(',
    'device info:',
    'physicaldevice(',
    'platform: uname_result(',
  ],
  keep: { before: 1, after: 8 },
  parse(_document, hits, sink) {
    for (const line of hits) {
      if (line.prompt || line.told) continue;
      const text = line.clean.trim();
      const version = /^(jax|jaxlib):\s{1,8}(\d\.\d{1,3}\.\d{1,3}\S{0,30})$/.exec(text);
      if (version !== null) sink.add('framework.version', { name: version[1]!, version: version[2]! }, line);
      // The kind may hold dashes: the count stands behind the last one.
      const info = /^device info: (.{2,100})-(\d{1,4}), (\d{1,4}) local devices?/.exec(text);
      if (info !== null) {
        const name = gpuName(info[1]);
        const isCpu = /^cpu$/i.test(info[1]!);
        if (name !== null && !isCpu) sink.add('gpu.name', name, line);
        sink.add('framework.devices', isCpu ? 0 : Number(info[3]), line);
        if (!isCpu) sink.add('works', { what: 'JAX lists a CUDA device', layer: 'framework' }, line);
      }
      const release = /release='([^']{3,100})'/.exec(text)?.[1];
      if (text.startsWith('platform: uname_result(') && release !== undefined) addKernel(release, line, sink);
      const list = /(\[(?:CudaDevice|CpuDevice|GpuDevice|PhysicalDevice|TFRT_CPU).{0,1500})$/.exec(text)?.[1];
      if (list !== undefined && !line.told) addDeviceList(list, line, sink);
    }
  },
};

export const tensorflowBuild: Parser = {
  id: 'tensorflow-build',
  literals: [
    "'is_cuda_build'",
    "'cuda_version'",
    'num gpus available',
    'cuda_compute_capabilities',
    'successfully opened dynamic library',
    'loaded cudnn version',
    'tensorflow version',
  ],
  parse(document, hits, sink) {
    for (const line of hits) {
      if (line.prompt || line.told) continue;
      if (line.clean.includes("'is_cuda_build'") || line.clean.includes("'cuda_version'"))
        readBuild(wholeLine(document, line).text, line, sink);
      const count = /\bNum GPUs Available: {1,4}(\d{1,4})\b/.exec(line.clean);
      if (count !== null) sink.add('framework.devices', Number(count[1]), line);
      const cudnn = cudnnRelease(/\bLoaded cuDNN version (\d{4,6})\b/.exec(line.clean)?.[1]);
      if (cudnn !== null) sink.add('cudnn.loaded', cudnn, line);
    }
  },
};

function readBuild(text: string, line: Line, sink: FactSink): void {
  const value = (key: string): string | undefined => {
    const at = text.indexOf(`'${key}': '`);
    if (at < 0) return undefined;
    const from = at + key.length + 5;
    const end = text.indexOf("'", from);
    return end < 0 || end - from > 40 ? undefined : text.slice(from, end);
  };
  const cuda = cudaToolkit(value('cuda_version'));
  if (cuda !== null) sink.add('toolkit.runtime', cuda, line);
  const cudnn = cudnnRelease(value('cudnn_version'));
  if (cudnn !== null) sink.add('cudnn.built-for', cudnn, line);
  const at = text.indexOf("'cuda_compute_capabilities': [");
  const end = at < 0 ? -1 : text.indexOf(']', at);
  const targets =
    end > 0 ? [...text.slice(at, end).matchAll(/(?:sm|compute)_\d{2,3}[af]?/g)].map((match) => match[0]) : [];
  if (targets.length > 0) sink.add('framework.arch-list', { name: 'tensorflow', targets }, line);
}

export const cupyConfig: Parser = {
  id: 'cupy-config',
  literals: [
    'cupy version',
    'cuda build version',
    'cuda runtime version',
    'cuda driver version',
    'nccl build version',
    'nccl runtime version',
    'cudnn build version',
    ' compute capability',
    'device 0 name',
    'cuda root',
  ],
  keep: { before: 2, after: 2 },
  parse(document, hits, sink) {
    for (const line of hits) {
      if (line.prompt || line.told) continue;
      const pair = keyValue(line.clean.trim());
      if (pair === null || pair.value === '') continue;
      readCupy(pair.key, pair.value, line, sink);
      if (pair.key !== 'CuPy Version') continue;
      const os = document.lines[line.index - 2] === undefined ? null : keyValue(document.lines[line.index - 2]!.clean);
      if (os?.key === 'OS') addPlatformText(os.value, document.lines[line.index - 2]!, sink);
    }
  },
};

function readCupy(key: string, value: string, line: Line, sink: FactSink): void {
  const plain = known(value);
  if (plain === null) return;
  switch (key) {
    case 'CuPy Version':
      sink.add('framework.version', { name: 'cupy', version: plain.split(' ')[0]! }, line);
      return;
    case 'CUDA Driver Version': {
      const cuda = /^(?:\d{4,5}|\d{1,2}\.\d)$/.test(plain) ? cudaMinor(plain) : null;
      if (cuda !== null) sink.add('driver.cuda', cuda, line);
      return;
    }
    case 'CUDA Build Version':
    case 'CUDA Runtime Version': {
      const linked = cudaMinor(/^(\d{4,5})\b/.exec(plain)?.[1]);
      if (linked !== null) sink.add('toolkit.runtime', linked, line);
      const local = cudaMinor(/\/ (\d{4,5}) \(locally installed\)/.exec(plain)?.[1]);
      if (local !== null) sink.add('toolkit.installed', local, line);
      return;
    }
    case 'cuDNN Build Version':
    case 'cuDNN Version': {
      const version = /^\d{4,6}$/.test(plain) ? cudnnRelease(plain) : null;
      if (version !== null) sink.add(key === 'cuDNN Version' ? 'cudnn.loaded' : 'cudnn.built-for', version, line);
      return;
    }
    case 'NCCL Runtime Version': {
      const version = ncclRelease(plain);
      if (version !== null) sink.add('nccl.version', version, line);
      return;
    }
    case 'NCCL Build Version': {
      const version = ncclRelease(plain);
      if (version !== null) sink.add('nccl.built-for', version, line);
      return;
    }
    case 'CUDA Root':
      if (plain.startsWith('/')) sink.add('env', { name: 'CUDA_PATH', value: plain }, line);
      return;
  }
  const name = /^Device \d{1,3} Name$/.test(key) ? gpuName(plain) : null;
  if (name !== null) sink.add('gpu.name', name, line);
  const cc = /^Device \d{1,3} Compute Capability$/.test(key) ? capability(plain) : null;
  if (cc !== null) sink.add('gpu.compute-capability', cc, line);
}

export const numbaInfo: Parser = {
  id: 'numba-info',
  literals: [
    '__cuda information__',
    '[supported]',
    '[not supported',
    'cuda device initialized',
    'compute capability:',
    'minor version compatibility',
  ],
  keep: { before: 0, after: 16 },
  parse(_document, hits, sink) {
    let needed: { value: boolean; line: Line } | null = null;
    for (const line of hits) {
      if (line.prompt || line.told) continue;
      const compatible = /^CUDA Minor Version Compatibility (Needed|In Use) {1,60}: (True|False)\b/.exec(line.clean);
      if (compatible !== null) {
        const value = compatible[2] === 'True';
        if (compatible[1] === 'Needed') needed = { value, line };
        else if (needed !== null)
          sink.add('numba.minor-version-compatibility', { needed: needed.value, used: value }, [needed.line, line]);
      }
      const device = /^id (\d{1,3})\s{1,30}b?'([^']{2,80})'\s{1,60}\[(SUPPORTED|NOT SUPPORTED)/.exec(line.clean.trim());
      if (device !== null) {
        const name = gpuName(device[2]);
        if (name !== null) sink.add('gpu.name', name, line);
      }
      const cc = /^\s{4,40}Compute Capability: (\d{1,2}\.\d)\s*$/.exec(line.clean);
      if (cc !== null) sink.add('gpu.compute-capability', cc[1]!, line);
      if (/^CUDA Device Initialized\s{1,60}: True\b/.test(line.clean))
        sink.add('works', { what: 'Numba initialised a CUDA device', layer: 'driver' }, line);
    }
  },
};
