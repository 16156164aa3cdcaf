import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { saidOf, seenOf, works } from '../driver/_machine.ts';
import { networkSymptoms, peerProof, peerSymptoms, redirects } from './_peer.ts';

export const pcieAcsBreaksP2p: Rule = defineRule({
  id: 'host-os/pcie-acs-breaks-p2p',
  summary: 'PCIe access control sends the traffic between GPUs through the root complex',
  needs: [],
  anyOf: ['pci.acs-redirect', 'said.p2p-symptom', 'program.cured-by', 'said.nccl-peer-failed'],
  uses: [
    'said.acs-direct',
    'said.gdr-symptom',
    'said.nccl-ib-completion-error',
    'said.pt-watchdog-timeout',
    'said.iommu-translates',
    'said.nccl-ipc-failed',
  ],
  citations: ['nccl-troubleshooting'],
  explains: [
    'said.nccl-*',
    'said.pt-*',
    'said.p2p-symptom',
    'said.hung-task',
    'said.iommu-translates',
    'nccl/*',
    'application/*',
    'host-os/iommu-breaks-p2p',
  ],
  check(_, context) {
    const on = redirects(context);
    const peers = peerSymptoms(context);
    const network = networkSymptoms(context);
    const proof = peerProof(context);
    const remedies = [
      {
        actor: 'node-admin' as const,
        do: 'turn ACS off on the bridges above the GPUs, at every boot',
        command: 'for b in $(lspci -d "*:*:0604" | cut -d" " -f1); do setpci -v -s "$b" ECAP_ACS+0x6.w=0000; done',
      },
      {
        actor: 'node-admin' as const,
        do: 'or turn ACS or the IOMMU off in the firmware; in a virtual machine use ATS in place of it',
      },
      { actor: 'developer' as const, do: 'until then run without peer access', command: 'NCCL_P2P_DISABLE=1' },
    ];
    if (on.length > 0) {
      if (network.length > peers.length || (network.length > 0 && proof.length === 0)) return { kind: 'silent' };
      if (peers.length === 0) {
        return works(context)
          ? { kind: 'silent' }
          : {
              kind: 'fault',
              certainty: 'possible',
              message: 'a PCIe bridge redirects peer traffic; whether that hurts is not shown',
              seen: seenOf(...on),
              remedies,
              missing: [
                { fact: 'said.p2p-symptom', ask: 'p2pBandwidthLatencyTest; NCCL_P2P_DISABLE=1 all_reduce_perf -g 2' },
              ],
              weight: 1,
            };
      }
      const sure = proof.filter((fact) => !fact.told);
      const decided = sure.length > 0 && on.some((fact) => !fact.told);
      return {
        kind: 'fault',
        certainty: decided ? 'proved' : 'likely',
        message: 'PCIe bridges redirect the requests of GPUs to each other (ACS), and peer traffic fails',
        seen: seenOf(...on.filter((fact) => !decided || !fact.told), ...(decided ? sure : peers)),
        remedies,
        weight: 4,
      };
    }
    const direct = saidOf(context, 'acs-direct')[0];
    if (direct !== undefined)
      return peers.length > 0
        ? { kind: 'cleared', because: 'the bridges do not redirect peer traffic', seen: direct.seen }
        : { kind: 'silent' };
    const lead = proof[0] ?? saidCandidate(peers);
    if (lead === undefined) return { kind: 'silent' };
    return {
      kind: 'fault',
      certainty: 'possible',
      message: 'traffic between GPUs goes wrong: PCIe access control may redirect it',
      seen: seenOf(lead),
      remedies,
      missing: [{ fact: 'pci.acs-redirect', ask: 'lspci -vvv | grep -i ACSCtl | grep -E "ReqRedir\\+|CmpltRedir\\+"' }],
      weight: 2,
    };
  },
});

/** Messages that are about peer access, not merely about a hang. */
function saidCandidate(peers: ReturnType<typeof peerSymptoms>): (typeof peers)[number] | undefined {
  return peers.find((fact) => fact.id === 'said.nccl-peer-failed');
}
