import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';

export const launchBoundNeedsCudaGraphs: Rule = defineRule({
  id: 'application/launch-bound-needs-cuda-graphs',
  summary: 'Launching many short kernels costs more time than they run',
  needs: [],
  anyOf: ['profile.api', 'profile.kernels', 'profile.graph-gain'],
  citations: ['cuda-programming-guide'],
  check(facts, context) {
    const remedies = [
      {
        actor: 'developer',
        do: 'capture the repeated part in a CUDA graph',
        command: 'torch.compile(model, mode="reduce-overhead")',
      },
      { actor: 'developer', do: 'or fuse the small kernels, or give each more work' },
    ] as const;
    const gain = facts['profile.graph-gain'];
    if (gain !== undefined && gain.value.direct >= gain.value.replayed * 1.3) {
      return {
        kind: 'fault',
        message: `the same work takes ${gain.value.direct} launched one by one and ${gain.value.replayed} as a graph`,
        seen: gain.seen,
        remedies,
        weight: 2,
      };
    }
    const launch = context
      .all('profile.api')
      .filter((fact) => /^(?:cudaLaunchKernel|cuLaunchKernel)/.test(fact.value.name))[0];
    const kernels = facts['profile.kernels'];
    if (launch === undefined && kernels === undefined) return { kind: 'silent' };
    if (kernels === undefined || launch === undefined) {
      return {
        kind: 'unknown',
        missing: [
          {
            fact: kernels === undefined ? 'profile.kernels' : 'profile.api',
            ask: 'nsys stats -r cuda_api_sum,cuda_gpu_kern_sum REPORT',
          },
        ],
      };
    }
    const average = kernels.value.totalNs / Math.max(1, kernels.value.instances);
    const seen = [...launch.seen.slice(0, 1), ...kernels.seen.slice(0, 2)];
    if (launch.value.calls >= 200 && average < 20_000 && launch.value.totalNs > kernels.value.totalNs) {
      return {
        kind: 'fault',
        message: `${launch.value.calls.toLocaleString('en')} launches take ${timeText(launch.value.totalNs)} of CPU time for kernels that run ${timeText(kernels.value.totalNs)}, ${timeText(average)} each`,
        seen,
        remedies,
        weight: 2,
      };
    }
    return {
      kind: 'cleared',
      because: `kernels run longer than their launches cost (${(average / 1e3).toFixed(1)} µs each)`,
      seen,
    };
  },
});

/** `4.46 s`, `591 ms`, `2.40 µs` of nanoseconds. */
function timeText(ns: number): string {
  const [value, unit] = ns >= 1e9 ? [ns / 1e9, 's'] : ns >= 1e6 ? [ns / 1e6, 'ms'] : [ns / 1e3, 'µs'];
  return `${value.toFixed(value >= 100 ? 0 : value >= 10 ? 1 : 2)} ${unit}`;
}
