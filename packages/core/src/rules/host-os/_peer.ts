import type { Fact } from '../../model/facts.ts';
import type { RuleContext } from '../../model/rule.ts';
import { own, saidOf } from '../driver/_machine.ts';

// Traffic between GPUs, and between a GPU and a network card: what shows that it goes wrong.

/** GPU to GPU on one machine. */
export function peerSymptoms(context: RuleContext): readonly Fact[] {
  return [
    ...curedByNoPeers(context),
    ...saidOf(context, 'p2p-symptom'),
    ...saidOf(
      context,
      'nccl-peer-failed',
      'nccl-ipc-failed',
      'cuda-peer-access-unsupported',
      'nccl-p2p-disabled-nvlink',
      'pt-watchdog-timeout',
      'pt-nccl-init-timeout',
      'hung-task',
    ),
  ];
}

/** A check that compares data, or a run without peer access that works: says that peer traffic itself is at fault. */
export function peerProof(context: RuleContext): readonly Fact[] {
  return [
    ...curedByNoPeers(context),
    ...saidOf(context, 'p2p-symptom').filter(
      (fact) =>
        fact.value.captures['measured'] !== undefined ||
        fact.value.captures['cure'] !== undefined ||
        /Verification error|NCCL_P2P_DISABLE|NCCL_P2P_LEVEL|FAILED|mismatch|corrupt|#wrong/.test(
          fact.seen[0]?.text ?? '',
        ),
    ),
  ];
}

/** The run that failed or stood still goes well once NCCL leaves peer access alone. */
function curedByNoPeers(context: RuleContext): readonly Fact<'program.cured-by'>[] {
  return own(context, 'program.cured-by').filter(
    ({ value }) =>
      (value.name === 'NCCL_P2P_DISABLE' && /^(?:1|true)$/i.test(value.value)) ||
      (value.name === 'NCCL_P2P_LEVEL' && /^(?:0|LOC)$/i.test(value.value)),
  );
}

/** GPU to network card. */
export function networkSymptoms(context: RuleContext): readonly Fact[] {
  return [
    ...saidOf(context, 'gdr-symptom'),
    ...saidOf(context, 'nccl-ib-completion-error', 'nccl-gdr-disabled', 'dma-buf-attach-failed'),
  ];
}

export function redirects(context: RuleContext): readonly Fact<'pci.acs-redirect'>[] {
  return own(context, 'pci.acs-redirect');
}
