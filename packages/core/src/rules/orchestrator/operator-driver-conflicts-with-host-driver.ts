import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { byPrint, missing, noGpuConsequences, own, said, seen } from '../container-runtime/_container.ts';

export const operatorDriverConflictsWithHostDriver: Rule = defineRule({
  id: 'orchestrator/operator-driver-conflicts-with-host-driver',
  summary: 'The GPU operator wants to install a driver on a node that has one',
  needs: [],
  anyOf: [
    'said.k8s-driver-install-conflict',
    'said.k8s-driver-container-kernel',
    'said.k8s-driver-preinstalled',
    'said.k8s-driver-daemonset',
  ],
  uses: ['driver.module', 'driver.version', 'driver.answers', 'package', 'modules.loaded'],
  citations: ['gpu-operator-docs', 'gpu-driver-container'],
  explains: [...noGpuConsequences, 'said.k8s-*', 'said.nvidia-*'],
  check(_facts, context) {
    const conflict = [
      ...said(context, 'k8s-driver-install-conflict'),
      ...said(context, 'k8s-driver-container-kernel').filter((fact) =>
        fact.seen.some((each) => /driver is in use/i.test(each.text)),
      ),
    ][0];
    const preinstalled = said(context, 'k8s-driver-preinstalled')[0];
    const operator = said(context, 'k8s-driver-daemonset')[0];
    const host = [
      ...own(context, 'driver.module'),
      ...own(context, 'driver.answers').filter((fact) => fact.scope !== 'container'),
      ...own(context, 'driver.version'),
      ...own(context, 'package').filter(
        (fact) =>
          fact.value.manager !== 'pip' &&
          /^(?:nvidia-(?:driver|dkms|headless|kernel|open)|kmod-nvidia|akmod-nvidia|cuda-drivers)/.test(
            fact.value.name,
          ),
      ),
      ...own(context, 'modules.loaded').filter((fact) => fact.value.includes('nvidia')),
    ][0];
    const remedies = [
      {
        actor: 'cluster-admin',
        do: 'decide who owns the driver on these nodes; where the host does, switch the operator’s driver off',
        command:
          'helm upgrade gpu-operator nvidia/gpu-operator -n gpu-operator --reuse-values --set driver.enabled=false',
      },
      { actor: 'node-admin', do: 'or remove the host’s driver, reboot, and let the operator install its own' },
      {
        actor: 'cluster-admin',
        do: 'nodes of both kinds: label those with a driver of their own',
        command: 'kubectl label node NODE nvidia.com/gpu.deploy.driver=false',
      },
    ] as const;
    if (conflict === undefined && preinstalled === undefined) return { kind: 'silent' };
    const picture =
      operator ??
      said(context, 'k8s-operator-validation-wait')[0] ??
      said(context, 'k8s-driver-container-kernel')[0] ??
      own(context, 'k8s.resource')[0];
    if (conflict !== undefined) {
      const named = conflict.seen.some((each) =>
        /could not unload nvidia driver kernel modules|uninstall (?:existing )?nvidia driver components/i.test(
          each.text,
        ),
      );
      if (picture === undefined && !named) {
        return {
          kind: 'unknown',
          missing: [
            missing(
              'said.k8s-driver-daemonset',
              'kubectl -n gpu-operator get pods -o wide; kubectl -n gpu-operator logs ds/nvidia-driver-daemonset',
            ),
          ],
        };
      }
      const module = host?.id === 'driver.module' || host?.id === 'driver.version' ? ` ${host.value}` : '';
      return {
        kind: 'fault',
        certainty: host === undefined ? 'likely' : byPrint(conflict, host),
        message: `the operator’s driver container cannot replace the driver${module} that the host has loaded`,
        seen: seen(conflict, host, picture, preinstalled),
        remedies,
        missing:
          host === undefined
            ? [
                missing(
                  'driver.module',
                  'cat /proc/driver/nvidia/version; dpkg -l | grep -E "nvidia-(driver|dkms)"   # on the node',
                ),
              ]
            : [],
        weight: 4,
      };
    }
    // The operator saw the host's driver and stays out of its way: no fault by itself.
    return {
      kind: 'cleared',
      because: 'the operator found the driver of the host and uses it',
      seen: seen(preinstalled),
    };
  },
});
