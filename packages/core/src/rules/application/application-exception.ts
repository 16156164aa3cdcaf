import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { lastOf, nameOf, ownExceptions, ownMessage } from './_exceptions.ts';

export const applicationException: Rule = defineRule({
  id: 'application/application-exception',
  summary: 'The program or a Python library raised an exception of its own',
  needs: [],
  anyOf: ['program.exception', 'said.cuda-device-side-assert', 'said.app-import-missing', 'said.app-shape-or-type'],
  citations: ['python-exceptions'],
  check(_facts, context) {
    const own = ownExceptions(context);
    const exception = lastOf(own, 'exception');
    const message =
      exception === undefined && own.length === 0 ? ownMessage(context, 'application-exception') : undefined;
    if (message !== undefined) {
      return {
        kind: 'fault',
        certainty: 'likely',
        message: 'the program ended with an error of its own',
        seen: message.seen.slice(0, 2),
        remedies: [{ actor: 'developer', do: 'mend the program or install what it misses' }],
        weight: -4,
      };
    }
    if (exception !== undefined) {
      return {
        kind: 'fault',
        certainty: 'likely',
        message:
          exception.value.type === 'KeyboardInterrupt'
            ? 'the program was stopped by its user (KeyboardInterrupt)'
            : `the program ended with its own exception, ${nameOf(exception)}`,
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
      because: 'the exception passes on what failed below it',
      // The finding itself says it.
      seen: [],
    };
  },
});
