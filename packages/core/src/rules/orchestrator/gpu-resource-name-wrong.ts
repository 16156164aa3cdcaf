import type { Fact } from '../../model/facts.ts';
import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { byPrint, missing, own, seen } from '../container-runtime/_container.ts';
import { atLink, stoppedAt } from './_link.ts';
import { wantedOf } from './_wanted.ts';

export const gpuResourceNameWrong: Rule = defineRule({
  id: 'orchestrator/gpu-resource-name-wrong',
  summary: 'The pod asks for a GPU resource that the nodes offer under another name',
  needs: [],
  anyOf: ['k8s.link', 'said.k8s-insufficient-gpu'],
  uses: ['k8s.device-resource', 'k8s.device-request', 'k8s.resource'],
  citations: ['k8s-mig-strategies', 'k8s-device-plugins'],
  explains: [
    'said.k8s-insufficient-gpu',
    'said.k8s-untolerated-taint',
    'said.k8s-plugin-*',
    'said.k8s-operator-validation-wait',
    'container-runtime/k8s-default-runtime-not-nvidia',
    'orchestrator/gpu-unallocatable',
  ],
  check(_facts, context) {
    const link = stoppedAt(context, 'gpu-resource-name-wrong');
    if (link !== undefined)
      return atLink(link, [
        { actor: 'developer', do: 'ask for the name that the nodes offer' },
        {
          actor: 'cluster-admin',
          do: 'or let the device plugin offer the other name: MIG strategy, sharing without renameByDefault, resource names',
        },
      ]);
    const wanted = wantedOf(context);
    if (wanted === undefined) return { kind: 'silent' };
    const resources = own(context, 'k8s.device-resource').filter((fact) =>
      fact.value.resource.startsWith('nvidia.com/'),
    );
    const size = (fact: Fact<'k8s.device-resource'>): number => fact.value.allocatable ?? fact.value.capacity ?? 0;
    const same = resources.find((fact) => fact.value.resource === wanted.resource && size(fact) > 0);
    const other = resources.find((fact) => fact.value.resource !== wanted.resource && size(fact) > 0);
    if (same !== undefined)
      return { kind: 'cleared', because: `the nodes do offer ${wanted.resource}`, seen: seen(same) };
    if (other === undefined) {
      return resources.length > 0
        ? { kind: 'silent' }
        : {
            kind: 'unknown',
            missing: [missing('k8s.device-resource', 'kubectl get nodes -o json | jq ".items[].status.allocatable"')],
          };
    }
    return {
      kind: 'fault',
      certainty: byPrint(wanted.fact, other),
      message: `the pod asks for ${wanted.resource}, the node offers ${other.value.resource}`,
      seen: seen(
        wanted.fact,
        own(context, 'k8s.device-request').find((fact) => fact.value.resource === wanted.resource),
        other,
      ),
      remedies: [
        { actor: 'developer', do: `ask for the name that the nodes offer: ${other.value.resource}` },
        {
          actor: 'cluster-admin',
          do: 'or let the device plugin offer the other name: MIG strategy, sharing without renameByDefault, resource names',
        },
      ],
      weight: 5,
    };
  },
});
