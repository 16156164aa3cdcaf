import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { byPrint, missing, own, said, seen } from '../container-runtime/_container.ts';
import { byPort, grown, growthsOf, growthText, isMuch, portText } from './_counters.ts';

const cure = [
  {
    actor: 'cluster-admin',
    do: 'switch on PFC and ECN for the priority of RDMA, the same on cards and switches',
    command: 'mlnx_qos -i IFACE; cma_roce_tos; ethtool -S IFACE | grep -E "prio.*(pause|discards)"',
  },
  { actor: 'developer', do: 'let NCCL use that traffic class', command: 'NCCL_IB_TC=106 NCCL_IB_SL=3' },
] as const;

export const roceNotLossless: Rule = defineRule({
  id: 'network/roce-not-lossless',
  summary: 'The Ethernet fabric drops packets of RDMA',
  needs: [],
  anyOf: ['said.rdma-counter-lossy', 'said.pfc-all-off', 'net.counter-growth'],
  uses: ['ib.port'],
  citations: ['mlx5-counters', 'mlx5-ethtool-counters'],
  explains: ['network/nccl-peer-unreachable', 'said.nccl-*', 'said.pt-*'],
  check(_facts, context) {
    const counters = said(context, 'rdma-counter-lossy');
    const pfc = said(context, 'pfc-all-off')[0];
    const transfer = said(context, 'nccl-ib-completion-error')[0];
    const lost = counters.filter((fact) =>
      /out_of_sequence|packet_seq_err|local_ack_timeout_err|adp_retrans|discards|slow_restart/.test(
        fact.value.captures['counter'] ?? '',
      ),
    );
    const lead = lost[0];
    const roce =
      own(context, 'ib.port').find((fact) => /ethernet/i.test(fact.value.layer ?? '')) ??
      said(context, 'pfc-all-off')[0];
    const infiniband = own(context, 'ib.port').find((fact) => /infiniband/i.test(fact.value.layer ?? ''));
    if (infiniband !== undefined && roce === undefined)
      return {
        kind: 'cleared',
        because: 'the fabric is InfiniBand, which is lossless by itself',
        seen: seen(infiniband),
      };
    const read = growthsOf(context, 'loss');
    const [growing] = byPort(grown(read).filter(isMuch));
    if (growing !== undefined) {
      const first = growing[0]!;
      const port = own(context, 'ib.port').find((fact) => fact.value.device === first.value.device);
      const proved = pfc !== undefined || (transfer !== undefined && roce !== undefined);
      return {
        kind: 'fault',
        certainty: proved
          ? byPrint(first, pfc)
          : roce !== undefined || /_phy$|prio/.test(first.value.counter)
            ? 'likely'
            : 'possible',
        message: `packets of RDMA are lost at ${portText(first.value)}: ${growing.slice(0, 3).map(growthText).join(', ')}${pfc === undefined ? '' : ', and priority flow control is off'}`,
        seen: seen(...growing.slice(0, 3), pfc, transfer, port),
        remedies: cure,
        ...(proved
          ? {}
          : {
              missing: [
                missing(
                  'whether PFC and ECN are on',
                  'mlnx_qos -i IFACE; ethtool -S IFACE | grep -E "prio.*(pause|discards)"',
                ),
              ],
            }),
        weight: 0,
      };
    }
    if (read.length > 0 && grown(read).length === 0)
      return {
        kind: 'cleared',
        because: 'the counters of lost packets did not grow between two readings',
        seen: seen(read[0]),
      };
    if (lead === undefined) {
      return pfc === undefined
        ? { kind: 'silent' }
        : {
            kind: 'unknown',
            missing: [
              missing(
                'whether packets are lost',
                'ethtool -S IFACE | grep -E "discards|out_of_seq|pause"; rdma statistic',
              ),
            ],
          };
    }
    const names = [...new Set(lost.map((fact) => `${fact.value.captures['counter']} ${fact.value.captures['count']}`))]
      .slice(0, 3)
      .join(', ');
    return {
      kind: 'fault',
      certainty: pfc !== undefined ? byPrint(lead, pfc) : transfer !== undefined ? 'likely' : 'possible',
      message: `packets of RDMA are lost or come out of order (${names})${pfc === undefined ? '' : ', and priority flow control is off'}`,
      seen: seen(lead, lost[1], pfc, transfer),
      remedies: cure,
      ...(pfc === undefined
        ? {
            missing: [
              missing(
                'whether the counters grow during the job, and whether PFC is on',
                'mlnx_qos -i IFACE; ethtool -S IFACE twice',
              ),
            ],
          }
        : {}),
      weight: transfer === undefined ? -1 : 1,
    };
  },
});
