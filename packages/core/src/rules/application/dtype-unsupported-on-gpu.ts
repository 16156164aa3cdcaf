import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { captured, messagesOf, proofOf } from './_standing.ts';

export const dtypeUnsupportedOnGpu: Rule = defineRule({
  id: 'application/dtype-unsupported-on-gpu',
  summary: 'The GPU is of a generation that lacks this number format',
  needs: [],
  anyOf: ['said.vllm-bf16-cc', 'said.dtype-refused'],
  uses: ['gpu.compute-capability', 'gpu.name'],
  citations: ['cuda-compute-capabilities', 'vllm-docs'],
  explains: [
    'application/application-exception',
    'application/application-configuration',
    'said.vllm-*',
    'said.dtype-refused',
    'said.triton-*',
  ],
  check(_, context) {
    const { standing, overcome } = messagesOf(context, ['vllm-bf16-cc', 'dtype-refused']);
    if (standing.length === 0)
      return { kind: 'cleared', because: 'another format was taken and the program went on', seen: proofOf(overcome) };
    const gpu = captured(standing, 'gpu');
    const need = capability(captured(standing, 'need', 'need2', 'need3', 'need4'));
    const have =
      capability(captured(standing, 'have', 'have4')) ?? capability(context.first('gpu.compute-capability')?.value);
    const remedies = [
      {
        actor: 'developer',
        do: 'take a format that the GPU has: float16 instead of bfloat16, 16 bit instead of 8 or 4 bit',
        command: '--dtype half',
      },
      { actor: 'developer', do: 'or run it on a newer GPU' },
    ] as const;
    if (need !== null && have !== null && have >= need) {
      return {
        kind: 'unknown',
        missing: [
          {
            fact: 'which of the GPUs the program took',
            ask: 'nvidia-smi --query-gpu=index,name,compute_cap --format=csv; echo $CUDA_VISIBLE_DEVICES',
          },
        ],
      };
    }
    return {
      kind: 'fault',
      certainty: need !== null && have !== null ? 'proved' : 'likely',
      message:
        need !== null && have !== null
          ? `the number format needs compute capability ${need.toFixed(1)}, and ${gpu === undefined ? 'the GPU' : `the ${gpu}`} has ${have.toFixed(1)}`
          : 'the GPU is of a generation that lacks this number format',
      seen: proofOf(standing),
      remedies,
      weight: 2,
    };
  },
});

/** `8.0`, `80` and `89` as one number. */
function capability(text: string | undefined): number | null {
  if (text === undefined) return null;
  const value = Number(text);
  if (!Number.isFinite(value)) return null;
  return text.includes('.') || value < 20 ? value : value / 10;
}
