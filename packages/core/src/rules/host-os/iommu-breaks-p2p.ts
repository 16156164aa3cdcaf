import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { saidOf, seenOf } from '../driver/_machine.ts';
import { networkSymptoms, peerProof, peerSymptoms, redirects } from './_peer.ts';

export const iommuBreaksP2p: Rule = defineRule({
  id: 'host-os/iommu-breaks-p2p',
  summary: 'The IOMMU translates the traffic between GPUs and breaks it',
  needs: [],
  anyOf: ['said.iommu-translates', 'said.iommu-blocked-dma', 'said.p2p-symptom', 'said.iommu-fault'],
  uses: ['pci.acs-redirect', 'said.nccl-peer-failed', 'said.pt-watchdog-timeout', 'said.nccl-ipc-failed', 'gpu.xid'],
  citations: ['nccl-troubleshooting'],
  explains: [
    'said.nccl-*',
    'said.pt-*',
    'said.p2p-symptom',
    'said.iommu-fault',
    'said.hung-task',
    'nccl/*',
    'hardware/*',
    'application/*',
  ],
  check(_, context) {
    const translates = saidOf(context, 'iommu-translates');
    const faults = saidOf(context, 'iommu-blocked-dma');
    const peers = peerSymptoms(context);
    const proof = peerProof(context);
    const remedies = [
      {
        actor: 'node-admin' as const,
        do: 'turn translation off for the host: pass-through, or no IOMMU',
        command:
          'grubby --update-kernel=ALL --args="iommu=pt" || sed -i "s/^GRUB_CMDLINE_LINUX=\\"/&iommu=pt /" /etc/default/grub && update-grub',
      },
      { actor: 'developer' as const, do: 'until then run without peer access', command: 'NCCL_P2P_DISABLE=1' },
    ];
    // Redirection by the bridges is the narrower cause where it is shown.
    if (redirects(context).length > 0 && faults.length === 0) return { kind: 'silent' };
    if (networkSymptoms(context).length > 0 && proof.length === 0 && faults.length === 0) return { kind: 'silent' };
    const on = [...faults, ...translates];
    if (on.length > 0 && peers.length > 0) {
      const sure = proof.filter((fact) => !fact.told);
      const decided = on.some((fact) => !fact.told) && (sure.length > 0 || faults.some((fact) => !fact.told));
      return {
        kind: 'fault',
        certainty: decided ? 'proved' : proof.length > 0 || faults.length > 0 ? 'likely' : 'possible',
        message:
          faults.length > 0
            ? 'the IOMMU refuses accesses of a GPU to its peer'
            : 'the IOMMU translates what GPUs send, and peer traffic fails',
        seen: seenOf(
          ...on.filter((fact) => !decided || !fact.told).slice(0, 4),
          ...(decided && sure.length > 0 ? sure : peers).filter((fact) => !decided || !fact.told),
        ),
        remedies,
        missing:
          proof.length > 0 || faults.length > 0
            ? []
            : [{ fact: 'said.p2p-symptom', ask: 'NCCL_P2P_DISABLE=1 all_reduce_perf -g 2; p2pBandwidthLatencyTest' }],
        weight: proof.length > 0 || faults.length > 0 ? 4 : 1,
      };
    }
    if (faults.length > 0) {
      return {
        kind: 'fault',
        certainty: 'likely',
        message: 'the IOMMU refuses accesses of a device',
        seen: seenOf(...faults),
        remedies,
        missing: [
          {
            fact: 'said.p2p-symptom',
            ask: 'lspci -d 10de: ; p2pBandwidthLatencyTest; NCCL_P2P_DISABLE=1 all_reduce_perf -g 2',
          },
        ],
        weight: 2,
      };
    }
    const passthrough = saidOf(context, 'iommu-passes-through')[0];
    if (passthrough !== undefined)
      return { kind: 'cleared', because: 'the IOMMU passes through', seen: passthrough.seen };
    const lead = proof[0];
    if (lead === undefined) return { kind: 'silent' };
    return {
      kind: 'fault',
      certainty: 'possible',
      message: 'traffic between GPUs goes wrong: the IOMMU may translate it',
      seen: seenOf(lead),
      remedies,
      missing: [
        { fact: 'said.iommu-translates', ask: 'dmesg | grep -iE "iommu|DMAR|AMD-Vi" | head; cat /proc/cmdline' },
      ],
      weight: 1,
    };
  },
});
