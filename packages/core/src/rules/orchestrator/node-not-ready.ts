import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { own, seen } from '../container-runtime/_container.ts';
import { atLink, stoppedAt } from './_link.ts';

export const nodeNotReady: Rule = defineRule({
  id: 'orchestrator/node-not-ready',
  summary: 'The node of the pod is not ready',
  needs: [],
  anyOf: ['k8s.link', 'k8s.condition'],
  citations: ['k8s-node-status'],
  explains: [
    'said.k8s-*',
    'orchestrator/device-plugin-not-running',
    'orchestrator/device-plugin-sees-no-gpu',
    'orchestrator/gpu-unallocatable',
  ],
  check(_facts, context) {
    const link = stoppedAt(context, 'node-not-ready');
    if (link !== undefined)
      return atLink(link, [
        {
          actor: 'node-admin',
          do: 'see whether the node is up, and what its kubelet says',
          command: 'systemctl status kubelet; journalctl -u kubelet -n 50; systemctl status containerd',
        },
        {
          actor: 'cluster-admin',
          do: 'move its pods away until it is back',
          command: 'kubectl drain NODE --ignore-daemonsets --delete-emptydir-data',
        },
      ]);
    const ready = own(context, 'k8s.condition').filter(
      (fact) => fact.value.kind === 'Node' && fact.value.type === 'Ready',
    );
    const lost = ready.find((fact) => fact.value.status !== 'True');
    if (lost !== undefined)
      return { kind: 'unknown', missing: [{ fact: 'k8s.event', ask: 'kubectl describe node NODE' }] };
    return ready[0] === undefined
      ? { kind: 'silent' }
      : { kind: 'cleared', because: `node ${ready[0].value.name ?? ''} is ready`, seen: seen(ready[0]) };
  },
});
