import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';

export const copiesNotOverlapped: Rule = defineRule({
  id: 'application/copies-not-overlapped',
  summary: 'Copies and kernels wait for each other, though the memory would let them run side by side',
  needs: ['profile.overlap'],
  citations: ['cuda-best-practices', 'nsight-systems-guide'],
  check(_, context) {
    const overlap = context
      .all('profile.overlap')
      .find((fact) => fact.value.what === 'copies' && fact.scope !== 'after-fix' && fact.scope !== 'other-host');
    if (overlap === undefined) return { kind: 'silent' };
    const { count, kernels, totalNs, hiddenNs, kernelsNs, pinned } = overlap.value;
    const seen = overlap.seen.slice(0, 2);
    const share = totalNs / (totalNs + kernelsNs);
    if (hiddenNs >= 0.4 * totalNs)
      return { kind: 'cleared', because: `${percent(hiddenNs / totalNs)} of the copies lie under kernels`, seen };
    if (share < 0.15)
      return { kind: 'cleared', because: `the copies take ${percent(share)} of the time of the GPU`, seen };
    // Ordinary memory cannot be copied aside: that is another cause.
    if (!pinned) return { kind: 'silent' };
    if (count < 2 || kernels < 2)
      return {
        kind: 'unknown',
        missing: [{ fact: 'a longer time line', ask: 'nsys stats --report cuda_gpu_trace FILE' }],
      };
    return {
      kind: 'fault',
      certainty: count >= 6 ? 'proved' : 'likely',
      message: `the copies take ${percent(share)} of the time of the GPU, and no kernel runs beside them`,
      seen,
      remedies: [
        {
          actor: 'developer',
          do: 'cut the work into parts and give each its stream, so that one is copied while another is computed',
          command: 'cudaMemcpyAsync(…, stream[i]); kernel<<<…, stream[i]>>>',
        },
        {
          actor: 'developer',
          do: 'in torch: pin_memory, non_blocking, and fetch the next batch on a stream of its own',
        },
      ],
      weight: 1,
    };
  },
});

function percent(share: number): string {
  return `${(100 * share).toFixed(0)} %`;
}
