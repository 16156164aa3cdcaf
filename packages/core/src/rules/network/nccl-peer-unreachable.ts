import type { Fact, SaidId } from '../../model/facts.ts';
import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { isLocalAddress } from './_interfaces.ts';

/** Status of work that was dropped since its queue pair had failed before (`IBV_WC_WR_FLUSH_ERR`). */
const flushed = 5;

/** `enum ibv_wc_status` of libibverbs, by number: what a failed completion tells. */
const completionWords: Readonly<Record<number, string>> = {
  1: 'local length error',
  2: 'local queue pair error',
  4: 'local protection error: the memory was not registered for it',
  6: 'memory window error',
  8: 'a response of the wrong form came back',
  9: 'the other side refused it as invalid',
  10: 'the other side refused access to its memory',
  11: 'the other side failed to carry it out',
  12: 'no answer after all retries (link, routing or flow control)',
  13: 'the other side was not ready to receive after all retries',
  15: 'local RDD violation',
  19: 'fatal error of the adapter',
  20: 'no response in time',
  21: 'general error of the adapter',
};

/** The status that the line itself names. */
function statusOf(fact: Fact<SaidId>): number | null {
  const { num, num2, num3 } = fact.value.captures;
  const number = num ?? num2 ?? num3;
  return number === undefined ? null : Number(number);
}

export const ncclPeerUnreachable: Rule = defineRule({
  id: 'network/nccl-peer-unreachable',
  summary: 'A rank does not reach another one: routing, firewall or link',
  needs: [],
  anyOf: [
    'said.nccl-socket-connect-failed',
    'said.nccl-ib-completion-error',
    'said.efa-receiver-silent',
    'said.pt-store-timeout',
    'said.pt-gloo-connect',
    'said.pt-nccl-init-timeout',
  ],
  citations: ['nccl-troubleshooting'],
  explains: ['said.nccl-*', 'said.pt-*', 'application/application-exception'],
  check(facts, context) {
    const connect = facts['said.nccl-socket-connect-failed'] ?? facts['said.pt-gloo-connect'];
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
    const silent = context.all('said.efa-receiver-silent').find((fact) => fact.scope !== 'other-host');
    const rules = context.all('said.aws-security-rule');
    // All traffic has a number of its own.
    const closed =
      rules.length > 0 &&
      rules.every((fact) => !/^(?:-1|all)$/.test(fact.value.captures['proto'] ?? fact.value.captures['proto2'] ?? ''));
    if (silent !== undefined) {
      return {
        kind: 'fault',
        certainty: closed ? 'likely' : 'possible',
        message:
          'an EFA adapter gets no answer of its peer: the security group does not let all traffic through, or the other instance is gone',
        seen: [...silent.seen.slice(0, 2), ...(closed ? rules[0]!.seen.slice(0, 1) : [])],
        remedies: [
          {
            actor: 'cluster-admin',
            do: 'give the security group of the instances a rule for all traffic from itself, and one for all traffic to itself',
            command: 'aws ec2 describe-security-group-rules --filters Name=group-id,Values=GROUP',
          },
          {
            actor: 'node-admin',
            do: 'see whether the other instance and its ranks are alive',
            command: 'fi_pingpong -p efa',
          },
        ],
        missing: [
          {
            fact: 'the rules of the security group',
            ask: 'aws ec2 describe-security-group-rules --filters Name=group-id,Values=GROUP; the log of the other rank',
          },
        ],
        explains: ['network/nccl-ofi-efa', 'said.nccl-ofi-efa', 'said.efa-receiver-silent'],
        weight: 1,
      };
    }
    const completions = context.all('said.nccl-ib-completion-error').filter((fact) => fact.scope !== 'other-host');
    // Work that was flushed tells of another error; the first that is none decides.
    const first = completions.find((fact) => statusOf(fact) !== flushed) ?? completions[0];
    if (first !== undefined) {
      const status = statusOf(first);
      const { peer, hca } = first.value.captures;
      const way = `${hca === undefined ? '' : ` of ${hca}`}${peer === undefined ? '' : ` to ${peer}`}`;
      const meaning = status === null ? undefined : completionWords[status];
      const answer = status === 12 || status === 13;
      return {
        kind: 'fault',
        certainty: answer ? 'likely' : 'possible',
        message:
          status === flushed
            ? `RDMA transfers${way} were flushed (status 5): they follow from an earlier error that is not in this text`
            : `an RDMA transfer${way} failed${status === null ? '' : ` with status ${status}`}${meaning === undefined ? '' : `: ${meaning}`}`,
        seen: first.seen.slice(0, 2),
        remedies:
          status === flushed
            ? [
                { actor: 'node-admin', do: 'find the first completion error of all ranks that is not status 5' },
                ...remedies,
              ]
            : remedies,
        missing: [
          status === flushed
            ? {
                fact: 'the first error of the connection',
                ask: "grep -h 'Got completion' *.log | grep -vE 'status=5|FLUSH_ERR|error 5,' | head; dmesg -T | grep mlx5",
              }
            : {
                fact: 'the state of the links at that time',
                ask: 'ibstat; ethtool -S IFACE; rdma link; dmesg -T | grep mlx5',
              },
        ],
        explains: ['network/nccl-ib-completion-error'],
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
