import type { Evidence } from '../../model/document.ts';
import type { Fact, FactId, SaidId } from '../../model/facts.ts';
import type { Certainty } from '../../model/layer.ts';
import type { RuleContext } from '../../model/rule.ts';
import type { Gpu } from '../../compat/gpu-name.ts';
import { matchGpu } from '../../compat/gpu-name.ts';
import { hostDriver } from '../../compat/host-driver.ts';
import type { HostDriver } from '../../compat/host-driver.ts';
import { tablesOf } from '../../compat/tables.ts';
import type { CudaVersion } from '../../versions/cuda.ts';
import { compareCudaMinor, parseCuda } from '../../versions/cuda.ts';

// What the rules of the driver ask about the machine that failed.

/** Facts of the machine that failed: not of a second machine that works, not from after a repair. */
export function own<Id extends FactId>(context: RuleContext, id: Id): readonly Fact<Id>[] {
  return context.all(id).filter((fact) => fact.scope !== 'other-host' && fact.scope !== 'after-fix');
}

export function ownFirst<Id extends FactId>(context: RuleContext, id: Id): Fact<Id> | undefined {
  return own(context, id)[0];
}

/** Facts of the host where the input tells host and container apart; else every one of the machine. */
export function ofHost<Id extends FactId>(context: RuleContext, id: Id): readonly Fact<Id>[] {
  const facts = own(context, id);
  const outside = facts.filter((fact) => fact.scope !== 'container' && fact.scope !== 'image');
  return outside.length > 0 ? outside : facts;
}

/** Recognised messages of the machine that failed, in the order of the ids asked for. */
export function saidOf(context: RuleContext, ...signatures: readonly string[]): readonly Fact<SaidId>[] {
  const bare = own(context, 'said.cuda-call-failed');
  return signatures.flatMap((signature) => {
    const code = codeOf[signature];
    const numbered = code === undefined ? [] : bare.filter((fact) => fact.value.captures['code'] === code);
    return [...own(context, `said.${signature}`), ...numbered];
  });
}

/** Numbers behind the messages that rules here ask for, where a program prints nothing else. */
const codeOf: Readonly<Record<string, string>> = {
  'cuda-initialization-error': '3',
  'cuda-stub-library': '34',
  'cuda-insufficient-driver': '35',
  'cuda-call-requires-newer-driver': '36',
  'cuda-devices-unavailable': '46',
  'cuda-no-device': '100',
  'cuda-invalid-kernel-image': '200',
  'cuda-exclusive-thread': '216',
  'cuda-unsupported-ptx-toolchain': '222',
  'cuda-system-driver-mismatch': '803',
  'cuda-forward-compat-unsupported-hw': '804',
  'cuda-unknown-error': '999',
};

/** A captured value of the first of these messages that has it. */
export function captured(
  facts: readonly Fact<SaidId>[],
  ...names: readonly string[]
): { readonly value: string; readonly fact: Fact<SaidId> } | undefined {
  for (const fact of facts) {
    for (const name of names) {
      const value = fact.value.captures[name];
      if (value !== undefined && value !== '') return { value, fact };
    }
  }
  return undefined;
}

export function seenOf(...facts: readonly (Fact | undefined)[]): readonly Evidence[] {
  return facts.flatMap((fact) => (fact === undefined ? [] : fact.seen));
}

/** `proved` if every fact was printed, else `likely`: what is only told proves nothing. */
export function byPrint(...facts: readonly (Fact | undefined)[]): Certainty {
  return facts.some((fact) => fact?.told === true) ? 'likely' : 'proved';
}

/** The driver of the machine: the module in memory, else what a tool reports, else the libraries. */
export interface Installed {
  readonly fact: Fact<FactId>;
  readonly text: string;
  readonly driver: HostDriver;
}

export function installedDriver(context: RuleContext): Installed | null {
  const windows = isWsl(context) || ownFirst(context, 'os.platform')?.value === 'windows';
  const tables = tablesOf(context.knowledge);
  for (const id of ['driver.module', 'driver.version', 'driver.library'] as const) {
    for (const fact of ofHost(context, id)) {
      const driver = hostDriver(fact.value, windows, tables);
      if (driver !== null) return { fact, text: fact.value, driver };
    }
  }
  return null;
}

/** The CUDA version that the host's driver serves: printed by the host, else by the table of branches. */
export function servedCuda(
  context: RuleContext,
): { readonly cuda: CudaVersion; readonly fact: Fact<FactId>; readonly printed: boolean } | null {
  for (const fact of ofHost(context, 'driver.cuda')) {
    const cuda = parseCuda(fact.value);
    if (cuda !== null) return { cuda, fact, printed: true };
  }
  const installed = installedDriver(context);
  return installed?.driver.serves == null
    ? null
    : { cuda: installed.driver.serves, fact: installed.fact, printed: false };
}

/** A CUDA version that the program brings, and what says so. */
export interface Wanted {
  readonly cuda: CudaVersion;
  readonly what: string;
  readonly fact: Fact<FactId>;
}

/**
 * CUDA versions that the program was built with, the one that counts most first: torch's own, the runtime that is
 * printed, the compiler of code that is linked at run time, the image's.
 */
export function wantedCuda(context: RuleContext): readonly Wanted[] {
  const wanted: Wanted[] = [];
  const add = (text: string | null | undefined, what: string, fact: Fact<FactId>): void => {
    const cuda = text == null ? null : parseCuda(text);
    if (cuda !== null && cuda.minor !== null && cuda.major >= 7) wanted.push({ cuda, what, fact });
  };
  for (const fact of own(context, 'torch.cuda')) add(fact.value, 'torch', fact);
  for (const fact of own(context, 'torch.version')) {
    const local = /\+(cu\d{2,3})\b/.exec(fact.value)?.[1];
    add(local, 'torch', fact);
  }
  for (const fact of own(context, 'toolkit.runtime')) add(fact.value, 'the CUDA runtime', fact);
  for (const fact of own(context, 'image.cuda')) add(fact.value, 'the image', fact);
  for (const fact of own(context, 'image.reference')) {
    add(
      /(?:^|\/)cuda:(\d{1,2}\.\d{1,2})/.exec(fact.value)?.[1] ??
        /[:-]cu(?:da)?-?(\d{1,2}\.\d{1,2})\b/.exec(fact.value)?.[1],
      'the image',
      fact,
    );
  }
  // Names that carry the CUDA major they are built for: its first release is the least that is asked for.
  for (const fact of own(context, 'package')) {
    const major =
      /^(?:cupy|cuda-python|cudf|cuml|cugraph|rmm|raft-dask|pylibraft|nx-cugraph|jax|dali|nvidia-dali).{0,16}?-?cuda?(1[1-9])(?:x|0)?(?:-plugin|-pjrt)?$/.exec(
        fact.value.name,
      )?.[1];
    if (major !== undefined) add(`${major}.0`, fact.value.name, fact);
  }
  for (const fact of own(context, 'package')) {
    const { name, version } = fact.value;
    if (
      name === 'nvidia-cuda-runtime-cu11' ||
      name === 'nvidia-cuda-runtime-cu12' ||
      name === 'nvidia-cuda-runtime' ||
      name === 'cuda-cudart' ||
      name === 'cudatoolkit'
    ) {
      add(/^\d{1,2}\.\d{1,2}/.exec(version)?.[0], `${name} ${version}`, fact);
    }
  }
  return wanted;
}

/** Is `a` newer than `b` by major and minor? Null where the minor is not known. */
export function newer(a: CudaVersion, b: CudaVersion): boolean | null {
  const order = compareCudaMinor(a, b);
  return order === null ? null : order > 0;
}

/** GPUs of the machine by their printed names. */
export function gpusOf(context: RuleContext): readonly { readonly fact: Fact<FactId>; readonly gpu: Gpu }[] {
  const tables = tablesOf(context.knowledge);
  const found: { fact: Fact<FactId>; gpu: Gpu }[] = [];
  for (const fact of own(context, 'gpu.name')) {
    const [gpu] = matchGpu(fact.value, tables.gpus);
    if (gpu !== undefined) found.push({ fact, gpu });
  }
  return found;
}

export function isWsl(context: RuleContext): boolean {
  return (
    own(context, 'os.platform').some((fact) => fact.value === 'wsl') ||
    saidOf(context, 'wsl-kernel', 'nvml-blocked-by-os').length > 0
  );
}

/** The lines that show that this Linux runs in WSL. */
export function wslFacts(context: RuleContext): readonly Fact[] {
  return [
    ...own(context, 'os.platform').filter((fact) => fact.value === 'wsl'),
    ...saidOf(context, 'wsl-kernel', 'nvml-blocked-by-os'),
  ];
}

/** The program sees the GPU: then what a table forbids works all the same. */
export function works(context: RuleContext): boolean {
  return (
    own(context, 'works').some((fact) => !fact.told) || own(context, 'torch.cuda-available').some((fact) => fact.value)
  );
}

/** The framework says that it sees no GPU. */
export function noGpuSeen(context: RuleContext): Fact | undefined {
  return own(context, 'torch.cuda-available').find((fact) => !fact.value);
}

/** Messages of nvidia-smi, NVML and CUDA that say no more than that the kernel module does not answer. */
export const moduleAway: readonly string[] = [
  'persistenced-no-devices',
  'smi-couldnt-communicate',
  'nvml-driver-not-loaded',
  'nvidia-module-load-failed',
  'tf-no-kernel-module',
];

/** Modules printed as loaded. */
export function loadedModules(context: RuleContext): {
  readonly names: ReadonlySet<string>;
  readonly facts: readonly Fact<'modules.loaded'>[];
} {
  const facts = ofHost(context, 'modules.loaded');
  return { names: new Set(facts.flatMap((fact) => fact.value.map(moduleName))), facts };
}

/** Modules that were looked for and are not loaded. */
export function absentModules(context: RuleContext): {
  readonly names: ReadonlySet<string>;
  readonly facts: readonly Fact<'modules.absent'>[];
} {
  const facts = ofHost(context, 'modules.absent');
  return { names: new Set(facts.flatMap((fact) => fact.value.map(moduleName))), facts };
}

function moduleName(name: string): string {
  return name.replaceAll('-', '_');
}
