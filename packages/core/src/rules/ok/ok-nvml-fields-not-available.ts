import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { printed, quiet } from './_healthy.ts';

export const okNvmlFieldsNotAvailable: Rule = defineRule({
  id: 'ok/ok-nvml-fields-not-available',
  summary: 'Fields are N/A because NVML does not offer them on this kind of machine',
  needs: ['driver.answers'],
  uses: ['os.platform', 'gpu.name'],
  citations: ['nvml-enums'],
  check({ 'driver.answers': answers, 'os.platform': platform }, context) {
    const integrated = context.all('gpu.name').find((fact) => /nvgpu|\b(?:orin|tegra|xavier|thor)\b/i.test(fact.value));
    const jetson = platform?.value === 'jetson' || integrated !== undefined;
    if (!jetson && platform?.value !== 'wsl' && platform?.value !== 'windows') return { kind: 'silent' };
    if (!quiet(context) || printed(context, 'driver.cuda-missing') !== undefined) return { kind: 'silent' };
    return {
      kind: 'cleared',
      because: `nvidia-smi answers; ${jetson ? 'on an integrated GPU' : 'under Windows and WSL'} NVML has no value for the fields shown as N/A`,
      seen: [...answers.seen.slice(0, 2), ...((platform ?? integrated)?.seen.slice(0, 1) ?? [])],
      layer: 'driver',
      weight: 2,
    };
  },
});
