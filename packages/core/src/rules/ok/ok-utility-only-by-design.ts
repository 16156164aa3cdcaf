import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { quiet, works } from './_healthy.ts';

export const okUtilityOnlyByDesign: Rule = defineRule({
  id: 'ok/ok-utility-only-by-design',
  summary: 'The container has NVML and no CUDA, and what runs in it needs no more',
  needs: ['env'],
  uses: ['driver.answers', 'gpu.count'],
  citations: ['container-toolkit-docs'],
  check(facts, context) {
    const utility = context
      .all('env')
      .find(
        (fact) =>
          fact.value.name === 'NVIDIA_DRIVER_CAPABILITIES' &&
          /utility/.test(fact.value.value) &&
          !/compute|all/.test(fact.value.value),
      );
    const answers = facts['driver.answers'] ?? facts['gpu.count'] ?? works(context)[0];
    if (utility === undefined || !quiet(context)) return { kind: 'silent' };
    if (context.all('torch.cuda-available').some((fact) => !fact.value)) return { kind: 'silent' };
    return {
      kind: 'cleared',
      because: 'capability utility gives NVML, which exporters and nvidia-smi need; nothing asked for CUDA',
      seen: [...utility.seen.slice(0, 1), ...(answers?.seen.slice(0, 1) ?? [])],
      layer: 'container-runtime',
      weight: 3,
    };
  },
});
