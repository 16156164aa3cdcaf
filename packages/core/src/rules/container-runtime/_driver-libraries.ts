import type { Fact } from '../../model/facts.ts';
import type { RuleContext } from '../../model/rule.ts';
import { container, own, said, variable } from './_container.ts';

// Which library of the driver a program misses, and on which side it is.

/** Capability of the container toolkit that brings a library (libnvidia-container, nvc_info.c). */
export function capabilityOf(library: string): 'compute' | 'utility' | 'video' | 'graphics' | null {
  if (/^lib(?:nvcuvid|nvidia-encode|nvidia-opticalflow|vdpau_nvidia)\b/.test(library)) return 'video';
  if (
    /^lib(?:nvidia-(?:eglcore|glcore|tls|glsi|fbc|rtcore|glvkspirv|cbl)|nvoptix|GLX_nvidia|EGL_nvidia|GLES\w{1,8}_nvidia)\b/.test(
      library,
    )
  )
    return 'graphics';
  if (/^libnvidia-(?:ml|cfg|nscq)\b/.test(library)) return 'utility';
  if (
    /^lib(?:cuda|cudadebugger|nvidia-(?:opencl|gpucomp|ptxjitcompiler|fatbinaryloader|allocator|compiler|pkcs11|nvvm|tileiras)[\w-]{0,20})\b/.test(
      library,
    )
  )
    return 'compute';
  return null;
}

export interface MissingLibrary {
  readonly symptom: Fact;
  /** File name without release: `libnvidia-nvvm.so.4`; undefined where only the error says that one is missing. */
  readonly library: string | undefined;
  readonly onHost: Fact | undefined;
  readonly inContainer: boolean;
  readonly absentOnHost: Fact | undefined;
  readonly inContainerPicture: boolean;
  /** Variable that leaves the library's capability out. */
  readonly capability: Fact<'env'> | undefined;
}

const driverLibrary = /^lib(?:nvidia-(?!ml\b)[\w-]{2,40}|nvcuvid|nvoptix|cudadebugger)\.so/;

/** A library of the driver other than libcuda and NVML that a program or the driver itself did not find. */
export function missingDriverLibraries(context: RuleContext): MissingLibrary | null {
  const jit = said(context, 'cuda-jit-compiler-not-found')[0];
  const named = said(context, 'driver-library-missing')[0];
  const unresolved = own(context, 'loader.resolved').find(
    (fact) => fact.value.path === null && driverLibrary.test(fact.value.soname),
  );
  const absent = own(context, 'file.absent').find(
    (fact) => driverLibrary.test(baseName(fact.value)) && fact.scope !== 'host',
  );
  // The container tool on the host misses a library of the host: no matter of what a container gets.
  const ofTool = (fact: Fact | undefined): boolean =>
    fact?.seen.some((each) => /nvidia-container|driver\.c:|nvc_/.test(each.text)) === true;
  if (ofTool(unresolved) || ofTool(named)) return null;
  const symptom: Fact | undefined = unresolved ?? named ?? jit ?? said(context, 'cuda-shared-object-symbol')[0];
  if (symptom === undefined) return null;
  const listed = own(context, 'file.exists').filter((fact) => driverLibrary.test(baseName(fact.value)));
  const hostAbsent = own(context, 'file.absent').find(
    (fact) => driverLibrary.test(baseName(fact.value)) && fact.scope === 'host',
  );
  const uncached = own(context, 'loader.cache-absent').find(
    (fact) => /nvvm|ptxjit|nvcuvid|nvoptix|nvidia-/.test(fact.value) && fact.scope !== 'container',
  );
  let library =
    unresolved?.value.soname ?? captured(named) ?? (absent === undefined ? undefined : baseName(absent.value));
  const stem = (name: string): string => name.split('.so')[0]!;
  const cached = own(context, 'loader.cache').filter((fact) => driverLibrary.test(fact.value.soname));
  const twoSides = [...listed, ...cached].some((fact) => fact.scope === 'host');
  const isInside = (fact: Fact): boolean => fact.scope === 'container' || (twoSides && fact.scope !== 'host');
  const inside = new Set(listed.filter((fact) => isInside(fact)).map((fact) => stem(baseName(fact.value))));
  const outside = listed.filter((fact) => !isInside(fact));
  let onHost: Fact<'file.exists'> | Fact<'loader.cache'> | undefined;
  if (library !== undefined) {
    const wanted = stem(library);
    onHost =
      outside.find((fact) => stem(baseName(fact.value)) === wanted) ??
      cached.find((fact) => !isInside(fact) && stem(fact.value.soname) === wanted);
  } else {
    // The error names no file: the one that the host lists and the container does not.
    onHost =
      inside.size === 0
        ? undefined
        : outside.find((fact) => fact.scope === 'host' && !inside.has(stem(baseName(fact.value))));
    if (onHost !== undefined)
      library = baseName(onHost.value).replace(/(\.so\.\d{1,2}|\.so)(?:\.\d{3}[\d.]{0,12})?$/, '$1');
  }
  const capabilities = variable(context, 'NVIDIA_DRIVER_CAPABILITIES');
  const needs = library === undefined ? 'compute' : capabilityOf(library);
  const lacks =
    capabilities !== undefined &&
    capabilities.value.value !== '' &&
    needs !== null &&
    !/\ball\b/.test(capabilities.value.value) &&
    !capabilities.value.value.split(',').includes(needs);
  return {
    symptom,
    library,
    onHost,
    inContainer: library !== undefined && inside.has(stem(library)),
    absentOnHost: onHost === undefined ? (hostAbsent ?? uncached) : undefined,
    inContainerPicture:
      container(context) !== undefined ||
      own(context, 'cdi.path').length > 0 ||
      [...listed, ...cached].some((fact) => isInside(fact)) ||
      symptom.scope === 'container',
    capability: lacks ? capabilities : undefined,
  };
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function captured(fact: Fact<`said.${string}`> | undefined): string | undefined {
  return fact?.value.captures['lib'] ?? fact?.value.captures['lib2'];
}
