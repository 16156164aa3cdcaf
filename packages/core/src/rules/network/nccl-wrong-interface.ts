import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { isLocalAddress, isVirtual } from './_interfaces.ts';

export const ncclWrongInterface: Rule = defineRule({
  id: 'network/nccl-wrong-interface',
  summary: 'NCCL uses network interfaces that do not connect the nodes',
  needs: [],
  anyOf: [
    'nccl.interfaces',
    'said.nccl-bootstrap-no-interface',
    'said.nccl-socket-connect-failed',
    'said.pt-gloo-connect',
  ],
  uses: ['env'],
  citations: ['nccl-env', 'nccl-troubleshooting'],
  explains: [
    'said.nccl-*',
    'said.pt-*',
    'network/nccl-peer-unreachable',
    'nccl/*',
    'application/application-exception',
  ],
  check(facts, context) {
    const remedies = [
      {
        actor: 'node-admin',
        do: 'find the interface that the nodes share',
        command: 'ip -br addr; ip route get OTHER_NODE_ADDRESS',
      },
      {
        actor: 'developer',
        do: 'name it to NCCL and Gloo on every rank',
        command: 'NCCL_SOCKET_IFNAME==IFACE GLOO_SOCKET_IFNAME=IFACE',
      },
    ] as const;
    const missing = facts['said.nccl-bootstrap-no-interface'];
    const asked = context
      .all('env')
      .find((fact) => fact.value.name === 'NCCL_SOCKET_IFNAME' && fact.value.value !== '');
    const named = missing?.value.captures['if'] ?? asked?.value.value;
    if (missing !== undefined && named !== undefined) {
      return {
        kind: 'fault',
        certainty: 'proved',
        message: `NCCL_SOCKET_IFNAME asks for ${named}, which this machine does not have`,
        seen: [...missing.seen.slice(0, 2), ...(asked?.seen.slice(0, 1) ?? [])],
        remedies,
        weight: 3,
      };
    }
    const failed = context.said.filter((fact) =>
      [
        'said.nccl-unhandled-system-error',
        'said.nccl-socket-connect-failed',
        'said.nccl-connection-closed-by-peer',
        'said.nccl-remote-error',
        'said.pt-watchdog-timeout',
        'said.pt-nccl-init-timeout',
        'said.pt-gloo-connect',
        'said.pt-store-timeout',
        'said.nccl-call-failed',
      ].includes(fact.id),
    );
    const connect = facts['said.nccl-socket-connect-failed'] ?? facts['said.pt-gloo-connect'];
    const address = connect?.value.captures['addr'] ?? connect?.value.captures['addr2'];
    if (connect !== undefined && address !== undefined && isLocalAddress(address)) {
      return {
        kind: 'fault',
        certainty: 'proved',
        message: `a rank is told to connect to ${address}, an address that other nodes cannot reach`,
        seen: connect.seen.slice(0, 2),
        remedies,
        weight: 3,
      };
    }
    const chosen = context.all('nccl.interfaces');
    const local = chosen.find((fact) => fact.value.some(isVirtual));
    if (local === undefined) {
      const good = chosen[0];
      if (good === undefined) return { kind: 'silent' };
      return { kind: 'cleared', because: `NCCL uses ${good.value.join(', ')}`, seen: good.seen };
    }
    // It follows from the name: the bootstrap takes the interface that the host name's address is on.
    const loop = context
      .all('host.address')
      .find((fact) => fact.value.address.startsWith('127.') && !/^localhost/.test(fact.value.name ?? ''));
    if (loop !== undefined && local.value.every((name) => name === 'lo'))
      return {
        kind: 'cleared',
        because: `it takes the loopback since the host name resolves to ${loop.value.address}`,
        seen: loop.seen.slice(0, 1),
      };
    const bad = local.value.filter(isVirtual);
    if (failed.length === 0) {
      return {
        kind: 'unknown',
        missing: [
          { fact: 'whether the ranks reach each other', ask: 'NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,NET torchrun …' },
        ],
      };
    }
    return {
      kind: 'fault',
      certainty: bad.length * 2 >= local.value.length ? 'proved' : 'likely',
      message: `NCCL takes ${bad.slice(0, 4).join(', ')} for networks between nodes`,
      seen: [...local.seen.slice(0, 1), ...failed.flatMap((fact) => fact.seen.slice(0, 1)).slice(0, 2)],
      remedies,
      weight: 2,
    };
  },
});
