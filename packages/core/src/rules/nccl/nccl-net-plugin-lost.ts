import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { byPrint, capture, missing, own, said, seen } from '../container-runtime/_container.ts';

export const ncclNetPluginLost: Rule = defineRule({
  id: 'nccl/nccl-net-plugin-lost',
  summary: 'The network plugin is missing, so NCCL uses TCP on a machine with a fast fabric',
  needs: [],
  anyOf: ['said.nccl-net-plugin-absent', 'said.nccl-net-plugin-failed', 'said.nccl-verbs-library-missing'],
  uses: ['nccl.net', 'ib.port', 'env', 'devices.listed'],
  citations: ['efa-nccl', 'nccl-env'],
  explains: ['network/nccl-wrong-interface'],
  check(_facts, context) {
    const absent = said(context, 'nccl-net-plugin-absent')[0];
    const failed = said(context, 'nccl-net-plugin-failed')[0];
    const verbs = said(context, 'nccl-verbs-library-missing')[0];
    const net = own(context, 'nccl.net').at(-1);
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
    const lead = failed ?? absent ?? verbs;
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
