import type { Remedy, Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { byPrint, own, said, seen } from '../container-runtime/_container.ts';
import { atLink, stoppedAt } from './_link.ts';

const remedies: readonly Remedy[] = [
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
];

export const nodeNotReady: Rule = defineRule({
  id: 'orchestrator/node-not-ready',
  summary: 'The node of the pod is not ready',
  needs: [],
  anyOf: ['k8s.link', 'k8s.condition', 'said.k8s-node-lost'],
  citations: ['k8s-node-status'],
  explains: [
    'said.k8s-*',
    'orchestrator/device-plugin-not-running',
    'orchestrator/device-plugin-sees-no-gpu',
    'orchestrator/gpu-unallocatable',
  ],
  check(_facts, context) {
    const link = stoppedAt(context, 'node-not-ready');
    if (link !== undefined) return atLink(link, remedies);
    const ready = own(context, 'k8s.condition').filter(
      (fact) => fact.value.kind === 'Node' && fact.value.type === 'Ready',
    );
    const lost = ready.find((fact) => fact.value.status !== 'True');
    const told = said(context, 'k8s-node-lost').at(-1);
    if (told !== undefined && (lost !== undefined || ready.length === 0)) {
      const { silent, pleg, runtime, network } = told.value.captures;
      const why =
        silent !== undefined
          ? 'its kubelet does not report any more'
          : pleg !== undefined
            ? 'its kubelet gets no answer from the container runtime in time'
            : runtime !== undefined
              ? 'its container runtime is down'
              : network !== undefined
                ? 'its network plugin is not ready'
                : 'its kubelet says so';
      return {
        kind: 'fault',
        certainty: byPrint(told),
        message: `node ${lost?.value.name ?? ''} is not ready: ${why}`.replace('node  is', 'the node is'),
        seen: seen(told, lost),
        remedies,
        weight: 2,
      };
    }
    if (lost !== undefined)
      return { kind: 'unknown', missing: [{ fact: 'k8s.event', ask: 'kubectl describe node NODE' }] };
    return ready[0] === undefined
      ? { kind: 'silent' }
      : { kind: 'cleared', because: `node ${ready[0].value.name ?? ''} is ready`, seen: seen(ready[0]) };
  },
});
