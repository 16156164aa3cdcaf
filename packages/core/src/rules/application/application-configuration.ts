import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { kindOf, lastOf, nameOf, ownExceptions, ownMessage } from './_exceptions.ts';

export const applicationConfiguration: Rule = defineRule({
  id: 'application/application-configuration',
  summary: "The program refuses its arguments or the model's files",
  needs: [],
  anyOf: ['program.exception', 'said.app-config-refused', 'said.app-input-refused'],
  citations: ['python-exceptions'],
  explains: ['application/application-exception'],
  check(_facts, context) {
    const own = ownExceptions(context);
    const raised = lastOf(own, 'configuration');
    const refused = raised ?? ownMessage(context, 'application-configuration');
    if (refused !== undefined) {
      return {
        kind: 'fault',
        certainty: 'likely',
        message:
          raised === undefined
            ? 'the program refuses its arguments or files'
            : `the program refuses its configuration, ${nameOf(raised)}`,
        seen: refused.seen,
        remedies: [{ actor: 'developer', do: 'correct the argument or the model file that the message names' }],
        weight: -3,
      };
    }
    if (own.some((fact) => kindOf(fact) === 'stack')) {
      return {
        kind: 'unknown',
        missing: [
          { fact: 'the arguments of the program', ask: 'run the program with --help, and compare its arguments' },
        ],
      };
    }
    if (own.length === 0) return { kind: 'silent' };
    return {
      kind: 'cleared',
      because: 'no argument or model file was refused',
      seen: [],
    };
  },
});
