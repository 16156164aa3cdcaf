import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { byPrint, missing, own, said, seen } from '../container-runtime/_container.ts';

export const slurmNodeDrained: Rule = defineRule({
  id: 'orchestrator/slurm-node-drained',
  summary: 'Slurm took the node out of service',
  needs: [],
  anyOf: ['said.slurm-node-out', 'slurm.node', 'said.slurm-drain-reason'],
  citations: ['slurm-sinfo'],
  explains: ['said.slurm-node-out', 'said.slurm-node-config-unavailable'],
  check(_facts, context) {
    const out = own(context, 'slurm.node').find((fact) => /DRAIN|DOWN|FAIL|INVAL/i.test(fact.value.state));
    const fine = own(context, 'slurm.node').find((fact) => /^(?:IDLE|MIXED|ALLOCATED)$/i.test(fact.value.state));
    const line = said(context, 'slurm-node-out')[0];
    const why = said(context, 'slurm-drain-reason')[0];
    const reason =
      out?.value.reason ?? why?.value.captures['reason'] ?? why?.value.captures['why'] ?? why?.value.captures['why2'];
    if (out === undefined && line === undefined && why === undefined)
      return fine === undefined
        ? { kind: 'silent' }
        : { kind: 'cleared', because: `node ${fine.value.name} is ${fine.value.state} in Slurm`, seen: seen(fine) };
    const remedies = [
      {
        actor: 'node-admin',
        do: 'read the reason, and repair what it names',
        command: 'sinfo -R; scontrol show node NODE',
      },
      { actor: 'cluster-admin', do: 'then take the node back', command: 'scontrol update nodename=NODE state=resume' },
    ] as const;
    // Counts of GPUs and faults of GPUs have rules of their own.
    if (reason != null && /count (?:reported lower|too low)/i.test(reason)) return { kind: 'silent' };
    const pending =
      line !== undefined && out === undefined && why === undefined && line.value.captures['state'] === undefined;
    return {
      kind: 'fault',
      certainty: pending
        ? /ReqNodeNotAvail/.test(line.seen[0]?.text ?? '')
          ? 'possible'
          : 'likely'
        : line !== undefined && (out !== undefined || why !== undefined)
          ? byPrint(line, out)
          : out === undefined && line === undefined
            ? 'possible'
            : 'likely',
      message: `${out === undefined || out.value.name === '' ? 'a node' : `node ${out.value.name}`} is out of service in Slurm${reason == null || reason === '' ? '' : `: ${reason}`}`,
      seen: seen(line, out, why),
      remedies,
      missing:
        reason == null ? [missing('slurm.node', 'sinfo -R; scontrol show node NODE | grep -E "State|Reason"')] : [],
      weight: 0,
    };
  },
});
