import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { ptxasAnswer } from '../toolkit/_ptxas.ts';

export const ptxasTooOldForGpu: Rule = defineRule({
  id: 'framework/ptxas-too-old-for-gpu',
  summary: 'The ptxas that the framework brings does not know this GPU',
  needs: [],
  anyOf: [
    'said.ptxas-arch-refused',
    'said.triton-ptxas-arch',
    'said.ptxas-unsupported-version',
    'said.ptxas-unsupported-target',
    'said.triton-ptxas-error',
    'said.tf-ptx-ptxas',
    'said.xla-ptxas-fallback',
  ],
  uses: ['gpu.name', 'gpu.compute-capability', 'env', 'said.ptxas-path', 'toolkit.nvcc'],
  citations: ['nvcc-architectures', 'triton-compiler'],
  explains: [
    'application/application-exception',
    'said.ptxas-*',
    'said.triton-*',
    'said.vllm-*',
    'said.cuda-*',
    'said.pt-*',
    'said.tf-ptx-ptxas',
    'said.xla-ptxas-fallback',
    'driver/driver-too-old-for-jit-kernels',
  ],
  check(_, context) {
    const answer = ptxasAnswer(context);
    if (answer === null) return { kind: 'silent' };
    if (answer.kind === 'dropped') {
      return { kind: 'cleared', because: `the GPU is not new to ptxas: ${answer.message}`, seen: answer.seen };
    }
    if (answer.kind === 'ptx') {
      return { kind: 'cleared', because: 'the GPU is known; two compilers do not fit together', seen: answer.seen };
    }
    if (answer.kind === 'open') return { kind: 'unknown', missing: answer.missing };
    if (answer.foreign !== null) {
      return {
        kind: 'cleared',
        because: 'the ptxas that was called is not the one of the framework',
        seen: answer.seen,
      };
    }
    return {
      kind: 'fault',
      certainty: answer.certainty,
      message: answer.message,
      seen: answer.seen,
      remedies: [
        {
          actor: 'developer',
          do: 'use a framework release whose ptxas knows this GPU, or point it to a newer one',
          command: 'export TRITON_PTXAS_PATH=/usr/local/cuda/bin/ptxas; $TRITON_PTXAS_PATH --version',
        },
        {
          actor: 'developer',
          do: 'empty the kernel cache of the framework afterwards',
          command: 'rm -rf ~/.triton/cache',
        },
      ],
      missing: answer.missing,
      weight: 3,
    };
  },
});
