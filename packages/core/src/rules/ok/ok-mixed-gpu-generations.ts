import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { own, seen } from '../container-runtime/_container.ts';
import { quiet, works } from './_healthy.ts';

export const okMixedGpuGenerations: Rule = defineRule({
  id: 'ok/ok-mixed-gpu-generations',
  summary: 'GPUs of several generations work side by side under one driver',
  needs: [],
  anyOf: ['gpu.name'],
  uses: ['works', 'torch.cuda-available'],
  citations: ['cuda-gpus'],
  check(_facts, context) {
    if (!quiet(context)) return { kind: 'silent' };
    const names = [
      ...new Set(
        own(context, 'gpu.name')
          .filter((fact) => !fact.told)
          .map((fact) => fact.value),
      ),
    ];
    const [first, second] = own(context, 'gpu.name').filter((fact) => !fact.told);
    if (names.length < 2 || first === undefined || second === undefined || works(context).length === 0)
      return { kind: 'silent' };
    return {
      kind: 'cleared',
      because: `${names.slice(0, 3).join(' and ')} work under one driver`,
      seen: [...seen(first), ...seen(second), ...seen(works(context)[0])],
      layer: 'hardware',
      weight: 1,
    };
  },
});
