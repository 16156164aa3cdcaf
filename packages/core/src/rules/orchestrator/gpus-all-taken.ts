import type { Fact } from '../../model/facts.ts';
import type { Outcome, Remedy, Rule, RuleContext } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { byPrint, missing, own, said, seen } from '../container-runtime/_container.ts';
import { atLink, stoppedAt } from './_link.ts';
import { claimsTaken } from './_claims.ts';
import { wantedOf } from './_wanted.ts';

const remedies: readonly Remedy[] = [
  {
    actor: 'developer',
    do: 'wait, or give back GPUs that nobody uses',
    command: 'kubectl get pods -A -o wide --field-selector status.phase=Running | grep NODE',
  },
  { actor: 'cluster-admin', do: 'add nodes, set quotas and priorities, or share GPUs' },
];

/** A queue of jobs that says that what it may use is in use. */
function waitsInQueue(context: RuleContext): Outcome | null {
  const quota = said(context, 'kueue-quota-used').find((fact) =>
    /gpu|nvidia\.com\/|\bmig-/i.test(fact.value.captures['resource'] ?? ''),
  );
  if (quota !== undefined && said(context, 'kueue-quota-too-small').length === 0) {
    const { resource, flavor, more } = quota.value.captures;
    return {
      kind: 'fault',
      certainty: byPrint(quota),
      message: `the quota of ${resource ?? 'GPUs'} in flavor ${flavor ?? '?'} is in use${more === undefined ? '' : `, and the workload needs ${more} more`}`,
      seen: seen(quota),
      remedies: [
        { actor: 'developer', do: 'wait for its turn, or give it a priority', command: 'kubectl get workloads -A' },
        {
          actor: 'cluster-admin',
          do: 'raise the quota of the queue, or let it borrow from its cohort',
          command: 'kubectl get clusterqueue -o yaml',
        },
      ],
      weight: 3,
    };
  }
  const hosts = said(context, 'lsf-gpus-short')[0];
  if (hosts === undefined) return null;
  return {
    kind: 'fault',
    certainty: 'likely',
    message: 'LSF lets the job wait: no host has the GPUs free that it asks for',
    seen: seen(hosts),
    remedies: [
      { actor: 'developer', do: 'wait, or ask for fewer GPUs, less GPU memory or any model', command: 'bjobs -l JOB' },
      { actor: 'cluster-admin', do: 'see whether hosts with GPUs are down or closed', command: 'bhosts -gpu; bhosts' },
    ],
    missing: [missing('whether any host has as many GPUs as the job asks for', 'bhosts -gpu')],
    weight: 2,
  };
}

export const gpusAllTaken: Rule = defineRule({
  id: 'orchestrator/gpus-all-taken',
  summary: 'Every GPU of the nodes is in use; the pod waits for its turn',
  needs: [],
  anyOf: [
    'k8s.link',
    'said.k8s-insufficient-gpu',
    'said.kueue-quota-used',
    'said.lsf-gpus-short',
    'said.k8s-dra-claim',
  ],
  uses: ['k8s.device-resource', 'k8s.device-request'],
  citations: ['k8s-gpus'],
  explains: [
    'said.k8s-insufficient-gpu',
    'said.k8s-untolerated-taint',
    'said.k8s-plugin-*',
    'said.k8s-operator-validation-wait',
    'container-runtime/k8s-default-runtime-not-nvidia',
    'orchestrator/gpu-unallocatable',
    'said.kueue-quota-used',
    'said.lsf-gpus-short',
    'said.k8s-dra-claim',
  ],
  check(_facts, context) {
    const link = stoppedAt(context, 'gpus-all-taken');
    if (link !== undefined) return atLink(link, remedies);
    const queued = waitsInQueue(context);
    if (queued !== null) return queued;
    const claims = claimsTaken(context);
    if (claims !== null) return { ...claims, remedies };
    const wanted = wantedOf(context);
    if (wanted === undefined) return { kind: 'silent' };
    const resources = own(context, 'k8s.device-resource').filter(
      (fact) => fact.value.resource === wanted.resource && (fact.value.allocatable ?? fact.value.capacity ?? 0) > 0,
    );
    const held = own(context, 'k8s.device-resource').find(
      (fact) =>
        fact.value.resource === wanted.resource &&
        fact.value.allocated !== null &&
        fact.value.allocatable === null &&
        fact.value.capacity === null,
    );
    const taken = (fact: Fact<'k8s.device-resource'>): number | null =>
      fact.value.allocated ?? (resources.length === 1 && held !== undefined ? held.value.allocated : null);
    const free = (fact: Fact<'k8s.device-resource'>): number | null => {
      const used = taken(fact);
      return used === null ? null : (fact.value.allocatable ?? fact.value.capacity ?? 0) - used;
    };
    const known = resources.filter((fact) => free(fact) !== null);
    const limit = said(context, 'autoscaler-at-limit')[0];
    if (limit !== undefined && known.length === 0) {
      return {
        kind: 'fault',
        certainty: 'likely',
        message: `no ${wanted.resource} is free, and the cluster may not grow any further`,
        seen: seen(wanted.fact, limit),
        remedies: [{ actor: 'cluster-admin', do: 'raise the limit of the node group, or wait until a GPU is free' }],
        missing: [missing('k8s.device-resource', 'kubectl describe nodes | grep -E "nvidia.com|Allocated"')],
        weight: 2,
      };
    }
    const most = [...known].sort((a, b) => free(b)! - free(a)!)[0];
    if (resources.length === 0) return { kind: 'silent' };
    if (most === undefined)
      return {
        kind: 'unknown',
        missing: [missing('k8s.device-resource', 'kubectl describe node NODE | grep -A12 "Allocated resources"')],
      };
    const need = wanted.count ?? 1;
    if (free(most)! >= need)
      return { kind: 'cleared', because: `${free(most)!} ${wanted.resource} are free`, seen: seen(most) };
    if (need > Math.max(...known.map((fact) => fact.value.allocatable ?? fact.value.capacity ?? 0)))
      return { kind: 'silent' };
    return {
      kind: 'fault',
      certainty: byPrint(wanted.fact, most),
      message:
        free(most)! <= 0
          ? `all ${most.value.allocatable ?? most.value.capacity ?? 0} ${wanted.resource} of the node are in use`
          : `the pod asks for ${need} ${wanted.resource}, and ${free(most)!} are free`,
      seen: seen(wanted.fact, most, held),
      remedies,
      weight: 3,
    };
  },
});
