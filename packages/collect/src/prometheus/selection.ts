// What is asked for, as matchers of labels. Set-ups name the same thing differently, so each choice has several forms.
import { PrometheusError } from './errors.ts';

/** What the command line chose. Every list may be empty: then all. */
export interface Selection {
  readonly nodes: readonly string[];
  /** `NS/POD`, `POD`. */
  readonly pods: readonly string[];
  /** Index, UUID, or the device's name. */
  readonly gpus: readonly string[];
  /** Free matchers: `cluster="a",env=~"prod.*"`. */
  readonly selector: string | null;
}

/** Most forms of a question; more choices must be made with `--selector`. */
const mostForms = 256;

const nodeLabels = ['Hostname', 'hostname', 'node', 'kubernetes_node', 'nodename'] as const;

/** A value as PromQL quotes it. */
export function quoted(text: string): string {
  return `"${text
    .replaceAll('\\', '\\\\')
    .replaceAll('"', String.raw`\"`)
    .replaceAll('\n', String.raw`\n`)}"`;
}

/** A text as a regular expression (RE2) that matches itself. */
function literal(text: string): string {
  return text.replaceAll(/[\\^$.|?*+()[\]{}]/g, (char) => `\\${char}`);
}

/**
 * Reads matchers, with or without braces.
 * @throws PrometheusError where a part is none
 */
export function matchersOf(text: string): readonly string[] {
  let rest = text.trim();
  if (rest.startsWith('{') && rest.endsWith('}')) rest = rest.slice(1, -1).trim();
  const found: string[] = [];
  const one =
    /^([a-zA-Z_][a-zA-Z0-9_]{0,200})\s{0,20}(=~|!~|!=|=)\s{0,20}"((?:[^"\\\n]|\\[^\n]){0,2000})"\s{0,20}(?:,\s{0,20}|$)/;
  while (rest !== '') {
    const match = one.exec(rest);
    if (match === null)
      throw new PrometheusError(
        'bad-option',
        `--selector is not LABEL="VALUE": ${JSON.stringify(rest.slice(0, 60))}`,
        `--selector 'cluster="a",job=~"dcgm.*"'`,
      );
    found.push(`${match[1]!}${match[2]!}"${match[3]!}"`);
    rest = rest.slice(match[0].length);
  }
  return found;
}

/**
 * All forms of a choice: lists of matchers, of which any may be the one that this set-up understands.
 * @throws PrometheusError where a choice is none, or there are too many
 */
export function formsOf({ nodes, pods, gpus, selector }: Selection): readonly (readonly string[])[] {
  const own = selector === null ? [] : matchersOf(selector);
  const lists = [nodeForms(nodes), podForms(pods), gpuForms(gpus)].filter((list) => list.length > 0);
  if (lists.reduce((count, list) => count * list.length, 1) > mostForms)
    throw new PrometheusError(
      'bad-option',
      'too many pods and GPUs are named at once',
      `choose them by one matcher: --selector 'pod=~"train-.*"'`,
    );
  return lists.reduce<readonly (readonly string[])[]>(
    (made, list) => made.flatMap((one) => list.map((each) => [...one, ...each])),
    [own],
  );
}

/** Matchers of targets (`up`) on nodes; one without matchers where no node is named. */
export function targetFormsOf({ nodes, selector }: Selection): readonly (readonly string[])[] {
  const own = selector === null ? [] : matchersOf(selector);
  const forms = nodeForms(nodes).filter(([first]) => !/^hostname=/i.test(first!));
  return forms.length === 0 ? [own] : forms.map((each) => [...own, ...each]);
}

/** `="a"`, or a regular expression that any of several values matches. */
function anyOf(values: readonly string[]): string {
  return values.length === 1 ? `=${quoted(values[0]!)}` : `=~${quoted(values.map(literal).join('|'))}`;
}

function nodeForms(nodes: readonly string[]): readonly (readonly string[])[] {
  if (nodes.length === 0) return [];
  return [
    ...nodeLabels.map((label) => [`${label}${anyOf(nodes)}`]),
    [`instance=~${quoted(`(${nodes.map(literal).join('|')})(:[0-9]+)?`)}`],
  ];
}

function podForms(pods: readonly string[]): readonly (readonly string[])[] {
  return pods.flatMap((text) => {
    const slash = text.indexOf('/');
    const [namespace, pod] = slash < 0 ? [null, text] : [text.slice(0, slash), text.slice(slash + 1)];
    if (pod === '' || pod.includes('/') || namespace === '')
      throw new PrometheusError('bad-option', `--pod takes NS/POD, not ${JSON.stringify(text.slice(0, 80))}`);
    const form = (podLabel: string, namespaceLabel: string): readonly string[] => [
      `${podLabel}=${quoted(pod)}`,
      ...(namespace === null ? [] : [`${namespaceLabel}=${quoted(namespace)}`]),
    ];
    return [form('exported_pod', 'exported_namespace'), form('pod', 'namespace'), form('pod_name', 'pod_namespace')];
  });
}

function gpuForms(gpus: readonly string[]): readonly (readonly string[])[] {
  const indices: string[] = [];
  const uuids: string[] = [];
  const forms: (readonly string[])[] = [];
  for (const text of gpus) {
    if (/^\d{1,4}$/.test(text)) indices.push(text);
    else if (/^nvidia\d{1,4}$/.test(text)) forms.push([`device="${text}"`]);
    else if (/^[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}(?:\.\d)?$/i.test(text))
      forms.push([`pci_bus_id=~${quoted(`(?i)0*${literal(text.replace(/^0{1,8}/, ''))}(\\.0)?`)}`]);
    else if (/^(?:GPU-|MIG-)?[0-9a-f-]{6,40}$/i.test(text))
      uuids.push(/^(?:GPU|MIG)-/.test(text) ? text : `GPU-${text}`);
    else
      throw new PrometheusError(
        'bad-option',
        `--gpu takes an index or a UUID, not ${JSON.stringify(text.slice(0, 60))}`,
      );
  }
  if (indices.length > 0)
    forms.push([`gpu${anyOf(indices)}`], ['gpu=""', `device${anyOf(indices.map((each) => `nvidia${each}`))}`]);
  if (uuids.length > 0) for (const label of ['UUID', 'uuid', 'gpu_uuid']) forms.push([`${label}${anyOf(uuids)}`]);
  return forms;
}
