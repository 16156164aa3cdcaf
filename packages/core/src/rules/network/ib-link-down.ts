import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { byPrint, missing, own, said, seen } from '../container-runtime/_container.ts';

export const ibLinkDown: Rule = defineRule({
  id: 'network/ib-link-down',
  summary: 'A port of the fabric is down',
  needs: [],
  anyOf: ['ib.port', 'said.nccl-ib-async-event', 'said.nic-link-down'],
  uses: ['nccl.interfaces'],
  citations: ['nccl-troubleshooting', 'rdma-core'],
  explains: [
    'network/nccl-peer-unreachable',
    'network/roce-gid-index-wrong',
    'said.nccl-*',
    'said.pt-*',
    'said.verbs-modify-qp-failed',
    'network/nccl-rails-mixed',
    'application/*',
  ],
  check(_facts, context) {
    const ports = own(context, 'ib.port').filter((fact) => fact.value.state !== null);
    const up = (fact: (typeof ports)[number]): boolean => /active/i.test(fact.value.state ?? '');
    const down = ports.filter(
      (fact) => /down|polling|disabled|init/i.test(`${fact.value.state} ${fact.value.physical ?? ''}`) && !up(fact),
    );
    const event = said(context, 'nccl-ib-async-event').find((fact) =>
      /port error|port_err|device fatal|fatal event/i.test(
        `${fact.value.captures['kind'] ?? ''} ${fact.value.captures['what'] ?? ''}`,
      ),
    );
    const kernel = said(context, 'nic-link-down').find((fact) =>
      /link down|cable|module event\[error\]/i.test(fact.seen[0]?.text ?? ''),
    );
    const transfer = said(context, 'nccl-ib-completion-error', 'verbs-modify-qp-failed')[0];
    const wanted = own(context, 'nccl.interfaces').flatMap((fact) => fact.value);
    const used = down.find(
      (fact) =>
        event?.value.captures['dev'] === fact.value.device ||
        wanted.includes(fact.value.device) ||
        transfer?.seen.some((each) =>
          new RegExp(`\\b${fact.value.device.replaceAll(/[^\w-]/g, '.')}\\b`).test(each.text),
        ),
    );
    const remedies = [
      { actor: 'cluster-admin', do: 'keep jobs off this node until the link is up' },
      {
        actor: 'node-admin',
        do: 'reseat or change cable or optic, look at the switch port and at symbol errors',
        command: 'ibstat; mlxlink -d DEVICE; ibdiagnet; dmesg -T | grep mlx5',
      },
    ] as const;
    const lead = used ?? down[0];
    if (lead === undefined && event === undefined && kernel === undefined) {
      return ports.length > 0 && ports.every(up)
        ? { kind: 'cleared', because: 'every port of the fabric is active', seen: seen(ports[0]) }
        : { kind: 'silent' };
    }
    const initial =
      lead !== undefined && /init/i.test(lead.value.state ?? '') && /link ?up/i.test(lead.value.physical ?? '');
    const symptom = event ?? kernel ?? transfer;
    const message =
      lead !== undefined
        ? initial
          ? `port ${lead.value.port} of ${lead.value.device} has a link but no subnet manager (${lead.value.state})`
          : `port ${lead.value.port} of ${lead.value.device} is down (${[lead.value.state, lead.value.physical].filter((each) => each !== null).join(', ')})`
        : event !== undefined
          ? `the RDMA port ${event.value.captures['dev'] ?? ''} reported an error`
          : 'a port of a network card went down';
    const proved =
      used !== undefined ||
      (lead !== undefined && symptom !== undefined) ||
      (event !== undefined && kernel !== undefined);
    // A port that nobody uses is often down on purpose.
    const idle = lead !== undefined && symptom === undefined && used === undefined;
    return {
      kind: 'fault',
      certainty: proved
        ? byPrint(lead, symptom)
        : idle && (ports.some(up) || ports.length === 0)
          ? 'possible'
          : 'likely',
      message,
      seen: seen(used, lead, event, kernel, transfer),
      remedies,
      ...(proved
        ? {}
        : {
            missing: [missing('whether the job uses this port', 'ibstat; NCCL_DEBUG=INFO <cmd> 2>&1 | grep "NET/IB"')],
          }),
      weight: idle ? -2 : 2,
    };
  },
});
