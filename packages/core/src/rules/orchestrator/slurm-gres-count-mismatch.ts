import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { byPrint, missing, own, said, seen } from '../container-runtime/_container.ts';

export const slurmGresCountMismatch: Rule = defineRule({
  id: 'orchestrator/slurm-gres-count-mismatch',
  summary: 'Slurm is configured with another number of GPUs than the node has',
  needs: [],
  anyOf: ['said.slurm-gres-count-low', 'slurm.node', 'said.slurm-gres-file'],
  uses: ['gpu.count', 'gpu.expected', 'gpu.mig-device', 'slurm.gres'],
  citations: ['slurm-gres'],
  explains: [
    'said.slurm-gres-count-low',
    'said.slurm-node-out',
    'said.slurm-node-config-unavailable',
    'orchestrator/slurm-node-drained',
  ],
  check(_facts, context) {
    const low = said(context, 'slurm-gres-count-low')[0];
    const node = own(context, 'slurm.node').find((fact) =>
      /count (?:reported lower|too low)/i.test(fact.value.reason ?? ''),
    );
    const lead = low ?? node;
    if (lead === undefined) return { kind: 'silent' };
    const text = node?.value.reason ?? lead.seen[0]?.text ?? '';
    const numbers = /\((\d{1,4}) < (\d{1,4})\)/.exec(low?.seen[0]?.text ?? text);
    const found = numbers === null ? null : Number(numbers[1]);
    const configured = numbers === null ? null : Number(numbers[2]);
    const counts = own(context, 'gpu.count');
    const whole = configured === null ? undefined : counts.find((fact) => fact.value >= configured);
    const fewer = configured === null ? undefined : counts.find((fact) => fact.value < configured);
    const lost = [
      ...said(context, 'smi-unknown-handle', 'nvml-gpu-is-lost', 'nvrm-rminitadapter-failed', 'nvrm-fallen-off-bus'),
      ...own(context, 'gpu.xid'),
      ...own(context, 'gpu.expected').filter(
        (fact) => fact.value.found !== null && fact.value.found < fact.value.expected && fact.value.by !== 'slurm',
      ),
    ][0];
    const mig = own(context, 'gpu.mig-device')[0] ?? said(context, 'slurm-gres-without-file')[0];
    if (lost !== undefined)
      return { kind: 'cleared', because: 'the node itself misses a GPU: Slurm counts rightly', seen: seen(lost) };
    const remedies = [
      {
        actor: 'node-admin',
        do: 'count the GPUs on the node: lspci for what is plugged in, nvidia-smi for what the driver has',
        command: "lspci -d 10de: | grep -ciE '3d|vga'; nvidia-smi -L; slurmd -G",
      },
      {
        actor: 'cluster-admin',
        do: 'where they are all there, correct gres.conf and slurm.conf (MIG instances count one each), and restart slurmd before slurmctld reads it',
        command: 'scontrol reconfigure; scontrol update nodename=NODE state=resume',
      },
    ] as const;
    return {
      kind: 'fault',
      certainty:
        whole !== undefined || (mig !== undefined && fewer === undefined)
          ? byPrint(lead, whole ?? mig)
          : fewer !== undefined
            ? 'possible'
            : 'likely',
      message: `slurmd found ${found ?? 'fewer'} GPU${found === 1 ? '' : 's'}${configured === null ? ' than are configured' : `, and ${configured} are configured`}`,
      seen: seen(lead, whole ?? mig ?? fewer),
      remedies,
      explains: whole !== undefined || mig !== undefined ? ['hardware/gpu-count-wrong'] : [],
      missing:
        whole === undefined && mig === undefined
          ? [missing('gpu.count', "nvidia-smi -L; lspci -d 10de: | grep -ciE '3d|vga'; slurmd -G")]
          : [],
      weight: 2,
    };
  },
});
