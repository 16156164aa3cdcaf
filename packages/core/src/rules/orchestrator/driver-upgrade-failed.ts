import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { said, seen } from '../container-runtime/_container.ts';
import { atLink, stoppedAt } from './_link.ts';

export const driverUpgradeFailed: Rule = defineRule({
  id: 'orchestrator/driver-upgrade-failed',
  summary: 'The GPU operator could not upgrade the driver of the node',
  needs: [],
  anyOf: ['k8s.link', 'said.driver-upgrade-state'],
  citations: ['gpu-operator-upgrade'],
  explains: [
    'said.k8s-*',
    'said.smi-*',
    'said.nvml-*',
    'said.oci-*',
    'said.ncc-*',
    'orchestrator/gpu-unallocatable',
    'orchestrator/device-plugin-not-running',
    'orchestrator/device-plugin-sees-no-gpu',
    'driver/host-driver-not-loaded',
    'container-runtime/*',
  ],
  check(_facts, context) {
    const link = stoppedAt(context, 'driver-upgrade-failed');
    if (link !== undefined)
      return atLink(link, [
        {
          actor: 'cluster-admin',
          do: 'read what the driver pod and the operator say',
          command:
            'kubectl -n gpu-operator logs ds/nvidia-driver-daemonset --all-containers --tail=50; kubectl -n gpu-operator logs deploy/gpu-operator --tail=50',
        },
        { actor: 'cluster-admin', do: 'repair it: what it waits for, or a driver that does not build for this kernel' },
        {
          actor: 'cluster-admin',
          do: 'then let the operator try again',
          command: 'kubectl label node NODE nvidia.com/gpu-driver-upgrade-state=upgrade-required --overwrite',
        },
      ]);
    const states = said(context, 'driver-upgrade-state');
    const done = states.findLast((fact) => fact.value.captures['state'] === 'upgrade-done');
    if (states.some((fact) => fact.value.captures['state'] === 'upgrade-failed') && done === undefined)
      return {
        kind: 'unknown',
        missing: [
          {
            fact: 'k8s.link',
            ask: 'kubectl -n gpu-operator logs ds/nvidia-driver-daemonset -c nvidia-driver-ctr --tail=50',
          },
        ],
      };
    return done === undefined
      ? { kind: 'silent' }
      : { kind: 'cleared', because: 'the operator’s driver upgrade of the node is done', seen: seen(done) };
  },
});
