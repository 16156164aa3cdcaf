import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';

export const applicationTemplateError: Rule = defineRule({
  id: 'application/application-template-error',
  summary: 'A chart or manifest does not render: the cluster was not asked for anything',
  needs: [],
  anyOf: ['said.app-template-error'],
  uses: ['works'],
  citations: ['helm-templates'],
  explains: ['application/application-exception', 'application/application-configuration'],
  check(facts) {
    const said = facts['said.app-template-error'];
    if (said === undefined) return { kind: 'silent' };
    if (facts.works !== undefined && facts.works.order > said.order) {
      return { kind: 'cleared', because: 'it rendered afterwards', seen: facts.works.seen.slice(0, 1) };
    }
    const place = /\b[\w./-]{3,120}\.(?:ya?ml|tpl):\d{1,5}(?::\d{1,5})?/.exec(said.seen[0]?.text ?? '')?.[0];
    if (said.told) {
      return {
        kind: 'fault',
        certainty: 'possible',
        message: 'a template is said not to render',
        seen: said.seen,
        remedies: [],
        missing: [{ fact: 'the message of the renderer', ask: 'helm template . -f VALUES' }],
      };
    }
    return {
      kind: 'fault',
      certainty: 'proved',
      message: place === undefined ? 'a template does not render' : `the template at ${place} does not render`,
      seen: said.seen.slice(0, 2),
      remedies: [
        {
          actor: 'developer',
          do: 'give the value that the template asks for',
          command: 'helm template . -f VALUES --debug',
        },
        { actor: 'vendor', do: 'mend the template if the value is documented as optional' },
      ],
      weight: 1,
    };
  },
});
