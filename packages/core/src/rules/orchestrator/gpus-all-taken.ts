import type { Fact } from '../../model/facts.ts';
import type { Remedy, Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { byPrint, missing, own, said, seen } from '../container-runtime/_container.ts';
import { atLink, stoppedAt } from './_link.ts';
import { wantedOf } from './_wanted.ts';

const remedies: readonly Remedy[] = [
  {
    actor: 'developer',
    do: 'wait, or give back GPUs that nobody uses',
    command: 'kubectl get pods -A -o wide --field-selector status.phase=Running | grep NODE',
  },
  { actor: 'cluster-admin', do: 'add nodes, set quotas and priorities, or share GPUs' },
];

export const gpusAllTaken: Rule = defineRule({
  id: 'orchestrator/gpus-all-taken',
  summary: 'Every GPU of the nodes is in use; the pod waits for its turn',
  needs: [],
  anyOf: ['k8s.link', 'said.k8s-insufficient-gpu'],
  uses: ['k8s.device-resource', 'k8s.device-request'],
  citations: ['k8s-gpus'],
  explains: [
    'said.k8s-insufficient-gpu',
    'said.k8s-untolerated-taint',
    'said.k8s-plugin-*',
    'said.k8s-operator-validation-wait',
    'container-runtime/k8s-default-runtime-not-nvidia',
    'orchestrator/gpu-unallocatable',
  ],
  check(_facts, context) {
    const link = stoppedAt(context, 'gpus-all-taken');
    if (link !== undefined) return atLink(link, remedies);
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
