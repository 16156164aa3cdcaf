// A pod: what stands between it and its GPU, and the probe in its container where that runs.
import type { Cluster, PodName } from './kubectl.ts';
import type { Probed, Transport } from './transport.ts';
import type { Walked } from './pod-walk.ts';
import { failureOf, hasNoShell } from './failures.ts';
import { probedOf, withSections } from './frame.ts';
import { inNamespace, isJson, textAt, valueAt } from './kubectl.ts';
import { walk } from './pod-walk.ts';
import { run } from './run.ts';

/** The pod of a cluster. */
export function podTransport(cluster: Cluster, name: PodName): Transport {
  const where = name.namespace === null ? name.pod : `${name.namespace}/${name.pod}`;
  return {
    subject: `pod ${where}${name.container === null ? '' : `/${name.container}`}`,
    async probe(script, args, limitMs) {
      const began = performance.now();
      const walked = await walk(cluster, name, limitMs);
      const ms = (): number => Math.round(performance.now() - began);
      const unread = walked.unread.join('\n');
      // Where the pod may not be read it may still be entered.
      if (walked.pod === null && !/^forbidden/.test(walked.failure ?? ''))
        return { text: '', stderr: unread, exit: null, failure: walked.failure, ms: ms() };
      const stands = walked.pod === null ? null : stateOf(walked.pod, name.container);
      if (stands !== null && !stands.runs)
        return { text: withSections('', walked.sections), stderr: unread, exit: 0, failure: null, ms: ms() };
      const probed = await enter(cluster, name, walked, script, args, Math.max(1000, limitMs - ms()));
      return {
        ...probed,
        text: withSections(probed.text, walked.sections),
        stderr: [probed.stderr, unread].filter((text) => text !== '').join('\n'),
        ms: ms(),
      };
    },
  };
}

async function enter(
  cluster: Cluster,
  name: PodName,
  walked: Walked,
  script: string,
  args: readonly string[],
  limitMs: number,
): Promise<Probed> {
  const ran = await run({
    argv: [
      'kubectl',
      ...cluster.options,
      ...inNamespace(name.namespace),
      'exec',
      '-i',
      name.pod,
      ...(name.container === null ? [] : ['-c', name.container]),
      '--',
      'sh',
      '-s',
      '--',
      ...args,
    ],
    input: script,
    limitMs,
  });
  const probed = probedOf(ran, (each) => failureOf('kubectl', 'kubectl', each, limitMs));
  if (probed.text !== '' || !hasNoShell(ran)) return probed;
  const look =
    walked.node === null
      ? 'look at it from its node: culprit check --node NODE'
      : `look at it from its node: culprit check --node ${walked.node}`;
  return { ...probed, failure: `the container has no shell; ${look} (--debug for what runs there)` };
}

/** Whether the container runs that is to be entered: the named one, else the first. */
function stateOf(pod: unknown, container: string | null): { readonly runs: boolean } {
  const statuses = ['containerStatuses', 'initContainerStatuses', 'ephemeralContainerStatuses'].flatMap((kind) => {
    const list = valueAt(pod, 'status', kind);
    return Array.isArray(list) ? (list as readonly unknown[]) : [];
  });
  const wanted = container ?? firstContainer(pod);
  const status = statuses.find((each) => textAt(each, 'name') === wanted);
  // A container that the pod does not have is kubectl's to refuse.
  if (status === undefined && container !== null) return { runs: textAt(pod, 'status', 'phase') === 'Running' };
  return { runs: isJson(valueAt(status, 'state', 'running')) };
}

/** The container that kubectl enters where none is named. */
function firstContainer(pod: unknown): string | null {
  const named = textAt(pod, 'metadata', 'annotations', 'kubectl.kubernetes.io/default-container');
  const list = valueAt(pod, 'spec', 'containers');
  return named ?? (Array.isArray(list) ? textAt((list as readonly unknown[])[0], 'name') : null);
}
