import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { compilerAnswer } from './_compiler.ts';

export const jitToolchainTooOldForGpu: Rule = defineRule({
  id: 'toolkit/jit-toolchain-too-old-for-gpu',
  summary: 'Kernels are compiled at run time by a toolkit that does not know this GPU',
  needs: [],
  anyOf: ['said.nvcc-arch-refused', 'said.nvcc-unsupported-arch', 'said.jit-arch-refused', 'said.nvrtc-invalid-arch'],
  uses: [
    'said.jit-compilation',
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
  ],
  check(_, context) {
    const answer = compilerAnswer(context);
    if (answer === null) return { kind: 'silent' };
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
