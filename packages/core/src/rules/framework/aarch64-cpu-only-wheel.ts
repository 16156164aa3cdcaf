import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { cpuBuildInImage } from '../image/_frameworks.ts';
import { byPrint, missing, noGpuConsequences, said, seen } from '../container-runtime/_container.ts';
import { arm, cpuBuild, cudaBuild, gpuPresent, jetson, noGpuUsed, wantsCpu } from './_build.ts';

export const aarch64CpuOnlyWheel: Rule = defineRule({
  id: 'framework/aarch64-cpu-only-wheel',
  summary: 'The wheel that pip takes on Arm has no CUDA',
  needs: [],
  anyOf: ['image.package', 'os.arch', 'gpu.name'],
  uses: [
    'torch.cuda',
    'torch.version',
    'torch.cuda-available',
    'driver.answers',
    'package',
    'said.pt-not-compiled-with-cuda',
  ],
  citations: ['pytorch-get-started'],
  explains: [
    ...noGpuConsequences,
    'said.not-built-with-gpu',
    'framework/cpu-only-framework-build',
    'container-runtime/*',
  ],
  check(_facts, context) {
    const inventory = cpuBuildInImage(context, true);
    if (inventory !== null) return inventory;
    const arch = arm(context);
    if (arch === undefined || jetson(context) !== undefined) return { kind: 'silent' };
    const build = cpuBuild(context);
    const used = noGpuUsed(context) ?? said(context, 'pt-not-compiled-with-cuda')[0];
    const gpu = gpuPresent(context);
    const cuda = cudaBuild(context);
    const remedies = [
      {
        actor: 'developer',
        do: 'take the wheel from the index for CUDA, which has Arm builds',
        command: 'pip install --force-reinstall torch --index-url https://download.pytorch.org/whl/cu128',
      },
      {
        actor: 'developer',
        do: 'or use NVIDIA’s container for Arm',
        command: 'docker pull --platform linux/arm64 nvcr.io/nvidia/pytorch:YY.MM-py3',
      },
    ] as const;
    if (build === null) {
      if (cuda !== undefined)
        return { kind: 'cleared', because: 'the wheel was built with CUDA', seen: seen(cuda, arch) };
      if (used === undefined || gpu === undefined || used.id !== 'torch.cuda-available') return { kind: 'silent' };
      return {
        kind: 'fault',
        certainty: 'possible',
        message: 'torch sees no GPU on an Arm machine that has one; the wheel may have no CUDA',
        seen: seen(used, arch, gpu),
        remedies,
        missing: [missing('torch.cuda', 'python -c "import torch; print(torch.__version__, torch.version.cuda)"')],
        weight: 1,
      };
    }
    if (wantsCpu(context) !== undefined && !build.failed) return { kind: 'silent' };
    if (!build.failed && used === undefined && gpu === undefined) return { kind: 'silent' };
    if (!/^said\.pt-|^torch\.|^package$/.test(build.fact.id)) return { kind: 'silent' };
    return {
      kind: 'fault',
      certainty: build.failed || gpu !== undefined ? byPrint(build.fact, arch) : 'likely',
      message: `${build.what} for Arm was built without CUDA`,
      seen: seen(used, build.fact, arch, gpu),
      remedies,
      missing: build.failed || gpu !== undefined ? [] : [missing('gpu.name', 'nvidia-smi -L')],
      weight: 4,
    };
  },
});
