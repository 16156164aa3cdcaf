import type { Fact } from '../../model/facts.ts';
import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { byPrint, missing, own, said, seen } from '../container-runtime/_container.ts';
import { atLink, stoppedAt } from './_link.ts';
import { noSlices } from './_claims.ts';
import { beyondCluster } from './_beyond.ts';
import { wantedOf } from './_wanted.ts';

export const gpuUnallocatable: Rule = defineRule({
  id: 'orchestrator/gpu-unallocatable',
  summary: 'No node offers the GPUs that the pod asks for',
  needs: [],
  anyOf: [
    'k8s.link',
    'said.k8s-insufficient-gpu',
    'said.k8s-devices-unavailable',
    'said.k8s-unexpected-admission',
    'said.kueue-quota-too-small',
    'said.ray-not-enough-gpus',
    'said.slurm-node-config-unavailable',
    'said.k8s-dra-claim',
  ],
  uses: ['k8s.device-resource', 'k8s.device-request'],
  citations: ['k8s-device-plugins', 'k8s-gpus'],
  explains: [
    'said.k8s-insufficient-gpu',
    'said.k8s-untolerated-taint',
    'said.k8s-plugin-*',
    'said.k8s-operator-validation-wait',
    'container-runtime/k8s-default-runtime-not-nvidia',
    'said.k8s-devices-unavailable',
    'said.k8s-unexpected-admission',
    'said.kueue-quota-*',
    'said.ray-not-enough-gpus',
    'said.slurm-node-config-unavailable',
    'said.k8s-dra-claim',
  ],
  check(_facts, context) {
    const wanted = wantedOf(context);
    const short = said(context, 'k8s-devices-unavailable').find((fact) => fact.value.captures['avail'] !== undefined);
    const resources = own(context, 'k8s.device-resource').filter(
      (fact) => wanted === undefined || fact.value.resource === wanted.resource,
    );
    const size = (fact: Fact<'k8s.device-resource'>): number => fact.value.allocatable ?? fact.value.capacity ?? 0;
    const most = [...resources].sort((a, b) => size(b) - size(a))[0];
    const empty = resources.find((fact) => size(fact) === 0);
    const remedies = [
      {
        actor: 'cluster-admin',
        do: 'see whether the device plugin runs on the GPU nodes and what it says',
        command:
          'kubectl get pods -A -o wide | grep device-plugin; kubectl logs ds/nvidia-device-plugin-daemonset -n kube-system --tail=30',
      },
      { actor: 'node-admin', do: 'see whether the driver answers on the node', command: 'nvidia-smi -L' },
      { actor: 'developer', do: 'ask for no more GPUs than one node has' },
    ] as const;
    const link = stoppedAt(context, 'gpu-unallocatable');
    if (link !== undefined) return atLink(link, remedies);
    const beyond = beyondCluster(context);
    if (beyond !== null) return beyond;
    const unpublished = noSlices(context);
    if (unpublished !== null)
      return {
        ...unpublished,
        remedies: [
          {
            actor: 'cluster-admin',
            do: 'see whether the kubelet plugin of the DRA driver runs on the GPU nodes and what it says',
            command: 'kubectl get pods -A -o wide | grep -i dra; kubectl get resourceslices',
          },
          remedies[1],
        ],
      };
    if (wanted !== undefined && most !== undefined && size(most) > 0) {
      if (wanted.count !== null && wanted.count > size(most)) {
        return {
          kind: 'fault',
          certainty: byPrint(wanted.fact, most),
          message: `the pod asks for ${wanted.count} ${wanted.resource}, and the largest node shown has ${size(most)}`,
          seen: seen(wanted.fact, most),
          remedies: [remedies[2]],
          weight: 4,
        };
      }
      return { kind: 'cleared', because: `the node offers ${size(most)} ${wanted.resource}`, seen: seen(most) };
    }
    if (wanted !== undefined && empty !== undefined) {
      return {
        kind: 'fault',
        certainty: byPrint(wanted.fact, empty),
        message: `the node offers no ${wanted.resource}`,
        seen: seen(wanted.fact, empty),
        remedies,
        weight: 1,
      };
    }
    if (short !== undefined && short.value.captures['avail'] === '0') {
      return {
        kind: 'fault',
        certainty: 'likely',
        message: `the node has no ${short.value.captures['resource'] ?? 'GPU'} left that is healthy and free`,
        seen: seen(short),
        remedies,
        missing: [
          missing(
            'k8s.device-resource',
            'kubectl describe node NODE | grep -E -A12 "Allocatable|Allocated"; dmesg | grep -i xid',
          ),
        ],
      };
    }
    if (wanted === undefined) return { kind: 'silent' };
    return {
      kind: 'unknown',
      missing: [
        missing('k8s.device-resource', 'kubectl describe node NODE | grep -E "nvidia.com|Allocatable|Allocated"'),
      ],
    };
  },
});
