import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { byPrint, missing, own, said, seen } from '../container-runtime/_container.ts';

export const podEvicted: Rule = defineRule({
  id: 'orchestrator/pod-evicted',
  summary: 'The kubelet evicted the pod, since the node ran short of memory or disk',
  needs: [],
  anyOf: ['said.pod-evicted'],
  uses: ['k8s.condition', 'os.oom-kill'],
  citations: ['k8s-eviction'],
  explains: [
    'said.pod-evicted',
    'said.k8s-*',
    'said.no-space-left',
    'said.nccl-*',
    'said.pt-*',
    'application/*',
    'orchestrator/gpus-all-taken',
    'orchestrator/gpu-unallocatable',
  ],
  check(_facts, context) {
    const all = said(context, 'pod-evicted');
    const lead =
      all.find(
        (fact) =>
          fact.value.captures['resource'] !== undefined ||
          fact.value.captures['condition'] !== undefined ||
          fact.value.captures['limit'] !== undefined,
      ) ?? all[0];
    if (lead === undefined) return { kind: 'silent' };
    const what = lead.value.captures['resource'] ?? lead.value.captures['condition'];
    const pressure = own(context, 'k8s.condition').find(
      (fact) => /Pressure$/.test(fact.value.type) && fact.value.status === 'True',
    );
    const calm = own(context, 'works').find((fact) => fact.order > lead.order);
    if (calm !== undefined && what === undefined)
      return { kind: 'cleared', because: 'the pod was started again and works', seen: seen(calm) };
    const named =
      what !== undefined ||
      lead.value.captures['limit'] !== undefined ||
      lead.seen.some((each) => /ephemeral/i.test(each.text));
    return {
      kind: 'fault',
      certainty:
        named || pressure !== undefined
          ? byPrint(lead)
          : all.some((fact) => fact.seen.some((each) => /Reason|0\/\d/i.test(each.text)))
            ? 'likely'
            : 'possible',
      message:
        what === undefined
          ? 'the kubelet evicted the pod'
          : `the kubelet evicted the pod: the node was short of ${what}`,
      seen: seen(lead, pressure),
      remedies: [
        {
          actor: 'developer',
          do: 'set honest requests and limits for memory and ephemeral storage; caches and checkpoints belong on a volume',
        },
        {
          actor: 'node-admin',
          do: 'free the node: images, logs, large emptyDir volumes',
          command: 'crictl rmi --prune; df -h /var/lib',
        },
      ],
      missing: named ? [] : [missing('k8s.pod', 'kubectl describe pod POD | grep -A3 -E "Status|Reason|Message"')],
      weight: 3,
    };
  },
});
