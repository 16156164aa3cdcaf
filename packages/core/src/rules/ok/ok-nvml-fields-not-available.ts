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
    if (platform.value !== 'jetson' && platform.value !== 'wsl' && platform.value !== 'windows')
      return { kind: 'silent' };
    if (!quiet(context) || printed(context, 'driver.cuda-missing') !== undefined) return { kind: 'silent' };
    return {
      kind: 'cleared',
      because: `nvidia-smi answers; on ${jetson ? 'an integrated GPU' : 'Windows and WSL'} NVML has no value for the fields shown as N/A`,
      seen: [...answers.seen.slice(0, 2), ...((platform ?? integrated)?.seen.slice(0, 1) ?? [])],
      layer: 'driver',
      weight: 2,
    };
  },
});
