import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { compilerAnswer } from './_compiler.ts';
import { ptxasAnswer } from './_ptxas.ts';

export const nvccDroppedOldGpu: Rule = defineRule({
  id: 'toolkit/nvcc-dropped-old-gpu',
  summary: 'The CUDA compiler no longer knows the old architecture that it is to compile for',
  needs: [],
  anyOf: [
    'said.nvcc-arch-refused',
    'said.nvcc-unsupported-arch',
    'said.jit-arch-refused',
    'said.nvrtc-invalid-arch',
    'said.ptxas-arch-refused',
  ],
  uses: [
    'toolkit.nvcc',
    'toolkit.installed',
    'toolkit.runtime',
    'torch.cuda',
    'image.cuda',
    'gpu.name',
    'gpu.compute-capability',
    'said.jit-compilation',
  ],
  citations: ['nvcc-architectures', 'cuda-release-notes'],
  explains: [
    'application/application-exception',
    'said.nvcc-*',
    'said.jit-arch-refused',
    'said.nvrtc-*',
    'said.build-arch-flags',
    'said.ptxas-*',
    'said.triton-*',
    'said.cmake-cuda-not-found',
  ],
  check(_, context) {
    const remedies = [
      { actor: 'developer', do: 'take the architecture out of the build, if no such GPU is left' },
      { actor: 'developer', do: 'or build with the last toolkit that knows it', command: 'nvcc --list-gpu-arch' },
    ] as const;
    const answer = compilerAnswer(context);
    if (answer === null) {
      const ptxas = ptxasAnswer(context);
      if (ptxas === null || ptxas.kind !== 'dropped') return { kind: 'silent' };
      return {
        kind: 'fault',
        certainty: ptxas.certainty,
        message: ptxas.message,
        seen: ptxas.seen,
        remedies,
        missing: ptxas.missing,
        weight: 2,
      };
    }
    if (answer.side === 'too-old')
      return {
        kind: 'cleared',
        because: 'the architecture was not dropped: the compiler does not know it yet',
        seen: answer.seen,
      };
    return {
      kind: 'fault',
      certainty: answer.side === 'open' ? 'possible' : answer.certainty,
      message: answer.message,
      seen: answer.seen,
      remedies,
      missing: answer.missing,
      weight: answer.side === 'open' ? 0 : 2,
    };
  },
});
