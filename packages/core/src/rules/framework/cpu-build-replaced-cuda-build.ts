import type { Fact } from '../../model/facts.ts';
import type { Rule, RuleContext } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { byPrint, missing, noGpuConsequences, said, seen } from '../container-runtime/_container.ts';
import { cpuBuild } from './_build.ts';

const frameworks =
  /^(?:torch|torchvision|torchaudio|pytorch|libtorch|jaxlib|jax-cuda\d{2}\w{0,20}|tensorflow|onnxruntime|onnxruntime-gpu|paddlepaddle(?:-gpu)?)$/;

type Build = 'cuda' | 'cpu' | 'plain';

/** What a version or conda build string says of CUDA. */
function buildOf(text: string): Build {
  if (/\+cpu\b|(?:^|[-_])cpu(?:[-_]|$)/.test(text)) return 'cpu';
  return /\+cu\d{2,3}|\+nv|cuda_?\d|(?:^|[-_])cuda|(?:^|[-_])gpu(?:[-_]|$)/.test(text) ? 'cuda' : 'plain';
}

export const cpuBuildReplacedCudaBuild: Rule = defineRule({
  id: 'framework/cpu-build-replaced-cuda-build',
  summary: 'An installation replaced the CUDA build of the framework by the CPU build',
  needs: [],
  anyOf: ['package.replaced', 'torch.cuda', 'torch.version', 'said.pt-not-compiled-with-cuda', 'package'],
  uses: ['torch.cuda-available', 'os.arch'],
  citations: ['pip-install', 'pytorch-get-started'],
  explains: [
    ...noGpuConsequences,
    'said.not-built-with-gpu',
    'said.ort-*',
    'framework/cpu-only-framework-build',
    'framework/aarch64-cpu-only-wheel',
    'framework/jetson-generic-wheel-cpu-only',
    'container-runtime/*',
  ],
  check(_facts, context) {
    const now = cpuBuild(context) ?? laterCpu(context);
    const replaced = context.all('package.replaced').filter((fact) => frameworks.test(fact.value.name));
    const remedies = [
      {
        actor: 'developer',
        do: 'install the CUDA build again, after everything else',
        command:
          'pip install --force-reinstall --no-deps torch==VERSION --index-url https://download.pytorch.org/whl/cu128',
      },
      {
        actor: 'developer',
        do: 'keep it: a constraints file with the exact build, or --no-deps for the package that pulls torch',
        command: 'pip install -c constraints.txt PACKAGE',
      },
    ] as const;
    for (const fact of replaced) {
      const from = buildOf(fact.value.from);
      const to = buildOf(fact.value.to);
      if (to === 'cuda') continue;
      const torchLike = /^(?:torch|pytorch|libtorch)/.test(fact.value.name);
      if (to === 'cpu' || (from === 'cuda' && now !== null)) {
        return {
          kind: 'fault',
          certainty: from === 'plain' && now === null ? 'likely' : byPrint(fact, now?.fact),
          message: `an installation replaced ${fact.value.name} ${fact.value.from} by ${fact.value.to}, which has no CUDA`,
          seen: seen(now?.fact, fact, said(context, 'pip-removed-cuda-build')[0]),
          remedies,
          weight: 5,
        };
      }
      if (from === 'cuda' && torchLike) {
        return {
          kind: 'fault',
          certainty:
            said(context, 'pt-no-gpus-available').length > 0 ||
            context.all('torch.cuda-available').some((each) => !each.value)
              ? 'likely'
              : 'possible',
          message: `an installation replaced ${fact.value.name} ${fact.value.from} by ${fact.value.to}`,
          seen: seen(
            fact,
            context.all('torch.cuda-available').find((each) => !each.value),
          ),
          remedies,
          missing: [missing('torch.cuda', 'python -c "import torch; print(torch.__version__, torch.version.cuda)"')],
          weight: 3,
        };
      }
      if (from === 'plain' && now !== null && torchLike && now.fact.order > fact.order) {
        return {
          kind: 'fault',
          certainty: 'likely',
          message: `an installation replaced ${fact.value.name} ${fact.value.from} by ${fact.value.to}, and it has no CUDA`,
          seen: seen(now.fact, fact),
          remedies,
          missing: [
            missing(
              'package',
              'pip cache list torch; pip download --no-deps torch==VERSION   # where the earlier build came from',
            ),
          ],
          weight: 3,
        };
      }
    }
    const pair = beforeAndAfter(context);
    if (pair !== null) {
      return {
        kind: 'fault',
        certainty: byPrint(pair.before, pair.after),
        message: 'torch had CUDA before the installation and has none after it',
        seen: seen(pair.before, pair.after),
        remedies,
        weight: 5,
      };
    }
    const both = context.all('package').find((fact) => fact.value.name === 'onnxruntime');
    const gpu = context.all('package').find((fact) => fact.value.name === 'onnxruntime-gpu');
    const provider = said(context, 'ort-provider-unavailable')[0];
    if (both !== undefined && gpu !== undefined && provider !== undefined) {
      return {
        kind: 'fault',
        certainty: byPrint(both, gpu, provider),
        message: 'onnxruntime was installed over onnxruntime-gpu; both write the same files',
        seen: seen(provider, both, gpu),
        remedies: [
          {
            actor: 'developer',
            do: 'remove both and install the GPU package alone',
            command: 'pip uninstall -y onnxruntime onnxruntime-gpu && pip install onnxruntime-gpu',
          },
        ],
        weight: 5,
      };
    }
    if (replaced.length > 0)
      return {
        kind: 'cleared',
        because: `${replaced[0]!.value.name} ${replaced[0]!.value.to} is no CPU build`,
        seen: seen(replaced[0]),
      };
    return { kind: 'silent' };
  },
});

function laterCpu(context: RuleContext): { readonly fact: Fact } | null {
  const fact =
    context.all('torch.cuda').find((each) => each.value === null) ??
    context.all('torch.version').find((each) => each.value.includes('+cpu')) ??
    context.all('said.pt-not-compiled-with-cuda')[0];
  return fact === undefined ? null : { fact };
}

/** A CUDA build printed first, a CPU build printed later. */
function beforeAndAfter(context: RuleContext): { readonly before: Fact; readonly after: Fact } | null {
  const cuda = [
    ...context.all('torch.cuda').filter((fact) => fact.value !== null),
    ...context.all('torch.version').filter((fact) => /\+cu\d/.test(fact.value)),
  ];
  const cpu = [
    ...context.all('torch.cuda').filter((fact) => fact.value === null),
    ...context.all('torch.version').filter((fact) => /\+cpu/.test(fact.value)),
    ...context.all('said.pt-not-compiled-with-cuda'),
  ];
  for (const before of cuda) {
    const after = cpu.find((fact) => fact.order > before.order && fact.scope !== 'other-host' && !fact.told);
    // Two environments side by side are no replacement: the same scope, or words that say that time passed.
    if (
      after !== undefined &&
      before.scope !== 'other-host' &&
      !before.told &&
      (after.scope === before.scope || after.scope === 'after-fix')
    )
      return { before, after };
  }
  return null;
}
