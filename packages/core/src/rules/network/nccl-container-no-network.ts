import type { Outcome, Rule, RuleContext } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { byPrint, missing, own, said, seen } from '../container-runtime/_container.ts';

export const ncclContainerNoNetwork: Rule = defineRule({
  id: 'network/nccl-container-no-network',
  summary: 'The container has no network interface that NCCL can use',
  needs: [],
  anyOf: [
    'said.infiniband-nodes-absent',
    'said.nccl-bootstrap-no-interface',
    'nccl.interfaces',
    'said.nccl-unhandled-system-error',
  ],
  uses: ['env'],
  citations: ['nccl-troubleshooting'],
  explains: ['said.nccl-*', 'said.pt-*', 'application/application-exception', 'nccl/nccl-net-plugin-lost'],
  check(facts, context) {
    const none = facts['said.nccl-bootstrap-no-interface'];
    const nodes = withoutAdapters(context);
    if (none === undefined && nodes !== null) return nodes;
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

/** The plugin of the network finds no adapter, and the container has no device nodes of any. */
function withoutAdapters(context: RuleContext): Outcome | null {
  const absent = said(context, 'infiniband-nodes-absent')[0];
  const failed = [
    ...said(context, 'nccl-ofi-efa', 'nccl-no-ib-device', 'nccl-net-plugin-failed', 'nccl-ib-open-failed'),
  ][0];
  if (absent === undefined || failed === undefined) return null;
  const elsewhere = own(context, 'ib.device-nodes').find((fact) => fact.value > 0);
  const inside = absent.scope === 'container' || own(context, 'container.inside').length > 0;
  if (!inside && elsewhere === undefined) return null;
  return {
    kind: 'fault',
    certainty: elsewhere === undefined ? 'likely' : byPrint(absent, failed, elsewhere),
    message: `the container has no device nodes of the network adapters${elsewhere === undefined ? '' : ', and the host has them'}`,
    seen: seen(failed, absent, elsewhere),
    remedies: [
      {
        actor: 'developer',
        do: 'give the container the adapters and the right to lock memory',
        command:
          'docker run --device=/dev/infiniband --ulimit memlock=-1 …; in Kubernetes: vpc.amazonaws.com/efa, rdma/hca',
      },
      { actor: 'cluster-admin', do: 'run the device plugin of the adapters on the node' },
    ],
    missing: elsewhere === undefined ? [missing('the nodes of the host', 'ls /dev/infiniband   # on the host')] : [],
    weight: 3,
  };
}
