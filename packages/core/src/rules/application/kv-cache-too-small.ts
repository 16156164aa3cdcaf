import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { messagesOf, proofOf } from './_standing.ts';

export const kvCacheTooSmall: Rule = defineRule({
  id: 'application/kv-cache-too-small',
  summary: 'The memory left beside the weights does not hold the cache that is asked for',
  needs: [],
  anyOf: ['said.vllm-kv-cache', 'said.serving-memory-refused'],
  uses: ['gpu.processes', 'gpu.state', 'process.parent'],
  citations: ['vllm-docs'],
  explains: [
    'application/application-exception',
    'application/application-configuration',
    'application/application-out-of-memory',
    'said.vllm-*',
    'said.serving-memory-refused',
    'said.pt-*',
  ],
  check(_, context) {
    const { standing, overcome } = messagesOf(context, ['vllm-kv-cache', 'serving-memory-refused']);
    if (standing.length === 0)
      return { kind: 'cleared', because: 'the server started after it', seen: proofOf(overcome) };
    const held = context.said.find((fact) => /^(?:vllm-free-memory|orphan-process)$/.test(fact.value.signature));
    if (held !== undefined)
      return { kind: 'cleared', because: 'other processes hold memory of the GPU', seen: held.seen.slice(0, 1) };
    const several = context.all('gpu.processes').find((fact) => fact.value.length > 1);
    return {
      kind: 'fault',
      certainty: several === undefined ? 'likely' : 'possible',
      message: 'the memory that is left beside the weights does not hold the cache for the context that is asked for',
      seen: [...proofOf(standing), ...(several?.seen.slice(0, 1) ?? [])],
      remedies: [
        {
          actor: 'developer',
          do: 'ask for a shorter context or fewer sequences at a time',
          command: 'vLLM: --max-model-len N --max-num-seqs N',
        },
        {
          actor: 'developer',
          do: 'give the server more of the GPU, smaller weights, or more GPUs',
          command: 'vLLM: --gpu-memory-utilization 0.95 --tensor-parallel-size N; SGLang: --mem-fraction-static',
        },
      ],
      ...(several === undefined
        ? {}
        : {
            missing: [
              {
                fact: 'how much the other processes hold',
                ask: 'nvidia-smi --query-compute-apps=pid,process_name,used_memory --format=csv',
              },
            ],
          }),
      weight: 2,
    };
  },
});
