import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { messagesOf, proofOf } from './_standing.ts';

export const portInUse: Rule = defineRule({
  id: 'application/port-in-use',
  summary: 'The port that the program wants is taken',
  needs: [],
  anyOf: ['said.port-taken', 'said.pt-address-in-use', 'said.benign-port-moved'],
  uses: ['program.exception'],
  citations: ['errno-manual', 'pytorch-distributed'],
  explains: [
    'application/application-exception',
    'application/application-configuration',
    'said.nccl-*',
    'said.pt-*',
    'said.port-taken',
  ],
  check(_, context) {
    const { standing, overcome } = messagesOf(context, ['port-taken', 'pt-address-in-use']);
    const lead = standing[0];
    const moved = messagesOf(context, ['benign-port-moved']);
    if (lead === undefined)
      return {
        kind: 'cleared',
        because: 'the program took another port and went on',
        seen: proofOf([...overcome, ...moved.overcome, ...moved.standing]),
      };
    const earlier = context
      .all('program.exception')
      .find(
        (fact) =>
          fact.order < lead.order && !/EADDRINUSE|Address already|Errno 98|rendezvous|socket/i.test(fact.value.message),
      );
    if (earlier !== undefined)
      return { kind: 'cleared', because: 'something else failed before', seen: earlier.seen.slice(0, 1) };
    const ended =
      context
        .all('program.exception')
        .some((fact) => /EADDRINUSE|Address already|Errno 98|failed to (?:listen|bind)/i.test(fact.value.message)) ||
      standing.some((fact) => /^(?:ERROR|\[?Errno|OSError|.{0,60}Error:)/.test(fact.seen[0]?.text.trim() ?? ''));
    return {
      kind: 'fault',
      certainty: ended ? 'likely' : 'possible',
      message: 'the port that the program wants is taken',
      seen: proofOf(standing),
      remedies: [
        {
          actor: 'developer',
          do: 'end what holds it, often an earlier run of the same program',
          command: 'ss -ltnp | grep PORT',
        },
        {
          actor: 'developer',
          do: 'or take another port; two jobs on one machine need two',
          command: 'torchrun --rdzv-backend=c10d --rdzv-endpoint=localhost:0',
        },
      ],
      ...(ended
        ? {}
        : { missing: [{ fact: 'whether the program ended with it', ask: 'ss -ltnp; the lines behind the message' }] }),
      weight: 0,
    };
  },
});
