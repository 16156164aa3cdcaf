import type { Fact } from '../../model/facts.ts';
import type { Outcome, RuleContext } from '../../model/rule.ts';
import { byPrint, seen } from '../container-runtime/_container.ts';
import { isForGpu, isImageInventory, scanOf } from './_scan.ts';

// Frameworks and extensions of an image, and the CUDA release that each was built for.

type PackageFact = Fact<'image.package'>;

const frameworks = /^(?:torch|pytorch|libtorch|tensorflow(?:-cpu|-gpu)?|tf-nightly|jaxlib|paddlepaddle)$/;

/** CUDA major of a package; null where none is known or it is a CPU build. */
export function majorOf(fact: PackageFact): number | null {
  const { cuda } = fact.value;
  return cuda === null || cuda === 'none' ? null : Number(cuda.split('.')[0]);
}

/** A framework without CUDA in an image that is made for GPUs. @param arm the rule is that of Arm's wheels */
export function cpuBuildInImage(context: RuleContext, arm: boolean): Outcome | null {
  if (!isImageInventory(context)) return null;
  const packages = context.all('image.package');
  const builds = packages.filter((fact) => frameworks.test(fact.value.name) && fact.value.cuda !== null);
  const cpu = builds.find((fact) => fact.value.cuda === 'none');
  const cuda = builds.find((fact) => fact.value.cuda !== 'none');
  if (cpu === undefined)
    return cuda === undefined
      ? { kind: 'silent' }
      : { kind: 'cleared', because: `${named(cuda)} was built for CUDA ${cuda.value.cuda ?? ''}`, seen: seen(cuda) };
  const onArm = scanOf(context)?.value.platform.startsWith('linux/arm64') === true;
  if (onArm !== arm) return { kind: 'silent' };
  const gpu = gpuSign(context);
  if (gpu === undefined || !isForGpu(context))
    return {
      kind: 'cleared',
      because: `${named(cpu)} has no CUDA, and the image holds nothing else for a GPU`,
      seen: seen(cpu),
    };
  const beside = builds.find((fact) => fact.value.cuda !== 'none' && fact.value.environment === cpu.value.environment);
  if (beside !== undefined && beside.value.name === cpu.value.name) return { kind: 'silent' };
  return {
    kind: 'fault',
    // Where another framework has CUDA the CPU build may be meant.
    certainty: cuda === undefined && worksWithout(packages) === undefined ? byPrint(cpu, gpu) : 'possible',
    message: `the image is made for GPUs, but ${named(cpu)} in it was built without CUDA`,
    seen: seen(cpu, gpu),
    remedies: [
      {
        actor: 'image-owner',
        do: 'install the build for CUDA in this environment',
        command:
          'pip install --force-reinstall torch --index-url https://download.pytorch.org/whl/cu128   # jax[cuda12], tensorflow[and-cuda]',
      },
      { actor: 'image-owner', do: 'pin it, so that nothing brings the CPU build back' },
    ],
    weight: 2,
  };
}

/** A package that uses the GPU by itself: the CPU build beside it may be meant. */
function worksWithout(packages: readonly PackageFact[]): PackageFact | undefined {
  return packages.find((fact) =>
    /^(?:onnxruntime-gpu|tensorrt(?:-cu\d\d)?|cupy(?:-cuda.{1,6})?|jax-cuda\d\d-plugin|ctranslate2|llama-cpp-python|faiss-gpu.{0,8}|numba-cuda)$/.test(
      fact.value.name,
    ),
  );
}

/** What shows that an image is meant for GPUs, beside its frameworks. */
function gpuSign(context: RuleContext): Fact | undefined {
  return (
    context.first('image.toolkit') ??
    context.all('image.variable').find((fact) => /^(?:CUDA_VERSION|NVIDIA_REQUIRE_CUDA)$/.test(fact.value.name)) ??
    context
      .all('image.package')
      .find((fact) => /^nvidia-cu|^nvidia-(?:nccl|cublas|cuda-runtime)/.test(fact.value.name)) ??
    context.all('image.library').find((fact) => fact.value.name === 'cudart' || fact.value.name === 'cublas')
  );
}

function named(fact: PackageFact): string {
  return `${fact.value.name} ${fact.value.version ?? ''}`.trim();
}

/** Wheels of these install into one folder whatever their major: one overwrites the other. */
const shared = /^nvidia-(cudnn|nccl|nvshmem|cusparselt)-cu(\d\d)$/;

/** Packages of two majors in one environment that overwrite each other; null where the input is no inventory. */
export function mixedMajorsInImage(context: RuleContext): Outcome | null {
  if (!isImageInventory(context)) return null;
  const packages = context.all('image.package').filter((fact) => fact.value.manager === 'pip');
  const remedies = [
    {
      actor: 'image-owner',
      do: 'remove both, and install those of the CUDA major that the framework was built for',
      command: 'pip uninstall -y nvidia-nccl-cu12 nvidia-nccl-cu13 && pip install --force-reinstall torch',
    },
    { actor: 'image-owner', do: 'find the package that asks for the other major', command: 'pip check' },
  ] as const;
  for (const fact of packages) {
    const library = shared.exec(fact.value.name)?.[1];
    const cupy = /^cupy-cuda\d/.test(fact.value.name);
    if (library === undefined && !cupy) continue;
    const other = packages.find(
      (each) =>
        each !== fact &&
        each.value.environment === fact.value.environment &&
        each.value.name !== fact.value.name &&
        (library === undefined ? /^cupy-cuda\d/.test(each.value.name) : shared.exec(each.value.name)?.[1] === library),
    );
    if (other === undefined) continue;
    return {
      kind: 'fault',
      certainty: byPrint(fact, other),
      message: `${fact.value.name} and ${other.value.name} are installed side by side in ${fact.value.environment}, and overwrite each other's files`,
      seen: seen(fact, other),
      remedies,
      weight: 4,
    };
  }
  const built = packages.filter(
    (fact) => /^(?:torch|tensorflow|jaxlib|jax-cuda\d\d-plugin)$/.test(fact.value.name) && majorOf(fact) !== null,
  );
  for (const fact of built) {
    const other = built.find(
      (each) => each.value.environment === fact.value.environment && majorOf(each) !== majorOf(fact),
    );
    if (other === undefined) continue;
    return {
      kind: 'fault',
      certainty: 'possible',
      message: `${named(fact)} and ${named(other)} in ${fact.value.environment} were built for two CUDA majors`,
      seen: seen(fact, other),
      remedies,
    };
  }
  const [one] = built;
  return one === undefined
    ? { kind: 'silent' }
    : { kind: 'cleared', because: 'the CUDA packages of each environment are of one major', seen: seen(one) };
}

/** Extensions that are built against one torch and its CUDA. */
const extensions =
  /^(?:torchvision|torchaudio|xformers|flash-attn(?:-.{1,6})?|vllm|causal-conv1d|mamba-ssm|flashinfer-python)$/;

/** A package for a CUDA major that is not there; null where the input is no inventory. */
export function otherMajorInImage(context: RuleContext): Outcome | null {
  if (!isImageInventory(context)) return null;
  const packages = context.all('image.package');
  const torch = packages.filter((fact) => fact.value.name === 'torch' && majorOf(fact) !== null);
  for (const fact of packages) {
    const major = majorOf(fact);
    if (major === null || !extensions.test(fact.value.name)) continue;
    const base = torch.find((each) => each.value.environment === fact.value.environment);
    if (base === undefined || majorOf(base) === major) continue;
    return {
      kind: 'fault',
      certainty: byPrint(fact, base),
      message: `${named(fact)} was built for CUDA ${fact.value.cuda ?? ''}, and ${named(base)} beside it for CUDA ${base.value.cuda ?? ''}`,
      seen: seen(fact, base),
      remedies: [{ actor: 'image-owner', do: `install ${fact.value.name} built for the CUDA of this torch` }],
      weight: 3,
    };
  }
  if (scanOf(context)?.value.complete !== true) return { kind: 'silent' };
  // CuPy brings no CUDA libraries of its own.
  const cupy = packages.find((fact) => /^cupy-cuda\d\d/.test(fact.value.name) && majorOf(fact) !== null);
  if (cupy === undefined) return { kind: 'silent' };
  const runtimes = context
    .all('image.library')
    .filter((fact) => fact.value.name === 'nvrtc' || fact.value.name === 'cudart');
  const fits = runtimes.find((fact) => sonameMajor(fact.value.soname) === majorOf(cupy));
  if (fits !== undefined)
    return { kind: 'cleared', because: `${named(cupy)} finds ${fits.value.path}`, seen: seen(cupy, fits) };
  return {
    kind: 'fault',
    certainty: runtimes.length > 0 ? byPrint(cupy, runtimes[0]) : 'likely',
    message: `${named(cupy)} needs libraries of CUDA ${String(majorOf(cupy))}, and the image has ${runtimes[0] === undefined ? 'none' : runtimes[0].value.path}`,
    seen: seen(cupy, runtimes[0]),
    remedies: [
      {
        actor: 'image-owner',
        do: 'install the CuPy package for the CUDA of the image, or the libraries of its CUDA beside it',
        command: 'pip install cupy-cuda12x   # or: pip install "cupy-cuda12x[ctk]"',
      },
    ],
    weight: 2,
  };
}

function sonameMajor(soname: string | null): number | null {
  const number = /\.so\.(\d{1,2})/.exec(soname ?? '')?.[1];
  return number === undefined ? null : Number(number);
}
