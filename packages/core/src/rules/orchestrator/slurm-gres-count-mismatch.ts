import type { Outcome, Rule, RuleContext } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { byPrint, capture, missing, own, said, seen } from '../container-runtime/_container.ts';

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
    if (lead === undefined) return missingFile(context);
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
    const slices = own(context, 'gpu.mig-device');
    const mig = slices[0] ?? said(context, 'slurm-gres-without-file')[0];
    const counted = slices.length > 0 && slices.length === found;
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
        whole !== undefined || counted || (mig !== undefined && fewer === undefined)
          ? byPrint(lead, whole ?? mig)
          : fewer !== undefined
            ? 'possible'
            : 'likely',
      message: `slurmd found ${found ?? 'fewer'} ${counted ? 'MIG device' : 'GPU'}${found === 1 ? '' : 's'}${configured === null ? ' than are configured' : `, and ${configured} are configured`}`,
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

/** A device file of gres.conf that is not there, while others of the node are. */
function missingFile(context: RuleContext): Outcome {
  const lead = said(context, 'slurm-gres-file')[0];
  if (lead === undefined) return { kind: 'silent' };
  const file = capture([lead], 'file', 'file2', 'file3') ?? 'a device file';
  const listed = own(context, 'devices.listed').find((fact) =>
    fact.value.some((path) => /^\/dev\/nvidia\d{1,3}$/.test(path)),
  );
  const there = listed?.value.filter((path) => /^\/dev\/nvidia\d{1,3}$/.test(path)) ?? [];
  const gres = own(context, 'slurm.gres')[0];
  if (listed !== undefined && there.includes(file))
    return { kind: 'cleared', because: `${file} is there now`, seen: seen(listed) };
  const fewer = there.length > 0 && !there.includes(file);
  return {
    kind: 'fault',
    certainty: fewer ? byPrint(lead, listed) : 'possible',
    message: fewer
      ? `gres.conf names ${file}, and the node has ${there.length} GPU${there.length === 1 ? '' : 's'}: ${there.join(', ')}`
      : `gres.conf names ${file}, which did not exist when slurmd started`,
    seen: seen(lead, listed, gres),
    remedies: [
      {
        actor: 'node-admin',
        do: 'count the GPUs on the bus and those of the driver',
        command: "lspci -d 10de: | grep -ciE '3d|vga'; nvidia-smi -L; ls /dev/nvidia*",
      },
      {
        actor: 'cluster-admin',
        do: 'where no GPU is missing, correct gres.conf; where the files come late, start slurmd after the driver',
        command: 'systemctl enable --now nvidia-persistenced; systemctl restart slurmd',
      },
    ],
    missing: fewer ? [] : [missing('devices.listed', 'ls -l /dev/nvidia*; nvidia-smi -L')],
    explains: ['said.slurm-gres-file', 'said.runtime-device-eperm'],
    weight: 2,
  };
}
