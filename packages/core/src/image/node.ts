// The keys of `--on`, and nodes from what is known otherwise: a file of many, a snapshot, labels of Kubernetes.
import { parseContainerToolkit } from '../compat/injection.ts';
import { nearest } from '../text/nearest.ts';
import { parseDriver } from '../versions/driver.ts';
import { parseDotted } from '../versions/numeric.ts';
import type { Node } from './model.ts';

/** More nodes than one table can show. */
const mostNodes = 10_000;

/** What is wrong with a description of a node, with the key and the place. */
export interface NodeError {
  readonly place: string;
  readonly key: string | null;
  readonly message: string;
  readonly hint: string | null;
}

/** Nodes that could be read, and what could not. */
export interface NodesRead {
  readonly nodes: readonly Node[];
  readonly errors: readonly NodeError[];
}

interface Key {
  readonly name: string;
  readonly field: keyof Node;
  /** What its values look like, for messages. */
  readonly looks: string;
  /** The value as it is kept; undefined where it is none. */
  readonly read: (text: string) => string | boolean | undefined;
}

const oneOf = (name: string, field: keyof Node, words: readonly string[]): Key => ({
  name,
  field,
  looks: words.join(', '),
  read: (text) => words.find((word) => word === text.toLowerCase()),
});

const driver = (text: string): string | undefined => (parseDriver(text) === null ? undefined : text);

const keys: readonly Key[] = [
  { name: 'name', field: 'name', looks: 'a name', read: (text) => text },
  { name: 'driver', field: 'driver', looks: 'a driver version as 535.104.05', read: driver },
  { name: 'gpu', field: 'gpu', looks: 'a GPU as H100, or a compute capability', read: (text) => text },
  oneOf('flavour', 'flavour', ['open', 'proprietary']),
  {
    name: 'toolkit',
    field: 'toolkit',
    looks: 'a version of the NVIDIA Container Toolkit as 1.17.8',
    read: (text) => (parseContainerToolkit(text) === null ? undefined : text.replace(/^[vV]/, '')),
  },
  oneOf('mode', 'mode', ['legacy', 'csv', 'cdi', 'jit-cdi', 'auto', 'none']),
  {
    name: 'docker',
    field: 'docker',
    looks: 'a version of the Docker engine as 29.0.0',
    read: (text) => (parseDockerVersion(text) === null ? undefined : text),
  },
  oneOf('start', 'start', ['runtime', 'gpus', 'cdi']),
  oneOf('cuda-compat-mode', 'cudaCompatMode', ['ldconfig', 'mount', 'hook', 'disabled']),
  { name: 'disable-require', field: 'disableRequire', looks: 'true or false', read: booleanOf },
  {
    name: 'libdir',
    field: 'libdir',
    looks: 'an absolute folder as /usr/lib64',
    read: (text) => (text.startsWith('/') ? withoutSlashes(text) || '/' : undefined),
  },
  oneOf('entrypoint', 'entrypoint', ['kept', 'replaced']),
  {
    name: 'platform',
    field: 'platform',
    looks: 'a platform as linux/amd64',
    read: platformOf,
  },
  { name: 'library', field: 'library', looks: 'a driver version as 535.104.05', read: driver },
  { name: 'cdi-spec', field: 'cdiSpec', looks: 'a driver version as 535.104.05', read: driver },
  oneOf('started', 'started', ['before', 'after']),
  oneOf('runtime', 'runtime', ['nvidia', 'runc']),
  oneOf('device-list', 'deviceList', ['envvar', 'volume-mounts', 'cdi-annotations', 'cdi-cri']),
];

/** Names of the keys of `--on`, in their order. */
export const nodeKeys: readonly string[] = keys.map((key) => key.name);

/** Docker's version as numbers; null when it cannot be read. */
export function parseDockerVersion(text: string): readonly number[] | null {
  return parseDotted(text.trim().replace(/^[vV]/, '').split(/[-~+]/)[0] as string, 3);
}

/** A folder without slashes at its end. */
export function withoutSlashes(text: string): string {
  let end = text.length;
  while (end > 0 && text.charCodeAt(end - 1) === 47) end--;
  return text.slice(0, end);
}

function booleanOf(text: string): boolean | undefined {
  const word = text.toLowerCase();
  if (['true', '1', 'yes', ''].includes(word)) return true;
  return ['false', '0', 'no'].includes(word) ? false : undefined;
}

const architectures: Readonly<Record<string, string>> = {
  x86_64: 'amd64',
  x64: 'amd64',
  amd64: 'amd64',
  aarch64: 'arm64',
  arm64: 'arm64',
  ppc64le: 'ppc64le',
};

/** `linux/arm64` of `linux/arm64/v8`, `arm64` and `aarch64`. */
function platformOf(text: string): string | undefined {
  const parts = text.toLowerCase().split('/');
  const [os, architecture, ...variant] = parts.length === 1 ? ['linux', ...parts] : parts;
  if (os === undefined || architecture === undefined || variant.length > 1) return undefined;
  if (!/^[a-z0-9_]{1,20}$/.test(os) || !/^[a-z0-9_]{1,20}$/.test(architecture)) return undefined;
  const known = architectures[architecture] ?? architecture;
  return [os, known, ...variant.filter((each) => known !== 'arm64' || each !== 'v8')].join('/');
}

/** Does a text look like `key=value,…` rather than the name of a file? */
export function isNodeText(text: string): boolean {
  const equals = text.indexOf('=');
  const first = equals < 0 ? text : text.slice(0, equals);
  return equals > 0 && /^[A-Za-z-]{1,30}$/.test(first.trim());
}

/**
 * Reads `driver=535.104.05,gpu=H100,toolkit=1.17.8,mode=legacy`.
 * @param place how errors call it: `--on`
 */
export function nodeOfText(text: string, place: string): NodesRead {
  const pairs = text
    .split(',')
    .filter((piece) => piece.trim() !== '')
    .map((piece): readonly [string, unknown] => {
      const at = piece.indexOf('=');
      return at < 0 ? [piece.trim(), ''] : [piece.slice(0, at).trim(), piece.slice(at + 1).trim()];
    });
  return nodeOfPairs(pairs, place);
}

/**
 * Reads a file of nodes that was parsed already: a list of nodes, `nodes:` with a list or with nodes by name, one node, or
 * the objects that `kubectl get nodes -o json` prints.
 */
export function nodesOfValue(value: unknown, place: string): NodesRead {
  const list = isRecord(value) ? (value['nodes'] ?? value['items']) : value;
  const count = Array.isArray(list) ? list.length : isRecord(list) ? Object.keys(list).length : 0;
  if (count > mostNodes)
    return failed(place, null, `holds ${count} nodes, more than ${mostNodes}`, 'name each kind of node once');
  if (Array.isArray(value)) return joined(value.map((each, at) => nodeOfValue(each, `${place}: node ${at + 1}`)));
  if (!isRecord(value))
    return failed(place, null, 'holds no nodes', 'a list of nodes, each with keys as driver, gpu, toolkit, mode');
  if (value['kind'] === 'Node') return nodeOfObject(value);
  const items = value['items'];
  if (Array.isArray(items) && typeof value['kind'] === 'string') return joined(items.map((each) => nodeOfObject(each)));
  const { nodes, defaults } = value;
  if (nodes === undefined) return nodeOfValue(value, place);
  const shared = isRecord(defaults) ? defaults : {};
  if (defaults !== undefined && !isRecord(defaults)) return failed(place, 'defaults', 'defaults holds no keys', null);
  for (const key of Object.keys(value))
    if (key !== 'nodes' && key !== 'defaults') return unknownKey(place, key, ['nodes', 'defaults']);
  if (Array.isArray(nodes))
    return joined(nodes.map((each, at) => nodeOfValue(withShared(shared, each), `${place}: node ${at + 1}`)));
  if (isRecord(nodes))
    return joined(
      Object.entries(nodes).map(([name, each]) =>
        nodeOfValue(withShared({ ...shared, name }, each), `${place}: node ${name}`),
      ),
    );
  return failed(place, 'nodes', 'nodes holds no list', null);
}

function withShared(shared: Readonly<Record<string, unknown>>, value: unknown): unknown {
  return isRecord(value) ? { ...shared, ...value } : value;
}

function nodeOfValue(value: unknown, place: string): NodesRead {
  if (typeof value === 'string' && isNodeText(value)) return nodeOfText(value, place);
  if (!isRecord(value)) return failed(place, null, 'is no node', 'keys as driver, gpu, toolkit, mode');
  if (value['kind'] === 'Node') return nodeOfObject(value);
  const name = value['name'];
  const where = typeof name === 'string' && !place.endsWith(` ${name}`) ? `${place} (${name})` : place;
  return nodeOfPairs(Object.entries(value), where);
}

function nodeOfPairs(pairs: readonly (readonly [string, unknown])[], place: string): NodesRead {
  const node: Record<string, string | boolean> = {};
  const errors: NodeError[] = [];
  for (const [name, value] of pairs) {
    const key = keys.find((each) => each.name === name.toLowerCase().replaceAll('_', '-') || each.field === name);
    if (key === undefined) errors.push(...unknownKey(place, name, nodeKeys).errors);
    else if (value === null || value === undefined) continue;
    else if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean')
      errors.push({ place, key: name, message: `${key.name} holds no single value`, hint: key.looks });
    else {
      // 535 and 29.0 are numbers in YAML; 550.90 would lose its zero, so a number with a dot has to be quoted.
      const text = String(value).trim();
      const fraction = typeof value === 'number' && text.includes('.');
      const read = text === '' && key.field !== 'disableRequire' ? undefined : key.read(text);
      if (fraction && key.field !== 'gpu')
        errors.push({ place, key: name, message: `${key.name} ${text} is a number`, hint: `in quotes: "${text}"` });
      else if (read === undefined)
        errors.push({
          place,
          key: name,
          message: `${key.name} has no value ${JSON.stringify(text.slice(0, 80))}`,
          hint: key.looks,
        });
      else if (node[key.field] !== undefined && node[key.field] !== read)
        errors.push({ place, key: name, message: `${key.name} is given twice`, hint: null });
      else node[key.field] = read;
    }
  }
  if (errors.length > 0) return { nodes: [], errors };
  if (Object.keys(node).every((field) => field === 'name'))
    return failed(place, null, 'says nothing of the node', 'driver=535.104.05,gpu=H100,toolkit=1.17.8,mode=legacy');
  return { nodes: [node], errors: [] };
}

/** Labels of the GPU feature discovery, and what the kubelet tells of its machine. */
function nodeOfObject(value: unknown): NodesRead {
  if (!isRecord(value)) return { nodes: [], errors: [] };
  const metadata = recordAt(value, 'metadata');
  const labels = recordAt(metadata, 'labels');
  const info = recordAt(recordAt(value, 'status'), 'nodeInfo');
  const text = (from: Readonly<Record<string, unknown>>, key: string): string | undefined => {
    const found = from[key];
    return typeof found === 'string' && found !== '' ? found : undefined;
  };
  const name = text(metadata, 'name');
  const numbers = ['major', 'minor', 'rev'].map((part) => text(labels, `nvidia.com/cuda.driver.${part}`));
  const version =
    text(labels, 'nvidia.com/cuda.driver-version.full') ??
    (numbers[0] === undefined ? undefined : numbers.filter((each) => each !== undefined).join('.'));
  const product = text(labels, 'nvidia.com/gpu.product');
  const architecture = text(info, 'architecture') ?? text(labels, 'kubernetes.io/arch');
  const engine = text(info, 'containerRuntimeVersion');
  const node: { -readonly [Field in keyof Node]: Node[Field] } = {};
  if (name !== undefined) node.name = name;
  if (version !== undefined && parseDriver(version) !== null) node.driver = version;
  if (product !== undefined) node.gpu = product.replace(/-(?:MIG|SHARED).{0,80}$/, '').replaceAll('-', ' ');
  const platform = architecture === undefined ? undefined : platformOf(architecture);
  if (platform !== undefined) node.platform = platform;
  if (engine?.startsWith('docker://') === true && parseDockerVersion(engine.slice(9)) !== null)
    node.docker = engine.slice(9);
  return { nodes: [node], errors: [] };
}

/** The keys of `--on` that a node has, as `on` of a prediction. */
export function onOf(node: Node): Readonly<Record<string, string | boolean>> {
  const on: Record<string, string | boolean> = {};
  for (const key of keys) {
    const value = node[key.field];
    if (value !== undefined && key.field !== 'name') on[key.name] = value;
  }
  return on;
}

/** One line that tells a node from others. */
export function nodeLabel(node: Node): string {
  if (node.name !== undefined) return node.name;
  const parts = Object.entries(onOf(node)).map(([key, value]) =>
    key === 'gpu' ? String(value) : value === true ? key : `${key} ${String(value)}`,
  );
  return parts.join(', ') || 'a node of which nothing is known';
}

function unknownKey(place: string, key: string, known: readonly string[]): NodesRead {
  const near = nearest(key, known);
  return failed(
    place,
    key,
    `there is no key ${JSON.stringify(key.slice(0, 80))}`,
    near.length > 0 ? `did you mean ${near.join(', ')}?` : `keys are ${known.join(', ')}`,
  );
}

function failed(place: string, key: string | null, message: string, hint: string | null): NodesRead {
  return { nodes: [], errors: [{ place, key, message, hint }] };
}

function joined(all: readonly NodesRead[]): NodesRead {
  return { nodes: all.flatMap((each) => each.nodes), errors: all.flatMap((each) => each.errors) };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function recordAt(value: Readonly<Record<string, unknown>>, key: string): Readonly<Record<string, unknown>> {
  const found = value[key];
  return isRecord(found) ? found : {};
}
