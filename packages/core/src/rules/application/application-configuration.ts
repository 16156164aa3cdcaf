import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { kindOf, lastOf, nameOf, ownExceptions } from './_exceptions.ts';

export const applicationConfiguration: Rule = defineRule({
  id: 'application/application-configuration',
  summary: "The program refuses its arguments or the model's files",
  needs: ['program.exception'],
  citations: ['python-exceptions'],
  explains: ['application/application-exception'],
  check({ 'program.exception': any }, context) {
    const own = ownExceptions(context);
    const refused = lastOf(own, 'configuration');
    if (refused !== undefined) {
      return {
        kind: 'fault',
        certainty: 'likely',
        message: `the program refuses its configuration, ${nameOf(refused)}`,
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
    return { kind: 'cleared', because: 'no argument or model file was refused', seen: any.seen };
  },
});
