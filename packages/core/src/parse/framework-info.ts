// What libraries and local runners say of themselves.
//
// $ python -m xformers.info
// xFormers 0.0.22.post7+cu118
// memory_efficient_attention.cutlassF:               unavailable
// swiglu.fused.p.cpp:                                not built
// pytorch.version:                                   2.0.1+cu118
// pytorch.cuda:                                      available
// gpu.compute_capability:                            6.0
// build.cuda_version:                                1108
// build.torch_version:                               2.1.0+cu118
// $ python -m bitsandbytes
// CUDA specs: CUDASpecs(highest_compute_capability=(8, 9), cuda_version_string='124', cuda_version_tuple=(12, 4))
// PyTorch settings found: CUDA_VERSION=124, Highest Compute Capability: (8, 9).
// $ ollama serve
// level=INFO source=types.go:42 msg="inference compute" id=GPU-7d1f library=CUDA compute=8.9 name=CUDA0 description="NVIDIA GeForce RTX 4090" driver=12.4
// load_tensors: offloaded 20/33 layers to GPU
import type { Line } from '../model/document.ts';
import type { FactSink, Parser } from './parser.ts';
import { addAvailable, addTorch } from './collect-env.ts';
import { gpuName } from './gpu-state.ts';
import { capability, cudaMinor } from './releases.ts';

/** `124`, `1108` or `12040` as `12.4`, `11.8`, `12.4`. */
function packedCuda(text: string): string | null {
  if (/^\d{3}$/.test(text)) return cudaMinor(`${text.slice(0, 2)}.${text.slice(2)}`);
  if (/^\d{4}$/.test(text)) return cudaMinor(`${text.slice(0, 2)}.${Number(text.slice(2))}`);
  return null;
}

export const xformersInfo: Parser = {
  id: 'xformers-info',
  literals: [
    'memory_efficient_attention.',
    'xformers 0',
    'swiglu.',
    'build.torch_version',
    'build.cuda_version',
    'pytorch.version:',
    'gpu.compute_capability:',
    'gpu.name:',
    'pytorch.cuda:',
    'sp24.',
  ],
  keep: { before: 1, after: 1 },
  parse(_document, hits, sink) {
    let cuda: { value: string; line: Line } | null = null;
    let torch: { value: string; line: Line } | null = null;
    for (const line of hits) {
      if (line.prompt || line.told) continue;
      const version = /^xFormers (\d[\w.+]{1,60})\s*$/.exec(line.clean)?.[1];
      if (version !== undefined) sink.add('package', { name: 'xformers', version, manager: 'other' }, line);
      const match = /^([a-z][\w.]{2,60}(?:@[\w.+-]{1,30})?(?:-pt)?):\s{1,60}(\S.{0,80})$/.exec(line.clean.trimEnd());
      if (match === null) continue;
      const [, key, value] = match as unknown as [string, string, string];
      if (/^(?:memory_efficient_attention|swiglu|sp24|indexing|sequence_parallel_fused)\./.test(key)) {
        const state = { available: 'available', unavailable: 'unavailable', 'not built': 'not-built' }[value];
        if (state !== undefined)
          sink.add('framework.feature', { name: 'xformers', feature: key, state: state as 'available' }, line);
      } else if (key === 'pytorch.version') addTorch(value, line, sink);
      else if (key === 'pytorch.cuda') addAvailable(value === 'available' ? 'True' : 'False', line, sink);
      else if (key === 'gpu.compute_capability') {
        const cc = capability(value);
        if (cc !== null) sink.add('gpu.compute-capability', cc, line);
      } else if (key === 'gpu.name') {
        const name = gpuName(value);
        if (name !== null) sink.add('gpu.name', name, line);
      } else if (key === 'build.cuda_version') {
        const release = packedCuda(value);
        if (release !== null) cuda = { value: release, line };
      } else if (key === 'build.torch_version') torch = { value, line };
    }
    if (cuda !== null || torch !== null)
      sink.add(
        'package.built-for',
        {
          name: 'xformers',
          ...(torch === null ? {} : { torch: torch.value }),
          ...(cuda === null ? {} : { cuda: cuda.value }),
        },
        [torch, cuda].flatMap((each) => (each === null ? [] : [each.line])),
      );
  },
};

export const bitsandbytesInfo: Parser = {
  id: 'bitsandbytes-info',
  literals: ['cudaspecs(', 'pytorch settings found', 'cuda setup: highest', 'cuda setup: detected'],
  keep: { before: 0, after: 0 },
  parse(_document, hits, sink) {
    for (const line of hits) {
      if (line.prompt || line.told) continue;
      const cc =
        /highest_compute_capability=\((\d{1,2}), (\d)\)/.exec(line.clean) ??
        /Highest Compute Capability: \((\d{1,2}), (\d)\)/.exec(line.clean) ??
        /Highest compute capability among GPUs detected: (\d{1,2})\.(\d)/.exec(line.clean);
      if (cc !== null) sink.add('gpu.compute-capability', `${cc[1]!}.${cc[2]!}`, line);
      const torch = packedCuda(/\bPyTorch settings found: CUDA_VERSION=(\d{3,4})\b/.exec(line.clean)?.[1] ?? '');
      if (torch !== null) sink.add('torch.cuda', torch, line);
    }
  },
};

function field(text: string, name: string): string | null {
  const at = text.indexOf(` ${name}=`);
  if (at < 0) return null;
  const rest = text.slice(at + name.length + 2, at + name.length + 202);
  return /^"([^"]{0,200})"/.exec(rest)?.[1] ?? /^[^\s"]{1,200}/.exec(rest)?.[0] ?? null;
}

export const localRunners: Parser = {
  id: 'local-runner',
  literals: ['inference compute', 'layers to gpu', 'offloaded '],
  keep: { before: 0, after: 0 },
  parse(_document, hits, sink) {
    for (const line of hits) {
      if (line.prompt || line.told) continue;
      if (line.clean.includes('msg="inference compute"')) readCompute(line, sink);
      const offload = /\boffloaded (\d{1,4})\/(\d{1,4}) layers to GPU\b/.exec(line.clean);
      if (offload !== null) sink.add('framework.offload', { layers: Number(offload[1]), of: Number(offload[2]) }, line);
    }
  },
};

function readCompute(line: Line, sink: FactSink): void {
  const text = ` ${line.clean}`;
  const library = field(text, 'library');
  if (library === null) return;
  const named = gpuName(field(text, 'description') ?? field(text, 'name') ?? undefined);
  const device = named !== null && !/^(?:CUDA|ROCm|Vulkan|Metal)\d{0,3}$/.test(named) ? named : null;
  sink.add('framework.compute', { name: 'ollama', library: library.toLowerCase(), device }, line);
  if (!/^cuda/i.test(library)) return;
  if (device !== null) sink.add('gpu.name', device, line);
  const cc = capability(field(text, 'compute'));
  if (cc !== null) sink.add('gpu.compute-capability', cc, line);
  const served = cudaMinor(field(text, 'driver'));
  if (served !== null) sink.add('driver.cuda', served, line);
}
