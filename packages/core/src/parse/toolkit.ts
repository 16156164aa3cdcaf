// The CUDA toolkit and its compilers.
//
// $ nvcc --version
// nvcc: NVIDIA (R) Cuda compiler driver
// Cuda compilation tools, release 12.6, V12.6.85
// $ cat /usr/local/cuda/version.json
// {
//    "cuda" : {
//       "name" : "CUDA SDK",
//       "version" : "12.4.1"
//    },
// $ cat /usr/local/cuda/version.txt
// CUDA Version 10.2.89
// -- The CUDA compiler identification is NVIDIA 12.4.131
// -- Found CUDAToolkit: /usr/local/cuda/include (found version "12.4.131")
// gcc (Ubuntu 11.4.0-1ubuntu1~22.04) 11.4.0
import type { Parser } from './parser.ts';
import { cudaMinor, cudaToolkit } from './releases.ts';
import { blocksOf, filled } from './blocks.ts';

export const nvcc: Parser = {
  id: 'nvcc',
  literals: [
    'cuda compilation tools',
    'compiler identification is nvidia',
    'found cuda',
    'got cuda version',
    'built against cuda',
    'cuda_home',
  ],
  parse(_document, hits, sink) {
    for (const line of hits) {
      if (line.prompt || line.told) continue;
      const text = line.clean;
      const release =
        /Cuda compilation tools, release (\d{1,2}\.\d{1,2})/.exec(text)?.[1] ??
        /CUDA compiler identification is NVIDIA (\d{1,2}\.\d{1,2})/.exec(text)?.[1];
      const nvccCuda = cudaMinor(release);
      if (nvccCuda !== null) {
        sink.add('toolkit.nvcc', nvccCuda, line);
        continue;
      }
      const found =
        /Found CUDA(?:Toolkit)?: \S{1,300} \(found (?:suitable )?(?:exact )?version "(\d{1,2}\.\d{1,2})/.exec(
          text,
        )?.[1] ?? /\bgot cuda version (\d{1,2}\.\d{1,2})\b/i.exec(text)?.[1];
      const installed = cudaMinor(found);
      if (installed !== null) sink.add('toolkit.installed', installed, line);
      const built = cudaMinor(/\bbuilt against CUDA (\d{1,2}\.\d{1,2})\b/i.exec(text)?.[1]);
      if (built !== null) sink.add('toolkit.runtime', built, line);
    }
  },
};

export const toolkitVersionFile: Parser = {
  id: 'cuda-version-file',
  literals: ['"cuda sdk"', 'cuda version 1', 'cuda version 9', 'cuda version 8'],
  keep: { before: 1, after: 2 },
  parse(document, hits, sink) {
    for (const hit of hits) {
      if (hit.prompt || hit.told) continue;
      const text = /^CUDA Version (\d{1,2}\.\d{1,2}\.\d{1,4})\s*$/.exec(hit.clean);
      const plain = cudaToolkit(text?.[1]);
      if (plain !== null) sink.add('toolkit.installed', plain, hit);
      if (!hit.clean.includes('"CUDA SDK"')) continue;
      for (const line of document.lines.slice(hit.index, hit.index + 3)) {
        const version = cudaToolkit(/"version"\s{0,4}:\s{0,4}"(\d[\d.]{1,20})"/.exec(line.clean)?.[1]);
        if (version === null) continue;
        sink.add('toolkit.installed', version, line);
        break;
      }
    }
  },
};

export const hostCompiler: Parser = {
  id: 'host-compiler',
  literals: ['gcc', 'g++', 'clang', 'c compiler identification', 'cxx compiler identification'],
  parse(document, hits, sink) {
    for (const line of hits) {
      if (line.prompt || line.told || line.clean.length > 300) continue;
      const text = line.clean;
      const gcc =
        /^(?:x86_64-linux-gnu-)?(?:gcc|g\+\+|c\+\+)(?:-\d{1,2})? \([^)]{1,80}\) (\d{1,2}\.\d{1,2}\.\d{1,2})/.exec(
          text,
        )?.[1] ??
        /^gcc version (\d{1,2}\.\d{1,2}\.\d{1,2})/.exec(text)?.[1] ??
        /\bC(?:XX)? compiler identification is GNU (\d{1,2}\.\d{1,2}\.\d{1,2})/.exec(text)?.[1] ??
        /^GCC version\s{0,20}: \([^)]{1,80}\) (\d{1,2}\.\d{1,2}\.\d{1,2})/.exec(text)?.[1];
      if (gcc !== undefined) sink.add('toolkit.host-compiler', `gcc ${gcc}`, line);
      const clang =
        /^(?:\w{1,12} )?clang version (\d{1,2}\.\d{1,2}\.\d{1,2})/.exec(text)?.[1] ??
        /\bC(?:XX)? compiler identification is Clang (\d{1,2}\.\d{1,2}\.\d{1,2})/.exec(text)?.[1];
      if (clang !== undefined) sink.add('toolkit.host-compiler', `clang ${clang}`, line);
    }
    for (const block of blocksOf(document)) {
      if (!/^(?:gcc|g\+\+)(?:-\d{1,2})? -dump(?:full)?version/.test(block.command)) continue;
      const line = filled(block.output)[0];
      const version = line === undefined ? null : /^\d{1,2}(?:\.\d{1,2}){0,2}$/.exec(line.clean.trim());
      if (line !== undefined && version !== null) sink.add('toolkit.host-compiler', `gcc ${version[0]}`, line);
    }
  },
};

// Detected 1 CUDA Capable device(s)
// Device 0: "NVIDIA H100 80GB HBM3"
//   CUDA Driver Version / Runtime Version          12.8 / 12.4
//   CUDA Capability Major/Minor version number:    9.0
// Result = PASS
export const cudaSamples: Parser = {
  id: 'cuda-samples',
  literals: [
    'cuda driver version / runtime version',
    'cuda capability major',
    'cuda capable device',
    'device 0: ',
    'device 1: ',
    'ggml_cuda_init',
    ', compute capability ',
  ],
  keep: { before: 2, after: 2 },
  parse(_document, hits, sink) {
    for (const line of hits) {
      if (line.prompt || line.told) continue;
      const text = line.clean;
      const pair = /CUDA Driver Version \/ Runtime Version\s{1,20}(\d{1,2}\.\d{1,2}) \/ (\d{1,2}\.\d{1,2})/.exec(text);
      if (pair !== null) {
        const driver = cudaMinor(pair[1]);
        const runtime = cudaMinor(pair[2]);
        if (driver !== null) sink.add('driver.cuda', driver, line);
        if (runtime !== null) sink.add('toolkit.runtime', runtime, line);
        continue;
      }
      const capability =
        /CUDA Capability Major\/Minor version number:\s{1,10}(\d{1,2}\.\d)\b/.exec(text)?.[1] ??
        /\bcompute capability:? (\d{1,2}\.\d)\b/i.exec(text)?.[1];
      if (capability !== undefined) sink.add('gpu.compute-capability', capability, line);
      const count =
        /^Detected (\d{1,4}) CUDA Capable device/.exec(text)?.[1] ??
        /\bfound (\d{1,3}) CUDA devices\b/i.exec(text)?.[1];
      if (count !== undefined) sink.add('framework.devices', Number(count), line);
      const name =
        /^\s{0,6}Device {1,2}\d{1,3}: "?((?:NVIDIA|Tesla|Quadro|GeForce|GRID|TITAN|A\d|H\d|RTX|GTX|Orin)[^",]{0,80})"?(?:,|\s*$)/.exec(
          text,
        )?.[1];
      if (name !== undefined) sink.add('gpu.name', name.trim(), line);
    }
  },
};

// $ grep CUDNN_MAJOR -A 2 /usr/include/cudnn_version.h
// #define CUDNN_MAJOR 8
// #define CUDNN_MINOR 0
// #define CUDNN_PATCHLEVEL 5
export const cudnnHeader: Parser = {
  id: 'cudnn-header',
  literals: ['define cudnn_major'],
  keep: { before: 1, after: 4 },
  parse(document, hits, sink) {
    for (const hit of hits) {
      const part = (name: string): string | undefined =>
        document.lines
          .slice(hit.index, hit.index + 4)
          .map((line) => new RegExp(`define CUDNN_${name} (\\d{1,3})\\b`).exec(line.clean)?.[1])
          .find((value) => value !== undefined);
      const [major, minor, patch] = [part('MAJOR'), part('MINOR'), part('PATCHLEVEL')];
      if (major === undefined || minor === undefined || patch === undefined) continue;
      const path = /(\/\S{1,300}\/cudnn(?:_version)?(?:_v\d)?\.h)\b/.exec(hit.command ?? hit.clean)?.[1] ?? null;
      sink.add(
        'cudnn.file',
        { soname: 'cudnn_version.h', path, version: `${major}.${minor}.${patch}` },
        document.lines.slice(hit.index, hit.index + 3),
      );
    }
  },
};
