import type { Evidence } from '../../model/document.ts';
import type { Fact, FactId, SaidId } from '../../model/facts.ts';
import type { Missing, RuleContext } from '../../model/rule.ts';

// What the rules of containers and images ask about the container that failed and the host below it.

/** Facts of the machine that failed: not of a second machine that works, not from after a repair. */
export function own<Id extends FactId>(context: RuleContext, id: Id): readonly Fact<Id>[] {
  return context.all(id).filter((fact) => fact.scope !== 'other-host' && fact.scope !== 'after-fix');
}

/** Facts that do not come from the host's side. */
export function inside<Id extends FactId>(context: RuleContext, id: Id): readonly Fact<Id>[] {
  return own(context, id).filter((fact) => fact.scope !== 'host');
}

/** Recognised messages of the machine that failed. */
export function said(context: RuleContext, ...signatures: readonly string[]): readonly Fact<SaidId>[] {
  return signatures.flatMap((signature) => own(context, `said.${signature}`));
}

export function seen(...facts: readonly (Fact | undefined)[]): readonly Evidence[] {
  return facts.flatMap((fact) => (fact === undefined ? [] : fact.seen.slice(0, 3)));
}

/** `proved` if every fact was printed, else `likely`: what is only told proves nothing. */
export function byPrint(...facts: readonly (Fact | undefined)[]): 'proved' | 'likely' {
  return facts.some((fact) => fact?.told === true) ? 'likely' : 'proved';
}

/** A captured value of the first message that has one under one of these names. */
export function capture(facts: readonly Fact<SaidId>[], ...names: readonly string[]): string | undefined {
  for (const fact of facts) {
    for (const name of names) {
      const value = fact.value.captures[name];
      if (value !== undefined && value !== '') return value;
    }
  }
  return undefined;
}

/** Messages by which programs say that they find no driver or no GPU. */
export const noGpuMessages = [
  'said.pt-no-driver',
  'said.pt-no-gpus-available',
  'said.cuda-no-device',
  'said.cuda-insufficient-driver',
  'said.cuda-unknown',
  'said.ld-missing-libcuda',
  'said.nvml-library-not-found',
  'said.smi-not-found',
  'said.smi-couldnt-communicate',
  'said.smi-no-devices-found',
  'said.nvml-driver-not-loaded',
  'said.tf-no-cuda-drivers',
  'said.triton-libcuda-not-found',
  'said.triton-active-drivers',
  'said.numba-driver-not-found',
  'said.ggml-no-devices',
  'said.ggml-init-failed',
  'said.vllm-infer-device',
  'said.trt-cuda-init',
  'said.k8s-plugin-no-toolkit',
  'said.k8s-plugin-no-devices',
  'said.cuda-shared-object-symbol',
  'said.image-finds-no-driver',
] as const;

/** What shows that no GPU or no driver is found: messages, an unresolved libcuda, a framework's own answer. */
export function noGpu(context: RuleContext): readonly Fact[] {
  const messages = said(context, ...noGpuMessages.map((id) => id.slice('said.'.length))).filter(
    (fact) => fact.scope !== 'host',
  );
  return [
    ...messages,
    ...inside(context, 'loader.resolved').filter(
      (fact) => fact.value.path === null && /^lib(?:cuda|nvidia-ml)\.so/.test(fact.value.soname),
    ),
    ...inside(context, 'torch.cuda-available').filter((fact) => !fact.value),
    ...inside(context, 'framework.devices').filter((fact) => fact.value === 0),
  ];
}

/** What every missing GPU makes frameworks say; consequences of a rule that names the reason. */
export const noGpuConsequences: readonly string[] = [
  ...noGpuMessages,
  'said.pt-*',
  'said.tf-*',
  'said.jax-*',
  'said.vllm-*',
  'said.nvml-*',
  'said.smi-*',
  'said.cuda-generic-carrier',
  'said.oci-hook-failed',
  'said.k8s-create-container-error',
  'said.ncc-other-stage',
  'application/application-exception',
  'driver/driver-below-toolkit-minimum',
];

/** The last value of a variable inside the container or image; undefined where it was not printed. */
export function variable(context: RuleContext, name: string): Fact<'env'> | undefined {
  // The toolkit's variables belong to images and containers, also where `docker inspect` prints them on the host.
  const facts = (name.startsWith('NVIDIA_') ? own(context, 'env') : inside(context, 'env')).filter(
    (fact) => fact.value.name === name,
  );
  return facts.find((fact) => fact.scope === 'container') ?? facts.at(-1);
}

/** nvidia-smi answers inside the container: NVML is there. */
export function answersInside(context: RuleContext): Fact | undefined {
  return own(context, 'driver.answers').find((fact) => fact.scope === 'container');
}

/** The host's driver works: nvidia-smi answers there. */
export function hostWorks(context: RuleContext): Fact | undefined {
  const answers = own(context, 'driver.answers');
  return answers.find((fact) => fact.scope === 'host') ?? answers.find((fact) => fact.scope === 'unknown');
}

/** What shows that a container is in the picture at all. */
export function container(context: RuleContext): Fact | undefined {
  return (
    own(context, 'container.inside')[0] ??
    context.said.find(
      (fact) =>
        fact.scope === 'container' ||
        /^said\.(?:ncc-|nct-|cdi-|oci-|docker-|k8s-|containerd-|crio-|pyxis-|device-plugin)/.test(fact.id),
    ) ??
    own(context, 'env').find((fact) => fact.scope === 'container' || fact.scope === 'image') ??
    own(context, 'driver.answers').find((fact) => fact.scope === 'container') ??
    own(context, 'devices.listed').find((fact) => fact.scope === 'container') ??
    own(context, 'k8s.resource')[0] ??
    twoSides(context)
  );
}

/** Node lists of two sides: one of the host, one that is not. */
function twoSides(context: RuleContext): Fact | undefined {
  const lists = [...own(context, 'devices.listed'), ...own(context, 'devices.counted')];
  return lists.some((fact) => fact.scope === 'host') ? lists.find((fact) => fact.scope !== 'host') : undefined;
}

/** Files of a name that a listing shows, by the side they are on. */
export function files(context: RuleContext, pattern: RegExp): readonly Fact<'file.exists'>[] {
  return own(context, 'file.exists').filter((fact) => pattern.test(fact.value));
}

/** The container toolkit is there: its release, its package, or its programs. */
export function toolkitPresent(context: RuleContext): Fact | undefined {
  return (
    own(context, 'container.toolkit-version')[0] ??
    own(context, 'package').find((fact) =>
      /^(?:nvidia-container-(?:toolkit|runtime)|nvidia-docker2?)/.test(fact.value.name),
    ) ??
    files(context, /\/nvidia-(?:container-(?:runtime|cli|toolkit|runtime-hook)|ctk)$/)[0]
  );
}

/** The container toolkit was looked for on the host and is not there. */
export function toolkitAbsent(context: RuleContext): Fact | undefined {
  return (
    own(context, 'container.toolkit-absent').find((fact) => fact.scope !== 'container') ??
    own(context, 'package.absent').find((fact) =>
      /container-toolkit|nvidia-(?:container|ctk|docker)/.test(fact.value),
    ) ??
    own(context, 'file.absent').find((fact) => /nvidia-(?:container-(?:runtime|cli|toolkit)|ctk)/.test(fact.value))
  );
}

/** Release at the end of a driver file's name. */
export function releaseOf(path: string): string | null {
  return /\.(\d{3}\.\d{1,3}(?:\.\d{1,3})?)$/.exec(path)?.[1] ?? null;
}

/** A file that belongs to the NVIDIA driver. */
export function isDriverFile(path: string): boolean {
  return /(?:^|\/)(?:lib(?:cuda|cudadebugger|nvidia-[\w-]{1,40}|nvcuvid|nvoptix|EGL_nvidia|GLX_nvidia|GLES\w{2,8}_nvidia|vdpau_nvidia|nvdxgdmal|dxcore)\.so[\w.]{0,30}|nvidia-(?:smi|debugdump|persistenced|cuda-mps-(?:control|server)|modprobe))$/.test(
    path,
  );
}

export function missing(fact: string, ask: string): Missing {
  return { fact, ask };
}
