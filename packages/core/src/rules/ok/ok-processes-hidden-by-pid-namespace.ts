import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { quiet } from './_healthy.ts';

export const okProcessesHiddenByPidNamespace: Rule = defineRule({
  id: 'ok/ok-processes-hidden-by-pid-namespace',
  summary: 'The process table is empty in the container because its processes belong to another PID namespace',
  needs: ['gpu.processes'],
  citations: ['container-toolkit-docs'],
  check(_, context) {
    const tables = context.all('gpu.processes');
    const inside = tables.find((fact) => fact.scope === 'container' && fact.value.length === 0);
    const outside = tables.find((fact) => fact.scope !== 'container' && fact.value.length > 0);
    if (inside === undefined || !quiet(context)) return { kind: 'silent' };
    return {
      kind: 'cleared',
      because:
        'NVML names processes by the PIDs of the host; a container does not see them, with or without work on the GPU',
      seen: [...inside.seen, ...(outside?.seen ?? [])],
      layer: 'container-runtime',
      weight: outside === undefined ? 1 : 4,
    };
  },
});
