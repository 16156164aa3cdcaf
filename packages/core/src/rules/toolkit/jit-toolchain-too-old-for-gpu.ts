import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
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
    'said.nvrtc-*',
    'said.jit-*',
    'said.build-arch-flags',
    'said.vllm-*',
    'said.cuda-*',
    'said.pt-*',
    'said.ptxas-*',
    'said.triton-*',
    'said.tf-ptx-ptxas',
    'driver/ptx-newer-than-driver',
  ],
  check(_, context) {
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
