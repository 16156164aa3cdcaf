import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { atLink, stoppedAt } from '../orchestrator/_link.ts';
import { own, seen } from './_container.ts';

export const containerToolkitNotReady: Rule = defineRule({
  id: 'container-runtime/container-toolkit-not-ready',
  summary: 'The pod that installs the container toolkit on the node does not run',
  needs: [],
  anyOf: ['k8s.link'],
  citations: ['gpu-operator-troubleshooting'],
  explains: [
    'said.k8s-*',
    'said.containerd-no-runtime',
    'said.oci-*',
    'said.nct-*',
    'orchestrator/device-plugin-not-running',
    'orchestrator/device-plugin-sees-no-gpu',
    'container-runtime/k8s-runtime-class-missing',
    'container-runtime/container-toolkit-not-configured',
    'container-runtime/container-toolkit-not-installed',
  ],
  check(_facts, context) {
    const link = stoppedAt(context, 'container-toolkit-not-ready');
    if (link !== undefined)
      return atLink(link, [
        {
          actor: 'cluster-admin',
          do: 'read what the toolkit’s pod says',
          command: 'kubectl -n gpu-operator logs ds/nvidia-container-toolkit-daemonset --all-containers --tail=50',
        },
        {
          actor: 'cluster-admin',
          do: 'give it the right paths of the engine: its socket and its configuration differ between distributions (k3s, RKE2, MicroK8s)',
          command: 'kubectl get clusterpolicy -o yaml | grep -A12 "toolkit:"',
        },
      ]);
    const links = own(context, 'k8s.link').filter((fact) => fact.value.link === 'container-toolkit');
    const well = links.find((fact) => fact.value.state === 'holds');
    if (well !== undefined) return { kind: 'cleared', because: well.value.message, seen: seen(well) };
    return links.length === 0
      ? { kind: 'silent' }
      : { kind: 'unknown', missing: [{ fact: 'k8s.link', ask: 'nvidia-ctk --version   # on the node' }] };
  },
});
