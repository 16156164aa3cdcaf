import type { Remedy, Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { byPrint, missing, own, said, seen } from '../container-runtime/_container.ts';
import { atLink, stoppedAt } from './_link.ts';

const remedies: readonly Remedy[] = [
  {
    actor: 'cluster-admin',
    do: 'read why',
    command:
      'kubectl describe pod -l name=nvidia-device-plugin-ds -A; kubectl logs ds/nvidia-device-plugin-daemonset -n kube-system --previous',
  },
  {
    actor: 'cluster-admin',
    do: 'labels, tolerations and node selector must let it onto the GPU nodes',
    command: 'kubectl get node NODE --show-labels; kubectl describe node NODE | grep Taints',
  },
  {
    actor: 'cluster-admin',
    do: 'install it where it is missing',
    command: 'helm upgrade -i nvdp nvdp/nvidia-device-plugin -n nvidia-device-plugin --create-namespace',
  },
];

export const devicePluginNotRunning: Rule = defineRule({
  id: 'orchestrator/device-plugin-not-running',
  summary: 'The device plugin does not run on the node',
  needs: [],
  anyOf: ['k8s.link', 'said.plugin-absent', 'said.plugin-pod-state', 'said.plugin-daemonset'],
  uses: ['said.k8s-insufficient-gpu', 'k8s.device-resource'],
  citations: ['k8s-device-plugin', 'k8s-device-plugins'],
  explains: [
    'said.k8s-insufficient-gpu',
    'said.k8s-untolerated-taint',
    'said.k8s-plugin-*',
    'said.k8s-operator-validation-wait',
    'container-runtime/k8s-default-runtime-not-nvidia',
    'said.plugin-absent',
    'orchestrator/gpu-unallocatable',
  ],
  check(_facts, context) {
    const link = stoppedAt(context, 'device-plugin-not-running');
    if (link !== undefined) return atLink(link, remedies);
    const absent = said(context, 'plugin-absent')[0];
    const pods = said(context, 'plugin-pod-state');
    const sick = pods.find(
      (fact) =>
        !/^(?:Running|Completed|Terminating|Succeeded)$/.test(fact.value.captures['state'] ?? '') ||
        Number(fact.value.captures['ready']) < Number(fact.value.captures['want']),
    );
    const well = pods.find((fact) => fact !== sick && fact.value.captures['state'] === 'Running');
    const sets = said(context, 'plugin-daemonset');
    const none = sets.find(
      (fact) =>
        Number(fact.value.captures['desired']) === 0 ||
        Number(fact.value.captures['ready']) < Number(fact.value.captures['desired']),
    );
    const full = sets.find((fact) => fact !== none);
    const waits =
      said(context, 'k8s-insufficient-gpu')[0] ??
      own(context, 'k8s.device-resource').find(
        (fact) => fact.value.resource.startsWith('nvidia.com/') && (fact.value.allocatable ?? 1) === 0,
      );
    const proof = absent ?? sick ?? none;
    if (proof === undefined) {
      const good = well ?? full;
      return good === undefined
        ? { kind: 'silent' }
        : { kind: 'cleared', because: 'the device plugin runs', seen: seen(good) };
    }
    if (proof === none && none.value.captures['desired'] === '0' && waits === undefined && absent === undefined)
      return {
        kind: 'unknown',
        missing: [
          missing(
            'k8s.device-resource',
            'kubectl get nodes -L nvidia.com/gpu.present; kubectl describe ds nvidia-device-plugin-daemonset -n kube-system',
          ),
        ],
      };
    return {
      kind: 'fault',
      // A pod that waits for the validation of what is below it says nothing of itself.
      certainty:
        proof === sick &&
        /^Init/.test(sick.value.captures['state'] ?? '') &&
        said(context, 'k8s-operator-validation-wait').length > 0
          ? 'possible'
          : waits === undefined
            ? 'likely'
            : byPrint(proof, waits),
      message:
        proof === absent
          ? 'the cluster has no device plugin of NVIDIA'
          : proof === sick
            ? `the device plugin’s pod is ${sick.value.captures['state'] ?? 'not ready'}`
            : `the device plugin runs on ${none!.value.captures['ready']!} of ${none!.value.captures['desired']!} nodes`,
      seen: seen(waits, proof),
      remedies,
      missing:
        waits === undefined ? [missing('k8s.device-resource', 'kubectl describe node NODE | grep nvidia.com')] : [],
      weight: 2,
    };
  },
});
