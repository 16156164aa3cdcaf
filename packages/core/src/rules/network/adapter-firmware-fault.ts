import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { byPrint, capture, missing, said, seen } from '../container-runtime/_container.ts';

export const adapterFirmwareFault: Rule = defineRule({
  id: 'network/adapter-firmware-fault',
  summary: 'The firmware of a network adapter stopped or reports an internal error',
  needs: [],
  anyOf: ['said.adapter-firmware-fault', 'said.nic-link-down'],
  uses: ['said.adapter-recovered'],
  citations: ['mlx5-devlink'],
  explains: [
    'said.adapter-firmware-fault',
    'said.nccl-*',
    'said.pt-*',
    'said.nic-link-down',
    'network/nccl-peer-unreachable',
    'network/ib-link-down',
    'application/*',
  ],
  check(_facts, context) {
    const reports = said(context, 'adapter-firmware-fault');
    // The library only passes on what the adapter said; the kernel names the adapter.
    const kernel = reports.find((fact) => capture([fact], 'pci', 'pci2', 'pci3', 'pci4') !== undefined);
    const lead = kernel ?? reports[0];
    if (lead === undefined)
      return {
        kind: 'unknown',
        missing: [
          missing(
            'said.adapter-firmware-fault',
            'dmesg -T | grep -E "mlx5_core.*(health|assert|synd)"; devlink health show',
          ),
        ],
      };
    const recovered = said(context, 'adapter-recovered').find(
      (fact) => (fact.last ?? fact.order) > (lead.last ?? lead.order),
    );
    if (recovered !== undefined)
      return { kind: 'cleared', because: 'the kernel recovered the adapter since', seen: seen(recovered) };
    const pci = capture([lead], 'pci', 'pci2', 'pci3', 'pci4');
    const passed = reports.find(
      (fact) => fact !== lead && capture([fact], 'pci', 'pci2', 'pci3', 'pci4') === undefined,
    );
    return {
      kind: 'fault',
      certainty: kernel === undefined ? 'likely' : byPrint(kernel),
      message: `the firmware of the network adapter${pci === undefined ? '' : ` ${pci}`} stopped or reports an internal error`,
      seen: seen(lead, passed),
      remedies: [
        { actor: 'cluster-admin', do: 'drain the node' },
        {
          actor: 'node-admin',
          do: 'reset the adapter, or power the node off and on',
          command: 'devlink health show; mlxfwreset -d PCI reset',
        },
        {
          actor: 'node-admin',
          do: 'update its firmware together with its driver; replace the adapter when it comes back',
          command: 'mlxfwmanager --query',
        },
      ],
      missing:
        kernel === undefined
          ? [missing('the lines of the kernel', 'dmesg -T | grep -E "mlx5_core|bnxt|health|assert"')]
          : [],
      weight: 4,
    };
  },
});
