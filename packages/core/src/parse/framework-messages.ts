// Versions that stand inside the messages of frameworks.
//
// The NVIDIA driver on your system is too old (found version 11040).
// PyTorch was compiled against (8, 3, 2) but found runtime version (8, 0, 3).
// Loaded runtime CuDNN library: 8.0.5 but source was compiled with: 8.1.0.
// The current PyTorch install supports CUDA capabilities sm_50 sm_60 sm_70.
// NVIDIA GeForce RTX 5060 Ti with CUDA capability sm_120 is not compatible with the current PyTorch installation.
// Found GPU0 NVIDIA GB10 which is of cuda capability 12.1. Minimum and Maximum cuda capability supported by this version of PyTorch is (8.0) - (12.0)
// ptxas application ptx input, line 9; fatal   : Unsupported .version 8.1; current version is '8.0'
// Version JAX was built against: 8907
//     PyTorch 2.10.0+cu128 with CUDA 1208 (you have 2.11.0+cu130)
// Device 0: NVIDIA GeForce RTX 3090, compute capability 8.6, VMM: yes
import type { Document, Line } from '../model/document.ts';
import type { FactSink, Parser } from './parser.ts';
import { addTorch } from './collect-env.ts';
import { gpuName } from './gpu-state.ts';
import { addDriverLibrary, libraryPath } from './loader.ts';
import { addArchitectures } from './python-print.ts';
import { capability, cudaMinor, cudnnRelease, fullDriverRelease } from './releases.ts';

type Reader = (match: RegExpExecArray, line: Line, sink: FactSink, document: Document) => void;

const messages: readonly (readonly [RegExp, Reader])[] = [
  [
    /driver on your system is too old \(found version (\d{4,5})\)/,
    (match, line, sink) => {
      const cuda = cudaMinor(match[1]);
      if (cuda !== null) sink.add('driver.cuda', cuda, line);
    },
  ],
  [
    /was compiled {1,2}against (\(\d{1,2}, ?\d{1,2}, ?\d{1,2}\)) but found runtime version (\(\d{1,2}, ?\d{1,2}, ?\d{1,2}\))/,
    (match, line, sink) => addCudnn(match[1]!, match[2]!, line, sink),
  ],
  [
    /Loaded runtime CuDNN library: (\d[\d.]{2,10}\d) but source was compiled with: (\d[\d.]{2,10}\d)/i,
    (match, line, sink) => addCudnn(match[2]!, match[1]!, line, sink),
  ],
  [
    /install supports CUDA capabilities ((?:(?:sm|compute)_\d{2,3}[af]? ?){1,60})/,
    (match, line, sink) => addArchitectures(match[1]!, line, sink),
  ],
  [
    /^(?:.{0,200}(?:UserWarning: ?|\s))?((?:NVIDIA|Tesla|GeForce|Quadro|TITAN|GRID) ?.{0,80}?) with CUDA capability sm_(\d{2,3}) is not compatible/,
    (match, line, sink) => {
      const name = gpuName(match[1]);
      if (name !== null) sink.add('gpu.name', name, line);
      const cc = capability(`sm_${match[2]!}`);
      if (cc !== null) sink.add('gpu.compute-capability', cc, line);
    },
  ],
  [
    /Found GPU\d{1,3} (.{2,80}?) which is of (?:cuda|compute) capability (?:\(CC\) )?(?:of )?(\d{1,2}\.\d)/i,
    (match, line, sink) => {
      const name = gpuName(match[1]);
      if (name !== null) sink.add('gpu.name', name, line);
      sink.add('gpu.compute-capability', match[2]!, line);
    },
  ],
  [
    /capability supported by this version of PyTorch is[\s:]{0,4}\(?(\d{1,2}\.\d)\)? ?- ?\(?(\d{1,2}\.\d)\)?/,
    (match, line, sink) => sink.add('torch.capability-range', `${match[1]!}-${match[2]!}`, line),
  ],
  [
    /minimum cuda capability supported by this library is (\d{1,2}\.\d)/i,
    (match, line, sink) => sink.add('torch.capability-range', `${match[1]!}-`, line),
  ],
  [
    /Unsupported \.version (\d\.\d{1,2}); current version is '(\d\.\d{1,2})'/,
    (match, line, sink) => {
      sink.add('toolkit.ptx-isa', match[1]!, line);
      sink.add('driver.ptx-isa', match[2]!, line);
    },
  ],
  [
    /expecting compute (\d{1,2}\.\d) got compute (\d{1,2}\.\d)/,
    (match, line, sink) => sink.add('gpu.compute-capability', match[1]!, line),
  ],
  [
    /\bVersion JAX was built against: (\d{4,6})\b/,
    (match, line, sink, document) => {
      if (!around(document, line, /cuDNN/i)) return;
      const version = cudnnRelease(match[1]);
      if (version !== null) sink.add('cudnn.built-for', version, line);
    },
  ],
  [
    /\bInstalled version: (\d{4,6})\b/,
    (match, line, sink, document) => {
      if (!around(document, line, /cuDNN/i)) return;
      const version = cudnnRelease(match[1]);
      if (version !== null) sink.add('cudnn.loaded', version, line);
    },
  ],
  [
    /PyTorch (\d{1,2}\.\d[\w.+]{0,40}) with CUDA (\d{3,4}) \(you have (\d{1,2}\.\d[\w.+]{0,40})\)/,
    (match, line, sink) => {
      const cuda = /^(\d{1,2})(\d{2})$/.exec(match[2]!);
      sink.add(
        'package.built-for',
        {
          name: 'xformers',
          torch: match[1]!,
          ...(cuda === null ? {} : { cuda: `${Number(cuda[1])}.${Number(cuda[2])}` }),
        },
        line,
      );
      addTorch(match[3]!, line, sink);
    },
  ],
  [
    /\b(\w[\w.-]{1,40}) (?:was|has been) (?:compiled|built) (?:for|with|against) (?:PyTorch|torch) (\d{1,2}\.\d[\w.+]{0,40})/i,
    (match, line, sink) => sink.add('package.built-for', { name: match[1]!.toLowerCase(), torch: match[2]! }, line),
  ],
  [
    /detected CUDA version \((\d{1,2}\.\d{1,2})\) mismatches the version that was used to compile\s{0,2}(?:PyTorch \((\d{1,2}\.\d{1,2})\))?/,
    (match, line, sink, document) => {
      const nvcc = cudaMinor(match[1]);
      if (nvcc !== null) sink.add('toolkit.nvcc', nvcc, line);
      const next =
        match[2] ?? /^\s{0,4}PyTorch \((\d{1,2}\.\d{1,2})\)/.exec(document.lines[line.index + 1]?.clean ?? '')?.[1];
      const torch = cudaMinor(next);
      if (torch !== null)
        sink.add('torch.cuda', torch, match[2] === undefined ? [line, document.lines[line.index + 1]!] : line);
    },
  ],
  [
    /\bx?\s?CUDA version (\d{1,2}\.\d{1,2}) is not compatible with .{1,80}\bRequired version: (\d{1,2}\.\d{1,2})/,
    (match, line, sink) => {
      const have = cudaMinor(match[1]);
      const wants = cudaMinor(match[2]);
      if (have !== null) sink.add('driver.cuda', have, line);
      if (wants !== null) sink.add('toolkit.runtime', wants, line);
    },
  ],
  [
    /\bDevice (?:\d{1,3}: )?(.{2,80}?) \(driver version CUDA (\d{1,2}\.\d{1,2})\), compute capability (\d{1,2}\.\d)/,
    (match, line, sink) => {
      const name = gpuName(match[1]);
      if (name !== null) sink.add('gpu.name', name, line);
      const cuda = cudaMinor(match[2]);
      if (cuda !== null) sink.add('driver.cuda', cuda, line);
      sink.add('gpu.compute-capability', match[3]!, line);
    },
  ],
  [
    // llama.cpp
    /^\s{0,4}Device \d{1,3}: (.{2,80}?), compute capability (\d{1,2}\.\d)(?:, VMM: \w{2,3})?/,
    (match, line, sink) => {
      const name = gpuName(match[1]);
      if (name !== null) sink.add('gpu.name', name, line);
      sink.add('gpu.compute-capability', match[2]!, line);
    },
  ],
  [
    /\blibrary=(\/\S{1,400}\/(libcuda\.so\S{0,30}))/,
    (match, line, sink) => {
      sink.add('loader.resolved', libraryPath('libcuda.so.1', match[1]!), line);
      addDriverLibrary(match[1]!, line, sink);
    },
  ],
  [
    /\bCompute Capability detected: (\d{1,2}\.\d)\b/,
    (match, line, sink) => sink.add('gpu.compute-capability', match[1]!, line),
  ],
  [
    // Ollama's structured log
    /\blibrary=cuda\b.{0,200}\bcompute=(\d{1,2}\.\d)\b/i,
    (match, line, sink) => {
      sink.add('gpu.compute-capability', match[1]!, line);
      const driver = cudaMinor(/\bdriver=(\d{1,2}\.\d{1,2})\b/.exec(line.clean)?.[1]);
      if (driver !== null) sink.add('driver.cuda', driver, line);
      const name = gpuName(/\b(?:name|description)="([^"]{2,80})"/.exec(line.clean)?.[1]);
      if (name !== null && !/^CUDA\d/.test(name)) sink.add('gpu.name', name, line);
    },
  ],
  [
    /\bmin(?:imum)? ?(?:driver|required driver) (?:version )?(?:is )?(\d{3}\.\d[\d.]{0,10}\d), (?:found|installed|got) (?:version )?(\d{3}\.\d[\d.]{0,10}\d)/i,
    (match, line, sink) => {
      const release = fullDriverRelease(match[2]);
      if (release !== null) sink.add('driver.version', release, line);
    },
  ],
  [
    /\bneeded? ?\(?.{0,30}\)?, found (\d{3}\.\d{1,3}\.\d{1,3})\b/,
    (match, line, sink) => {
      const release = fullDriverRelease(match[1]);
      if (release !== null) sink.add('driver.version', release, line);
    },
  ],
  [
    // TensorFlow on a module that differs from libcuda
    /\blibcuda reported version is: (\d{3}\.[\d.]{1,10})/,
    (match, line, sink) => {
      const release = fullDriverRelease(match[1]!.replace(/\.$/, ''));
      if (release !== null) sink.add('driver.library', release, line);
    },
  ],
  [
    /\bkernel reported version is: (\d{3}\.[\d.]{1,10})/,
    (match, line, sink) => {
      const release = fullDriverRelease(match[1]!.replace(/\.$/, ''));
      if (release !== null) sink.add('driver.module', release, line);
    },
  ],
  [
    /\bkernel version (\d{3}\.[\d.]{1,10}\d) does not match DSO version (\d{3}\.[\d.]{1,10}\d)/,
    (match, line, sink) => {
      const module = fullDriverRelease(match[1]);
      const library = fullDriverRelease(match[2]);
      if (module !== null) sink.add('driver.module', module, line);
      if (library !== null) sink.add('driver.library', library, line);
    },
  ],
  [
    /\bFabric Manager version is ?: (\d{3}\.\d{1,3}(?:\.\d{1,3})?)/i,
    (match, line, sink) =>
      sink.add('package', { name: 'nvidia-fabricmanager', version: match[1]!, manager: 'other' }, line),
  ],
  [
    /\binterface version (\d{3}\.\d{1,3}(?:\.\d{1,3})?) don'?t match with driver version (\d{3}\.\d{1,3}(?:\.\d{1,3})?)/,
    (match, line, sink) => {
      sink.add('package', { name: 'nvidia-fabricmanager', version: match[1]!, manager: 'other' }, line);
      const release = fullDriverRelease(match[2]);
      if (release !== null) sink.add('driver.version', release, line);
    },
  ],
  [
    // Entrypoints of vendor images
    /release requires (?:CUDA Driver release |NVIDIA Driver release )?(\d{3}(?:\.\d{1,3})?) or later/i,
    (match, line, sink) => sink.add('image.requirement', `driver>=${match[1]!}`, line),
  ],
  [
    /\bERROR: This container was built for NVIDIA Driver Release (\d{3}(?:\.\d{1,3})?) or later, but\s{0,2}version (\d{3}\.[\d.]{1,10}\d) was detected/,
    (match, line, sink) => {
      sink.add('image.requirement', `driver>=${match[1]!}`, line);
      const release = fullDriverRelease(match[2]);
      if (release !== null) sink.add('driver.version', release, line);
    },
  ],
  [
    /\bunsatisfied condition: ((?:cuda|driver|arch|brand)\s{0,2}(?:>=|<=|!=|=|>|<)\s{0,2}[\w.]{1,20})/,
    (match, line, sink) => sink.add('image.requirement', match[1]!.replaceAll(' ', ''), line),
  ],
  [
    /\bvLLM API server version (\d{1,2}\.\d[\w.+]{0,40})|\bInitializing an? (?:V1 )?LLM engine \(v(\d{1,2}\.\d[\w.+]{0,40})\)/,
    (match, line, sink) => sink.add('framework.version', { name: 'vllm', version: match[1] ?? match[2]! }, line),
  ],
  [
    /\bTensorRT (?:version|Version): {0,2}v?(\d{1,2}\.\d[\d.]{0,20})|\[TensorRT-LLM\] TensorRT-LLM version: (\d{1,2}\.\d[\w.]{0,20})/,
    (match, line, sink) =>
      sink.add(
        'framework.version',
        { name: match[1] === undefined ? 'tensorrt-llm' : 'tensorrt', version: match[1] ?? match[2]! },
        line,
      ),
  ],
  [
    /\bmajor and minor of the driver: (\d{1,2}\.\d)|\bcuda(?:Driver|_driver)[_ ]?version[=:]? {0,2}(\d{4,5})\b/i,
    (match, line, sink) => {
      const cuda = cudaMinor(match[1] ?? match[2]);
      if (cuda !== null) sink.add('driver.cuda', cuda, line);
    },
  ],
  [
    /\bfirmware: failed to load nvidia\/(\d{3}\.[\d.]{1,10}\d)\/|\bfailed to load firmware .{0,40}nvidia\/(\d{3}\.[\d.]{1,10}\d)\//,
    (match, line, sink) => {
      const release = fullDriverRelease(match[1] ?? match[2]);
      if (release !== null) sink.add('driver.module', release, line);
    },
  ],
];

function addCudnn(built: string, loaded: string, line: Line, sink: FactSink): void {
  const compiled = cudnnRelease(built);
  const runtime = cudnnRelease(loaded);
  if (compiled !== null) sink.add('cudnn.built-for', compiled, line);
  if (runtime !== null) sink.add('cudnn.loaded', runtime, line);
}

function around(document: Document, line: Line, pattern: RegExp): boolean {
  return document.lines.slice(Math.max(0, line.index - 5), line.index + 3).some((each) => pattern.test(each.clean));
}

export const frameworkMessages: Parser = {
  id: 'framework-message',
  literals: [
    'too old (found version',
    'found runtime version',
    'loaded runtime cudnn',
    'supports cuda capabilities',
    'with cuda capability sm_',
    'which is of cuda capability',
    'which is of compute capability',
    'capability supported by',
    'unsupported .version',
    'expecting compute',
    'jax was built against',
    'installed version:',
    '(you have ',
    'compiled for ',
    'built for ',
    'built with ',
    'compiled with ',
    'compiled against ',
    'built against ',
    'detected cuda version',
    'required version:',
    'driver version cuda',
    'compute capability',
    'library=cuda',
    'library=/',
    'capability detected',
    ', found ',
    'reported version is:',
    'does not match dso version',
    'or later',
    'unsatisfied condition',
    'fabric manager version is',
    'match with driver version',
    'vllm api server version',
    'llm engine (v',
    'tensorrt version',
    'tensorrt-llm version',
    'driverversion',
    'cuda_driver_version',
    'failed to load firmware',
    'firmware: failed to load',
  ],
  keep: { before: 2, after: 2 },
  parse(document, hits, sink) {
    for (const line of hits) {
      if (line.prompt || line.told) continue;
      for (const [pattern, read] of messages) {
        const match = pattern.exec(line.clean);
        if (match !== null) read(match, line, sink, document);
      }
      // The range stands on the line below in some releases.
      const range = /^\s{1,8}\((\d{1,2}\.\d)\) - \((\d{1,2}\.\d)\)/.exec(document.lines[line.index + 1]?.clean ?? '');
      if (range !== null && /capability supported by this version of PyTorch is\s*$/.test(line.clean)) {
        sink.add('torch.capability-range', `${range[1]!}-${range[2]!}`, [line, document.lines[line.index + 1]!]);
      }
    }
  },
};
