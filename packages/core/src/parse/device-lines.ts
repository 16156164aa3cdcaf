// GPUs as programs name them when they start.
//
// Created device /job:localhost/replica:0/task:0/device:GPU:0 ... -> device: 0, name: Tesla T4, pci bus id: 0000:00:1e.0, compute capability: 7.5
// StreamExecutor device (0): NVIDIA A100-SXM4-40GB, Compute Capability 8.0
// _CudaDeviceProperties(name='NVIDIA GeForce RTX 3090', major=8, minor=6, total_memory=24259MB, multi_processor_count=82)
// Ultralytics YOLOv8.2.0 Python-3.10.12 torch-2.2.1+cu121 CUDA:0 (Tesla T4, 15102MiB)
// GPU available: True (cuda), used: True
// Device: cuda:0 NVIDIA GeForce RTX 4090 : cudaMallocAsync
// device: 0, GPU Compute Capability: 8.6, Driver API Version: 12.2, Runtime API Version: 11.8
// torch cuda version ............... 11.8
// #0: NVIDIA A100-SXM4-40GB, compute cap.: 8.0, ECC: yes, stat: compatible
import type { Line } from '../model/document.ts';
import type { FactSink, Parser } from './parser.ts';
import { addTorch } from './collect-env.ts';
import { gpuName } from './gpu-state.ts';
import { addArchitectures } from './python-print.ts';
import { capability, cudaMinor, cudnnRelease, fullDriverRelease } from './releases.ts';

type Read = (match: RegExpExecArray, line: Line, sink: FactSink) => void;

function device(name: string | undefined, cc: string | undefined, line: Line, sink: FactSink): void {
  const model = gpuName(name);
  if (model !== null) sink.add('gpu.name', model, line);
  const value = capability(cc);
  if (value !== null) sink.add('gpu.compute-capability', value, line);
}

function runtimes(driver: string | undefined, runtime: string | undefined, line: Line, sink: FactSink): void {
  const served = cudaMinor(driver);
  if (served !== null) sink.add('driver.cuda', served, line);
  const linked = cudaMinor(runtime);
  if (linked !== null) sink.add('toolkit.runtime', linked, line);
}

/** `12.20` of programs that print the integer version in two parts is 12.2. */
function padded(text: string | undefined): string | undefined {
  return text?.replace(/\.(\d)0$/, '.$1');
}

const lines: readonly (readonly [RegExp, Read])[] = [
  [
    /\bname: (.{2,60}?), pci bus id: \S{1,40}, compute capability: (\d{1,2}\.\d)/,
    (match, line, sink) => device(match[1], match[2], line, sink),
  ],
  [
    /\bpciBusID: \S{1,40} name: (.{2,60}?) computeCapability: (\d{1,2}\.\d)/,
    (match, line, sink) => device(match[1], match[2], line, sink),
  ],
  [
    /\bStreamExecutor device \(\d{1,3}\): (.{2,60}?), Compute Capability (\d{1,2}\.\d)/,
    (match, line, sink) => device(match[1], match[2], line, sink),
  ],
  [
    /_CudaDeviceProperties\(name='([^']{2,80})', major=(\d{1,2}), minor=(\d)/,
    (match, line, sink) => device(match[1], `${match[2]!}.${match[3]!}`, line, sink),
  ],
  [
    /\b(?:Ultralytics|YOLO)\S{0,20}.{0,80}?\btorch-(\d{1,2}\.\d[\w.+]{0,40})(?: CUDA:\d{1,2} \(([^(),]{2,60}), \d{1,7}Mi?B\)| (CPU))?/,
    (match, line, sink) => {
      addTorch(match[1]!, line, sink);
      if (match[2] !== undefined) {
        device(match[2], undefined, line, sink);
        sink.add('works', { what: 'torch uses a CUDA device', layer: 'framework' }, line);
      }
    },
  ],
  [
    /^GPU available: (True|False)(?: \((cuda|mps)\))?, used: (?:True|False)/,
    (match, line, sink) => {
      if (match[1] === 'False') sink.add('torch.cuda-available', false, line);
      else if (match[2] !== 'mps') {
        sink.add('torch.cuda-available', true, line);
        sink.add('works', { what: 'torch finds a GPU', layer: 'framework' }, line);
      }
    },
  ],
  [
    /^Device: cuda:\d{1,2} (.{2,60}?) : \w{3,30}\s{0,4}$/,
    (match, line, sink) => device(match[1], undefined, line, sink),
  ],
  [/^pytorch version: (\d{1,2}\.\d[\w.+]{0,40})$/i, (match, line, sink) => addTorch(match[1]!, line, sink)],
  [
    /\bGPU Compute Capability: (\d{1,2}\.\d), Driver API Version: (\d{1,2}\.\d), Runtime API Version: (\d{1,2}\.\d)/,
    (match, line, sink) => {
      device(undefined, match[1], line, sink);
      runtimes(match[2], match[3], line, sink);
    },
  ],
  [
    /\bdevice: \d{1,3}, cuDNN Version: (\d{1,2}\.\d{1,2})\b/,
    (match, line, sink) => {
      const version = cudnnRelease(match[1]);
      if (version !== null) sink.add('cudnn.loaded', version, line);
    },
  ],
  [/^torch version \.{2,60} (\d{1,2}\.\d[\w.+]{0,40})/, (match, line, sink) => addTorch(match[1]!, line, sink)],
  [
    /^(torch cuda|nvcc) version \.{2,60} (\d{1,2}\.\d{1,2})/,
    (match, line, sink) => {
      const cuda = cudaMinor(match[2]);
      if (cuda !== null) sink.add(match[1] === 'nvcc' ? 'toolkit.nvcc' : 'torch.cuda', cuda, line);
    },
  ],
  [
    /^deepspeed wheel compiled w\. \.{2,60} torch (\d{1,2}\.\d{1,2}), cuda (\d{1,2}\.\d{1,2})/,
    (match, line, sink) =>
      sink.add('package.built-for', { name: 'deepspeed', torch: match[1]!, cuda: match[2]! }, line),
  ],
  [
    /^shared memory \(\/dev\/shm\) size \.{2,60} (\d{1,9}(?:\.\d{1,3})?) (MB|GB)/,
    (match, line, sink) => sink.add('os.shm-mib', Math.round(Number(match[1]) * (match[2] === 'GB' ? 1024 : 1)), line),
  ],
  [
    /^\s{0,8}#\d{1,3}: (?:NVIDIA )?(NVIDIA .{2,60}?|Tesla .{1,40}?|GeForce .{2,40}?|Quadro .{1,40}?), compute cap\.: (\d{1,2}\.\d)/,
    (match, line, sink) => device(match[1], match[2], line, sink),
  ],
  [
    /^CUDA (driver|runtime): {1,20}(\d{1,2}\.\d{1,2})$/,
    (match, line, sink) => {
      const cuda = padded(match[2]);
      runtimes(match[1] === 'driver' ? cuda : undefined, match[1] === 'runtime' ? cuda : undefined, line, sink);
    },
  ],
  [
    // Julia's CUDA.versioninfo()
    /^CUDA (runtime|driver) (\d{1,2}\.\d{1,2})(?:\.\d{1,3})?(?:,|$)/,
    (match, line, sink) =>
      runtimes(match[1] === 'driver' ? match[2] : undefined, match[1] === 'runtime' ? match[2] : undefined, line, sink),
  ],
  [
    /^NVIDIA driver (\d{3}\.\d{1,3}(?:\.\d{1,3})?)(?:,|$)/,
    (match, line, sink) => {
      const release = fullDriverRelease(match[1]);
      if (release !== null) sink.add('driver.version', release, line);
    },
  ],
  [
    /^(?:\s{0,8}\d{1,3}: )?(NVIDIA .{2,60}?|Tesla .{1,40}?|Quadro .{1,40}?) \((sm_\d{2,3})[,)]/,
    (match, line, sink) => device(match[1], match[2], line, sink),
  ],
  [
    // bitsandbytes
    /\bHighest compute capability among GPUs detected: (\d{1,2}\.\d)/,
    (match, line, sink) => device(undefined, match[1], line, sink),
  ],
  [
    /\bCUDA SETUP: Detected CUDA version (\d{2,3})\b/,
    (match, line, sink) => {
      const cuda = cudaMinor(`cu${match[1]!}`);
      if (cuda !== null) sink.add('torch.cuda', cuda, line);
    },
  ],
  [
    // torch.__config__.show()
    /^\s{1,4}- CUDA Runtime (\d{1,2}\.\d{1,2})\s{0,4}$/,
    (match, line, sink) => {
      const cuda = cudaMinor(match[1]);
      if (cuda !== null) sink.add('torch.cuda', cuda, line);
    },
  ],
  [
    /^\s{1,4}- CuDNN (\d{1,2}\.\d{1,2}(?:\.\d{1,2})?)\b/,
    (match, line, sink) => {
      const version = cudnnRelease(match[1]);
      if (version !== null) sink.add('cudnn.loaded', version, line);
    },
  ],
  [
    /^\s{1,4}- NVCC architecture flags: (-gencode.{1,1800})$/,
    (match, line, sink) =>
      addArchitectures(
        [...match[1]!.matchAll(/code=((?:sm|compute)_\d{2,3}[af]?)/g)].map((each) => each[1]!).join(' '),
        line,
        sink,
      ),
  ],
  [
    // NAMD
    /\bbinding to CUDA device \d{1,3} on \S{1,80}: '([^']{2,60})' .{0,40}\bRev: (\d{1,2}\.\d)\b/,
    (match, line, sink) => device(match[1], match[2], line, sink),
  ],
];

export const deviceLines: Parser = {
  id: 'device-line',
  literals: [
    'compute capability',
    'computecapability',
    '_cudadeviceproperties',
    'torch-',
    'gpu available: ',
    'device: cuda:',
    'pytorch version:',
    'driver api version',
    'cudnn version:',
    'version ....',
    'compiled w. ....',
    '(/dev/shm) size',
    'compute cap.',
    'cuda driver',
    'cuda runtime',
    'nvidia driver ',
    ' (sm_',
    'detected cuda version',
    '- cudnn ',
    'nvcc architecture flags',
    'binding to cuda device',
  ],
  keep: { before: 0, after: 1 },
  parse(_document, hits, sink) {
    for (const line of hits) {
      if (line.prompt || line.told) continue;
      for (const [pattern, read] of lines) {
        const match = pattern.exec(line.clean);
        if (match !== null) read(match, line, sink);
      }
    }
  },
};

// $ nvidia-container-cli info
// NVRM version:   535.161.08
// CUDA version:   12.2
// Model:          Tesla T4
// Architecture:   7.5
export const containerCliInfo: Parser = {
  id: 'nvidia-container-cli',
  literals: ['nvrm version:'],
  keep: { before: 0, after: 14 },
  parse(document, hits, sink) {
    for (const hit of hits) {
      const release = fullDriverRelease(/^NVRM version: {1,8}(\d{3}\.[\d.]{1,12})$/.exec(hit.clean.trimEnd())?.[1]);
      if (release === null || hit.told) continue;
      sink.add('driver.version', release, hit);
      sink.add('driver.answers', true, hit);
      for (const line of document.lines.slice(hit.index + 1, hit.index + 200)) {
        if (line.prompt || line.told) break;
        const pair = /^(CUDA version|Model|Architecture): {1,16}(\S.{0,80})$/.exec(line.clean.trimEnd());
        if (pair === null) continue;
        if (pair[1] === 'Model') device(pair[2], undefined, line, sink);
        else if (pair[1] === 'Architecture') device(undefined, pair[2], line, sink);
        else runtimes(pair[2], undefined, line, sink);
      }
    }
  },
};
