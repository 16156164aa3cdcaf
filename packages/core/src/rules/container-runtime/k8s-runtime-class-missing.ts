import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { byPrint, capture, missing, noGpu, noGpuConsequences, noGpuMessages, own, said, seen } from './_container.ts';
import { atLink, stoppedAt } from '../orchestrator/_link.ts';

export const k8sRuntimeClassMissing: Rule = defineRule({
  id: 'container-runtime/k8s-runtime-class-missing',
  summary: 'The pod’s NVIDIA runtime class is not defined, or the pod does not ask for it',
  needs: [],
  anyOf: [
    'k8s.link',
    'said.k8s-runtimeclass-not-found',
    'said.containerd-no-runtime',
    'said.crio-no-handler',
    'k8s.runtime-classes',
    'k8s.pod-runtime-class',
    'said.k8s-plugin-no-toolkit',
    ...noGpuMessages,
  ],
  uses: ['container.default-runtime', 'k8s.resource'],
  citations: ['k8s-runtime-class', 'k8s-device-plugin'],
  explains: [
    ...noGpuConsequences,
    'said.k8s-*',
    'container-runtime/visible-devices-not-set',
    'container-runtime/container-toolkit-not-configured',
  ],
  check(_facts, context) {
    const notFound = said(context, 'k8s-runtimeclass-not-found')[0];
    const classes = own(context, 'k8s.runtime-classes');
    const nvidia = classes.find((fact) => fact.value.some((name) => name.startsWith('nvidia')));
    const none = nvidia === undefined ? classes[0] : undefined;
    const pods = own(context, 'k8s.pod-runtime-class');
    const asked = pods.find((fact) => fact.value.startsWith('nvidia'));
    const notAsked = asked === undefined ? pods.find((fact) => fact.value === '') : undefined;
    const runtime = own(context, 'container.default-runtime')[0];
    const remedies = [
      {
        actor: 'cluster-admin',
        do: 'define the class',
        command:
          "kubectl apply -f - <<'EOF'\napiVersion: node.k8s.io/v1\nkind: RuntimeClass\nmetadata: { name: nvidia }\nhandler: nvidia\nEOF",
      },
      { actor: 'developer', do: 'let the pod ask for it', command: 'spec.runtimeClassName: nvidia' },
      {
        actor: 'node-admin',
        do: 'and see that the engine has a runtime of that name',
        command: 'nvidia-ctk runtime configure --runtime=containerd && systemctl restart containerd',
      },
    ] as const;
    const link = stoppedAt(context, 'k8s-runtime-class-missing');
    if (link !== undefined) return atLink(link, remedies);
    if (notFound !== undefined) {
      return {
        kind: 'fault',
        certainty: byPrint(notFound),
        message: `the cluster has no runtime class ${capture([notFound], 'name', 'class', 'runtime') ?? 'nvidia'}`,
        seen: seen(notFound, none),
        remedies,
        weight: 5,
      };
    }
    const handler = said(context, 'containerd-no-runtime', 'crio-no-handler')[0];
    if (handler !== undefined) {
      return {
        kind: 'fault',
        certainty: byPrint(handler),
        message: `the runtime class of the pod names the handler ${capture([handler], 'handler') ?? 'nvidia'}, which the node’s engine does not have`,
        seen: seen(handler, nvidia, own(context, 'container.runtimes')[0]),
        remedies: [remedies[2], remedies[1]],
        weight: 4,
      };
    }
    const symptom = [...said(context, 'k8s-plugin-no-toolkit'), ...noGpu(context)][0];
    if (symptom === undefined) return { kind: 'silent' };
    if (runtime !== undefined && runtime.value.startsWith('nvidia'))
      return { kind: 'cleared', because: 'nvidia is the default runtime, so no class is needed', seen: seen(runtime) };
    if (notAsked !== undefined) {
      return {
        kind: 'fault',
        certainty:
          nvidia === undefined && runtime === undefined ? 'likely' : byPrint(symptom, notAsked, nvidia ?? runtime),
        message: 'the pod asks for no runtime class, and the default runtime brings no driver',
        seen: seen(symptom, notAsked, nvidia, runtime),
        remedies,
        missing:
          nvidia === undefined && runtime === undefined
            ? [
                missing(
                  'k8s.runtime-classes',
                  'kubectl get runtimeclass; grep default_runtime_name /etc/containerd/config.toml',
                ),
              ]
            : [],
        weight: 3,
      };
    }
    if (asked !== undefined && none !== undefined) {
      return {
        kind: 'fault',
        certainty: byPrint(asked, none),
        message: `the pod asks for the runtime class ${asked.value}, which the cluster does not define`,
        seen: seen(asked, none, symptom),
        remedies,
        weight: 4,
      };
    }
    if (asked !== undefined)
      return { kind: 'cleared', because: `the pod asks for the runtime class ${asked.value}`, seen: seen(asked) };
    if (none !== undefined) {
      return {
        kind: 'fault',
        certainty: 'likely',
        message: 'the cluster defines no NVIDIA runtime class, and pods find no driver',
        seen: seen(symptom, none),
        remedies,
        missing: [missing('container.default-runtime', 'grep default_runtime_name /etc/containerd/config.toml')],
        weight: 2,
      };
    }
    if (nvidia !== undefined) {
      return {
        kind: 'fault',
        certainty: 'possible',
        message: 'the cluster has an NVIDIA runtime class; the pod may not ask for it',
        seen: seen(symptom, nvidia),
        remedies,
        missing: [missing('k8s.pod-runtime-class', "kubectl get pod POD -o jsonpath='{.spec.runtimeClassName}'")],
      };
    }
    return { kind: 'silent' };
  },
});
