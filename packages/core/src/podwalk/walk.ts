// The walk from a pod to its GPU: pod → node → device plugin → runtime class → container toolkit → driver. It stops at the
// first link that is broken, goes past one that only waits for the next, and quotes the events.
import type { Document, Evidence } from '../model/document.ts';
import type { ApiObject, ClusterObjects, Part } from './cluster.ts';
import type { Link, LinkName, Made } from './link.ts';
import {
  clusterOf,
  isPart,
  isStackPod,
  nameOf,
  namespaceOf,
  offerOf,
  offersOf,
  partPod,
  requestsOf,
  seenAt,
  startOf,
  stateOf,
  variableOf,
} from './cluster.ts';
import { containerLink } from './container-link.ts';
import { made } from './link.ts';
import { at, listAt, numberAt, textAt } from '../parse/tree.ts';

export interface PodWalk {
  readonly pod: string;
  readonly namespace: string | null;
  readonly node: string | null;
  /** In the order of the walk, as far as it went. */
  readonly links: readonly Link[];
  /** The first broken link, or that the node is being upgraded; null where all that was seen holds. */
  readonly stopsAt: Link | null;
  /** Warnings about the pod, the newest last. */
  readonly events: readonly Evidence[];
  /** Nothing of the cluster is shown but pods: what lies between them and their GPUs cannot be told. */
  readonly alone: boolean;
  /** The line with its name. */
  readonly place: readonly Evidence[];
}

/** Pods of one text that are walked from, where none is named: of a job, the first that gets no further. */
const mostPods = 16;

/**
 * Walks from a pod to its GPU.
 * @param documents texts with objects as `kubectl get -o json` prints them
 * @param name the pod; without it, the first that is no part of the GPU stack and stops on its way, else the first
 * @returns null where the texts hold no such pod as the API shows it: a manifest is none
 */
export function walkPod(
  documents: readonly Document[],
  name?: { readonly namespace: string | null; readonly pod: string },
): PodWalk | null {
  const cluster = clusterOf(documents);
  const pods = cluster.pods
    .filter((each) =>
      name === undefined
        ? !isStackPod(each)
        : nameOf(each) === name.pod && (name.namespace === null || namespaceOf(each) === name.namespace),
    )
    .filter((each) => at(each.tree, 'status') !== undefined)
    .slice(0, mostPods);
  const walks = pods.map((pod) => walkFrom(pod, cluster));
  return walks.find((each) => each.stopsAt !== null) ?? walks[0] ?? null;
}

function walkFrom(pod: ApiObject, cluster: ClusterObjects): PodWalk {
  const node = textAt(pod.tree, 'spec', 'nodeName');
  const walk = new Walk(cluster, pod, node);
  const links = walk.run();
  return {
    pod: nameOf(pod),
    namespace: namespaceOf(pod),
    node,
    links,
    stopsAt: links.find((each) => each.state === 'upgrading' || each.state === 'broken') ?? null,
    events: walk.warnings.flatMap((event) => seenAt(event, at(event.tree, 'message'))),
    alone:
      cluster.nodes.length + cluster.events.length + cluster.daemonSets.length === 0 && cluster.runtimeClasses === null,
    place: seenAt(pod, at(pod.tree, 'metadata', 'name')),
  };
}

class Walk {
  readonly warnings: readonly ApiObject[];
  private readonly cluster: ClusterObjects;
  private readonly pod: ApiObject;
  private readonly node: string | null;

  constructor(cluster: ClusterObjects, pod: ApiObject, node: string | null) {
    this.cluster = cluster;
    this.pod = pod;
    this.node = node;
    this.warnings = cluster.events
      .filter(
        (event) =>
          textAt(event.tree, 'type') === 'Warning' &&
          textAt(event.tree, 'involvedObject', 'kind') === 'Pod' &&
          textAt(event.tree, 'involvedObject', 'name') === nameOf(pod) &&
          (textAt(event.tree, 'involvedObject', 'namespace') ?? namespaceOf(pod)) === namespaceOf(pod),
      )
      .sort((a, b) => (timeOf(a) < timeOf(b) ? -1 : timeOf(a) > timeOf(b) ? 1 : 0));
  }

  run(): readonly Link[] {
    const steps: readonly (readonly [LinkName, () => Made])[] = [
      ['pod', () => this.request()],
      ['node', () => this.onNode()],
      ['device-plugin', () => this.plugin()],
      ['runtime-class', () => this.runtimeClass()],
      ['container-toolkit', () => this.part('container-toolkit', /nvidia-container-(?:cli|runtime)|cdi|nvidia-ctk/i)],
      [
        'driver',
        () => this.part('driver', /driver\/library version mismatch|driver not loaded|nvml error|libnvidia-ml/i),
      ],
      ['container', () => containerLink(this.pod, this.warnings)],
    ];
    const links: Link[] = [];
    for (const [link, make] of steps) {
      const made = make();
      links.push({ link, ...made });
      if (made.state === 'broken' || made.state === 'upgrading') return links;
    }
    // What only waits, for something that holds, is itself what is broken.
    return links.map((link) => (link.state === 'waits' ? { ...link, state: 'broken' } : link));
  }

  private request(): Made {
    const requests = requestsOf(this.pod);
    const seen = seenAt(this.pod, ...requests.map((each) => each.tree));
    if (requests.length > 0)
      return made('holds', `asks for ${requests.map((each) => `${each.count} ${each.resource}`).join(', ')}`, seen);
    // Dynamic resource allocation names claims, whose devices stand in other objects.
    const claims = listAt(this.pod.tree, 'spec', 'resourceClaims');
    if (claims.length > 0) return made('holds', 'asks for devices by resource claims', seenAt(this.pod, claims[0]));
    const variable = variableOf(this.pod, 'NVIDIA_VISIBLE_DEVICES');
    if (variable !== undefined && !/^(?:|void|none)$/.test(variable.text ?? ''))
      return made('holds', `asks for a GPU by NVIDIA_VISIBLE_DEVICES alone`, seenAt(this.pod, variable));
    const name = at(this.pod.tree, 'metadata', 'name');
    return made(
      'broken',
      'no container of the pod asks for a GPU',
      seenAt(this.pod, name),
      'visible-devices-empty-by-scheduler',
    );
  }

  private onNode(): Made {
    if (this.node === null) return this.unscheduled();
    const node = this.cluster.nodes.find((each) => nameOf(each) === this.node);
    if (node === undefined) return made('unknown', `the node ${this.node} could not be read`, []);
    const upgrade = upgradeOf(node);
    if (upgrade !== null) return upgrade;
    const ready = listAt(node.tree, 'status', 'conditions').find((each) => textAt(each, 'type') === 'Ready');
    if (ready !== undefined && textAt(ready, 'status') !== 'True')
      return made(
        'broken',
        `the node ${this.node} is not ready: ${textAt(ready, 'reason') ?? 'no reason given'}`,
        seenAt(node, at(ready, 'type'), at(ready, 'status'), at(ready, 'message')),
        'node-not-ready',
      );
    const rollout = this.rollout();
    return (
      rollout ?? made('holds', `is on the node ${this.node}`, seenAt(this.pod, at(this.pod.tree, 'spec', 'nodeName')))
    );
  }

  /** A pod that is on no node: what the nodes offer says why. */
  private unscheduled(): Made {
    const event = this.warnings.findLast((each) => textAt(each.tree, 'reason') === 'FailedScheduling');
    const phase = at(this.pod.tree, 'status', 'phase');
    const quoted = event === undefined ? seenAt(this.pod, phase) : seenAt(event, at(event.tree, 'message'));
    const upgrading = this.cluster.nodes.map(upgradeOf).find((each) => each !== null);
    const [wish] = requestsOf(this.pod);
    const { nodes } = this.cluster;
    if (wish === undefined || nodes.length === 0 || event === undefined || !mentions(event, wish.resource))
      return made('broken', 'the pod is on no node', quoted);
    const offers = nodes.map((node) => ({ node, ...offerOf(node, wish.resource) }));
    const seen = [...quoted, ...offers.flatMap(({ node, trees }) => seenAt(node, ...trees)).slice(0, 8)];
    // Where nodes are left out for another reason too, which of them are full is not known.
    if (/taint|affinity|selector|unschedulable|volume/i.test(textAt(event.tree, 'message') ?? ''))
      return made('broken', 'the pod is on no node; the scheduler has several reasons', seen);
    const most = Math.max(0, ...offers.map((each) => each.allocatable ?? 0));
    if (most < wish.count && upgrading?.state === 'upgrading')
      return { ...upgrading, seen: [...quoted, ...upgrading.seen] };
    if (most >= wish.count)
      return made(
        'broken',
        `nodes offer ${wish.resource}, but none has ${wish.count} of it free`,
        seen,
        'gpus-all-taken',
      );
    if (most > 0)
      return made(
        'broken',
        `the pod asks for ${wish.count} ${wish.resource}; no node has more than ${most}`,
        seen,
        'gpu-unallocatable',
      );
    if (offers.some((each) => (each.capacity ?? 0) > 0))
      return made('broken', `every ${wish.resource} is out of use: allocatable is 0`, seen, 'gpu-unallocatable');
    const others = [...new Set(nodes.flatMap(offersOf))].filter((name) => name !== wish.resource);
    if (others.length > 0)
      return made(
        'broken',
        `no node offers ${wish.resource}; they offer ${others.join(', ')}`,
        seen,
        'gpu-resource-name-wrong',
      );
    const plugin = this.cluster.daemonSets.find((each) => isPart(each, 'device-plugin'));
    const running = plugin === undefined ? null : numberAt(plugin.tree, 'status', 'numberReady');
    const about = plugin === undefined ? [] : seenAt(plugin, at(plugin.tree, 'status', 'numberReady'));
    return made(
      'broken',
      plugin === undefined
        ? `no node offers ${wish.resource}, and no device plugin was found`
        : `no node offers ${wish.resource}; the device plugin is ready on ${running ?? 0} nodes`,
      [...seen, ...about],
      running === null || running === 0 ? 'device-plugin-not-running' : 'device-plugin-sees-no-gpu',
    );
  }

  private plugin(): Made {
    const node = this.cluster.nodes.find((each) => nameOf(each) === this.node);
    const [wish] = requestsOf(this.pod);
    if (this.node === null || node === undefined || wish === undefined)
      return made('unknown', 'nothing is known of it', []);
    const refused = this.warnings.findLast((each) => textAt(each.tree, 'reason') === 'UnexpectedAdmissionError');
    const pod = partPod(this.cluster, 'device-plugin', this.node);
    const state = pod === undefined ? null : stateOf(pod);
    const offer = offerOf(node, wish.resource);
    const seen = [
      ...(refused === undefined ? [] : seenAt(refused, at(refused.tree, 'message'))),
      ...(pod === undefined || state === null ? [] : seenAt(pod, ...state.trees)),
      ...seenAt(node, ...offer.trees),
    ];
    if (state !== null && !state.ready)
      return made(
        state.waitsFor === null ? 'broken' : 'waits',
        `the device plugin is not ready on ${this.node}: ${state.why ?? ''}`,
        seen,
        'device-plugin-not-running',
      );
    if ((offer.allocatable ?? 0) > 0 && refused === undefined)
      return made('holds', `${this.node} offers ${offer.allocatable} ${wish.resource}`, seen);
    if (refused !== undefined) {
      const text = textAt(refused.tree, 'message') ?? '';
      const sick = /unhealthy|no healthy|Available: 0\b/i.test(text) && text.includes(wish.resource);
      return made(
        'broken',
        `the node ${this.node} refused the pod: no device could be given to it`,
        seen,
        sick ? 'gpu-unallocatable' : null,
      );
    }
    if ((offer.capacity ?? 0) > 0)
      return made(
        'broken',
        `every ${wish.resource} of ${this.node} is out of use: allocatable is 0`,
        seen,
        'gpu-unallocatable',
      );
    const lacking = seen.length > 0 ? seen : seenAt(node, at(node.tree, 'metadata', 'name'));
    return state === null
      ? made(
          'broken',
          `no device plugin runs on ${this.node}, which offers no ${wish.resource}`,
          lacking,
          'device-plugin-not-running',
        )
      : made(
          'broken',
          `the device plugin of ${this.node} runs, but offers no ${wish.resource}`,
          lacking,
          'device-plugin-sees-no-gpu',
        );
  }

  private runtimeClass(): Made {
    const wanted = at(this.pod.tree, 'spec', 'runtimeClassName');
    const event = this.eventOf(/no runtime for|runtime ?class|runtimehandler/i);
    if (event !== undefined)
      return made(
        'broken',
        'the node has no such runtime',
        seenAt(event, at(event.tree, 'message')),
        'k8s-runtime-class-missing',
      );
    if (typeof wanted?.text !== 'string' || wanted.text === '')
      return made('holds', 'asks for no runtime class; the node’s default runtime is used', []);
    const { runtimeClasses } = this.cluster;
    if (runtimeClasses === null) return made('unknown', 'the runtime classes could not be read', []);
    const found = runtimeClasses.find((each) => nameOf(each) === wanted.text);
    return found === undefined
      ? made(
          'broken',
          `there is no runtime class ${wanted.text}`,
          seenAt(this.pod, wanted),
          'k8s-runtime-class-missing',
        )
      : made('holds', `the runtime class ${wanted.text} exists`, seenAt(found, at(found.tree, 'handler')));
  }

  /** A part of the stack that runs as a pod on the node, and what the events say of it. */
  private part(part: Part, words: RegExp): Made {
    const driverWords = /driver\/library version mismatch|driver not loaded|nvml error|libnvidia-ml/i;
    const event = this.eventOf(words, part === 'container-toolkit' ? driverWords : null);
    const pod = this.node === null ? undefined : partPod(this.cluster, part, this.node);
    const state = pod === undefined ? null : stateOf(pod);
    const seen = pod === undefined || state === null ? [] : seenAt(pod, ...state.trees);
    const what = part === 'driver' ? 'the driver' : 'the container toolkit';
    if (state !== null && !state.ready)
      return made(
        state.waitsFor === null || part === 'driver' ? 'broken' : 'waits',
        `${what} is not ready on ${this.node ?? 'the node'}: ${state.why ?? ''}`,
        seen,
        part === 'driver' ? 'host-driver-not-loaded' : 'container-toolkit-not-ready',
      );
    if (event !== undefined)
      return made(
        'broken',
        `the container could not be made: ${what} failed`,
        seenAt(event, at(event.tree, 'message')),
      );
    return state === null
      ? made('unknown', `${what} does not run as a pod; look on the node`, [])
      : made('holds', `${what} is ready on ${this.node ?? 'the node'}`, seen);
  }

  private rollout(): Made | null {
    const driver = this.node === null ? undefined : partPod(this.cluster, 'driver', this.node);
    const leaving = driver === undefined ? undefined : at(driver.tree, 'metadata', 'deletionTimestamp');
    if (driver !== undefined && leaving !== undefined)
      return made(
        'upgrading',
        `the driver pod of ${this.node ?? 'the node'} is being replaced`,
        seenAt(driver, leaving),
        'driver-upgrade-in-progress',
      );
    const begins = driver === undefined ? null : startOf(driver);
    if (driver === undefined || begins === null) return null;
    return made(
      'upgrading',
      `the driver of ${this.node ?? 'the node'} is being installed: its pod starts`,
      seenAt(driver, ...begins),
      'driver-upgrade-in-progress',
    );
  }

  /** The newest warning that fits, and is not about what another link answers for. */
  private eventOf(words: RegExp, other: RegExp | null = null): ApiObject | undefined {
    // A container that runs has been made since.
    if (listAt(this.pod.tree, 'status', 'containerStatuses').some((each) => at(each, 'state', 'running') !== undefined))
      return undefined;
    return this.warnings.findLast((event) => {
      const message = textAt(event.tree, 'message') ?? '';
      return (
        /^Failed/.test(textAt(event.tree, 'reason') ?? '') && words.test(message) && !(other?.test(message) ?? false)
      );
    });
  }
}

function timeOf(event: ApiObject): string {
  return textAt(event.tree, 'lastTimestamp') ?? textAt(event.tree, 'eventTime') ?? '';
}

function mentions(event: ApiObject, resource: string): boolean {
  return (textAt(event.tree, 'message') ?? '').includes(resource);
}

/** That the GPU operator is upgrading the driver of a node, or failed to. */
function upgradeOf(node: ApiObject): Made | null {
  const label = at(node.tree, 'metadata', 'labels', 'nvidia.com/gpu-driver-upgrade-state');
  const state = label?.text ?? '';
  if (state === 'upgrade-failed')
    return made('broken', `the driver upgrade of ${nameOf(node)} failed`, seenAt(node, label), 'driver-upgrade-failed');
  if (!/-required$/.test(state) || state === 'upgrade-required') return null;
  return made(
    'upgrading',
    `the driver of ${nameOf(node)} is being upgraded: ${state}`,
    seenAt(node, label),
    'driver-upgrade-in-progress',
  );
}
