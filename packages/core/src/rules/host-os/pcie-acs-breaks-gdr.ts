import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { saidOf, seenOf } from '../driver/_machine.ts';
import { networkSymptoms, peerProof, redirects } from './_peer.ts';

export const pcieAcsBreaksGdr: Rule = defineRule({
  id: 'host-os/pcie-acs-breaks-gdr',
  summary: 'PCIe access control sends the traffic between GPU and network card through the root complex',
  needs: [],
  anyOf: ['pci.acs-redirect', 'said.gdr-symptom'],
  uses: [
    'said.nccl-ib-completion-error',
    'said.nccl-gdr-disabled',
    'said.p2p-symptom',
    'said.nvidia-peermem-not-loaded',
  ],
  citations: ['nccl-troubleshooting'],
  explains: [
    'said.nccl-*',
    'said.pt-*',
    'said.gdr-symptom',
    'nccl/*',
    'network/*',
    'application/*',
    'host-os/pcie-acs-breaks-p2p',
  ],
  check(_, context) {
    const on = redirects(context);
    const network = networkSymptoms(context);
    const peers = peerProof(context);
    const peermem = saidOf(context, 'nvidia-peermem-not-loaded')[0];
    const remedies = [
      {
        actor: 'node-admin' as const,
        do: 'turn ACS off on the bridges between GPU and network card, at every boot',
        command: 'for b in $(lspci -d "*:*:0604" | cut -d" " -f1); do setpci -v -s "$b" ECAP_ACS+0x6.w=0000; done',
      },
      { actor: 'developer' as const, do: 'until then run without GPUDirect RDMA', command: 'NCCL_NET_GDR_LEVEL=LOC' },
    ];
    if (network.length === 0) return { kind: 'silent' };
    if (peermem !== undefined)
      return { kind: 'cleared', because: 'nvidia-peermem is not loaded, which comes first', seen: peermem.seen };
    if (on.length > 0) {
      if (peers.length > 0 && saidOf(context, 'gdr-symptom').length === 0) return { kind: 'silent' };
      const said = saidOf(context, 'gdr-symptom');
      const decided = said.some((fact) => !fact.told) && on.some((fact) => !fact.told);
      return {
        kind: 'fault',
        certainty: decided ? 'proved' : 'likely',
        message: 'PCIe bridges redirect the requests between GPU and network card (ACS), and GPUDirect RDMA suffers',
        seen: seenOf(
          ...on.filter((fact) => !decided || !fact.told),
          ...network.filter((fact) => !decided || !fact.told),
        ),
        remedies,
        weight: 5,
      };
    }
    const direct = saidOf(context, 'acs-direct')[0];
    if (direct !== undefined)
      return { kind: 'cleared', because: 'the bridges do not redirect peer traffic', seen: direct.seen };
    const lead = saidOf(context, 'gdr-symptom')[0];
    if (lead === undefined) return { kind: 'silent' };
    return {
      kind: 'fault',
      certainty: 'possible',
      message: 'GPUDirect RDMA does not do what it should: PCIe access control may redirect it',
      seen: lead.seen,
      remedies,
      missing: [
        {
          fact: 'pci.acs-redirect',
          ask: 'lspci -vvv | grep -i ACSCtl | grep -E "ReqRedir\\+|CmpltRedir\\+"; lsmod | grep peermem; nvidia-smi topo -m',
        },
      ],
      weight: 1,
    };
  },
});
