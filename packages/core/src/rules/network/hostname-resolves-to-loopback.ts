import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { byPrint, missing, own, said, seen } from '../container-runtime/_container.ts';

export const hostnameResolvesToLoopback: Rule = defineRule({
  id: 'network/hostname-resolves-to-loopback',
  summary: 'The host name resolves to a loopback address, so other nodes are not reached',
  needs: [],
  anyOf: ['said.loopback-peer', 'host.address'],
  citations: ['torch-distributed'],
  explains: [
    'network/nccl-peer-unreachable',
    'said.pt-*',
    'said.nccl-*',
    'application/*',
    'network/nccl-wrong-interface',
  ],
  check(_facts, context) {
    const messages = said(context, 'loopback-peer');
    const loop = own(context, 'host.address').find(
      (fact) => fact.value.address.startsWith('127.') && !/^localhost/.test(fact.value.name ?? ''),
    );
    const real = own(context, 'host.address').find((fact) => !fact.value.address.startsWith('127.'));
    const address = (fact: (typeof messages)[number]): string =>
      fact.value.captures['addr'] ?? fact.value.captures['addr2'] ?? '';
    const hosts = messages.find(
      (fact) => address(fact) === '127.0.1.1' || /Unable to resolve hostname/.test(fact.seen[0]?.text ?? ''),
    );
    const other = messages[0];
    const failed =
      said(context, 'pt-gloo-connect', 'pt-store-timeout', 'nccl-socket-connect-failed', 'pt-nccl-init-timeout')[0] ??
      hosts;
    const remedies = [
      {
        actor: 'node-admin',
        do: 'take the host name off the 127.0.1.1 line of /etc/hosts, on every node',
        command: 'getent hosts "$(hostname)"; hostname -I',
      },
      {
        actor: 'developer',
        do: 'or name the interface',
        command: 'export GLOO_SOCKET_IFNAME=IFACE NCCL_SOCKET_IFNAME=IFACE MASTER_ADDR=ADDRESS',
      },
    ] as const;
    if (loop !== undefined && failed !== undefined) {
      return {
        kind: 'fault',
        certainty: byPrint(loop, failed),
        message: `${loop.value.name ?? 'the host name'} resolves to ${loop.value.address}, which other nodes cannot reach`,
        seen: seen(loop, failed),
        remedies,
        weight: 3,
      };
    }
    if (real !== undefined && loop === undefined && messages.length > 0) {
      return {
        kind: 'cleared',
        because: `${real.value.name ?? 'the host name'} resolves to ${real.value.address}`,
        seen: seen(real),
      };
    }
    if (hosts !== undefined) {
      return {
        kind: 'fault',
        certainty: 'likely',
        message: 'a rank gave 127.0.1.1 as its address, which other nodes cannot reach',
        seen: seen(hosts),
        remedies,
        missing: [missing('host.address', 'getent hosts "$(hostname)"')],
        weight: 3,
      };
    }
    if (other === undefined) return { kind: 'silent' };
    return {
      kind: 'unknown',
      missing: [
        missing(
          'whether ranks run on other nodes, and what the host name resolves to',
          'getent hosts "$(hostname)"; hostname -I',
        ),
      ],
    };
  },
});
