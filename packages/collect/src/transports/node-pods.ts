// A node of a cluster through a pod that runs on it and has all its GPUs: nothing is started there.
import type { Cluster } from './kubectl.ts';
import type { Transport } from './transport.ts';
import { failureOf } from './failures.ts';
import { failed } from './frame.ts';
import { itemsOf, parsed, textAt, valueAt } from './kubectl.ts';
import { kubernetesName } from './names.ts';
import { podTransport } from './pod.ts';
import { run } from './run.ts';

/** Images of such pods, the best first: the driver's own has every program. */
const known = [
  /nvidia\/driver|nvidia-driver-daemonset/,
  /dcgm-exporter/,
  /nvcr\.io\/nvidia\/cloud-native\/dcgm|nvidia-dcgm/,
  /k8s-device-plugin|nvidia-device-plugin/,
];
const questionMs = 15_000;

/** @throws TargetError where it is no name of a node */
export function throughPod(cluster: Cluster, text: string): Transport {
  const node = kubernetesName(text, 'node');
  return {
    subject: `node ${node}`,
    async probe(script, args, limitMs) {
      const began = performance.now();
      const limit = Math.min(questionMs, limitMs);
      const asked = await run({
        argv: [
          'kubectl',
          ...cluster.options,
          'get',
          'pods',
          '--all-namespaces',
          `--field-selector=spec.nodeName=${node},status.phase=Running`,
          '--output=json',
        ],
        limitMs: limit,
      });
      const ms = (): number => Math.round(performance.now() - began);
      const value = parsed(asked);
      if (value === null) return failed(failureOf('kubectl', 'kubectl', asked, limit), ms(), asked.stderr);
      const found = bestOf(itemsOf(value));
      if (found === null)
        return failed(
          'no pod on the node has all its GPUs (driver, dcgm-exporter, device plugin); --pod NS/POD names one, --ssh reaches the node itself',
          ms(),
        );
      const probed = await podTransport(cluster, found).probe(script, args, Math.max(1000, limitMs - ms()));
      return { ...probed, ms: ms() };
    },
  };
}

function bestOf(
  pods: readonly unknown[],
): { readonly namespace: string; readonly pod: string; readonly container: string } | null {
  for (const pattern of known)
    for (const pod of pods) {
      const containers = valueAt(pod, 'spec', 'containers');
      if (!Array.isArray(containers)) continue;
      for (const each of containers as readonly unknown[]) {
        const [namespace, name] = [textAt(pod, 'metadata', 'namespace'), textAt(pod, 'metadata', 'name')];
        const [container, image] = [textAt(each, 'name'), textAt(each, 'image')];
        if (namespace === null || name === null || container === null || image === null) continue;
        if (pattern.test(image) || pattern.test(name)) return { namespace, pod: name, container };
      }
    }
  return null;
}
