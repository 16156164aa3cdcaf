import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { printed, quiet } from './_healthy.ts';

export const okNcclRunGood: Rule = defineRule({
  id: 'ok/ok-nccl-run-good',
  summary: 'NCCL set its communicator up and ran',
  needs: [],
  anyOf: ['nccl.init-complete', 'works'],
  citations: ['nccl-troubleshooting'],
  check(_, context) {
    const complete =
      printed(context, 'nccl.init-complete') ??
      context.all('works').find((fact) => fact.value.layer === 'nccl' && !fact.told);
    if (complete === undefined || !quiet(context, false)) return { kind: 'silent' };
    return {
      kind: 'cleared',
      because: 'NCCL initialised to the end and nothing failed after it',
      seen: complete.seen,
      layer: 'nccl',
      weight: 3,
    };
  },
});
