import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';

export const defaultStreamSerialisation: Rule = defineRule({
  id: 'application/default-stream-serialisation',
  summary: 'Work on the legacy default stream keeps the other streams from overlapping with it',
  needs: ['profile.streams'],
  citations: ['cuda-runtime-api', 'pytorch-cuda-notes'],
  check({ 'profile.streams': streams }) {
    const { onDefault, onOthers, overlapping } = streams.value;
    if (overlapping > 0) {
      return {
        kind: 'cleared',
        because: `work of the default stream and of others overlaps (${overlapping} times)`,
        seen: streams.seen,
      };
    }
    return {
      kind: 'fault',
      // One pair can lie apart by chance; taking turns is the pattern.
      certainty: onDefault >= 2 && onOthers >= 1 ? 'likely' : 'possible',
      message: `kernels of the default stream and of ${onOthers === 1 ? 'another stream' : 'other streams'} take turns and never overlap`,
      seen: streams.seen,
      remedies: [
        {
          actor: 'developer',
          do: 'move the work of the default stream to a stream of its own, or create the others with cudaStreamNonBlocking',
        },
        {
          actor: 'developer',
          do: 'or build with the per-thread default stream',
          command: 'nvcc --default-stream per-thread …',
        },
      ],
      ...(onDefault >= 2
        ? {}
        : {
            missing: [
              {
                fact: 'the time line of both streams',
                ask: 'nsys profile -t cuda -o run ./app && nsys stats -r cuda_gpu_trace run.nsys-rep',
              },
            ],
          }),
      weight: 1,
    };
  },
});
