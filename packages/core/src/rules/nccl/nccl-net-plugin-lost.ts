import type { Outcome, Rule, RuleContext } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { byPrint, capture, missing, own, said, seen } from '../container-runtime/_container.ts';

export const ncclNetPluginLost: Rule = defineRule({
  id: 'nccl/nccl-net-plugin-lost',
  summary: 'The network plugin is missing, so NCCL uses TCP on a machine with a fast fabric',
  needs: [],
  anyOf: [
    'said.nccl-net-plugin-absent',
    'said.nccl-net-plugin-failed',
    'said.nccl-verbs-library-missing',
    'said.ofi-provider',
    'said.nccl-ofi-efa',
    'said.nccl-ib-open-failed',
  ],
  uses: ['nccl.net', 'ib.port', 'env', 'devices.listed'],
  citations: ['efa-nccl', 'nccl-env'],
  explains: ['network/nccl-wrong-interface'],
  check(_facts, context) {
    const absent = said(context, 'nccl-net-plugin-absent')[0];
    const failed = said(context, 'nccl-net-plugin-failed')[0];
    const verbs = said(context, 'nccl-verbs-library-missing')[0];
    const net = own(context, 'nccl.net').at(-1);
    const slow = slowProvider(context) ?? unopened(context);
    if (slow !== null) return slow;
    if (net !== undefined && !/^Socket$/i.test(net.value)) {
      return { kind: 'cleared', because: `NCCL uses the network ${net.value}; it needs no plugin`, seen: seen(net) };
    }
    const named = /libnccl-net-\w/.test(capture(absent === undefined ? [] : [absent], 'lib') ?? '');
    const wanted = own(context, 'env').find(
      (fact) =>
        (/^(?:NCCL_NET_PLUGIN|NCCL_NET)$/.test(fact.value.name) && !/^(?:none|socket)?$/i.test(fact.value.value)) ||
        (fact.value.name === 'FI_PROVIDER' && /efa/.test(fact.value.value)) ||
        fact.value.name === 'FI_EFA_USE_DEVICE_RDMA',
    );
    const fabric =
      own(context, 'ib.port').find((fact) => /active/i.test(fact.value.state ?? '')) ??
      said(context, 'rdma-fabric-present')[0] ??
      own(context, 'devices.listed').find((fact) => fact.value.some((name) => name.includes('infiniband')));
    const refused = said(context, 'nccl-ofi-efa').find((fact) =>
      /initialization failed|no eligible providers/i.test(fact.seen[0]?.text ?? ''),
    );
    const lead = failed ?? absent ?? refused ?? verbs;
    if (lead === undefined) return { kind: 'silent' };
    const reason = wanted ?? fabric;
    if (net === undefined && !named && failed === undefined) return { kind: 'silent' };
    if (reason === undefined && !named && failed === undefined) {
      return {
        kind: 'unknown',
        missing: [
          missing('whether this machine has InfiniBand or EFA', 'ls /dev/infiniband; ibv_devinfo; fi_info -p efa'),
        ],
      };
    }
    return {
      kind: 'fault',
      certainty: net !== undefined && reason !== undefined ? byPrint(lead, net, reason) : 'likely',
      message: `NCCL found no ${verbs !== undefined && absent === undefined ? 'RDMA library' : 'network plugin'} and falls back to TCP${fabric === undefined ? '' : ', though the machine has a fast fabric'}`,
      seen: seen(lead, net, reason),
      remedies: [
        {
          actor: 'image-owner',
          do: 'put the plugin of this fabric into the image and its folder on LD_LIBRARY_PATH (aws-ofi-nccl for EFA; rdma-core for InfiniBand)',
        },
        {
          actor: 'cluster-admin',
          do: 'give the container the devices',
          command: 'ls -l /dev/infiniband; fi_info -p efa',
        },
        {
          actor: 'developer',
          do: 'check which plugin NCCL looks for',
          command: 'NCCL_DEBUG=INFO <cmd> 2>&1 | grep -E "NET/|Using network"',
        },
      ],
      ...(net === undefined || reason === undefined
        ? {
            missing: [
              missing('nccl.net', 'NCCL_DEBUG=INFO <cmd> 2>&1 | grep -E "NET/|Using network"; ls /dev/infiniband'),
            ],
          }
        : {}),
      weight: 1,
    };
  },
});

/** The plugin of libfabric took TCP, where the machine is one with EFA. */
function slowProvider(context: RuleContext): Outcome | null {
  const taken = said(context, 'ofi-provider').at(-1);
  if (taken === undefined || !/^(?:tcp|sockets|udp)\b/.test(capture([taken], 'provider') ?? '')) return null;
  const fast =
    said(context, 'rdma-fabric-present')[0] ??
    own(context, 'env').find((fact) => fact.value.name === 'FI_PROVIDER' && /efa/.test(fact.value.value));
  return {
    kind: 'fault',
    certainty: fast === undefined ? 'possible' : 'likely',
    message: `the plugin of libfabric found no EFA device and took ${capture([taken], 'provider') ?? 'TCP'}${fast === undefined ? '' : ', on a machine that has EFA'}`,
    seen: seen(taken, fast),
    remedies: [
      {
        actor: 'cluster-admin',
        do: 'give the container the devices of EFA: vpc.amazonaws.com/efa in its limits, or --device=/dev/infiniband/uverbs0 and its like',
        command: 'ls /dev/infiniband; fi_info -p efa',
      },
      { actor: 'node-admin', do: 'on the host: install the EFA driver, and let the security group allow itself' },
    ],
    missing: [missing('whether the process sees an EFA device', 'fi_info -p efa; ls /dev/infiniband')],
    weight: 1,
  };
}

/** NCCL sees an RDMA adapter, cannot open it, and goes on over TCP. */
function unopened(context: RuleContext): Outcome | null {
  const refused = said(context, 'nccl-ib-open-failed')[0];
  const net = own(context, 'nccl.net').at(-1);
  if (refused === undefined || net === undefined || !/^Socket$/i.test(net.value)) return null;
  return {
    kind: 'fault',
    certainty: 'likely',
    message: `NCCL cannot open the adapter ${capture([refused], 'dev') ?? ''} and falls back to TCP`,
    seen: seen(refused, net),
    remedies: [
      {
        actor: 'cluster-admin',
        do: 'give the container the devices and the right to lock memory',
        command: 'docker run --device=/dev/infiniband --cap-add=IPC_LOCK --ulimit memlock=-1 …; ls -l /dev/infiniband',
      },
      {
        actor: 'image-owner',
        do: 'put rdma-core of the age of the host’s into the image',
        command: 'ibv_devinfo',
      },
    ],
    missing: [missing('whether the process may open the devices', 'ls -l /dev/infiniband; ibv_devinfo')],
    weight: 1,
  };
}
