import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';

export const inputPipelineBound: Rule = defineRule({
  id: 'application/input-pipeline-bound',
  summary: 'The GPU waits for the input pipeline',
  needs: ['profile.step'],
  citations: ['pytorch-multiprocessing'],
  check({ 'profile.step': step }) {
    const share = step.value.data / step.value.total;
    const percent = Math.round(share * 100);
    if (share < 0.3)
      return { kind: 'cleared', because: `a step waits ${percent} % of its time for data`, seen: step.seen };
    return {
      kind: 'fault',
      ...(share < 0.5
        ? {
            certainty: 'possible' as const,
            missing: [{ fact: 'whether loading overlaps with the step', ask: 'nsys profile --stats=true python …' }],
          }
        : {}),
      message: `a step waits ${percent} % of its time for data (${step.value.data} of ${step.value.total})`,
      seen: step.seen,
      remedies: [
        {
          actor: 'developer',
          do: 'use more loader workers, prefetching and page-locked buffers; move decoding and augmentation to the GPU',
        },
        {
          actor: 'cluster-admin',
          do: 'give the job the CPU cores that its workers need, and storage that keeps up',
          command: 'nproc; cat /sys/fs/cgroup/cpu.max',
        },
      ],
      weight: 2,
    };
  },
});
