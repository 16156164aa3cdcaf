import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { captured, messagesOf, proofOf } from './_standing.ts';

export const kernelExceedsGpuLimits: Rule = defineRule({
  id: 'application/kernel-exceeds-gpu-limits',
  summary: 'A launch asks for more than a multiprocessor of this GPU has',
  needs: [],
  anyOf: [
    'said.triton-out-of-resources',
    'said.cuda-too-many-resources',
    'said.cuda-cooperative-too-large',
    'said.cuda-invalid-configuration',
  ],
  uses: ['gpu.name'],
  citations: ['cuda-compute-capabilities', 'triton-errors'],
  explains: ['application/application-exception', 'said.triton-*', 'said.cuda-*', 'said.pt-*'],
  check(_, context) {
    const strong = messagesOf(context, [
      'triton-out-of-resources',
      'cuda-too-many-resources',
      'cuda-cooperative-too-large',
    ]);
    const weak = messagesOf(context, ['cuda-invalid-configuration']);
    const standing = [...strong.standing, ...weak.standing];
    if (standing.length === 0)
      return {
        kind: 'cleared',
        because: 'another configuration was taken and the program went on',
        seen: proofOf([...strong.overcome, ...weak.overcome]),
      };
    const what = captured(standing, 'what', 'what2');
    const need = captured(standing, 'req', 'req2');
    const limit = captured(standing, 'lim', 'lim2');
    const remedies = [
      {
        actor: 'developer',
        do: 'smaller tiles or fewer stages (Triton), smaller blocks or __launch_bounds__ (CUDA), tuned for this GPU',
      },
      {
        actor: 'developer',
        do: 'ask for the limit of the device instead of taking that of the GPU it was tuned on',
        command: 'cudaDevAttrMaxSharedMemoryPerBlockOptin; cudaOccupancyMaxActiveBlocksPerMultiprocessor',
      },
    ] as const;
    if (what !== undefined && need !== undefined && limit !== undefined && Number(need) > Number(limit)) {
      return {
        kind: 'fault',
        certainty: 'proved',
        message: `a kernel asks for ${need} of ${what}, and this GPU has ${limit}`,
        seen: proofOf(standing),
        remedies,
        weight: 2,
      };
    }
    const only = strong.standing.length === 0;
    return {
      kind: 'fault',
      certainty: only ? 'possible' : 'likely',
      message: only
        ? 'the shape of a launch is not allowed'
        : 'a launch asks for more than a multiprocessor of this GPU has',
      seen: proofOf(standing),
      remedies,
      missing: [
        { fact: 'the resources of the kernel', ask: 'cuobjdump -res-usage FILE; ncu --section LaunchStats COMMAND' },
      ],
      weight: 1,
    };
  },
});
