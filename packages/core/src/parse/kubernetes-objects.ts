// Objects of Kubernetes as its API gives them, as JSON and as YAML, one by one and in lists.
//
// {"apiVersion":"v1","kind":"Node","status":{"capacity":{"nvidia.com/gpu":"8"}, ...
// apiVersion: v1
// kind: Pod
// status:
//   containerStatuses:
//   - lastState:
//       terminated:
//         exitCode: 137
//         reason: OOMKilled
import type { Line } from '../model/document.ts';
import type { FactValues } from '../model/facts.ts';
import type { FactSink } from './parser.ts';
import type { Tree } from './tree.ts';
import { addVariable } from './environment.ts';
import { addImage } from './images.ts';
import { addLabel, addParts } from './kubernetes-labels.ts';
import { addKernel } from './platform.ts';
import { at, entriesAt, listAt, numberAt, textAt } from './tree.ts';
import { integer } from './values.ts';

/** Objects of one list that are read: those in trouble come first. */
const mostItems = 400;
const longestMessage = 2000;

/** Adds what a node's plugin registered; that a part of it cannot be used is trouble whatever is behind it. */
export function addDeviceResource(
  value: FactValues['k8s.device-resource'],
  lines: readonly Line[],
  sink: FactSink,
): void {
  sink.add('k8s.device-resource', value, lines);
  if (value.capacity !== null && value.allocatable !== null && value.allocatable < value.capacity)
    sink.add('program.trouble', { words: 'allocatable below capacity' }, lines);
}

/** Resources that device plugins register: `nvidia.com/gpu`, `nvidia.com/mig-1g.10gb`, `rdma/hca_shared`. */
export function isDeviceResource(name: string): boolean {
  return /^(?:nvidia\.com|amd\.com|rdma|mellanox\.com|openshift\.io|k8s\.io\/nvidia)\b.{0,80}$/.test(name);
}

/** Message of an API object on one line, of bounded length. */
export function oneLine(text: string | null): string | null {
  return text === null || text === '' ? null : text.replaceAll(/\s{0,20}\n\s{0,20}/g, ' ').slice(0, longestMessage);
}

/** Size such as `16Gi`, `512M`, `1048576` in MiB. */
export function mebibytesOf(text: string | null): number | null {
  const match = /^(\d{1,15}(?:\.\d{1,6})?)(m|[kKMGTP]i?)?$/.exec(text ?? '');
  if (match === null || match[2] === 'm') return null;
  const unit = match[2] ?? '';
  const power = unit === '' ? 0 : 'KMGTP'.indexOf(unit.charAt(0).toUpperCase()) + 1;
  return (Number(match[1]) * (unit.endsWith('i') ? 1024 : 1000) ** power) / 1_048_576;
}

/** Adds the facts of one object, or of the items of a list; objects of other kinds give none. */
export function readApiObject(object: Tree, sink: FactSink): void {
  const kind = textAt(object, 'kind');
  if (kind === 'List' || kind?.endsWith('List') === true) {
    const all = listAt(object, 'items');
    const items = all.length <= mostItems ? all : [...all.filter(inTrouble), ...all.filter((item) => !inTrouble(item))];
    for (const item of items.slice(0, mostItems)) readApiObject(item, sink);
    if (all.length > mostItems)
      sink.unread(
        `${all.length - mostItems} of ${all.length} objects of a list; those in trouble were read first`,
        object.line,
      );
    return;
  }
  switch (kind) {
    case 'Node':
      return readNode(object, sink);
    case 'Pod':
      return readPod(object, sink);
    case 'Event':
      return readEvent(object, sink);
    case 'ClusterPolicy':
      return readPolicy(object, sink);
    case 'NodeFeature':
      return readLabels(at(object, 'spec', 'labels'), textAt(object, 'metadata', 'name'), sink);
    case 'Deployment':
    case 'DaemonSet':
    case 'StatefulSet':
    case 'ReplicaSet':
    case 'Job':
      return readSpec(at(object, 'spec', 'template', 'spec'), textAt(object, 'metadata', 'name'), sink);
    case null:
      if (at(object, 'status', 'nodeInfo') !== undefined) readNode(object, sink);
      else if (at(object, 'spec', 'containers') !== undefined) readPod(object, sink);
  }
}

/** True for what a reader of a long list looks for. */
function inTrouble(item: Tree): boolean {
  switch (textAt(item, 'kind') ?? '') {
    case 'Node':
      return (
        listAt(item, 'status', 'conditions').some(
          (each) => (textAt(each, 'type') === 'Ready') !== (textAt(each, 'status') === 'True'),
        ) ||
        entriesAt(item, 'status', 'capacity').some(
          ([name, value]) =>
            isDeviceResource(name) && textAt(item, 'status', 'allocatable', name) !== (value.text ?? null),
        )
      );
    case 'Pod':
      return (
        !/^(?:Running|Succeeded)$/.test(textAt(item, 'status', 'phase') ?? '') ||
        listAt(item, 'status', 'containerStatuses').some((each) => at(each, 'state', 'running') === undefined)
      );
    case 'Event':
      return textAt(item, 'type') === 'Warning';
    default:
      return false;
  }
}

function readLabels(labels: Tree | undefined, node: string | null, sink: FactSink): void {
  const parts = new Map<string, string>();
  let last: Tree | undefined;
  for (const [name, value] of entriesAt(labels)) {
    const text = value.text;
    if (text === undefined || text === null || !/^(?:[\w.-]{0,40}\.)?nvidia\.com\//.test(name)) continue;
    addLabel(name, text, value.line, sink);
    sink.add('k8s.label', { node, name, value: text }, value.line);
    parts.set(name, text);
    last = value;
  }
  if (last !== undefined) addParts(parts, last.line, sink);
}

function readNode(node: Tree, sink: FactSink): void {
  const name = textAt(node, 'metadata', 'name');
  readLabels(at(node, 'metadata', 'labels'), name, sink);
  const resources = new Map<string, { capacity: number | null; allocatable: number | null; trees: Tree[] }>();
  for (const kind of ['capacity', 'allocatable'] as const) {
    for (const [resource, value] of entriesAt(node, 'status', kind)) {
      if (!isDeviceResource(resource) || value.text === undefined || value.text === null) continue;
      if (resource.startsWith('nvidia.com/'))
        sink.add('k8s.resource', { name: `${kind} ${resource}`, value: value.text }, value.line);
      const known = resources.get(resource) ?? { capacity: null, allocatable: null, trees: [] };
      resources.set(resource, known);
      known[kind] = integer(value.text);
      known.trees.push(value);
    }
  }
  for (const [resource, { capacity, allocatable, trees }] of resources) {
    addDeviceResource(
      { node: name, resource, capacity, allocatable, allocated: null },
      trees.map((tree) => tree.line),
      sink,
    );
  }
  const kernel = at(node, 'status', 'nodeInfo', 'kernelVersion');
  if (typeof kernel?.text === 'string') addKernel(kernel.text, kernel.line, sink);
  const os = at(node, 'status', 'nodeInfo', 'osImage');
  if (typeof os?.text === 'string' && os.text !== '') sink.add('os.name', os.text, os.line);
  const engine = at(node, 'status', 'nodeInfo', 'containerRuntimeVersion');
  if (engine !== undefined) addEngine(engine.text ?? null, engine, sink);
  for (const taint of listAt(node, 'spec', 'taints')) {
    const key = textAt(taint, 'key');
    const effect = textAt(taint, 'effect');
    if (key !== null && effect !== null)
      sink.add('k8s.taint', { node: name, key, value: textAt(taint, 'value'), effect }, taint.line);
  }
  readConditions(node, 'Node', name, sink);
}

/** `containerd://1.7.24` */
export function addEngine(text: string | null, tree: Pick<Tree, 'line'>, sink: FactSink): void {
  const match = /^([a-z][\w-]{2,20}):\/\/(\d[\w.+~-]{0,60})$/.exec(text ?? '');
  if (match !== null) sink.add('container.engine', { name: match[1]!, version: match[2]! }, tree.line);
}

function readConditions(object: Tree, kind: 'Node' | 'Pod' | 'Other', name: string | null, sink: FactSink): void {
  for (const condition of listAt(object, 'status', 'conditions')) {
    const type = textAt(condition, 'type');
    const status = textAt(condition, 'status');
    if (type === null || status === null) continue;
    const lines = [condition, at(condition, 'type'), at(condition, 'status'), at(condition, 'message')].flatMap(
      (tree) => (tree === undefined ? [] : [tree.line]),
    );
    sink.add(
      'k8s.condition',
      {
        kind,
        name,
        type,
        status,
        reason: textAt(condition, 'reason'),
        message: oneLine(textAt(condition, 'message')),
      },
      [...new Set(lines)],
    );
  }
}

function readPod(pod: Tree, sink: FactSink): void {
  const name = textAt(pod, 'metadata', 'name');
  readSpec(at(pod, 'spec'), name, sink);
  const status = at(pod, 'status');
  const phase = textAt(status, 'phase');
  if (name !== null && phase !== null) {
    const lines = ['phase', 'reason', 'message'].flatMap((key) => at(status, key)?.line ?? []);
    sink.add(
      'k8s.pod',
      {
        name,
        namespace: textAt(pod, 'metadata', 'namespace'),
        phase,
        reason: textAt(status, 'reason'),
        message: oneLine(textAt(status, 'message')),
        node: textAt(pod, 'spec', 'nodeName'),
      },
      [...new Set(lines)],
    );
  }
  readConditions(pod, 'Pod', name, sink);
  for (const kind of ['initContainerStatuses', 'containerStatuses', 'ephemeralContainerStatuses']) {
    for (const each of listAt(status, kind)) readStatus(each, name, sink);
  }
}

const states = ['waiting', 'running', 'terminated'] as const;

function readStatus(status: Tree, pod: string | null, sink: FactSink): void {
  const name = textAt(status, 'name') ?? 'container';
  for (const when of ['state', 'lastState'] as const) {
    for (const state of states) {
      const value = at(status, when, state);
      if (value === undefined) continue;
      const exit = numberAt(value, 'exitCode');
      const reason = textAt(value, 'reason');
      const lines = [value, at(value, 'exitCode'), at(value, 'reason'), at(value, 'message')].flatMap((tree) =>
        tree === undefined ? [] : [tree.line],
      );
      sink.add(
        'k8s.container',
        {
          pod,
          name,
          state,
          reason,
          message: oneLine(textAt(value, 'message')),
          exit,
          last: when === 'lastState',
          restarts: numberAt(status, 'restartCount'),
        },
        [...new Set(lines)],
      );
      if (state !== 'terminated') continue;
      if (exit !== null) sink.add('program.exit', { code: exit }, at(value, 'exitCode')!.line);
      if (reason === 'OOMKilled')
        sink.add(
          'os.oom-kill',
          { process: name, pid: null, memcg: true, limitKiB: null, anonKiB: null, shmemKiB: null, group: null },
          at(value, 'reason')!.line,
        );
    }
  }
}

function readSpec(spec: Tree | undefined, pod: string | null, sink: FactSink): void {
  if (spec === undefined) return;
  const runtime = at(spec, 'runtimeClassName');
  if (typeof runtime?.text === 'string' && runtime.text !== '')
    sink.add('k8s.pod-runtime-class', runtime.text, runtime.line);
  const mounts = new Map<string, string>();
  for (const kind of ['initContainers', 'containers', 'ephemeralContainers']) {
    for (const container of listAt(spec, kind)) {
      if (kind === 'containers') readContainer(container, pod, sink);
      for (const mount of listAt(container, 'volumeMounts')) {
        const volume = textAt(mount, 'name');
        const path = textAt(mount, 'mountPath');
        if (volume !== null && path !== null) mounts.set(volume, path);
      }
    }
  }
  for (const volume of listAt(spec, 'volumes')) {
    const memory = at(volume, 'emptyDir', 'medium');
    if (memory?.text !== 'Memory') continue;
    const limit = at(volume, 'emptyDir', 'sizeLimit');
    sink.add(
      'k8s.memory-volume',
      { pod, path: mounts.get(textAt(volume, 'name') ?? '') ?? null, sizeMiB: mebibytesOf(limit?.text ?? null) },
      limit === undefined ? memory.line : [...new Set([memory.line, limit.line])],
    );
  }
}

function readContainer(container: Tree, pod: string | null, sink: FactSink): void {
  const image = at(container, 'image');
  if (typeof image?.text === 'string') addImage(image.text, image.line, sink);
  for (const variable of listAt(container, 'env')) {
    const name = textAt(variable, 'name');
    const value = at(variable, 'value');
    if (name === null || value?.text === undefined) continue;
    const line = at(variable, 'name')!.line;
    addVariable(name, value.text ?? '', line === value.line ? line : [value.line, line], sink);
  }
  for (const kind of ['limits', 'requests'] as const) {
    for (const [resource, value] of entriesAt(container, 'resources', kind)) {
      if (!isDeviceResource(resource) || typeof value.text !== 'string') continue;
      if (kind === 'limits' && resource.startsWith('nvidia.com/'))
        sink.add('k8s.resource', { name: `limits ${resource}`, value: value.text }, value.line);
      const count = integer(value.text);
      if (kind === 'limits' && count !== null)
        sink.add(
          'k8s.device-request',
          { pod, container: textAt(container, 'name') ?? 'container', resource, count },
          value.line,
        );
    }
  }
}

function readEvent(event: Tree, sink: FactSink): void {
  const message = at(event, 'message') ?? at(event, 'note');
  const reason = textAt(event, 'reason');
  if (reason === null || message === undefined) return;
  const about = at(event, 'involvedObject') ?? at(event, 'regarding');
  const kind = textAt(about, 'kind');
  const name = textAt(about, 'name');
  const lines = [...new Set([message.line, at(event, 'reason')!.line])];
  sink.add(
    'k8s.event',
    {
      type: textAt(event, 'type') ?? 'Normal',
      reason,
      object: kind === null || name === null ? null : `${kind.toLowerCase()}/${name}`,
      message: oneLine(message.text ?? null) ?? '',
      count: numberAt(event, 'count') ?? numberAt(event, 'series', 'count') ?? numberAt(event, 'deprecatedCount'),
      time:
        textAt(event, 'lastTimestamp') ??
        textAt(event, 'series', 'lastObservedTime') ??
        textAt(event, 'eventTime') ??
        textAt(event, 'deprecatedLastTimestamp'),
    },
    lines,
  );
}

/** The GPU operator's ClusterPolicy: which of its parts are on, and of which release. */
function readPolicy(policy: Tree, sink: FactSink): void {
  for (const [name, part] of entriesAt(policy, 'spec')) {
    const enabled = at(part, 'enabled');
    const version = at(part, 'version');
    if (enabled === undefined && version === undefined) continue;
    sink.add(
      'k8s.operator-component',
      {
        name,
        enabled: enabled?.text === 'true' ? true : enabled?.text === 'false' ? false : null,
        version: version?.text ?? null,
      },
      [...new Set([part.line, ...(enabled === undefined ? [] : [enabled.line])])],
    );
  }
  const state = at(policy, 'status', 'state');
  const name = textAt(policy, 'metadata', 'name');
  if (typeof state?.text === 'string')
    sink.add(
      'k8s.condition',
      { kind: 'Other', name, type: 'ClusterPolicy', status: state.text, reason: null, message: null },
      state.line,
    );
  readConditions(policy, 'Other', name, sink);
}
