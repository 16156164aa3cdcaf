import type { Outcome, Rule, RuleContext } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { messagesOf } from '../application/_standing.ts';
import { compilerAnswer } from './_compiler.ts';
import { ptxasAnswer } from './_ptxas.ts';

export const jitToolchainTooOldForGpu: Rule = defineRule({
  id: 'toolkit/jit-toolchain-too-old-for-gpu',
  summary: 'Kernels are compiled at run time by a toolkit that does not know this GPU',
  needs: [],
  anyOf: [
    'said.nvcc-arch-refused',
    'said.nvcc-unsupported-arch',
    'said.jit-arch-refused',
    'said.nvrtc-invalid-arch',
    'said.ptxas-arch-refused',
    'said.triton-ptxas-arch',
    'said.ptxas-unsupported-version',
    'said.nvlink-older-than-input',
    'said.xla-ptxas-fallback',
  ],
  uses: [
    'said.jit-compilation',
    'said.package-build',
    'said.ptxas-path',
    'env',
    'toolkit.nvcc',
    'toolkit.installed',
    'toolkit.runtime',
    'torch.cuda',
    'image.cuda',
    'gpu.name',
    'gpu.compute-capability',
  ],
  citations: ['nvcc-architectures', 'cuda-release-notes', 'nvrtc-api'],
  explains: [
    'application/application-exception',
    'said.nvcc-*',
    'said.nvlink-*',
    'said.nvrtc-*',
    'said.jit-*',
    'said.build-arch-flags',
    'said.vllm-*',
    'said.cuda-*',
    'said.pt-*',
    'said.ptxas-*',
    'said.triton-*',
    'said.tf-ptx-ptxas',
    'said.xla-ptxas-fallback',
    'driver/ptx-newer-than-driver',
  ],
  check(_, context) {
    const mixed = olderLinker(context);
    if (mixed !== null) return mixed;
    const answer = compilerAnswer(context);
    if (answer === null) {
      const ptxas = ptxasAnswer(context);
      if (ptxas === null || ptxas.kind === 'open' || ptxas.kind === 'dropped') return { kind: 'silent' };
      if (ptxas.kind === 'gpu' && ptxas.foreign === null) {
        return { kind: 'cleared', because: 'the ptxas is the one that the framework brings', seen: ptxas.seen };
      }
      return {
        kind: 'fault',
        certainty: ptxas.certainty,
        message: ptxas.message,
        seen: ptxas.seen,
        remedies: [
          {
            actor: 'developer',
            do: 'let the framework use its own ptxas, or one of the toolkit that it was built with',
            command: 'unset TRITON_PTXAS_PATH; which -a ptxas',
          },
          { actor: 'developer', do: 'take the older toolkit off PATH, or install the newer one' },
        ],
        missing: ptxas.missing,
        weight: 3,
      };
    }
    if (answer.side === 'dropped')
      return {
        kind: 'cleared',
        because: 'the compiler is not older than the GPU: it has dropped it',
        seen: answer.seen,
      };
    if (!answer.jit)
      return answer.side === 'open'
        ? { kind: 'silent' }
        : { kind: 'cleared', because: 'nothing was compiled at run time: a build failed', seen: answer.seen };
    return {
      kind: 'fault',
      certainty: answer.side === 'open' ? 'possible' : answer.certainty,
      message: answer.side === 'open' ? answer.message : `${answer.message} (compiled at run time)`,
      seen: answer.seen,
      remedies: [
        {
          actor: 'developer',
          do: 'let the program find a newer toolkit',
          command: 'export CUDA_HOME=/usr/local/cuda-MAJOR.MINOR PATH=$CUDA_HOME/bin:$PATH',
        },
        {
          actor: 'developer',
          do: 'or install the package with kernels that are compiled already, and empty the JIT cache',
        },
      ],
      missing: answer.missing,
      weight: 2,
    };
  },
});

/** The linker of device code says itself that the code is of a newer toolkit; null where it did not, or was overcome. */
function olderLinker(context: RuleContext): Outcome | null {
  const { standing, overcome } = messagesOf(context, ['nvlink-older-than-input']);
  const [lead] = standing;
  if (lead === undefined)
    return overcome.length === 0
      ? null
      : {
          kind: 'cleared',
          because: 'the program compiled without that linker and went on',
          seen: overcome.flatMap((fact) => fact.seen.slice(0, 1)).slice(0, 2),
        };
  const release = (name: string): string => {
    const number = Number(lead.value.captures[name] ?? '0');
    return `${Math.floor(number / 10)}.${number % 10}`;
  };
  return {
    kind: 'fault',
    certainty: lead.told ? 'likely' : 'proved',
    message: `nvlink of CUDA ${release('have')} was given code of CUDA ${release('code')}: tools of two toolkits are mixed`,
    seen: standing.flatMap((fact) => fact.seen.slice(0, 1)).slice(0, 3),
    remedies: [
      {
        actor: 'developer',
        do: 'put the tools of the newer toolkit first on PATH, so that compiler and linker are of one release',
        command: 'which -a nvcc ptxas nvlink; nvlink --version',
      },
    ],
    weight: 3,
  };
}
