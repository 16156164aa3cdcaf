import type { Fact } from '../../model/facts.ts';
import type { Remedy, Rule, RuleContext } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { byPrint, missing, own, said, seen } from '../container-runtime/_container.ts';
import { atLink, stoppedAt } from './_link.ts';

const remedies: readonly Remedy[] = [
  {
    actor: 'node-admin',
    do: 'see that the driver answers on the node',
    command: 'nvidia-smi -L; dmesg | grep -i nvrm | tail',
  },
  {
    actor: 'cluster-admin',
    do: 'then that the plugin’s pod gets it: the nvidia runtime as default, or runtimeClassName: nvidia',
  },
  {
    actor: 'cluster-admin',
    do: 'restart the plugin',
    command: 'kubectl rollout restart ds/nvidia-device-plugin-daemonset -n kube-system',
  },
];

/** What shows that a node of the text has a GPU: its bus, its driver, or the labels of the cluster. */
function gpuOfNode(context: RuleContext): Fact | undefined {
  return (
    context.all('pci.gpu')[0] ??
    context.all('gpu.name')[0] ??
    context.all('driver.answers')[0] ??
    context.all('driver.module')[0] ??
    context.all('gpu.mig-device')[0] ??
    context
      .all('k8s.label')
      .find(
        (fact) =>
          /^(?:nvidia\.com\/gpu\.(?:present|product)|feature\.node\.kubernetes\.io\/pci-.{0,10}10de)/.test(
            fact.value.name,
          ) && fact.value.value !== 'false',
      )
  );
}

export const devicePluginSeesNoGpu: Rule = defineRule({
  id: 'orchestrator/device-plugin-sees-no-gpu',
  summary: 'The device plugin runs and finds no GPU on its node',
  needs: [],
  anyOf: [
    'k8s.link',
    'said.k8s-plugin-no-devices',
    'said.k8s-plugin-no-toolkit',
    'said.dra-driver-root-empty',
    'said.nomad-plugin-nvml',
  ],
  uses: ['driver.answers', 'said.smi-couldnt-communicate', 'container.default-runtime'],
  citations: ['k8s-device-plugin'],
  explains: [
    'said.k8s-insufficient-gpu',
    'said.k8s-plugin-no-devices',
    'orchestrator/gpu-unallocatable',
    'said.dra-driver-root-empty',
    'said.nomad-plugin-nvml',
    'said.k8s-dra-claim',
    'said.nvml-library-not-found',
    'said.smi-not-found',
  ],
  check(_facts, context) {
    const link = stoppedAt(context, 'device-plugin-sees-no-gpu');
    if (link !== undefined) return atLink(link, remedies);
    const empty = said(context, 'dra-driver-root-empty')[0];
    if (empty !== undefined) {
      const root = empty.value.captures['root'];
      return {
        kind: 'fault',
        certainty: byPrint(empty),
        message: `the DRA driver finds no driver of the GPUs on its node${root === undefined ? '' : ` under ${root}`}`,
        seen: seen(empty),
        remedies: [
          remedies[0]!,
          {
            actor: 'cluster-admin',
            do: 'give the chart the root where the driver is: / for one of the host, /run/nvidia/driver for a driver pod',
            command: 'helm upgrade … --set nvidiaDriverRoot=/',
          },
        ],
        weight: 3,
      };
    }
    const nomad = said(context, 'nomad-plugin-nvml')[0];
    if (nomad !== undefined) {
      const answers = own(context, 'driver.answers')[0];
      const why = (nomad.value.captures['why'] ?? '').trim();
      return {
        kind: 'fault',
        certainty: answers === undefined ? 'likely' : byPrint(nomad, answers),
        message: `the device plugin of Nomad offers no GPU: ${nomad.value.captures['call'] ?? 'NVML'} says "${why}"${answers === undefined ? '' : ', though the driver of the client answers'}`,
        seen: seen(nomad, answers),
        remedies: [
          ...(answers === undefined ? [remedies[0]!] : []),
          {
            actor: 'cluster-admin',
            do: 'install a release of the plugin that was built with an NVML of this driver, and restart the client',
            command: 'nomad node status -self -verbose | grep -A4 Device',
          },
        ],
        weight: 2,
      };
    }
    const none = said(context, 'k8s-plugin-no-devices')[0];
    const toolkit = said(context, 'k8s-plugin-no-toolkit')[0];
    if (none === undefined)
      return toolkit === undefined
        ? { kind: 'silent' }
        : {
            kind: 'unknown',
            missing: [
              missing('said.k8s-plugin-no-devices', 'kubectl logs ds/nvidia-device-plugin-daemonset -n kube-system'),
            ],
          };
    const down = said(
      context,
      'smi-couldnt-communicate',
      'nvml-driver-library-mismatch',
      'nvml-driver-not-loaded',
      'smi-no-devices-found',
      'smi-not-found',
    )[0];
    // That it runs where no GPU is, is the usual end on nodes without one, and it says the same there: only where
    // something else shows a GPU is its doubt a fault.
    const doubt = said(context, 'k8s-plugin-no-toolkit').find((fact) =>
      fact.seen.some((each) => /did you (?:configure|set the docker)|could not load NVML/i.test(each.text)),
    );
    const blind = own(context, 'works').length === 0 ? doubt : undefined;
    const gpu = gpuOfNode(context);
    const bare = gpu === undefined ? context.all('pci.gpus-counted').find((fact) => fact.value === 0) : undefined;
    if (bare !== undefined && down === undefined)
      return {
        kind: 'cleared',
        because: 'the node has no GPU, so its device plugin waits, as it should',
        seen: seen(none, bare),
      };
    const works = own(context, 'driver.answers').find((fact) => fact.scope === 'container');
    if (works !== undefined && down === undefined)
      return { kind: 'cleared', because: 'nvidia-smi answers inside the container', seen: seen(works) };
    return {
      kind: 'fault',
      certainty:
        down !== undefined ? byPrint(none, down) : blind === undefined || gpu === undefined ? 'possible' : 'likely',
      message:
        down === undefined
          ? blind === undefined || gpu === undefined
            ? 'the device plugin finds no GPU on its node'
            : 'the device plugin finds no GPU: the driver’s libraries do not reach its pod'
          : 'the device plugin finds no GPU, since the driver of the node does not answer',
      seen: seen(none, blind, blind === undefined ? undefined : gpu, down),
      remedies,
      missing:
        down === undefined
          ? [
              missing(
                'whether the node has a GPU',
                'lspci | grep -i nvidia; nvidia-smi -L   # on the node; then: kubectl exec PLUGIN-POD -- nvidia-smi -L',
              ),
            ]
          : [],
      weight: down !== undefined ? 1 : blind === undefined ? -2 : 0,
    };
  },
});
