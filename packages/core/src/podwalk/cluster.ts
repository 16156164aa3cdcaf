// What of a cluster stands in a text: the objects of the API that lie between a pod and its GPU.
import type { Document, Evidence } from '../model/document.ts';
import type { Tree } from '../parse/tree.ts';
import { isDeviceResource } from '../parse/kubernetes-objects.ts';
import { objectsOf } from '../parse/objects.ts';
import { evidenceOf } from '../text/evidence.ts';
import { at, entriesAt, listAt, numberAt, textAt } from '../parse/tree.ts';

/** An object of the API with the text it stands in. */
export interface ApiObject {
  readonly document: Document;
  readonly tree: Tree;
}

export interface ClusterObjects {
  readonly pods: readonly ApiObject[];
  readonly nodes: readonly ApiObject[];
  readonly events: readonly ApiObject[];
  readonly daemonSets: readonly ApiObject[];
  /** Null where they were not asked for or could not be read: none is an empty list. */
  readonly runtimeClasses: readonly ApiObject[] | null;
}

const mostObjects = 20_000;

/** The objects of several texts. */
export function clusterOf(documents: readonly Document[]): ClusterObjects {
  const found: Record<string, ApiObject[]> = {};
  let classes: ApiObject[] | null = null;
  let count = 0;
  for (const document of documents) {
    for (const { root } of objectsOf(document)) {
      const kind = textAt(root, 'kind') ?? '';
      const items = kind.endsWith('List') ? listAt(root, 'items') : [root];
      const asked = root.line.command ?? '';
      if (/\bget\b.{0,200}?\bruntimeclass/.test(asked) || kind === 'RuntimeClassList') classes ??= [];
      for (const tree of items) {
        if (count++ > mostObjects) break;
        const own = textAt(tree, 'kind') ?? '';
        (found[own] ??= []).push({ document, tree });
        if (own === 'RuntimeClass') (classes ??= []).push({ document, tree });
      }
    }
  }
  return {
    pods: found['Pod'] ?? [],
    nodes: found['Node'] ?? [],
    events: found['Event'] ?? [],
    daemonSets: found['DaemonSet'] ?? [],
    runtimeClasses: classes,
  };
}

export function nameOf(object: ApiObject): string {
  return textAt(object.tree, 'metadata', 'name') ?? '';
}

export function namespaceOf(object: ApiObject): string | null {
  return textAt(object.tree, 'metadata', 'namespace');
}

/** The lines of parts of an object, as evidence. */
export function seenAt(object: ApiObject, ...parts: readonly (Tree | undefined)[]): readonly Evidence[] {
  const lines = new Map(parts.flatMap((part) => (part === undefined ? [] : [[part.line.index, part.line] as const])));
  return [...lines.values()].map((line) => evidenceOf(object.document, line, 'kubectl'));
}

/** GPUs that a pod asks for, by resource. */
export function requestsOf(
  pod: ApiObject,
): readonly { readonly resource: string; readonly count: number; readonly tree: Tree }[] {
  return ['initContainers', 'containers'].flatMap((kind) =>
    listAt(pod.tree, 'spec', kind).flatMap((container) =>
      entriesAt(container, 'resources', 'limits').flatMap(([resource, tree]) => {
        const count = numberAt(tree);
        return isDeviceResource(resource) && /gpu|mig/.test(resource) && count !== null && count > 0
          ? [{ resource, count, tree }]
          : [];
      }),
    ),
  );
}

/** The value of a variable that a container of a pod is started with. */
export function variableOf(pod: ApiObject, name: string): Tree | undefined {
  return listAt(pod.tree, 'spec', 'containers')
    .flatMap((container) => listAt(container, 'env'))
    .filter((each) => textAt(each, 'name') === name)
    .map((each) => at(each, 'value'))
    .find((each) => each !== undefined);
}

/** What shows that a pod is only starting: it never failed, and nothing keeps it. Null where it runs or cannot. */
export function startOf(pod: ApiObject): readonly Tree[] | null {
  const statuses = ['initContainerStatuses', 'containerStatuses'].flatMap((kind) => listAt(pod.tree, 'status', kind));
  if (statuses.length === 0 || statuses.some((status) => (numberAt(status, 'restartCount') ?? 0) > 0)) return null;
  const open = statuses.filter((status) => textAt(status, 'ready') !== 'true');
  if (open.length === 0) return null;
  const calm = open.every((status) => {
    const reason = textAt(status, 'state', 'waiting', 'reason');
    if (reason !== null) return /^(?:ContainerCreating|PodInitializing)$/.test(reason);
    const exit = numberAt(at(status, 'state', 'terminated', 'exitCode'));
    return exit === null ? at(status, 'state', 'running') !== undefined : exit === 0;
  });
  const busy = open.find((status) => at(status, 'state', 'running') !== undefined);
  return calm && busy !== undefined
    ? parts(at(busy, 'name'), at(busy, 'ready'), at(busy, 'state', 'running', 'startedAt'))
    : null;
}

/** What a node offers of a resource; null where it does not name it. */
export function offerOf(
  node: ApiObject,
  resource: string,
): { readonly capacity: number | null; readonly allocatable: number | null; readonly trees: readonly Tree[] } {
  const parts = (['capacity', 'allocatable'] as const).map((kind) => at(node.tree, 'status', kind, resource));
  return {
    capacity: numberAt(parts[0]),
    allocatable: numberAt(parts[1]),
    trees: parts.filter((part) => part !== undefined),
  };
}

/** GPU resources that a node names. */
export function offersOf(node: ApiObject): readonly string[] {
  return entriesAt(node.tree, 'status', 'capacity').flatMap(([resource]) =>
    resource.startsWith('nvidia.com/') ? [resource] : [],
  );
}

/** A part of the GPU stack that runs as a pod on each node. */
export type Part = 'device-plugin' | 'container-toolkit' | 'driver';

const partNames: Readonly<Record<Part, RegExp>> = {
  'device-plugin': /device-plugin/,
  'container-toolkit': /container-toolkit/,
  driver: /nvidia-driver|driver-daemonset|nvidia-gpu-driver/,
};

/** The pod of a part on a node, the newest where there are several. */
export function partPod(cluster: ClusterObjects, part: Part, node: string): ApiObject | undefined {
  return cluster.pods
    .filter((pod) => textAt(pod.tree, 'spec', 'nodeName') === node && isPart(pod, part))
    .sort((a, b) => (born(a) < born(b) ? 1 : born(a) > born(b) ? -1 : 0))[0];
}

function born(pod: ApiObject): string {
  return textAt(pod.tree, 'metadata', 'creationTimestamp') ?? '';
}

export function isPart(object: ApiObject, part: Part): boolean {
  const labels = ['app', 'app.kubernetes.io/name', 'app.kubernetes.io/component', 'name', 'k8s-app'];
  const words = [nameOf(object), ...labels.map((label) => textAt(object.tree, 'metadata', 'labels', label) ?? '')];
  return (
    words.some((word) => partNames[part].test(word)) && !words.some((word) => /validator|mofed|manager-/.test(word))
  );
}

/** True for a pod of the GPU stack. */
export function isStackPod(pod: ApiObject): boolean {
  return (
    /nvidia|gpu-operator|gpu-feature|dcgm|device-plugin|node-feature/.test(nameOf(pod)) && requestsOf(pod).length === 0
  );
}

export interface State {
  readonly ready: boolean;
  /** What it waits for or why it does not run; null where it runs. */
  readonly why: string | null;
  /** The step of the GPU stack that it waits for: another part has to come first. */
  readonly waitsFor: string | null;
  readonly trees: readonly Tree[];
}

/** Whether a pod runs, and what keeps it. */
export function stateOf(pod: ApiObject): State {
  for (const status of listAt(pod.tree, 'status', 'initContainerStatuses')) {
    if (textAt(status, 'state', 'terminated', 'exitCode') === '0') continue;
    const name = textAt(status, 'name') ?? 'an init container';
    const state = at(status, 'state', 'waiting') ?? at(status, 'state', 'terminated');
    const reason = textAt(state, 'reason');
    const waitsFor = /validation|k8s-driver-manager|toolkit/.test(name) ? name : null;
    return {
      ready: false,
      why: reason === null || reason === 'PodInitializing' ? `it waits for ${name}` : `${name}: ${reason}`,
      waitsFor,
      trees: parts(at(status, 'name'), at(state, 'reason'), at(state, 'message')),
    };
  }
  const statuses = listAt(pod.tree, 'status', 'containerStatuses');
  for (const status of statuses) {
    if (textAt(status, 'ready') === 'true') continue;
    const state = at(status, 'state', 'waiting') ?? at(status, 'state', 'terminated');
    const reason = textAt(state, 'reason') ?? 'not ready';
    return {
      ready: false,
      why: `${textAt(status, 'name') ?? 'its container'}: ${reason}`,
      waitsFor: null,
      trees: parts(at(status, 'ready'), at(state, 'reason'), at(state, 'message')),
    };
  }
  const phase = at(pod.tree, 'status', 'phase');
  const runs = phase?.text === 'Running' && statuses.length > 0;
  return {
    ready: runs,
    why: runs ? null : `it is ${phase?.text ?? 'in no known phase'}`,
    waitsFor: null,
    trees: parts(phase),
  };
}

function parts(...trees: readonly (Tree | undefined)[]): readonly Tree[] {
  return trees.filter((tree) => tree !== undefined);
}
