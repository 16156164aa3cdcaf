import type { Fact } from '../../model/facts.ts';
import type { Outcome, Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { captured, messagesOf, proofOf } from './_standing.ts';

export const rendezvousFailed: Rule = defineRule({
  id: 'application/rendezvous-failed',
  summary: 'The ranks find nobody at the meeting point',
  needs: [],
  anyOf: ['said.rendezvous-refused', 'said.pt-store-timeout'],
  uses: ['program.exception'],
  citations: ['pytorch-distributed', 'errno-manual'],
  explains: [
    'application/application-exception',
    'said.pt-store-timeout',
    'said.rendezvous-refused',
    'said.pt-nccl-*',
    'network/nccl-peer-unreachable',
  ],
  check(_, context) {
    const refused = messagesOf(context, ['rendezvous-refused']);
    const waited = messagesOf(context, ['pt-store-timeout']);
    const lead = refused.standing[0];
    if (lead === undefined) {
      const alone = waited.standing.find((fact) =>
        /RendezvousTimeoutError|RendezvousConnectionError|min_nodes|RendezvousClosedError|rendezvous .{0,80}(?:timed? ?out|closed)/i.test(
          fact.seen[0]?.text ?? '',
        ),
      );
      const broken = context
        .all('program.exception')
        .find((fact) => !/rendezvous|store|socket/i.test(`${fact.value.type} ${fact.value.message}`));
      if (alone !== undefined && broken === undefined) return tooFew(alone);
      if (refused.overcome.length > 0)
        return { kind: 'cleared', because: 'it tried again and the ranks met', seen: proofOf(refused.overcome) };
      return { kind: 'silent' };
    }
    const other = context
      .all('program.exception')
      .find(
        (fact) =>
          !/client socket|rendezvous|TCPStore|DistStore|clients joined|Connection refused|connect to/i.test(
            fact.value.message,
          ),
      );
    if (other !== undefined)
      return {
        kind: 'cleared',
        because: 'a rank failed on its own; the others then found nobody',
        seen: other.seen.slice(0, 1),
      };
    const ended = waited.standing.find((fact) => /timed out|Timed out|timeout/.test(fact.seen[0]?.text ?? ''));
    const host = captured(refused.standing, 'host');
    const port = captured(refused.standing, 'port');
    return {
      kind: 'fault',
      certainty: ended === undefined ? 'possible' : 'likely',
      message: `${host ?? 'the host of the meeting point'} answers, and nobody listens on port ${port ?? '?'} there: rank 0 is not running`,
      seen: [...proofOf(refused.standing).slice(0, 2), ...(ended?.seen.slice(0, 1) ?? [])],
      remedies: [
        {
          actor: 'developer',
          do: 'start rank 0 first, on that host and port, or see in its log why it ended',
          command: 'ssh HOST "ss -ltnp | grep PORT; pgrep -af torchrun"',
        },
        {
          actor: 'developer',
          do: 'give all nodes the same address and port',
          command: 'torchrun --rdzv-endpoint=HOST:PORT',
        },
      ],
      missing: [
        { fact: 'whether somebody listens there', ask: `ssh ${host ?? 'HOST'} "ss -ltnp | grep ${port ?? 'PORT'}"` },
      ],
      weight: 1,
    };
  },
});

/** The launcher waited for nodes that did not come. */
function tooFew(lead: Fact): Outcome {
  return {
    kind: 'fault',
    certainty: 'likely',
    message: 'the launcher waited for other nodes, and too few came',
    seen: lead.seen.slice(0, 3),
    remedies: [
      {
        actor: 'developer',
        do: 'start the launcher on every node, with the same job id, end point and number of nodes',
        command: 'torchrun --nnodes=N --rdzv-id=JOB --rdzv-backend=c10d --rdzv-endpoint=HOST:PORT …',
      },
      { actor: 'node-admin', do: 'see whether the nodes reach the end point', command: 'nc -vz HOST PORT' },
    ],
    missing: [{ fact: 'which nodes have started the launcher', ask: 'pgrep -af torchrun   # on every node' }],
    weight: 1,
  };
}
