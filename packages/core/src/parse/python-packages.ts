// Python and conda packages.
//
// $ pip list
// Package                  Version
// ------------------------ -------------
// torch                    2.7.1+cu126
// $ pip freeze
// torch @ https://download.pytorch.org/whl/cu126/torch-2.7.1%2Bcu126-cp311-cp311-manylinux_2_28_x86_64.whl
// nvidia-nccl-cu12==2.26.2
// $ conda list
// # packages in environment at /opt/conda/envs/train:
// # Name                    Version                   Build  Channel
// pytorch                   2.7.1           cuda126_mkl_py311_h6dd7a3d_300    conda-forge
// Versions of relevant libraries:
// [pip3] torch==2.7.1+cu126
// [conda] cudnn                     9.3.0.75             h93bb076_0    conda-forge
import type { Document, Line } from '../model/document.ts';
import type { Package } from '../model/facts.ts';
import type { FactSink, Parser } from './parser.ts';
import { blocksOf, filled, wholeLine } from './blocks.ts';
import { cudaMinor, cudaOfLocal } from './releases.ts';
import { words } from './values.ts';

/** Tables or documents of one kind that are read in one text; each is read over many lines. */
const mostTables = 40;

const version = /^\d[\w.!+-]{0,80}$/;

/** PEP 503: lower case, runs of `-`, `_` and `.` are one `-`. */
export function normalName(name: string): string {
  return name.toLowerCase().replaceAll(/[-_.]+/g, '-');
}

/** Frameworks whose version is a fact of its own, by package name. */
const frameworks: Readonly<Record<string, string>> = {
  tensorflow: 'tensorflow',
  'tensorflow-gpu': 'tensorflow',
  jax: 'jax',
  jaxlib: 'jaxlib',
  vllm: 'vllm',
  sglang: 'sglang',
  numba: 'numba',
  xformers: 'xformers',
  triton: 'triton',
  'pytorch-triton': 'triton',
  'flash-attn': 'flash-attn',
  tensorrt: 'tensorrt',
  'tensorrt-llm': 'tensorrt-llm',
  onnxruntime: 'onnxruntime',
  'onnxruntime-gpu': 'onnxruntime-gpu',
  transformers: 'transformers',
  deepspeed: 'deepspeed',
  bitsandbytes: 'bitsandbytes',
};

/** Adds a Python package and what follows from it: torch's version and the CUDA release in its local part. */
export function addPackage(found: Package, line: Line | readonly Line[], sink: FactSink, told?: boolean): void {
  const options = told === true ? { told: true } : undefined;
  sink.add('package', found, line, options);
  if (found.manager !== 'pip' && found.manager !== 'conda') return;
  if (found.name === 'torch' || (found.name === 'pytorch' && found.manager === 'conda')) {
    // Placeholders such as `1.x` name no release.
    if (/^\d{1,2}\.\d/.test(found.version)) sink.add('torch.version', found.version, line, options);
    const cuda = cudaOfLocal(found.version) ?? cudaOfBuild(found.build);
    if (cudaOfLocal(found.version) === null) sink.add('torch.cuda', null, line, options);
    else if (cuda !== undefined) sink.add('torch.cuda', cuda, line, options);
    return;
  }
  const framework = frameworks[found.name] ?? (/^cupy(?:-cuda\d{2,3}x?)?$/.test(found.name) ? 'cupy' : undefined);
  if (framework !== undefined)
    sink.add('framework.version', { name: framework, version: found.version }, line, options);
}

/** CUDA release in a conda build string: `cuda126_mkl_…`, `py3.9_cuda11.3_cudnn8.3.2_0`, `py39_cu113`; `cpu` is none. */
function cudaOfBuild(build: string | undefined): string | null | undefined {
  if (build === undefined) return undefined;
  const match = /(?:^|_)cu(?:da)?_?(\d{1,2}\.\d|\d{2,4})(?=_|\.|$)/.exec(build);
  if (match !== null) return cudaMinor(match[1]!.includes('.') ? match[1]! : `cu${match[1]!}`) ?? undefined;
  return /(?:^|_)cpu(?:_|$)/.test(build) ? null : undefined;
}

function pip(name: string, text: string): Package | null {
  const clean = decode(text.trim());
  if (!/^[A-Za-z0-9][\w.-]{0,100}$/.test(name) || !version.test(clean)) return null;
  return { name: normalName(name), version: clean, manager: 'pip' };
}

function decode(text: string): string {
  return text.replaceAll('%2B', '+').replaceAll('%2b', '+');
}

/** Reads `name==1.2`, `name @ https://…/name-1.2-cp311-….whl`, `name===1.2`. */
export function requirement(text: string): Package | null {
  const match = /^([A-Za-z0-9][\w.-]{0,100})={2,3}([^\s;,#]{1,80})/.exec(text);
  if (match !== null) return pip(match[1]!, match[2]!);
  const at = /^([A-Za-z0-9][\w.-]{0,100}) @ (\S{1,1000})/.exec(text);
  if (at === null) return null;
  const file = decode(at[2]!.split('#')[0]!);
  const wheel = /\/([A-Za-z0-9][\w.]{0,100})-([^-/]{1,80})-[^/]{1,200}\.whl$/.exec(file);
  return wheel === null ? null : pip(at[1]!, wheel[2]!);
}

const nameColumn = /^([A-Za-z0-9][\w.-]{0,100}) {1,120}(\d[\w.!+-]{0,80})(?: {1,60}(\S.{0,400}))?$/;

export const pipList: Parser = {
  id: 'pip-list',
  literals: ['----- -----', 'pip list', 'pip3 list', 'pip show', 'pip freeze', 'pip3 freeze', 'pip3 show'],
  keep: { before: 1, after: 400 },
  parse(document, hits, sink) {
    for (const hit of hits.slice(0, mostTables)) {
      if (
        /^-{4,200} -{4,200}(?: -{4,200})?$/.test(hit.clean.trimEnd()) &&
        /^Package {1,200}Version/.test(document.lines[hit.index - 1]?.clean ?? '')
      ) {
        readColumns(document, hit.index + 1, sink);
      }
    }
    for (const block of blocksOf(document)) {
      if (!/\b(?:pip3?|pip3?\.\d{1,2}|uv pip|pipx?) (?:list|freeze|show)\b/.test(block.command)) continue;
      // `pip show torch | grep Version` names the package in the command alone.
      let name: string | null = /\bshow ([A-Za-z][\w.-]{1,60})(?: {0,4}(?:\||2>|$))/.exec(block.command)?.[1] ?? null;
      for (const line of filled(block.output)) {
        const text = line.clean.trim();
        const key = /^(Name|Version): (\S{1,100})$/.exec(text);
        if (key?.[1] === 'Name') name = key[2]!;
        else if (key !== null && name !== null) addFound(pip(name, key[2]!), line, sink);
        else {
          const columns = nameColumn.exec(text);
          // `pip list | grep torch` has no header.
          addFound(
            requirement(text) ??
              (columns === null || /^(?:WARNING|ERROR|DEPRECATION)\b/.test(text)
                ? null
                : pip(columns[1]!, columns[2]!)),
            line,
            sink,
          );
        }
      }
    }
  },
};

function addFound(found: Package | null, line: Line, sink: FactSink): void {
  if (found !== null) addPackage(found, line, sink);
}

function readColumns(document: Document, from: number, sink: FactSink): void {
  for (let at = from; at < Math.min(document.lines.length, from + 3000); at++) {
    const line = document.lines[at]!;
    const match = nameColumn.exec(line.clean.trimEnd());
    if (line.prompt || line.clean.trim() === '') return;
    if (match !== null && !/^(?:WARNING|ERROR)/.test(line.clean)) addFound(pip(match[1]!, match[2]!), line, sink);
  }
}

/** What a project asks for is not what is installed. */
const pinFile =
  /\b(?:cat|head|less|grep|more|bat)\b.{0,200}(?:requirements|constraints|pyproject|setup\.|environment|Pipfile|\.lock|Dockerfile|\.ya?ml)/;

export const pipFreeze: Parser = {
  id: 'pip-freeze',
  literals: ['==', ' @ http', ' @ file:', '[pip3] ', '[pip] '],
  parse(_document, hits, sink) {
    for (const line of hits.slice(0, mostTables)) {
      if (line.prompt || line.told || pinFile.test(line.command ?? '')) continue;
      const text = line.clean.trim().replace(/^\[(?:pip|pip3|uv)\] {1,4}/, '');
      // A requirement in a pin file or in a sentence is not what is installed; a line of its own is a freeze.
      if (/^[A-Za-z0-9][\w.-]{0,100}(?:={2,3}[^\s;,#]{1,80}| @ \S{1,1000})$/.test(text))
        addFound(requirement(text), line, sink);
      else if (/^\[pip3?\]/.test(line.clean)) {
        const parts = words(text);
        if (parts.length === 2) addFound(pip(parts[0]!, parts[1]!), line, sink);
      }
    }
  },
};

export const pipJson: Parser = {
  id: 'pip-list-json',
  literals: ['"version":', '"version" :'],
  keep: { before: 0, after: 0 },
  parse(document, hits, sink) {
    for (const line of hits.slice(0, mostTables)) {
      if (!/"name"\s{0,2}:/.test(line.clean) || line.column > 1) continue;
      const { text } = wholeLine(document, line);
      for (const match of text.matchAll(
        /\{"name"\s{0,2}: {0,2}"([^"]{1,100})", {0,2}"version"\s{0,2}: {0,2}"([^"]{1,80})"/g,
      )) {
        addFound(pip(match[1]!, match[2]!), line, sink);
      }
    }
  },
};

export const condaList: Parser = {
  id: 'conda-list',
  literals: ['[conda] ', 'conda list', 'mamba list', '# packages in environment', '# name  '],
  keep: { before: 0, after: 400 },
  parse(document, hits, sink) {
    for (const hit of hits.slice(0, mostTables)) {
      if (hit.clean.startsWith('[conda] ')) readConda(hit.clean.slice(8), hit, sink);
      else if (/^# Name {2,60}Version/.test(hit.clean)) {
        for (let at = hit.index + 1; at < Math.min(document.lines.length, hit.index + 3000); at++) {
          const line = document.lines[at]!;
          if (line.prompt || line.clean.trim() === '') break;
          readConda(line.clean, line, sink);
        }
      }
    }
    for (const block of blocksOf(document)) {
      if (/\b(?:conda|mamba|micromamba) list\b/.test(block.command)) {
        for (const line of filled(block.output)) readConda(line.clean, line, sink);
      }
    }
  },
};

function readConda(text: string, line: Line, sink: FactSink): void {
  const [name, release, build, channel] = words(text);
  if (name === undefined || release === undefined || name.startsWith('#')) return;
  if (!/^[a-z0-9_][\w.-]{0,100}$/i.test(name) || !/^\d[\w.!+]{0,60}$/.test(release)) return;
  if (channel === 'pypi' || build === 'pypi_0' || build === 'pypi') {
    addPackage({ name: normalName(name), version: release, manager: 'pip' }, line, sink);
    return;
  }
  addPackage(
    { name: name.toLowerCase(), version: release, manager: 'conda', ...(build === undefined ? {} : { build }) },
    line,
    sink,
  );
}

/** `*.dist-info/METADATA`: headers up to the first empty line. */
export const wheelMetadata: Parser = {
  id: 'wheel-metadata',
  literals: ['metadata-version:'],
  keep: { before: 0, after: 60 },
  parse(document, hits, sink) {
    for (const hit of hits.slice(0, mostTables)) {
      if (!/^Metadata-Version: \d/.test(hit.clean)) continue;
      let name: string | null = null;
      for (let at = hit.index + 1; at < Math.min(document.lines.length, hit.index + 2000); at++) {
        const line = document.lines[at]!;
        const text = line.clean;
        if (text.trim() === '' || line.prompt) break;
        if (text.startsWith('Name: ')) name = text.slice(6).trim();
        else if (text.startsWith('Version: ') && name !== null) addFound(pip(name, text.slice(9)), line, sink);
        else if (text.startsWith('Requires-Dist: ') && name !== null) {
          const pin = /^Requires-Dist: (nvidia[\w.-]{1,80}|triton) ?\(?==([^\s;)]{1,60})/.exec(text);
          if (pin !== null)
            sink.add('package.pin', { by: normalName(name), name: normalName(pin[1]!), version: pin[2]! }, line);
        }
      }
    }
  },
};
