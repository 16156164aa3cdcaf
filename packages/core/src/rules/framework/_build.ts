import type { Fact } from '../../model/facts.ts';
import type { RuleContext } from '../../model/rule.ts';
import { own, said } from '../container-runtime/_container.ts';

// Was the installed framework built for the GPU, and on which board does it run?

/** What shows that the framework in use has no CUDA. */
export interface CpuBuild {
  readonly fact: Fact;
  /** What it is, for a message. */
  readonly what: string;
  /** The program itself failed over it. */
  readonly failed: boolean;
}

/** Names of packages that are CPU builds, and of the packages that are not. */
const cpuPackages: Readonly<Record<string, string>> = {
  'tensorflow-cpu': 'tensorflow',
  onnxruntime: 'onnxruntime-gpu',
  'faiss-cpu': 'faiss-gpu',
  'pytorch-cpu': 'pytorch',
  cpuonly: 'pytorch-cuda',
  paddlepaddle: 'paddlepaddle-gpu',
  'intel-tensorflow': 'tensorflow',
};

/** A message that offers the build as one reason of several says nothing of this build. */
const hedged =
  /possible reason|\b(?:might|perhaps|maybe|may (?:have|be|not)|could be)\b|\b(?:make sure|check (?:if|whether|that)|if (?:you|your|it))\b/i;

export function cpuBuild(context: RuleContext): CpuBuild | null {
  const message = [
    ...said(context, 'pt-not-compiled-with-cuda'),
    ...said(context, 'not-built-with-gpu').filter(
      (fact) =>
        !/is_built_with_cuda\(\)\s{0,4}(?:->|=|:)?\s{0,4}True/.test(fact.seen[0]?.text ?? '') &&
        (fact.value.captures['operator'] !== undefined || !hedged.test(fact.seen[0]?.text ?? '')),
    ),
    ...said(context, 'ort-provider-unavailable').filter((fact) =>
      /^(?:CUDA|Tensorrt|NvTensorRTRTX)/.test(fact.value.captures['ep'] ?? ''),
    ),
    ...said(context, 'jax-no-cuda-jaxlib'),
  ];
  const hint = said(context, 'ggml-no-devices').find((fact) => /option will be ignored/.test(fact.seen[0]?.text ?? ''));
  const lead = message.find((fact) => fact.id !== 'said.jax-no-cuda-jaxlib') ?? message[0];
  const option = said(context, 'cuda-build-option').find((fact) => fact.value.captures['off'] !== undefined);
  const torch = own(context, 'torch.cuda').find((fact) => fact.value === null);
  const version = own(context, 'torch.version').find((fact) => /\+cpu\b/.test(fact.value));
  const conda = own(context, 'package').find(
    (fact) =>
      fact.value.manager === 'conda' &&
      /^(?:pytorch|torch|tensorflow|jaxlib|libtorch)$/.test(fact.value.name) &&
      /(?:^|_)cpu(?:_|$)/.test(fact.value.build ?? ''),
  );
  const named = own(context, 'package').find(
    (fact) =>
      cpuPackages[fact.value.name] !== undefined && fact.value.manager !== 'dpkg' && fact.value.manager !== 'rpm',
  );
  if (lead !== undefined) return { fact: lead, what: whatOf(lead), failed: lead.id !== 'said.jax-no-cuda-jaxlib' };
  if (option !== undefined && noGpuUsed(context) !== undefined)
    return { fact: option, what: `the program (${option.value.captures['off']!} off)`, failed: true };
  // ggml's CUDA part speaks at its start, whatever it finds; a build that stays silent has none.
  if (hint !== undefined && said(context, 'ggml-cuda-part').length === 0 && gpuPresent(context) !== undefined)
    return { fact: hint, what: 'the program', failed: false };
  if (conda !== undefined)
    return { fact: conda, what: `${conda.value.name} ${conda.value.version} (${conda.value.build!})`, failed: false };
  if (version !== undefined) return { fact: version, what: `torch ${version.value}`, failed: false };
  if (torch !== undefined) {
    const release = own(context, 'torch.version')[0];
    return { fact: torch, what: release === undefined ? 'torch' : `torch ${release.value}`, failed: false };
  }
  if (named !== undefined && cudaBuild(context) === undefined)
    return { fact: named, what: `${named.value.name} ${named.value.version}`, failed: false };
  return null;
}

function whatOf(fact: Fact): string {
  switch (fact.id as string) {
    case 'said.pt-not-compiled-with-cuda':
      return 'torch';
    case 'said.jax-no-cuda-jaxlib':
      return 'jaxlib';
    case 'said.ort-provider-unavailable':
      return 'onnxruntime';
    default:
      return 'the program';
  }
}

/** Facts that say the opposite: the build in use has CUDA. */
export function cudaBuild(context: RuleContext): Fact | undefined {
  return (
    own(context, 'torch.cuda').find((fact) => fact.value !== null) ??
    own(context, 'torch.cuda-available').find((fact) => fact.value) ??
    own(context, 'package').find((fact) => /^(?:onnxruntime-gpu|faiss-gpu|paddlepaddle-gpu)/.test(fact.value.name))
  );
}

/** What shows that the program wanted the GPU and did not get it. */
export function noGpuUsed(context: RuleContext): Fact | undefined {
  return (
    own(context, 'torch.cuda-available').find((fact) => !fact.value) ??
    own(context, 'framework.devices').find((fact) => fact.value === 0) ??
    said(
      context,
      'ggml-no-devices',
      'vllm-infer-device',
      'pt-no-gpus-available',
      'pt-no-driver',
      'bnb-missing-binary',
      'ds-cuda-mismatch',
      'pt-ddp-no-nccl',
    )[0]
  );
}

/** A GPU is in the machine: nvidia-smi answers, a GPU is named. */
export function gpuPresent(context: RuleContext): Fact | undefined {
  return (
    own(context, 'driver.answers')[0] ??
    own(context, 'gpu.name')[0] ??
    own(context, 'driver.version')[0] ??
    own(context, 'driver.module')[0]
  );
}

/** The board is a Jetson. */
export function jetson(context: RuleContext): Fact | undefined {
  return (
    own(context, 'os.l4t')[0] ??
    own(context, 'os.platform').find((fact) => fact.value === 'jetson') ??
    own(context, 'os.kernel').find((fact) => fact.value.includes('tegra')) ??
    own(context, 'gpu.name').find((fact) => /\b(?:Orin|Xavier|Tegra|Jetson)\b/i.test(fact.value))
  );
}

export function arm(context: RuleContext): Fact | undefined {
  return (
    own(context, 'os.arch').find((fact) => fact.value === 'aarch64') ??
    own(context, 'gpu.name').find((fact) => /\b(?:GH200|GB200|GB300|GB10)\b/.test(fact.value))
  );
}

/** The person or the command line wants the CPU. */
export function wantsCpu(context: RuleContext): Fact | undefined {
  return own(context, 'program.wish').find((fact) => fact.value === 'cpu');
}
