import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { byPrint, capture, missing, own, seen } from '../container-runtime/_container.ts';

export const slurmGresRefused: Rule = defineRule({
  id: 'orchestrator/slurm-gres-refused',
  summary: 'Slurm refuses what its configuration says of the GPUs',
  needs: [],
  anyOf: ['said.slurm-gres-refused', 'said.slurm-nvml-autodetect'],
  uses: ['slurm.gres', 'os.service'],
  citations: ['slurm-gres'],
  explains: [
    'said.slurm-gres-refused',
    'said.slurm-nvml-autodetect',
    'said.slurm-node-out',
    'said.slurm-node-config-unavailable',
    'orchestrator/slurm-node-drained',
  ],
  check(_facts, context) {
    // The daemon is often started anew, and refuses again: what comes after that counts, too.
    const lead = context.all('said.slurm-gres-refused').findLast((fact) => fact.scope !== 'other-host');
    if (lead === undefined) {
      return {
        kind: 'unknown',
        missing: [missing('said.slurm-gres-refused', 'journalctl -u slurmd | grep -E "fatal|error"; slurmd -G')],
      };
    }
    const up = context
      .all('os.service')
      .find(
        (fact) =>
          /^slurm(?:d|ctld)$/.test(fact.value.unit) &&
          fact.value.state === 'active' &&
          fact.scope !== 'other-host' &&
          fact.order > lead.order,
      );
    if (up !== undefined) return { kind: 'cleared', because: `${up.value.unit} runs now`, seen: seen(up) };
    const library = capture([lead], 'library');
    const field = capture([lead], 'what');
    return {
      kind: 'fault',
      certainty: byPrint(lead),
      message:
        library !== undefined
          ? `gres.conf asks for AutoDetect=${library}, and this Slurm was built without it`
          : field !== undefined
            ? `gres.conf is refused: some of its GPU lines have ${field}=, and others have not`
            : 'gres.conf is refused: its lines for the GPUs contradict each other',
      seen: seen(lead, own(context, 'slurm.gres')[0]),
      remedies: [
        library === undefined
          ? {
              actor: 'cluster-admin',
              do: 'let AutoDetect find the GPUs and take the Name= lines out, or give every line its Type= and File=',
              command: 'slurmd -G; cat /etc/slurm/gres.conf',
            }
          : {
              actor: 'cluster-admin',
              do: `install a Slurm that was built with ${library}, or list the device files in gres.conf`,
              command: 'NodeName=NODE Name=gpu File=/dev/nvidia[0-7]',
            },
        { actor: 'node-admin', do: 'then start the daemon', command: 'systemctl restart slurmd; sinfo -R' },
      ],
      weight: 2,
    };
  },
});
