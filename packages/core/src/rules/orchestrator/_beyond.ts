import type { Outcome, RuleContext } from '../../model/rule.ts';
import { byPrint, missing, own, said, seen } from '../container-runtime/_container.ts';

// Requests that a scheduler can never meet, whoever gives back GPUs.

/** More GPUs than a queue, a Ray cluster or the nodes of Slurm have at all; null where that is not shown. */
export function beyondCluster(context: RuleContext): Outcome | null {
  return ofQueue(context) ?? ofRay(context) ?? ofSlurm(context);
}

function ofQueue(context: RuleContext): Outcome | null {
  const small = said(context, 'kueue-quota-too-small').find((fact) =>
    /gpu|nvidia\.com\/|\bmig-/i.test(fact.value.captures['resource'] ?? ''),
  );
  if (small === undefined) return null;
  const { resource, flavor, asked, most } = small.value.captures;
  return {
    kind: 'fault',
    certainty: byPrint(small),
    message: `the workload asks for ${asked ?? 'more'} ${resource ?? 'GPUs'}, and flavor ${flavor ?? '?'} of its queue has ${most ?? 'fewer'} at most`,
    seen: seen(small),
    remedies: [
      { actor: 'developer', do: 'ask for no more than the queue may ever give' },
      {
        actor: 'cluster-admin',
        do: 'or raise its quota or borrowing limit, where the cluster has the GPUs',
        command: 'kubectl get clusterqueue -o yaml | grep -B2 -A4 nominalQuota',
      },
    ],
    weight: 4,
  };
}

function ofRay(context: RuleContext): Outcome | null {
  const refused = said(context, 'ray-not-enough-gpus')[0];
  if (refused === undefined) return null;
  const asked = said(context, 'ray-demand').flatMap((fact) => {
    const each = Number(fact.value.captures['each'] ?? Number.NaN);
    const times = fact.value.captures['strategy'] === undefined ? 1 : Number(fact.value.captures['bundles'] ?? 1);
    return Number.isFinite(each) ? [{ fact, gpus: each * times }] : [];
  });
  const total = said(context, 'ray-gpus-idle').at(-1);
  const has = total === undefined ? Number.NaN : Number(total.value.captures['total']);
  const most = asked.sort((a, b) => b.gpus - a.gpus)[0];
  if (!Number.isFinite(has) || most === undefined || most.gpus <= has) return null;
  return {
    kind: 'fault',
    certainty: byPrint(refused, total, most.fact),
    message: `Ray is asked for ${most.gpus} GPUs at once, and its cluster has ${has}`,
    seen: seen(refused, total, most.fact),
    remedies: [
      { actor: 'developer', do: 'ask for no more GPUs than the cluster has, or start nodes that have them' },
      {
        actor: 'cluster-admin',
        do: 'where nodes have more GPUs than Ray counts, start Ray on them with all of them visible',
        command: 'ray status; nvidia-smi -L; ray start --num-gpus=N',
      },
    ],
    weight: 3,
  };
}

function ofSlurm(context: RuleContext): Outcome | null {
  const refused = said(context, 'slurm-node-config-unavailable')[0];
  if (refused === undefined) return null;
  const nodes = own(context, 'slurm.node').filter((fact) => fact.value.gpus !== null);
  const without = nodes.filter((fact) => fact.value.gpus === 0);
  if (nodes.length === 0 || without.length < nodes.length) return null;
  const there = own(context, 'gpu.name')[0];
  return {
    kind: 'fault',
    certainty: byPrint(refused, without[0]),
    message: `Slurm refuses the job: ${without.length === 1 ? 'its node has' : 'its nodes have'} no GPU configured${there === undefined ? '' : `, though there is ${there.value}`}`,
    seen: seen(refused, without[0], there),
    remedies: [
      {
        actor: 'cluster-admin',
        do: 'give the nodes their Gres in slurm.conf and gres.conf, and restart slurmctld and slurmd',
        command: 'slurmd -G; scontrol show node NODE | grep -i gres',
      },
    ],
    missing: there === undefined ? [missing('gpu.name', 'srun -w NODE nvidia-smi -L')] : [],
    weight: 3,
  };
}
