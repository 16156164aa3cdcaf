import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { archAnswer } from './_arch.ts';

export const gpuNewerThanBinaryArchs: Rule = defineRule({
  id: 'framework/gpu-newer-than-binary-archs',
  summary: 'The build has no code for this GPU, because the GPU is newer than the build',
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
    'said.cuda-invalid-ptx',
    'torch.version',
    'torch.arch-list',
  ],
  uses: [
    'job.gpu-type',
    'driver.cuda',
    'gpu.name',
    'gpu.compute-capability',
    'torch.capability-range',
    'torch.cuda',
    'toolkit.runtime',
    'toolkit.nvcc',
    'image.cuda',
    'said.build-arch-flags',
  ],
  citations: ['cuda-programming-guide', 'pytorch-release-matrix', 'nvcc-architectures'],
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
    'said.vllm-*',
    'said.xf-*',
    'said.trt-*',
    'said.tf-*',
    'driver/ptx-newer-than-driver',
  ],
  check(_, context) {
    const answer = archAnswer(context);
    if (answer === null) return { kind: 'silent' };
    if (answer.direction === 'older')
      return { kind: 'cleared', because: 'the GPU is not newer than the build: it is older', seen: answer.seen };
    if (answer.direction === 'runs') return { kind: 'cleared', because: answer.message, seen: answer.seen };
    return {
      kind: 'fault',
      certainty: answer.direction === 'open' ? 'possible' : answer.certainty,
      message: answer.message,
      seen: answer.seen,
      remedies: [
        {
          actor: 'developer',
          do: 'install a build whose architecture list has this GPU (a newer release or CUDA variant)',
        },
        {
          actor: 'developer',
          do: 'or compile the library with this architecture',
          command: 'TORCH_CUDA_ARCH_LIST="MAJOR.MINOR" pip install --no-binary PACKAGE PACKAGE',
        },
      ],
      missing: answer.missing,
      weight: answer.direction === 'open' ? 1 : 2,
    };
  },
});
