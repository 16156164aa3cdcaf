import type { Rule } from '../../model/rule.ts';
import { seriesRule } from '../_series.ts';

export const cpuBound: Rule = seriesRule({
  id: 'application/cpu-bound',
  summary: 'The CPU code of the program sets the pace, and the GPU waits for it',
  citations: ['cuda-best-practices'],
  beside: 'input-pipeline-bound',
  explains: ['application/input-pipeline-bound'],
  remedies: [
    {
      actor: 'developer',
      do: 'find what the main thread does between the steps, and move it to workers, to the GPU or out of the loop',
      command: 'py-spy record --native --pid PID --output profile.svg',
    },
    { actor: 'developer', do: 'capture repeated launches in a CUDA graph, or fuse small kernels' },
  ],
});
