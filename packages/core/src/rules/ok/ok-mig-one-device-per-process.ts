import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { quiet } from './_healthy.ts';

export const okMigOneDevicePerProcess: Rule = defineRule({
  id: 'ok/ok-mig-one-device-per-process',
  summary: 'A CUDA process sees one MIG device, however many are named to it',
  needs: ['env'],
  uses: ['framework.devices', 'gpu.count'],
  citations: ['mig-user-guide'],
  check(facts, context) {
    const several = context
      .all('env')
      .find(
        (fact) =>
          fact.value.name === 'CUDA_VISIBLE_DEVICES' &&
          fact.value.value.split(',').filter((part) => part.trim().startsWith('MIG-')).length > 1,
      );
    const seen = context.all('framework.devices').find((fact) => fact.value === 1) ?? facts['gpu.count'];
    if (several === undefined || seen?.value !== 1 || !quiet(context)) return { kind: 'silent' };
    return {
      kind: 'cleared',
      because: 'CUDA enumerates one MIG device per process; use one process for each device',
      seen: [...several.seen.slice(0, 1), ...seen.seen.slice(0, 1)],
      layer: 'driver',
      weight: 5,
    };
  },
});
