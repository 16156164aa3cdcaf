import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { quiet } from './_healthy.ts';

export const okMigEnabled: Rule = defineRule({
  id: 'ok/ok-mig-enabled',
  summary: 'MIG is set up as wanted',
  needs: [],
  anyOf: ['gpu.mig-device', 'k8s.resource', 'works', 'said.mig-instance-created'],
  citations: ['k8s-device-plugin'],
  check(_, context) {
    if (!quiet(context)) return { kind: 'silent' };
    const state = context
      .all('k8s.resource')
      .find((fact) => fact.value.name === 'nvidia.com/mig.config.state' && fact.value.value === 'success');
    const device = context.all('gpu.mig-device')[0];
    const proof = state ?? device ?? context.all('said.mig-instance-created')[0];
    if (proof === undefined) return { kind: 'silent' };
    return {
      kind: 'cleared',
      because:
        state === undefined
          ? 'MIG devices are there and nothing failed'
          : 'the MIG layout was applied, and its devices are offered',
      seen: proof.seen,
      layer: 'orchestrator',
      weight: 3,
    };
  },
});
