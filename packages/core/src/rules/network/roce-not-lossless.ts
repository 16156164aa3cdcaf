import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { byPrint, missing, own, said, seen } from '../container-runtime/_container.ts';

export const roceNotLossless: Rule = defineRule({
  id: 'network/roce-not-lossless',
  summary: 'The Ethernet fabric drops packets of RDMA',
  needs: [],
  anyOf: ['said.rdma-counter-lossy', 'said.pfc-all-off'],
  uses: ['ib.port'],
  citations: ['mlx5-counters'],
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
      remedies: [
        {
          actor: 'cluster-admin',
          do: 'switch on PFC and ECN for the priority of RDMA, the same on cards and switches',
          command: 'mlnx_qos -i IFACE; cma_roce_tos; ethtool -S IFACE | grep -E "prio.*(pause|discards)"',
        },
        { actor: 'developer', do: 'let NCCL use that traffic class', command: 'NCCL_IB_TC=106 NCCL_IB_SL=3' },
      ],
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
