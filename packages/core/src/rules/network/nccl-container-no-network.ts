import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';

export const ncclContainerNoNetwork: Rule = defineRule({
  id: 'network/nccl-container-no-network',
  summary: 'The container has no network interface that NCCL can use',
  needs: [],
  anyOf: ['said.nccl-bootstrap-no-interface', 'nccl.interfaces', 'said.nccl-unhandled-system-error'],
  uses: ['env'],
  citations: ['nccl-troubleshooting'],
  explains: ['said.nccl-*', 'said.pt-*', 'application/application-exception'],
  check(facts, context) {
    const none = facts['said.nccl-bootstrap-no-interface'];
    if (none === undefined) {
      const found = context.all('nccl.interfaces')[0];
      return found === undefined
        ? { kind: 'unknown', missing: [{ fact: 'nccl.interfaces', ask: 'ip -br addr; NCCL_DEBUG=INFO …' }] }
        : { kind: 'cleared', because: `NCCL found ${found.value.join(', ')}`, seen: found.seen };
    }
    const asked = context
      .all('env')
      .some((fact) => fact.value.name === 'NCCL_SOCKET_IFNAME' && fact.value.value !== '');
    if (asked || none.value.captures['if'] !== undefined) return { kind: 'silent' };
    const isolated = context.said.concat().length > 0 && none.seen.some((each) => /network[= ]none/i.test(each.text));
    return {
      kind: 'fault',
      certainty: isolated ? 'proved' : 'likely',
      message: 'NCCL finds no network interface but the loopback',
      seen: none.seen.slice(0, 2),
      remedies: [
        {
          actor: 'developer',
          do: 'start the container with a network, on several nodes that of the host',
          command: 'docker run --network=host …',
        },
        { actor: 'developer', do: 'for one node alone, let NCCL use the loopback', command: 'NCCL_SOCKET_IFNAME=lo' },
      ],
      missing: [{ fact: 'the interfaces in the container', ask: 'ip -br addr' }],
      weight: 2,
    };
  },
});
