import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { byPrint, missing, own, said, seen } from '../container-runtime/_container.ts';

export const devicePluginMigStrategyWrong: Rule = defineRule({
  id: 'orchestrator/device-plugin-mig-strategy-wrong',
  summary: 'The device plugin’s MIG strategy does not fit the MIG layout of the node',
  needs: [],
  anyOf: [
    'said.k8s-plugin-mig-config',
    'said.mig-layout-invalid',
    'said.k8s-plugin-mps',
    'k8s.label',
    'k8s.resource',
    'said.k8s-insufficient-gpu',
  ],
  uses: ['gpu.mig-device', 'k8s.device-resource', 'k8s.device-request'],
  citations: ['gpu-operator-mig', 'k8s-mig-strategies'],
  explains: [
    'said.k8s-insufficient-gpu',
    'said.k8s-untolerated-taint',
    'said.k8s-plugin-*',
    'said.k8s-operator-validation-wait',
    'container-runtime/k8s-default-runtime-not-nvidia',
    'said.mig-layout-invalid',
    'said.cuda-no-device',
    'said.pt-*',
    'orchestrator/gpu-unallocatable',
    'orchestrator/gpu-resource-name-wrong',
    'orchestrator/device-plugin-not-running',
    'orchestrator/device-plugin-sees-no-gpu',
  ],
  check(_facts, context) {
    const plugin = said(context, 'k8s-plugin-mig-config').find((fact) =>
      fact.seen.some((each) => !/has no MIG devices configured/.test(each.text)),
    );
    const none = said(context, 'mig-no-devices')[0];
    const invalid = said(context, 'mig-layout-invalid')[0];
    const mps = said(context, 'k8s-plugin-mps').find((fact) =>
      fact.seen.some((each) => /mig-strategy=mixed|MIG devices/.test(each.text)),
    );
    const labels = [...own(context, 'k8s.label'), ...own(context, 'k8s.resource')];
    const strategy = labels.find((fact) => fact.value.name === 'nvidia.com/mig.strategy');
    const value = strategy?.value.value;
    const wanted = own(context, 'k8s.device-request').find((fact) => /^nvidia\.com\/mig-/.test(fact.value.resource));
    const offered = own(context, 'k8s.device-resource').find(
      (fact) => /^nvidia\.com\/mig-/.test(fact.value.resource) && (fact.value.allocatable ?? 0) > 0,
    );
    const remedies = [
      {
        actor: 'cluster-admin',
        do: 'choose: single, where every GPU of the node has one layout of one kind; mixed, where they differ; none, where MIG is off',
        command:
          'helm upgrade gpu-operator nvidia/gpu-operator -n gpu-operator --reuse-values --set mig.strategy=mixed',
      },
      {
        actor: 'node-admin',
        do: 'or give every GPU the same layout',
        command: 'kubectl label node NODE nvidia.com/mig.config=all-1g.10gb --overwrite',
      },
      {
        actor: 'developer',
        do: 'with mixed, ask for nvidia.com/mig-<profile>; with single and none, for nvidia.com/gpu',
      },
    ] as const;
    if (plugin !== undefined && none !== undefined && own(context, 'gpu.mig-device').length === 0)
      return { kind: 'cleared', because: 'there is no MIG instance that a strategy could fit', seen: seen(none) };
    const proof = plugin ?? invalid ?? mps;
    if (proof !== undefined) {
      return {
        kind: 'fault',
        message:
          proof === mps
            ? 'sharing by MPS and the MIG strategy of the device plugin exclude each other'
            : `the MIG layout of the node does not fit the device plugin’s strategy${value === undefined ? '' : ` ${value}`}`,
        seen: seen(proof, strategy, own(context, 'gpu.mig-device')[0]),
        certainty: byPrint(proof),
        remedies,
        weight: 4,
      };
    }
    const asked =
      wanted ??
      said(context, 'k8s-insufficient-gpu').find((fact) =>
        /^nvidia\.com\/mig-/.test(fact.value.captures['resource'] ?? ''),
      );
    if (asked !== undefined && strategy !== undefined && value !== 'mixed' && offered === undefined) {
      return {
        kind: 'fault',
        certainty: said(context, 'k8s-insufficient-gpu').length > 0 ? byPrint(asked, strategy) : 'likely',
        message: `the pod asks for a MIG resource, and the device plugin’s strategy is ${value!}, which offers none`,
        seen: seen(said(context, 'k8s-insufficient-gpu')[0], asked, strategy),
        remedies,
        weight: 5,
      };
    }
    if (strategy !== undefined && value === 'mixed' && offered !== undefined)
      return {
        kind: 'cleared',
        because: `the strategy is mixed, and the node offers ${offered.value.resource}`,
        seen: seen(strategy, offered),
      };
    if (said(context, 'k8s-insufficient-gpu').length === 0 || own(context, 'gpu.mig-device').length === 0)
      return { kind: 'silent' };
    return {
      kind: 'unknown',
      missing: [
        missing('k8s.label', 'kubectl get node NODE -L nvidia.com/mig.strategy -L nvidia.com/mig.config.state'),
      ],
    };
  },
});
