import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { messagesOf, proofOf } from './_standing.ts';

export const cudaGraphCaptureError: Rule = defineRule({
  id: 'application/cuda-graph-capture-error',
  summary: 'Something that a CUDA graph cannot hold was done while it was recorded',
  needs: [],
  anyOf: ['said.graph-capture-violated', 'said.cuda-graph-capture-unsupported'],
  uses: ['said.pt-oom', 'said.nccl-graph-capture-old'],
  citations: ['cuda-graphs-guide', 'cuda-runtime-types'],
  explains: [
    'application/application-exception',
    'said.cuda-*',
    'said.graph-capture-violated',
    'said.pt-*',
    'said.cublas-status',
  ],
  check(facts, context) {
    const { standing, overcome } = messagesOf(context, ['graph-capture-violated', 'cuda-graph-capture-unsupported']);
    const lead = standing[0];
    if (lead === undefined) {
      return { kind: 'cleared', because: 'the program went on after it', seen: proofOf(overcome) };
    }
    const memory = messagesOf(context, ['pt-oom', 'cuda-oom-runtime']).standing.find((fact) => fact.order < lead.order);
    if (memory !== undefined) {
      return { kind: 'cleared', because: 'the GPU was full before the capture failed', seen: memory.seen.slice(0, 1) };
    }
    if (facts['said.nccl-graph-capture-old'] !== undefined) {
      return {
        kind: 'cleared',
        because: 'NCCL itself cannot be recorded here',
        seen: facts['said.nccl-graph-capture-old'].seen.slice(0, 1),
      };
    }
    const text = lead.seen[0]?.text ?? '';
    // "A previous error" names only that there was one.
    const later = standing.every((fact) =>
      /previous error during capture|CaptureInvalidated|CAPTURE_INVALIDATED/.test(fact.seen[0]?.text ?? ''),
    );
    const legacy = /legacy stream|non-default stream|CaptureImplicit|CAPTURE_IMPLICIT/i.test(text);
    return {
      kind: 'fault',
      certainty: later ? 'possible' : 'proved',
      message: legacy
        ? 'work on the default stream was queued while a CUDA graph was recorded'
        : 'a call that a CUDA graph cannot hold was made while it was recorded',
      seen: proofOf(standing),
      remedies: [
        {
          actor: 'developer',
          do: 'take calls that wait, allocate or print (item, cpu, synchronize, cudaMalloc) and the default stream out of the recorded part',
        },
        {
          actor: 'developer',
          do: 'warm up on a side stream first, and register generators with the graph; to go on without graphs, switch them off',
          command: 'vLLM: --enforce-eager; torch.compile: mode="default"',
        },
      ],
      ...(later
        ? {
            missing: [
              {
                fact: 'the first error during the capture',
                ask: 'CUDA_LAUNCH_BLOCKING=0 TORCH_SHOW_CPP_STACKTRACES=1 COMMAND 2>&1 | grep -m1 -i captur',
              },
            ],
          }
        : {}),
      weight: 2,
    };
  },
});
