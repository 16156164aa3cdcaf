import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { failures } from './_healthy.ts';
import { longAgo } from './_needless.ts';

export const okStaleErrorGauge: Rule = defineRule({
  id: 'ok/ok-stale-error-gauge',
  summary: 'The gauge keeps the last Xid after the GPU recovered',
  needs: ['works'],
  citations: ['xid-catalogue'],
  check({ works }, context) {
    const gauge = context.all('gpu.last-xid').find((fact) => fact.value.xid > 0);
    const logged = context.all('gpu.xid');
    const fresh =
      logged.length > 0 && context.all('said.xid-line').some((fact) => longAgo(fact, context) === undefined);
    if (gauge === undefined || fresh || failures(context).length > 0) return { kind: 'silent' };
    return {
      kind: 'cleared',
      because: `the exporter shows the last Xid it ever saw, ${gauge.value.xid}; the GPU is well: ${works.value.what}`,
      seen: [...gauge.seen.slice(0, 1), ...works.seen.slice(0, 1)],
      layer: 'hardware',
      weight: 4,
    };
  },
});
