import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';

export const tensorCoresIdle: Rule = defineRule({
  id: 'application/tensor-cores-idle',
  summary: 'Matrix products run on the ordinary cores, and the tensor cores have nothing to do',
  needs: ['profile.metric'],
  uses: ['env'],
  citations: ['cuda-best-practices', 'pytorch-cuda-notes'],
  check(_, context) {
    const share = context
      .all('profile.metric')
      .find(
        (fact) =>
          fact.value.name === 'plain-products-share' && fact.scope !== 'after-fix' && fact.scope !== 'other-host',
      );
    if (share === undefined) return { kind: 'silent' };
    const seen = share.seen.slice(0, 2);
    if (share.value.value < 40)
      return {
        kind: 'cleared',
        because: `products on the ordinary cores take ${share.value.value} % of the time of the kernels`,
        seen,
      };
    const forbidden = context
      .all('env')
      .find((fact) => fact.value.name === 'NVIDIA_TF32_OVERRIDE' && fact.value.value === '0');
    return {
      kind: 'fault',
      // Full float32 can be what the program wants.
      certainty: forbidden === undefined ? 'possible' : 'likely',
      message: `${share.value.value} % of the time of the kernels are matrix products in full float32, off the tensor cores`,
      seen: [...seen, ...(forbidden?.seen.slice(0, 1) ?? [])],
      remedies: [
        {
          actor: 'developer',
          do: 'if the program bears it, let float32 products use TF32, or compute in bfloat16',
          command: "torch.set_float32_matmul_precision('high'); torch.autocast('cuda', torch.bfloat16)",
        },
      ],
      missing: [
        {
          fact: 'the precision that the program needs',
          ask: 'python -c "import torch; print(torch.get_float32_matmul_precision())"; env | grep TF32',
        },
      ],
      weight: 1,
    };
  },
});
