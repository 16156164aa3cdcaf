import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { isLocalAddress } from './_interfaces.ts';

export const ncclPeerUnreachable: Rule = defineRule({
  id: 'network/nccl-peer-unreachable',
  summary: 'A rank does not reach another one: routing, firewall or link',
  needs: [],
  anyOf: [
    'said.nccl-socket-connect-failed',
    'said.nccl-ib-completion-error',
    'said.pt-store-timeout',
    'said.pt-gloo-connect',
    'said.pt-nccl-init-timeout',
  ],
  citations: ['nccl-troubleshooting'],
  explains: ['said.nccl-*', 'said.pt-*', 'application/application-exception'],
  check(facts) {
    const connect = facts['said.nccl-socket-connect-failed'] ?? facts['said.pt-gloo-connect'];
    const rdma = facts['said.nccl-ib-completion-error'];
    const remedies = [
      {
        actor: 'node-admin',
        do: 'try the same way by hand',
        command: 'ping -c1 ADDRESS; nc -vz ADDRESS PORT; ibstat; ib_write_bw OTHER_NODE',
      },
      { actor: 'cluster-admin', do: 'open all ports between the nodes of a job, or mend route, link or GID settings' },
    ] as const;
    if (connect !== undefined) {
      const captures = connect.value.captures;
      const address = captures['addr'] ?? captures['addr2'] ?? captures['host'];
      if (address !== undefined && isLocalAddress(address)) {
        return {
          kind: 'cleared',
          because: `${address} is an address of one machine: the wrong interface was chosen`,
          seen: connect.seen,
        };
      }
      const why = captures['err'] ?? captures['err2'] ?? captures['err3'] ?? captures['err4'] ?? '';
      const text = `${why} ${connect.seen.map((each) => each.text).join(' ')}`;
      const network = /no route to host|unreachable|timed ?out/i.test(text);
      return {
        kind: 'fault',
        // A refused connection also follows when the other rank has died.
        certainty: network ? 'proved' : 'likely',
        message: `a rank cannot connect to ${address ?? 'another one'}${why === '' ? '' : ` (${why.trim().replace(/[.)\s]{1,8}$/, '')})`}`,
        seen: connect.seen.slice(0, 3),
        remedies,
        ...(network
          ? {}
          : { missing: [{ fact: 'whether the other rank was alive', ask: 'the log of the rank at that address' }] }),
        weight: 1,
      };
    }
    if (rdma !== undefined) {
      const { status, num, num2, peer } = rdma.value.captures;
      const retry = /RETRY_EXC/.test(status ?? '') || (num ?? num2) === '12';
      return {
        kind: 'fault',
        certainty: retry ? 'likely' : 'possible',
        message: `an RDMA transfer${peer === undefined ? '' : ` to ${peer}`} failed${status === undefined && num2 === undefined ? '' : ` with ${status ?? `status ${num2}`}`}`,
        seen: rdma.seen.slice(0, 2),
        remedies,
        missing: [
          {
            fact: 'the state of the links at that time',
            ask: 'ibstat; ethtool -S IFACE; rdma link; dmesg -T | grep mlx5',
          },
        ],
      };
    }
    const late = facts['said.pt-store-timeout'] ?? facts['said.pt-nccl-init-timeout'];
    if (late === undefined) return { kind: 'silent' };
    return {
      kind: 'fault',
      certainty: 'possible',
      message: 'ranks did not meet in time',
      seen: late.seen.slice(0, 2),
      remedies,
      missing: [
        {
          fact: 'which rank is missing, and its log',
          ask: 'NCCL_DEBUG=INFO; nc -vz MASTER_ADDR MASTER_PORT from every node',
        },
      ],
      weight: -1,
    };
  },
});
