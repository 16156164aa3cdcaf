// The user's own kubectl: its kubeconfig, contexts and credentials programs. Only reads, but for `exec` and, where it is
// asked for, `debug` and the removal of its pod.
import type { Ran } from './run.ts';
import type { Section } from './frame.ts';
import { failureOf } from './failures.ts';
import { sectionOf } from './frame.ts';
import { kubernetesName, plainValue } from './names.ts';
import { run } from './run.ts';
import { TargetError } from './transport.ts';

export interface ClusterFlags {
  readonly context?: string | undefined;
  readonly kubeconfig?: string | undefined;
  /** Namespace where a target names none. */
  readonly namespace?: string | undefined;
}

/** A cluster, as kubectl reaches it. */
export interface Cluster {
  /** Options that name it. */
  readonly options: readonly string[];
  readonly namespace: string | null;
}

/** @throws TargetError where a value would be taken for an option */
export function clusterOf(flags: ClusterFlags): Cluster {
  return {
    options: [
      ...(flags.context === undefined ? [] : [`--context=${plainValue(flags.context, 'context')}`]),
      ...(flags.kubeconfig === undefined ? [] : [`--kubeconfig=${plainValue(flags.kubeconfig, 'kubeconfig')}`]),
    ],
    namespace: flags.namespace === undefined ? null : kubernetesName(flags.namespace, 'namespace'),
  };
}

/** A pod, and a container of it. */
export interface PodName {
  /** Null for the namespace of the context. */
  readonly namespace: string | null;
  readonly pod: string;
  readonly container: string | null;
}

/**
 * Reads `NS/POD`, `NS/POD/CONTAINER` and `POD`.
 * @throws TargetError where it is none of them
 */
export function podOf(text: string, cluster: Cluster): PodName {
  const parts = text.split('/');
  if (parts.length > 3)
    throw new TargetError(`no pod: ${JSON.stringify(text)}`, 'a pod is NAMESPACE/POD or NAMESPACE/POD/CONTAINER');
  const [first, second, third] = parts;
  if (second === undefined)
    return { namespace: cluster.namespace, pod: kubernetesName(first!, 'pod'), container: null };
  return {
    namespace: kubernetesName(first!, 'namespace'),
    pod: kubernetesName(second, 'pod'),
    container: third === undefined ? null : kubernetesName(third, 'container'),
  };
}

export function inNamespace(namespace: string | null): readonly string[] {
  return namespace === null ? [] : [`--namespace=${namespace}`];
}

/** Time that one question to the API server may take. */
const questionMs = 10_000;

/** Asks the API server. */
export function ask(cluster: Cluster, args: readonly string[], limitMs: number): Promise<Ran> {
  const limit = Math.min(questionMs, limitMs);
  const request = Math.max(1, Math.floor(limit / 1000));
  return run({ argv: ['kubectl', ...cluster.options, `--request-timeout=${request}s`, ...args], limitMs: limit + 500 });
}

/** An object of the API as far as it is looked into here. */
export type Json = Readonly<Record<string, unknown>>;

export function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value at a path of keys. */
export function valueAt(value: unknown, ...path: readonly string[]): unknown {
  let at = value;
  for (const key of path) at = isJson(at) && Object.hasOwn(at, key) ? at[key] : undefined;
  return at;
}

export function textAt(value: unknown, ...path: readonly string[]): string | null {
  const at = valueAt(value, ...path);
  return typeof at === 'string' ? at : null;
}

export function itemsOf(value: unknown): readonly unknown[] {
  const items = valueAt(value, 'items');
  return Array.isArray(items) ? (items as readonly unknown[]) : value === null ? [] : [value];
}

/** JSON that kubectl printed; null where it is none. */
export function parsed(ran: Ran): unknown {
  if (ran.exit !== 0) return null;
  try {
    return JSON.parse(ran.stdout) as unknown;
  } catch {
    return null;
  }
}

/** Question to the API server, and its answer as an observation and as a value. */
export interface Asked {
  readonly ran: Ran;
  readonly value: unknown;
  readonly section: Section;
  /** Why there is no answer; null where there is one. */
  readonly failure: string | null;
}

/**
 * Asks for objects as JSON.
 * @param keep picks the items that are kept of a list; all others are left out of the observation
 */
export async function get(
  cluster: Cluster,
  source: string,
  args: readonly string[],
  limitMs: number,
  keep: (item: unknown) => boolean = () => true,
): Promise<Asked> {
  const ran = await ask(cluster, ['get', ...args, '--output=json'], limitMs);
  const value = tidy(parsed(ran), keep);
  const failure = ran.exit === 0 && value !== null ? null : failureOf('kubectl', 'kubectl', ran, limitMs);
  const command = ['kubectl', 'get', ...args, '-o', 'json'].join(' ');
  const made = sectionOf(source, command, ran, value === null ? ran.stdout : `${JSON.stringify(value, null, 1)}\n`);
  const section: Section = ran.stderr.includes('(Forbidden)') ? { ...made, exit: 'denied', text: '' } : made;
  return { ran, value, section, failure };
}

/** Takes out what nobody reads: bookkeeping of field owners and the copy of what was applied; and the items not kept. */
function tidy(value: unknown, keep: (item: unknown) => boolean): unknown {
  if (!isJson(value)) return null;
  const items = value['items'];
  if (!Array.isArray(items)) return tidied(value);
  return { ...value, items: (items as readonly unknown[]).filter(keep).map(tidied) };
}

function tidied(value: unknown): unknown {
  if (!isJson(value) || !isJson(value['metadata'])) return value;
  const { managedFields: _fields, annotations, ...metadata } = value['metadata'];
  const kept = isJson(annotations)
    ? Object.fromEntries(
        Object.entries(annotations).filter(([name]) => name !== 'kubectl.kubernetes.io/last-applied-configuration'),
      )
    : annotations;
  return { ...value, metadata: { ...metadata, ...(kept === undefined ? {} : { annotations: kept }) } };
}
