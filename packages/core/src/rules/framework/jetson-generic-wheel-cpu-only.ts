import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { byPrint, missing, noGpuConsequences, own, said, seen } from '../container-runtime/_container.ts';
import { cpuBuild, cudaBuild, jetson, noGpuUsed, wantsCpu } from './_build.ts';

export const jetsonGenericWheelCpuOnly: Rule = defineRule({
  id: 'framework/jetson-generic-wheel-cpu-only',
  summary: 'A generic Arm wheel is installed on a Jetson, where it has no CUDA',
  needs: [],
  anyOf: ['os.l4t', 'os.platform', 'os.kernel', 'gpu.name'],
  uses: ['torch.cuda', 'torch.version', 'torch.cuda-available', 'said.pt-not-compiled-with-cuda', 'package'],
  citations: ['jetson-pytorch'],
  explains: [
    ...noGpuConsequences,
    'said.not-built-with-gpu',
    'framework/cpu-only-framework-build',
    'framework/aarch64-cpu-only-wheel',
    'container-runtime/*',
    'driver/*',
  ],
  check(_facts, context) {
    const board = jetson(context);
    if (board === undefined) return { kind: 'silent' };
    const build = cpuBuild(context);
    const cuda = cudaBuild(context);
    const used = noGpuUsed(context) ?? said(context, 'pt-not-compiled-with-cuda')[0];
    const made = own(context, 'torch.version').find((fact) => /\bnv\d{2}\.\d{1,2}/.test(fact.value));
    const remedies = [
      {
        actor: 'developer',
        do: 'install NVIDIA’s wheel for this JetPack',
        command: 'https://developer.download.nvidia.com/compute/redist/jp/   # folder of your JetPack',
      },
      {
        actor: 'developer',
        do: 'or use a container for L4T',
        command: 'docker run --runtime nvidia dustynv/l4t-pytorch:rREVISION',
      },
    ] as const;
    if (cuda !== undefined || made !== undefined)
      return { kind: 'cleared', because: 'the wheel was built with CUDA', seen: seen(cuda ?? made, board) };
    if (wantsCpu(context) !== undefined && build?.failed !== true) return { kind: 'silent' };
    if (build !== null) {
      return {
        kind: 'fault',
        certainty: byPrint(build.fact, board),
        message: `${build.what} on this Jetson was built without CUDA`,
        seen: seen(used, build.fact, board),
        remedies,
        weight: 5,
      };
    }
    if (used === undefined) return { kind: 'silent' };
    return {
      kind: 'fault',
      certainty: used.id === 'torch.cuda-available' ? 'likely' : 'possible',
      message: 'torch sees no GPU on this Jetson, as with a generic Arm wheel',
      seen: seen(used, board),
      remedies,
      missing: [missing('torch.cuda', 'python3 -c "import torch; print(torch.__version__, torch.version.cuda)"')],
      weight: 3,
    };
  },
});
