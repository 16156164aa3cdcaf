import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { kindOf, lastOf, nameOf, ownExceptions, ownMessage } from './_exceptions.ts';

export const applicationDownloadFailed: Rule = defineRule({
  id: 'application/application-download-failed',
  summary: 'A model or data set could not be downloaded',
  needs: [],
  anyOf: ['program.exception', 'said.app-hub-download-failed', 'said.app-package-download-failed'],
  citations: ['huggingface-hub-environment'],
  explains: ['application/application-exception', 'application/application-configuration'],
  check(_facts, context) {
    const own = ownExceptions(context);
    const raised = lastOf(own, 'download');
    const failed = raised ?? ownMessage(context, 'application-download-failed');
    if (failed !== undefined) {
      return {
        kind: 'fault',
        certainty: 'likely',
        message: raised === undefined ? 'a download failed' : `a download failed, ${nameOf(raised)}`,
        seen: failed.seen,
        remedies: [
          {
            actor: 'node-admin',
            do: 'let the container reach the host that the message names, or set the proxy',
            command: 'env | grep -i _proxy',
          },
          { actor: 'developer', do: 'check the token and the name, or point the program at a local copy of the model' },
        ],
        weight: -2,
      };
    }
    if (own.some((fact) => kindOf(fact) === 'stack')) {
      return {
        kind: 'unknown',
        missing: [{ fact: 'whether the hub can be reached', ask: 'curl -sSI https://huggingface.co | head -n 1' }],
      };
    }
    if (own.length === 0) return { kind: 'silent' };
    return { kind: 'cleared', because: 'no download failed', seen: [] };
  },
});
