import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { byPrint, capture, missing, own, said, seen } from '../container-runtime/_container.ts';

export const mtuMismatch: Rule = defineRule({
  id: 'network/mtu-mismatch',
  summary: 'Packets are larger than the path allows',
  needs: [],
  anyOf: ['said.mtu-too-long', 'ib.port', 'net.interface'],
  citations: ['rdma-core'],
  explains: ['network/nccl-peer-unreachable', 'network/roce-not-lossless', 'said.nccl-*', 'said.pt-*'],
  check(_facts, context) {
    const lead = said(context, 'mtu-too-long')[0];
    const ports = own(context, 'ib.port').filter(
      (fact) => fact.value.mtu !== null && /active/i.test(fact.value.state ?? 'active'),
    );
    const small = [...ports].sort((a, b) => (a.value.mtu ?? 0) - (b.value.mtu ?? 0));
    const remedies = [
      {
        actor: 'cluster-admin',
        do: 'set one MTU on all interfaces, bonds, bridges and switch ports of this network',
        command: 'ip link show; ping -M do -s 8972 PEER',
      },
    ] as const;
    if (lead !== undefined) {
      const mtu = capture([lead], 'mtu', 'mtu2');
      const interfaces = own(context, 'net.interface').filter((fact) => fact.value.mtu !== null);
      const local = interfaces.find(
        (fact) => (fact.value.mtu ?? 0) > Number(mtu ?? 0) && (fact.value.mtu ?? 0) < 65536,
      );
      const ordinary = /local error/.test(lead.seen[0]?.text ?? '') && mtu === '1500' && local === undefined;
      return {
        kind: 'fault',
        certainty: local !== undefined ? byPrint(lead, local) : ordinary ? 'possible' : 'likely',
        message: `a packet was too long for the path${mtu === undefined ? '' : `, whose MTU is ${mtu}`}${local === undefined ? '' : `, while ${local.value.name} has ${local.value.mtu}`}`,
        seen: seen(lead, local),
        remedies,
        ...(local === undefined
          ? { missing: [missing('net.interface', 'ip -d link show; the MTU of the switch ports')] }
          : {}),
        weight: 1,
      };
    }
    const least = small[0];
    const most = small.at(-1);
    if (least === undefined || most === undefined || small.length < 2) return { kind: 'silent' };
    if (least.value.mtu === most.value.mtu)
      return { kind: 'cleared', because: `all ports have the MTU ${least.value.mtu}`, seen: seen(least) };
    if (least.value.layer !== most.value.layer) return { kind: 'silent' };
    return {
      kind: 'fault',
      certainty: 'possible',
      message: `ports have different MTUs: ${least.value.device} ${least.value.mtu}, ${most.value.device} ${most.value.mtu}`,
      seen: seen(least, most),
      remedies,
      missing: [missing('the MTU of the other nodes and of the switch', 'ibv_devinfo | grep active_mtu on every node')],
    };
  },
});
