import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';

export const ncclExposedCommunication: Rule = defineRule({
  id: 'application/nccl-exposed-communication',
  summary: 'Communication that no computation hides',
  needs: ['profile.overlap'],
  citations: ['nsight-systems-guide', 'pytorch-distributed'],
  check(_, context) {
    const overlap = context
      .all('profile.overlap')
      .find((fact) => fact.value.what === 'nccl' && fact.scope !== 'after-fix' && fact.scope !== 'other-host');
    if (overlap === undefined) return { kind: 'silent' };
    const { count, kernels, totalNs, hiddenNs, kernelsNs } = overlap.value;
    const seen = overlap.seen.slice(0, 2);
    const exposed = (totalNs - hiddenNs) / (totalNs - hiddenNs + kernelsNs);
    if (exposed < 0.15)
      return {
        kind: 'cleared',
        because: `${(100 * exposed).toFixed(0)} % of the time is communication that nothing hides`,
        seen,
      };
    if (count < 2 || kernels < 2)
      return {
        kind: 'unknown',
        missing: [{ fact: 'a longer time line', ask: 'nsys stats --report cuda_gpu_trace FILE' }],
      };
    return {
      kind: 'fault',
      certainty: 'likely',
      message: `${(100 * exposed).toFixed(0)} % of the time of the GPU is communication beside which nothing is computed`,
      seen,
      remedies: [
        {
          actor: 'developer',
          do: 'start the exchange of gradients while the backward pass runs: buckets of DDP, prefetch of FSDP, a stream of its own',
        },
        {
          actor: 'developer',
          do: 'send less: larger local batches, accumulation of gradients, a shorter number format',
        },
      ],
      // A rank that comes late makes the others' collectives look long.
      missing: [
        {
          fact: 'whether one rank comes late to every collective',
          ask: 'nsys profiles of two ranks; culprit trace RANK0 RANK1',
        },
      ],
      weight: 1,
    };
  },
});
