import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { bytesOf } from './_sizes.ts';

export const applicationOutOfMemory: Rule = defineRule({
  id: 'application/application-out-of-memory',
  summary: 'The program asks for more device memory than the GPU has; the memory in use is its own',
  needs: [],
  anyOf: ['said.pt-oom', 'said.xla-oom', 'said.ggml-oom', 'said.cuda-oom-runtime', 'said.vllm-kv-cache'],
  uses: ['gpu.holders', 'gpu.state'],
  citations: ['pytorch-cuda-notes'],
  explains: [
    'application/application-exception',
    'said.pt-*',
    'said.nccl-*',
    'said.cuda-*',
    'said.vllm-*',
    'said.ggml-*',
  ],
  check(facts, context) {
    const messages = context.said.filter((fact) =>
      ['said.pt-oom', 'said.xla-oom', 'said.ggml-oom', 'said.cuda-oom-runtime', 'said.vllm-kv-cache'].includes(fact.id),
    );
    const lastWork = Math.max(-1, ...context.all('works').map((fact) => fact.order));
    const lastMessage = Math.max(...messages.map((fact) => fact.order));
    if (lastWork > lastMessage) {
      return {
        kind: 'cleared',
        because: 'the program went on after it',
        seen: messages.at(-1)?.seen.slice(0, 1) ?? [],
      };
    }
    const seen = messages.flatMap((fact) => fact.seen.slice(0, 1)).slice(0, 4);
    const captures = Object.assign({}, ...messages.map((fact) => fact.value.captures)) as Record<string, string>;
    const total = bytesOf(captures['total'] ?? captures['totalOld']);
    const own = bytesOf(captures['alloc'] ?? captures['allocOld']) ?? bytesOf(captures['resv']);
    const want = bytesOf(captures['want']);
    const remedies = [
      { actor: 'developer', do: 'use a smaller batch, sequence or model, activation checkpointing, or more GPUs' },
      {
        actor: 'developer',
        do: 'if much is reserved but not allocated, let the allocator grow its segments',
        command: 'PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True',
      },
    ] as const;
    const others = seen
      .flatMap((each) => [...each.text.matchAll(/\bProcess \d{1,9} has ([\d.]{1,9} \w{2,3}) memory in use/g)])
      .map((match) => bytesOf(match[1]) ?? 0);
    if (total !== null && own === null && others.length > 1 && Math.max(...others) > total * 0.5) {
      return {
        kind: 'fault',
        certainty: 'possible',
        message: 'the GPU is full, and several processes hold its memory',
        seen,
        remedies,
        missing: [
          {
            fact: 'gpu.processes',
            ask: 'nvidia-smi --query-compute-apps=pid,process_name,used_memory --format=csv; ps -o pid,ppid,etime,cmd -p PID',
          },
        ],
      };
    }
    if (total !== null && own !== null) {
      // Most of the card is the process' own, or the request alone is larger than the card.
      if (own >= total * 0.6 || (want !== null && (want >= total || own + want > total * 0.9))) {
        return {
          kind: 'fault',
          certainty: 'proved',
          message: `the program needs more than the ${captures['total'] ?? captures['totalOld']} of the GPU, of which it holds ${captures['alloc'] ?? captures['allocOld']} itself`,
          seen,
          remedies,
          weight: 1,
        };
      }
      return {
        kind: 'fault',
        certainty: 'possible',
        message: 'the GPU is full, but most of its memory is not held by this process',
        seen,
        remedies,
        missing: [
          {
            fact: 'gpu.processes',
            ask: 'nvidia-smi --query-compute-apps=pid,process_name,used_memory --format=csv; fuser -v /dev/nvidia*',
          },
        ],
      };
    }
    if (context.all('gpu.holders').length > 0) {
      return {
        kind: 'cleared',
        because: 'other processes hold the memory',
        seen: context.all('gpu.holders').flatMap((fact) => fact.seen),
      };
    }
    return {
      kind: 'fault',
      certainty: 'likely',
      message: 'the program ran out of device memory',
      seen,
      remedies,
      missing: [
        { fact: 'gpu.processes', ask: 'nvidia-smi --query-compute-apps=pid,process_name,used_memory --format=csv' },
      ],
    };
  },
});
