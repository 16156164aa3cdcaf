import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { byPrint, capture, missing, own, said, seen } from '../container-runtime/_container.ts';

export const draClaimNotPrepared: Rule = defineRule({
  id: 'orchestrator/dra-claim-not-prepared',
  summary: 'The DRA driver of a node does not run there, or could not prepare the devices of a claim',
  needs: [],
  anyOf: ['said.dra-driver-absent', 'said.dra-prepare-failed', 'said.k8s-dra-claim'],
  uses: ['pci.gpu', 'k8s.pod'],
  citations: ['k8s-dra', 'dra-driver-nvidia-gpu'],
  explains: ['said.k8s-dra-claim', 'said.dra-driver-absent', 'said.dra-prepare-failed', 'said.k8s-*'],
  check(_facts, context) {
    const absent = said(context, 'dra-driver-absent').at(-1);
    const failed = said(context, 'dra-prepare-failed').at(-1);
    const lead = absent ?? failed;
    const none = own(context, 'k8s.resource-slices').find((fact) => fact.value === 0);
    if (lead === undefined && none !== undefined)
      return { kind: 'cleared', because: 'no node offers a device, so none was to be prepared', seen: seen(none) };
    if (lead === undefined)
      return {
        kind: 'unknown',
        missing: [
          missing('the rest of the message', 'kubectl describe pod POD | tail -n 20; kubectl get resourceslices'),
        ],
      };
    const plugin = own(context, 'k8s.pod').find(
      (fact) => /dra-driver|kubelet-plugin/.test(fact.value.name) && /kubelet-plugin/.test(fact.value.name),
    );
    if (absent !== undefined) {
      const driver = capture([absent], 'driver', 'driver2', 'driver3') ?? 'the DRA driver';
      return {
        kind: 'fault',
        certainty: byPrint(absent),
        message: `the kubelet cannot prepare a claim: ${driver} is not registered on that node`,
        seen: seen(absent, plugin),
        remedies: [
          {
            actor: 'cluster-admin',
            do: 'let the kubelet plugin of the driver run on the node: its node labels, tolerations, and the feature it serves',
            command: 'kubectl get pods -A -o wide | grep kubelet-plugin; kubectl get node NODE --show-labels',
          },
          {
            actor: 'node-admin',
            do: 'see whether its sockets are there; a kubelet with another root folder does not find them',
            command: 'ls /var/lib/kubelet/plugins_registry /var/lib/kubelet/plugins',
          },
        ],
        weight: 2,
      };
    }
    const why = (capture([lead], 'why', 'why2') ?? '').trim().replace(/[.\s]{1,4}$/, '');
    const given = own(context, 'pci.gpu').find((fact) => /vfio/i.test(fact.value.driver ?? ''));
    const bound = given !== undefined && /\bUUID\b.{0,40}\bNot Found\b/i.test(why);
    // A node without its fabric, or with a driver that does not answer, is the matter of others.
    const other = /compute ?domain|imex|clique|nvml.{0,40}(?:not loaded|unknown error)/i.test(why);
    return {
      kind: 'fault',
      certainty: other ? 'possible' : bound ? byPrint(lead, given) : 'likely',
      message: bound
        ? `the claim names a GPU that ${given.value.driver ?? 'vfio'} holds, so the driver of NVIDIA does not find it`
        : `the DRA driver could not prepare the devices of a claim${why === '' ? '' : `: ${why.slice(-160)}`}`,
      seen: seen(lead, bound ? given : undefined),
      remedies: [
        {
          actor: 'cluster-admin',
          do: bound
            ? 'delete pod and claim, give the GPU back to the driver of NVIDIA or claim it as a device for virtual machines'
            : 'mend what the last part of the message names, then delete pod and claim so that they are prepared anew',
          command: bound
            ? 'lspci -nnk -d 10de: | grep -A1 -E "3D|VGA"; kubectl get resourceslices -o yaml | grep -A6 "name: gpu"'
            : 'kubectl logs -n nvidia-dra-driver-gpu -l app.kubernetes.io/name=nvidia-dra-driver-gpu -c gpus --tail=60',
        },
      ],
      missing: other
        ? [missing('the log of the kubelet plugin', 'kubectl logs -n nvidia-dra-driver-gpu PLUGIN --all-containers')]
        : [],
      weight: 1,
    };
  },
});
