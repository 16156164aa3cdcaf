import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { byPrint, missing, noGpu, noGpuConsequences, noGpuMessages, own, said, seen } from './_container.ts';

export const k8sDefaultRuntimeNotNvidia: Rule = defineRule({
  id: 'container-runtime/k8s-default-runtime-not-nvidia',
  summary: 'Pods of this node start under plain runc, which brings no driver',
  needs: [],
  anyOf: [
    'said.k8s-plugin-no-toolkit',
    'said.k8s-plugin-no-devices',
    'said.device-plugin-log',
    'said.k8s-insufficient-gpu',
    'k8s.resource',
    'container.default-runtime',
    ...noGpuMessages,
  ],
  uses: ['k8s.pod-runtime-class', 'k8s.runtime-classes', 'driver.answers'],
  citations: ['k8s-device-plugin', 'container-toolkit-install'],
  explains: [
    ...noGpuConsequences,
    'said.k8s-*',
    'said.nvml-*',
    'container-runtime/container-toolkit-not-configured',
    'container-runtime/visible-devices-not-set',
  ],
  check(_facts, context) {
    const runtimes = own(context, 'container.default-runtime');
    const runtime = runtimes.find((fact) => fact.scope === 'host') ?? runtimes[0];
    const plugin = said(context, 'k8s-plugin-no-toolkit');
    const pluginLog = said(context, 'device-plugin-log')[0];
    const hint = plugin.find((fact) =>
      fact.seen.some((each) => /did you (?:configure|set the docker)/.test(each.text)),
    );
    const noLibrary = [...plugin, ...said(context, 'nvml-library-not-found')].find((fact) =>
      fact.seen.some((each) => /NVML/.test(each.text)),
    );
    const kubernetes =
      hint ??
      pluginLog ??
      plugin.find(
        (fact) => fact.value.captures['err'] === undefined || /could not load NVML/i.test(fact.value.captures['err']),
      ) ??
      said(context, 'k8s-insufficient-gpu')[0] ??
      own(context, 'k8s.resource')[0];
    const symptom =
      hint ??
      (pluginLog === undefined ? undefined : (noLibrary ?? said(context, 'k8s-plugin-no-devices')[0])) ??
      (plugin.includes(kubernetes as never) ? kubernetes : undefined) ??
      (kubernetes === undefined ? undefined : (said(context, 'k8s-insufficient-gpu')[0] ?? noGpu(context)[0]));
    const podClass = own(context, 'k8s.pod-runtime-class').find((fact) => fact.value !== '');
    const remedies = [
      {
        actor: 'node-admin',
        do: 'make nvidia the default runtime of the node and restart its engine',
        command: 'nvidia-ctk runtime configure --runtime=containerd --set-as-default && systemctl restart containerd',
      },
      { actor: 'cluster-admin', do: 'or let the device plugin and the GPU pods ask for runtimeClassName: nvidia' },
    ] as const;
    if (symptom === undefined) return { kind: 'silent' };
    if (runtime !== undefined && runtime.value.startsWith('nvidia')) {
      return { kind: 'cleared', because: 'the default runtime is nvidia', seen: seen(runtime) };
    }
    if (podClass !== undefined)
      return { kind: 'cleared', because: `the pod asks for the runtime class ${podClass.value}`, seen: seen(podClass) };
    const absentClass = own(context, 'k8s.pod-runtime-class').find((fact) => fact.value === '');
    const classes = own(context, 'k8s.runtime-classes').find((fact) =>
      fact.value.some((name) => name.startsWith('nvidia')),
    );
    if (runtime !== undefined) {
      return {
        kind: 'fault',
        // A full cluster says the same of its GPUs, and with CDI runc may well be the default.
        certainty:
          symptom.id === 'said.k8s-insufficient-gpu'
            ? 'possible'
            : /k8s-plugin|nvml-library/.test(symptom.id)
              ? byPrint(runtime, symptom)
              : 'likely',
        message: `the default runtime of the node is ${runtime.value}, so the pod gets no driver`,
        seen: seen(symptom, runtime, absentClass),
        remedies,
        // A class that exists and was not asked for is the better answer.
        weight: classes !== undefined && absentClass !== undefined ? 1 : 4,
      };
    }
    if (hint !== undefined || (pluginLog !== undefined && noLibrary !== undefined)) {
      return {
        kind: 'fault',
        // That no driver reaches the plugin is certain, that the default runtime is why is a guess.
        certainty: 'possible',
        message: 'the device plugin starts without the driver’s libraries, as under plain runc',
        seen: seen(hint ?? noLibrary, pluginLog),
        remedies,
        missing: [
          missing(
            'container.default-runtime',
            "docker info | grep -i 'default runtime'; grep default_runtime_name /etc/containerd/config.toml",
          ),
        ],
        weight: 2,
      };
    }
    if (said(context, 'k8s-insufficient-gpu').length === 0 && said(context, 'k8s-plugin-no-devices').length === 0)
      return { kind: 'silent' };
    return {
      kind: 'fault',
      certainty: 'possible',
      message: 'the node offers no GPU; its device plugin may run without the NVIDIA runtime',
      seen: seen(symptom),
      remedies,
      missing: [
        missing(
          'container.default-runtime',
          'kubectl -n kube-system logs ds/nvidia-device-plugin-daemonset --tail=30; kubectl describe node NODE | grep nvidia.com',
        ),
      ],
    };
  },
});
