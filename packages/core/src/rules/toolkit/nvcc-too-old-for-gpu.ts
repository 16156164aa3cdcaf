import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { compilerAnswer } from './_compiler.ts';

export const nvccTooOldForGpu: Rule = defineRule({
  id: 'toolkit/nvcc-too-old-for-gpu',
  summary: 'The CUDA compiler of the build is older than the GPU that it is to compile for',
  needs: [],
  anyOf: ['said.nvcc-arch-refused', 'said.nvcc-unsupported-arch'],
  uses: [
    'toolkit.nvcc',
    'toolkit.installed',
    'image.cuda',
    'gpu.name',
    'gpu.compute-capability',
    'said.jit-compilation',
    'said.package-build',
  ],
  citations: ['nvcc-architectures', 'cuda-release-notes'],
  explains: [
    'application/application-exception',
    'said.nvcc-*',
    'said.build-arch-flags',
    'said.cmake-cuda-not-found',
    'said.cuda-no-kernel-image',
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
    if (answer.jit && answer.side === 'too-old')
      return {
        kind: 'cleared',
        because: 'no build of the program failed: kernels are compiled at run time',
        seen: answer.seen,
      };
    return {
      kind: 'fault',
      certainty: answer.side === 'open' ? 'possible' : answer.certainty,
      message: answer.message,
      seen: answer.seen,
      remedies: [
        {
          actor: 'developer',
          do: 'build with a newer toolkit, and let PATH and CUDA_HOME point to it',
          command: 'which -a nvcc; nvcc --version',
        },
        {
          actor: 'developer',
          do: 'or ask for PTX of the newest architecture that this nvcc knows, and let the driver compile it',
        },
      ],
      missing: answer.missing,
      weight: 2,
    };
  },
});
