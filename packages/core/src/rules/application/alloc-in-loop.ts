import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';

const allocating =
  /^(?:cudaMalloc|cudaFree|cudaMallocHost|cudaFreeHost|cudaHostAlloc|cudaMallocManaged|cudaMallocPitch|cuMemAlloc|cuMemFree|cuMemAllocHost|cuMemHostAlloc)$/;

export const allocInLoop: Rule = defineRule({
  id: 'application/alloc-in-loop',
  summary: 'Memory is allocated and freed again and again while the program runs',
  needs: ['profile.api'],
  citations: ['nsight-systems-guide', 'cuda-best-practices'],
  check(_, context) {
    const calls = context
      .all('profile.api')
      .filter((fact) => fact.scope !== 'after-fix' && fact.scope !== 'other-host');
    const own = calls.filter((fact) => allocating.test(fact.value.name));
    const most = [...own].sort((a, b) => b.value.calls - a.value.calls)[0];
    if (most === undefined) return { kind: 'silent' };
    const all = calls.reduce((sum, fact) => sum + fact.value.totalNs, 0);
    const spent = own.reduce((sum, fact) => sum + fact.value.totalNs, 0);
    const launches = calls
      .filter((fact) => /Launch/.test(fact.value.name))
      .reduce((sum, fact) => sum + fact.value.calls, 0);
    const seen = own.flatMap((fact) => fact.seen.slice(0, 1)).slice(0, 3);
    const repeated =
      most.value.calls >= 200 || (launches > 0 && most.value.calls >= 50 && most.value.calls >= 0.5 * launches);
    if (!repeated || (all > 0 && spent / all < 0.05))
      return {
        kind: 'cleared',
        because: `${most.value.calls} calls of ${most.value.name}: memory is allocated once, or costs little`,
        seen,
      };
    if (calls.length === own.length)
      return {
        kind: 'unknown',
        missing: [{ fact: 'what share of all calls that is', ask: 'nsys stats --report cuda_api_sum FILE' }],
      };
    const heavy = spent / all >= 0.2;
    return {
      kind: 'fault',
      // A few hundred may be the tensors of a model that is loaded once.
      certainty: !heavy ? 'possible' : most.value.calls >= 500 ? 'proved' : 'likely',
      message: `${most.value.calls.toLocaleString('en')} calls of ${most.value.name}; allocation takes ${((100 * spent) / all).toFixed(0)} % of the time in CUDA calls`,
      seen,
      remedies: [
        {
          actor: 'developer',
          do: 'allocate before the loop and reuse the buffers, or take the pool of the stream',
          command: 'cudaMallocAsync / cudaFreeAsync; torch: leave PYTORCH_NO_CUDA_MEMORY_CACHING unset',
        },
      ],
      ...(heavy && most.value.calls >= 500
        ? {}
        : {
            missing: [
              {
                fact: 'whether the calls stand inside the loop',
                ask: 'nsys profile --trace=cuda,nvtx COMMAND; nsys stats --report cuda_api_trace FILE',
              },
            ],
          }),
      weight: 1,
    };
  },
});
