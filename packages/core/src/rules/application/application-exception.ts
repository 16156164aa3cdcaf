import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { lastOf, nameOf, ownExceptions } from './_exceptions.ts';

export const applicationException: Rule = defineRule({
  id: 'application/application-exception',
  summary: 'The program or a Python library raised an exception of its own',
  needs: ['program.exception'],
  citations: ['python-exceptions'],
  check({ 'program.exception': any }, context) {
    const own = ownExceptions(context);
    const exception = lastOf(own, 'exception');
    if (exception !== undefined) {
      return {
        kind: 'fault',
        certainty: 'likely',
        message: `the program ended with its own exception, ${nameOf(exception)}`,
        seen: exception.seen,
        remedies: [
          {
            actor: 'developer',
            do: 'mend the program or pin the library that raised it; the traceback names the place',
          },
        ],
        weight: -4,
      };
    }
    if (lastOf(own, 'stack') !== undefined) {
      return {
        kind: 'unknown',
        missing: [
          { fact: 'what the exception means for the stack', ask: 'python -m torch.utils.collect_env; nvidia-smi' },
        ],
      };
    }
    if (own.length > 0) return { kind: 'silent' };
    return {
      kind: 'cleared',
      because: 'the exception comes from a failure of the stack, not from the program',
      seen: any.seen,
    };
  },
});
