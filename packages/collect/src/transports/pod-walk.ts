// What of a cluster stands between a pod and its GPU: the pod, its events, its node, the pods and daemon sets of the GPU
// stack, runtime classes, the GPU operator's policy. Questions that only read; an answer that is denied is said.
import type { Section } from './frame.ts';
import type { Asked, Cluster, PodName } from './kubectl.ts';
import { get, inNamespace, textAt, valueAt } from './kubectl.ts';

/** What the walk found. */
export interface Walked {
  readonly sections: readonly Section[];
  /** The pod; null where it could not be read. */
  readonly pod: unknown;
  readonly node: string | null;
  /** Why the pod could not be read. */
  readonly failure: string | null;
  /** What else could not be read, in words. */
  readonly unread: readonly string[];
}

/** Names, images and labels of what belongs to the GPU stack. */
const gpuStack =
  /nvidia|gpu-operator|gpu-feature|\bgpu\b|dcgm|mig-manager|device-plugin|container-toolkit|k8s-dra|node-feature/i;

/** True for a pod or daemon set of the GPU stack: by its name, labels or images. */
function isOfGpuStack(item: unknown): boolean {
  const labels = valueAt(item, 'metadata', 'labels');
  const spec = valueAt(item, 'spec', 'template', 'spec') ?? valueAt(item, 'spec');
  const images = (['initContainers', 'containers'] as const).flatMap((kind) => {
    const list = valueAt(spec, kind);
    return Array.isArray(list) ? (list as readonly unknown[]).map((each) => textAt(each, 'image') ?? '') : [];
  });
  // A pod of a user may come from a registry of NVIDIA too; its image does not make it part of the stack.
  const own = images.filter((image) =>
    /device-plugin|gpu-operator|container-toolkit|driver|dcgm|gpu-feature|mig-manager/i.test(image),
  );
  return (
    gpuStack.test(textAt(item, 'metadata', 'name') ?? '') ||
    gpuStack.test(JSON.stringify(labels ?? '').slice(0, 4000)) ||
    own.length > 0
  );
}

/** Reads what is between a pod and its GPU. */
export async function walk(cluster: Cluster, name: PodName, limitMs: number): Promise<Walked> {
  const namespace = inNamespace(name.namespace);
  const about = `involvedObject.kind=Pod,involvedObject.name=${name.pod}`;
  const [pod, events, classes, policy, sets] = await Promise.all([
    get(cluster, 'kubectl-pod', [...namespace, 'pod', name.pod], limitMs),
    get(cluster, 'kubectl-events', [...namespace, 'events', `--field-selector=${about}`], limitMs),
    get(cluster, 'kubectl-runtimeclass', ['runtimeclasses.node.k8s.io'], limitMs),
    get(cluster, 'kubectl-clusterpolicy', ['clusterpolicies.nvidia.com'], limitMs),
    get(cluster, 'kubectl-daemonset', ['daemonsets.apps', '--all-namespaces'], limitMs, isOfGpuStack),
  ]);
  const node = textAt(pod.value, 'spec', 'nodeName') ?? null;
  const asked: Asked[] = [pod, events];
  if (pod.value !== null) {
    // A pod that is on no node waits for one: what all of them offer says why.
    if (node === null) asked.push(await get(cluster, 'kubectl-node', ['nodes'], limitMs, mayHaveGpus));
    else asked.push(...(await nodeFacts(cluster, node, limitMs)));
    asked.push(classes, sets);
    if (!/\bNotFound\b|doesn't have a resource type/.test(policy.ran.stderr)) asked.push(policy);
  }
  return {
    sections: asked.map((each) => each.section),
    pod: pod.value,
    node,
    failure: pod.failure,
    unread: asked.slice(1).flatMap((each) => each.failure ?? []),
  };
}

/** A node, its events, and the pods of the GPU stack on it. */
export function nodeFacts(cluster: Cluster, node: string, limitMs: number): Promise<readonly Asked[]> {
  const about = `involvedObject.kind=Node,involvedObject.name=${node}`;
  return Promise.all([
    get(cluster, 'kubectl-node', ['node', node], limitMs),
    get(cluster, 'kubectl-node-events', ['events', '--all-namespaces', `--field-selector=${about}`], limitMs),
    get(
      cluster,
      'kubectl-node-pods',
      ['pods', '--all-namespaces', `--field-selector=spec.nodeName=${node}`],
      limitMs,
      isOfGpuStack,
    ),
  ]);
}

/** True for a node that offers GPUs or is labelled as having some. */
function mayHaveGpus(node: unknown): boolean {
  const text = JSON.stringify([valueAt(node, 'metadata', 'labels'), valueAt(node, 'status', 'capacity')]);
  return /nvidia|gpu|10de/i.test(text);
}
