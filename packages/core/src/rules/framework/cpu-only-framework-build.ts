import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { cpuBuildInImage } from '../image/_frameworks.ts';
import { byPrint, missing, noGpuConsequences, own, seen } from '../container-runtime/_container.ts';
import { cpuBuild, cudaBuild, gpuPresent, noGpuUsed, wantsCpu } from './_build.ts';

export const cpuOnlyFrameworkBuild: Rule = defineRule({
  id: 'framework/cpu-only-framework-build',
  summary: 'The installed framework was built without CUDA',
  needs: [],
  anyOf: [
    'image.package',
    'said.pt-not-compiled-with-cuda',
    'said.not-built-with-gpu',
    'said.jax-no-cuda-jaxlib',
    'said.ort-provider-unavailable',
    'said.cuda-build-option',
    'said.ggml-no-devices',
    'torch.cuda',
    'torch.version',
    'package',
    'torch.cuda-available',
  ],
  uses: [
    'driver.answers',
    'gpu.name',
    'driver.version',
    'framework.devices',
    'program.wish',
    'container.inside',
    'env',
    'said.ggml-cuda-part',
  ],
  citations: ['pytorch-get-started', 'jax-installation', 'onnxruntime-install'],
  explains: [
    ...noGpuConsequences.filter((each) => each !== 'said.smi-*' && each !== 'said.nvml-*'),
    'said.not-built-with-gpu',
    'said.ort-*',
    'container-runtime/*',
    'image/host-*',
    'host-os/prefix-loader-ignores-host-driver-libs',
    'orchestrator/visible-devices-empty-by-scheduler',
  ],
  check(_facts, context) {
    const inventory = cpuBuildInImage(context, false);
    if (inventory !== null) return inventory;
    const build = cpuBuild(context);
    const cuda = cudaBuild(context);
    if (build === null && cuda === undefined && noGpuUsed(context) !== undefined) {
      return {
        kind: 'unknown',
        missing: [missing('torch.cuda', 'python -c "import torch; print(torch.__version__, torch.version.cuda)"')],
      };
    }
    if (build === null)
      return cuda === undefined
        ? { kind: 'silent' }
        : { kind: 'cleared', because: 'the framework was built with CUDA', seen: seen(cuda) };
    const wish = wantsCpu(context);
    const used = noGpuUsed(context);
    const gpu = gpuPresent(context);
    const remedies = [
      {
        actor: 'developer',
        do: 'install the build for CUDA in this environment',
        command:
          'pip install --force-reinstall torch --index-url https://download.pytorch.org/whl/cu128   # jax[cuda12], onnxruntime-gpu, tensorflow[and-cuda]',
      },
      { actor: 'developer', do: 'pin it, so that nothing brings the CPU build back' },
    ] as const;
    if (wish !== undefined && !build.failed) return { kind: 'cleared', because: 'the CPU is wanted', seen: seen(wish) };
    if (build.failed) {
      return {
        kind: 'fault',
        certainty: byPrint(build.fact),
        message: `${build.what} was built without CUDA`,
        seen: seen(build.fact, used, gpu),
        remedies,
        weight: 2,
      };
    }
    if (cuda !== undefined && build.fact.id !== 'torch.cuda') return { kind: 'silent' };
    // An environment of a host that nothing names as that of a program: it may be there for the CPU.
    const listed =
      used === undefined &&
      build.fact.seen.every((each) => each.source === 'python-packages') &&
      own(context, 'container.inside').length === 0 &&
      !own(context, 'env').some((fact) => /^(?:VIRTUAL_ENV|CONDA_PREFIX)$/.test(fact.value.name));
    if (listed) return { kind: 'silent' };
    if (gpu !== undefined && (used !== undefined || build.fact.id !== 'package')) {
      return {
        kind: 'fault',
        certainty: cuda === undefined ? byPrint(build.fact, gpu) : 'likely',
        message: `the machine has a GPU, but ${build.what} was built without CUDA`,
        seen: seen(used, build.fact, gpu),
        remedies,
        weight: used === undefined ? 1 : 2,
      };
    }
    if (used === undefined) return { kind: 'silent' };
    return {
      kind: 'fault',
      certainty:
        build.fact.id === 'said.jax-no-cuda-jaxlib' ||
        build.fact.id === 'torch.cuda' ||
        build.fact.id === 'torch.version' ||
        build.fact.id === 'package'
          ? 'likely'
          : 'possible',
      message: `${build.what} was built without CUDA`,
      seen: seen(used, build.fact),
      remedies,
      missing: [missing('gpu.name', 'nvidia-smi -L')],
      weight: 1,
    };
  },
});
