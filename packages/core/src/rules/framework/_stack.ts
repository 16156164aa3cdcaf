import type { Evidence } from '../../model/document.ts';
import type { Fact, FactId, SaidId } from '../../model/facts.ts';
import type { RuleContext } from '../../model/rule.ts';
import type { Gpu } from '../../compat/gpu-name.ts';
import { matchGpu, ofArchitecture } from '../../compat/gpu-name.ts';
import { tablesOf } from '../../compat/tables.ts';
import { parseComputeCapability, smNumber } from '../../versions/compute-capability.ts';
import type { CudaVersion } from '../../versions/cuda.ts';
import { parseCuda } from '../../versions/cuda.ts';
import { own, ownFirst, saidOf } from '../driver/_machine.ts';

// What the rules of the built stack (toolkit, cuDNN, NCCL, framework) ask about the program that failed.

export { byPrint, captured, own, ownFirst, saidOf, seenOf } from '../driver/_machine.ts';

/** A GPU and the fact that names it. */
export interface NamedGpu {
  readonly gpu: Gpu;
  readonly fact: Fact;
}

/** Reads `sm_120`, `8.6`, `(7, 5)`, `520`, `86` as a compute capability. */
export function capabilityNumber(text: string): number | null {
  const pair = /^\s{0,2}\(?(\d{1,2}), ?(\d)\)?$/.exec(text);
  if (pair !== null) return Number(pair[1]) * 10 + Number(pair[2]);
  const hundred = /^(\d{2})0$/.exec(text.trim());
  // ggml counts in hundreds: 520 is 5.2, 1200 is 12.0.
  if (hundred !== null && Number(hundred[1]) >= 30) return Number(hundred[1]);
  const thousand = /^(\d{3})0$/.exec(text.trim());
  if (thousand !== null) return Number(thousand[1]);
  const value = parseComputeCapability(text.trim().replace(/^(?:compute|lto)_/, 'sm_'));
  return value === null ? null : smNumber(value);
}

/** GPUs that these messages name, else those that the input names. */
export function gpusIn(context: RuleContext, messages: readonly Fact<SaidId>[]): readonly NamedGpu[] {
  const { gpus } = tablesOf(context.knowledge);
  const found: NamedGpu[] = [];
  const add = (gpu: Gpu | undefined, fact: Fact): void => {
    if (gpu !== undefined && !found.some((each) => each.gpu.sm === gpu.sm)) found.push({ gpu, fact });
  };
  const bySm = (text: string): Gpu | undefined => {
    const sm = capabilityNumber(text);
    const row = sm === null ? undefined : gpus.bySm.get(sm);
    return row === undefined ? undefined : ofArchitecture(row, text, gpus);
  };
  for (const fact of messages) {
    for (const name of ['cap', 'cc', 'have', 'arch']) {
      const text = fact.value.captures[name];
      if (text !== undefined) add(bySm(text), fact);
    }
    const name = fact.value.captures['gpu'] ?? fact.value.captures['name'];
    if (name !== undefined) add(matchGpu(name.trim(), gpus)[0], fact);
  }
  for (const fact of messages) {
    // A generation stands for all of its GPUs; beside a list of code it is the GPU's, alone it is a floor.
    const { family, archs } = fact.value.captures;
    if (family !== undefined && archs !== undefined) for (const gpu of matchGpu(family, gpus)) add(gpu, fact);
  }
  if (found.length > 0) return found;
  for (const fact of own(context, 'gpu.compute-capability')) add(bySm(fact.value), fact);
  for (const fact of own(context, 'gpu.name')) add(single(matchGpu(fact.value, gpus)), fact);
  // Nobody named the GPU that is there: the job got the one that it asked for.
  if (found.length === 0)
    for (const fact of own(context, 'job.gpu-type')) add(single(matchGpu(fact.value, gpus)), fact);
  return found;
}

function single(gpus: readonly Gpu[]): Gpu | undefined {
  return gpus.every((each) => each.sm === gpus[0]?.sm) ? gpus[0] : undefined;
}

/** A package that is installed, by its normalised name. */
export function packagesNamed(context: RuleContext, pattern: RegExp): readonly Fact<'package'>[] {
  return own(context, 'package').filter((fact) => pattern.test(fact.value.name));
}

/** CUDA releases that the program, its packages or the toolkits beside it are of, printed ones first. */
export function cudaReleases(context: RuleContext): readonly {
  readonly cuda: CudaVersion;
  readonly fact: Fact;
  readonly what: 'torch' | 'toolkit' | 'package' | 'path';
}[] {
  const found: { cuda: CudaVersion; fact: Fact; what: 'torch' | 'toolkit' | 'package' | 'path' }[] = [];
  const add = (text: string | null | undefined, fact: Fact, what: (typeof found)[number]['what']): void => {
    const cuda = text == null ? null : parseCuda(text);
    if (cuda !== null && cuda.major >= 7 && cuda.major < 40) found.push({ cuda, fact, what });
  };
  for (const fact of own(context, 'torch.cuda')) add(fact.value, fact, 'torch');
  for (const id of ['toolkit.nvcc', 'toolkit.installed', 'toolkit.runtime', 'image.cuda'] as const) {
    for (const fact of own(context, id)) add(fact.value, fact, 'toolkit');
  }
  for (const fact of own(context, 'package')) {
    const { name, version } = fact.value;
    const wheel = /-cu(?:da)?(\d{2})x?$/.exec(name);
    if (wheel !== null) add(wheel[1], fact, 'package');
    else if (
      /^nvidia-(?:cuda-runtime|cublas|cuda-nvrtc|nvjitlink)$|^(?:cuda-cudart|cuda-toolkit|cudatoolkit|cuda-version|libcublas)$/.test(
        name,
      )
    ) {
      add(/^\d{1,2}(?:\.\d{1,2})?/.exec(version)?.[0], fact, 'package');
    } else {
      const dpkg = /^cuda-(?:toolkit|cudart|libraries|nvcc|compiler)-(\d{1,2})-(\d{1,2})$/.exec(name);
      if (dpkg !== null) add(`${dpkg[1]}.${dpkg[2]}`, fact, 'toolkit');
    }
  }
  for (const fact of own(context, 'env')) {
    if (!/^(?:LD_LIBRARY_PATH|CUDA_HOME|CUDA_PATH|PATH)$/.test(fact.value.name)) continue;
    for (const match of fact.value.value.matchAll(/\/cuda[-/](\d{1,2}\.\d{1,2})/g)) add(match[1], fact, 'path');
  }
  for (const fact of own(context, 'file.exists')) {
    add(/\/cuda-(\d{1,2}\.\d{1,2})(?:\/|$)/.exec(fact.value)?.[1], fact, 'toolkit');
  }
  // What a person calls the machine's CUDA may be a toolkit or the driver's; of nvidia-smi it is the driver's.
  for (const fact of own(context, 'driver.cuda')) if (fact.told) add(fact.value, fact, 'path');
  return found.sort((a, b) => Number(a.fact.told) - Number(b.fact.told));
}

/** True for a file of a Python or conda package: what a framework brings along. */
export function isBundled(path: string): boolean {
  if (!path.startsWith('/')) return /(?:^|\/)(?:nvidia|torch|tensorflow|jaxlib)\//.test(path);
  return /\/(?:site|dist)-packages\/|\/torch\/lib\/|\/(?:mini|ana|mamba|micromamba)\w{0,12}\/|\/envs\/[^/]{1,80}\/lib\//.test(
    path,
  );
}

/** Where the loader found a library: what a loader tool resolved, else entries of the cache and files that exist. */
export function placesOf(
  context: RuleContext,
  soname: RegExp,
): readonly { readonly path: string; readonly fact: Fact; readonly resolved: boolean }[] {
  const found: { path: string; fact: Fact; resolved: boolean }[] = [];
  for (const fact of own(context, 'loader.resolved')) {
    const { path } = fact.value;
    if (path !== null && soname.test(path.slice(path.lastIndexOf('/') + 1))) found.push({ path, fact, resolved: true });
  }
  for (const fact of own(context, 'loader.cache')) {
    const { path } = fact.value;
    if (path !== null && soname.test(path.slice(path.lastIndexOf('/') + 1)))
      found.push({ path, fact, resolved: false });
  }
  for (const fact of own(context, 'file.exists')) {
    if (soname.test(fact.value.slice(fact.value.lastIndexOf('/') + 1)))
      found.push({ path: fact.value, fact, resolved: false });
  }
  return found.filter((each) => !each.path.includes('/stubs/'));
}

/** LD_LIBRARY_PATH (or LD_PRELOAD) with a folder that could bring its own copy of a CUDA library. */
export function libraryPathFact(context: RuleContext): Fact<'env'> | undefined {
  return own(context, 'env').find(
    (fact) =>
      /^(?:LD_LIBRARY_PATH|LD_PRELOAD)$/.test(fact.value.name) &&
      fact.value.value
        .split(':')
        .some(
          (folder) =>
            /cuda|cudnn|nccl|hpc_sdk|tensorrt|nvidia|\/lib(?:64)?$|\/lib\/x86_64-linux-gnu|\.so/i.test(folder) &&
            !isBundled(folder),
        ),
  );
}

/** Evidence of facts, the same line once, at most `most` lines. */
export function quote(most: number, ...facts: readonly (Fact | undefined)[]): readonly Evidence[] {
  const seen: Evidence[] = [];
  for (const fact of facts) {
    for (const each of fact?.seen.slice(0, 2) ?? []) if (!seen.includes(each) && seen.length < most) seen.push(each);
  }
  return seen;
}

/** The first printed fact of an id, else the first told one. */
export function leading<Id extends FactId>(context: RuleContext, id: Id): Fact<Id> | undefined {
  return ownFirst(context, id);
}

/** True when one of these messages was met. */
export function wasSaid(context: RuleContext, ...signatures: readonly string[]): boolean {
  return saidOf(context, ...signatures).length > 0;
}
