import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { quiet, works } from './_healthy.ts';

export const okBenignWarning: Rule = defineRule({
  id: 'ok/ok-benign-warning',
  summary: 'The alarming lines are notices without effect',
  needs: [],
  anyOf: [],
  citations: [],
  check(_, context) {
    const notices = context.said.filter(
      (fact) => context.knowledge.signatures.find((row) => row.id === fact.value.signature)?.role === 'benign',
    );
    const notice = notices[0];
    if (notice === undefined || !quiet(context)) return { kind: 'silent' };
    const meaning = context.knowledge.signatures.find((row) => row.id === notice.value.signature)?.meaning ?? '';
    return {
      kind: 'cleared',
      because: `no failure: ${/^[A-Z][a-z]/.test(meaning) ? meaning.charAt(0).toLowerCase() + meaning.slice(1).replace(/\.$/, '') : meaning.replace(/\.$/, '')}`,
      seen: notices.flatMap((fact) => fact.seen.slice(0, 1)),
      layer: 'framework',
      weight: works(context).length > 0 ? 2 : 1,
    };
  },
});
