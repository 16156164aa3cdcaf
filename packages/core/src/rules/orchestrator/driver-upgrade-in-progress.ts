import type { Remedy, Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { byPrint, missing, said, seen } from '../container-runtime/_container.ts';
import { atLink, stoppedAt } from './_link.ts';

const remedies: readonly Remedy[] = [
  { actor: 'developer', do: 'wait; the pod starts again when the node is back' },
  {
    actor: 'cluster-admin',
    do: 'watch it, and see what it waits for',
    command: 'kubectl get nodes -L nvidia.com/gpu-driver-upgrade-state; kubectl -n gpu-operator get pods -o wide',
  },
  {
    actor: 'cluster-admin',
    do: 'limit how many nodes are upgraded at once: maxParallelUpgrades, maxUnavailable',
  },
];

export const driverUpgradeInProgress: Rule = defineRule({
  id: 'orchestrator/driver-upgrade-in-progress',
  summary: 'The GPU operator is upgrading the driver of the node',
  needs: [],
  anyOf: ['k8s.link', 'said.driver-upgrade-state', 'k8s.resource'],
  uses: ['said.k8s-insufficient-gpu'],
  citations: ['gpu-operator-upgrade'],
  explains: [
    'said.k8s-insufficient-gpu',
    'said.k8s-untolerated-taint',
    'said.k8s-plugin-*',
    'said.k8s-operator-validation-wait',
    'container-runtime/k8s-default-runtime-not-nvidia',
    'said.smi-*',
    'said.nvml-*',
    'said.cuda-no-device',
    'said.pt-*',
    'said.oci-*',
    'said.ncc-*',
    'orchestrator/gpu-unallocatable',
    'orchestrator/device-plugin-not-running',
    'orchestrator/device-plugin-sees-no-gpu',
    'orchestrator/operator-driver-conflicts-with-host-driver',
    'container-runtime/*',
    'driver/kmod-userspace-mismatch-after-upgrade',
  ],
  check(_facts, context) {
    const link = stoppedAt(context, 'driver-upgrade-in-progress');
    if (link !== undefined) return atLink(link, remedies);
    const states = said(context, 'driver-upgrade-state');
    const busy = states.findLast(
      (fact) =>
        /-required$/.test(fact.value.captures['state'] ?? '') && fact.value.captures['state'] !== 'upgrade-required',
    );
    const queued = states.findLast((fact) => fact.value.captures['state'] === 'upgrade-required');
    const failed = states.findLast((fact) => fact.value.captures['state'] === 'upgrade-failed');
    const done = states.findLast((fact) => fact.value.captures['state'] === 'upgrade-done');
    if (failed !== undefined)
      return {
        kind: 'unknown',
        missing: [
          missing(
            'said.k8s-driver-install-conflict',
            'kubectl -n gpu-operator logs ds/nvidia-driver-daemonset -c nvidia-driver-ctr --tail=50',
          ),
        ],
      };
    const symptom = [
      ...said(
        context,
        'k8s-insufficient-gpu',
        'smi-couldnt-communicate',
        'nvml-driver-not-loaded',
        'nvml-driver-library-mismatch',
        'cuda-no-device',
        'pt-no-gpus-available',
        'k8s-devices-unavailable',
        'k8s-operator-validation-wait',
        'pod-evicted',
        'oci-hook-failed',
        'k8s-unexpected-admission',
      ),
    ][0];
    const state = busy ?? (symptom === undefined ? undefined : queued);
    if (state === undefined)
      return done === undefined
        ? { kind: 'silent' }
        : { kind: 'cleared', because: 'the operator’s driver upgrade of the node is done', seen: seen(done) };
    return {
      kind: 'fault',
      certainty: state === queued ? 'likely' : byPrint(state),
      message: `the GPU operator is upgrading the driver of the node: ${state.value.captures['state']!}`,
      seen: seen(symptom, state),
      remedies,
      weight: 5,
    };
  },
});
