import type { Outcome, Rule, RuleContext } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { captured, messagesOf, proofOf } from '../application/_standing.ts';
import { archAnswer } from './_arch.ts';

export const gpuOlderThanBinaryArchs: Rule = defineRule({
  id: 'framework/gpu-older-than-binary-archs',
  summary: 'The build has no code for this GPU, because support for the older GPU was taken out',
  needs: [],
  anyOf: [
    'said.cuda-no-kernel-image',
    'said.no-code-for-gpu',
    'said.ggml-arch-not-compiled',
    'said.cuda-invalid-device-function',
    'said.pt-arch-not-compatible',
    'said.gpu-outside-library',
    'said.fa-ampere-only',
    'said.xf-no-operator',
    'attention.refused',
    'said.trt-sm-unsupported',
    'said.kernels-from-ptx',
    'said.library-refuses-old-gpu',
  ],
  uses: [
    'job.gpu-type',
    'said.cuda-invalid-ptx',
    'gpu.name',
    'gpu.compute-capability',
    'torch.arch-list',
    'torch.capability-range',
    'torch.version',
    'torch.cuda',
    'toolkit.runtime',
    'toolkit.nvcc',
    'image.cuda',
    'said.build-arch-flags',
  ],
  citations: ['cuda-programming-guide', 'pytorch-release-matrix', 'pytorch-drops-volta'],
  explains: [
    'application/application-exception',
    'application/application-configuration',
    'said.pt-*',
    'said.cuda-*',
    'said.no-code-for-gpu',
    'said.gpu-outside-library',
    'said.ggml-*',
    'said.cublas-status',
    'said.cudnn-status',
    'said.nccl-*',
    'said.fa-*',
    'said.xf-*',
    'said.trt-*',
    'said.tf-*',
    'driver/ptx-newer-than-driver',
    'said.vllm-*',
    'said.library-refuses-old-gpu',
  ],
  check(_, context) {
    const refused = refusedByLibrary(context);
    if (refused !== null) return refused;
    const answer = archAnswer(context);
    if (answer === null) return { kind: 'silent' };
    if (answer.direction === 'newer')
      return { kind: 'cleared', because: 'the GPU is not older than the build: it is newer', seen: answer.seen };
    if (answer.direction === 'runs') return { kind: 'cleared', because: answer.message, seen: answer.seen };
    return {
      kind: 'fault',
      certainty: answer.direction === 'open' ? 'possible' : answer.certainty,
      message: answer.message,
      seen: answer.seen,
      remedies: [
        {
          actor: 'developer',
          do: 'install the last release that still has code for this GPU, or another CUDA variant of it',
        },
        { actor: 'developer', do: 'or compile the library with this architecture, as long as the toolkit knows it' },
        { actor: 'cluster-admin', do: 'or place the job on a newer GPU' },
      ],
      missing: answer.missing,
      weight: answer.direction === 'open' ? 0 : 2,
    };
  },
});

/** A library that names the least compute capability it takes, and the one it found. */
function refusedByLibrary(context: RuleContext): Outcome | null {
  const { standing } = messagesOf(context, ['library-refuses-old-gpu']);
  const need = captured(standing, 'need');
  const have = captured(standing, 'have') ?? context.first('gpu.compute-capability')?.value;
  if (need === undefined || have === undefined || Number(have) >= Number(need)) return null;
  return {
    kind: 'fault',
    certainty: 'proved',
    message: `the library needs compute capability ${need}, and this GPU has ${have}`,
    seen: proofOf(standing),
    remedies: [
      { actor: 'developer', do: 'install the last release of the library that takes this GPU' },
      { actor: 'cluster-admin', do: 'or place the job on a newer GPU' },
    ],
    weight: 2,
  };
}
