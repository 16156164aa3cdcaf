// A pod: what stands between it and its GPU, and the probe in its container where that runs.
import type { Cluster, PodName } from './kubectl.ts';
import type { Probed, Transport } from './transport.ts';
import type { Walked } from './pod-walk.ts';
import { failureOf, hasNoShell } from './failures.ts';
import type { Section } from './frame.ts';
import { probedOf, sectionOf, withSections } from './frame.ts';
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
      const said =
        walked.pod === null ? null : await lastWords(cluster, name, walked.pod, Math.max(1000, limitMs - ms()));
      const sections = [...walked.sections, ...(said === null ? [] : [said.section])];
      const unread = [...walked.unread, ...(said?.failure == null ? [] : [said.failure])].join('\n');
      // Where the pod may not be read it may still be entered.
      if (walked.pod === null && !/^forbidden/.test(walked.failure ?? ''))
        return { text: '', stderr: unread, exit: null, failure: walked.failure, ms: ms() };
      const stands = walked.pod === null ? null : stateOf(walked.pod, name.container);
      if (stands !== null && !stands.runs)
        return { text: withSections('', sections), stderr: unread, exit: 0, failure: null, ms: ms() };
      const probed = await enter(cluster, name, walked, script, args, Math.max(1000, limitMs - ms()));
      return {
        ...probed,
        text: withSections(probed.text, sections),
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

const logLines = 400;
const logsMs = 10_000;

/** What the container printed before it failed; null where it did not. */
async function lastWords(
  cluster: Cluster,
  name: PodName,
  pod: unknown,
  limitMs: number,
): Promise<{ readonly section: Section; readonly failure: string | null } | null> {
  const failed = statusesOf(pod).find(
    (each) => (name.container === null || textAt(each, 'name') === name.container) && exitOf(each) !== null,
  );
  const container = textAt(failed, 'name');
  if (failed === undefined || container === null || !/^[a-z0-9][a-z0-9-]{0,62}$/.test(container)) return null;
  const before = !isJson(valueAt(failed, 'state', 'terminated'));
  const args = [
    ...inNamespace(name.namespace),
    'logs',
    name.pod,
    `--container=${container}`,
    `--tail=${logLines}`,
    ...(before ? ['--previous'] : []),
  ];
  const limit = Math.min(logsMs, limitMs);
  const ran = await run({ argv: ['kubectl', ...cluster.options, ...args], limitMs: limit });
  return {
    section: sectionOf('pod-log', ['kubectl', ...args].join(' '), ran, ran.stdout),
    failure: ran.exit === 0 ? null : failureOf('kubectl', 'kubectl', ran, limit),
  };
}

/** Exit status with which a container failed, now or before it was started again. */
function exitOf(status: unknown): number | null {
  for (const when of ['state', 'lastState']) {
    const exit = valueAt(status, when, 'terminated', 'exitCode');
    if (typeof exit === 'number' && exit !== 0) return exit;
  }
  return null;
}

function statusesOf(pod: unknown): readonly unknown[] {
  return ['initContainerStatuses', 'containerStatuses', 'ephemeralContainerStatuses'].flatMap((kind) => {
    const list = valueAt(pod, 'status', kind);
    return Array.isArray(list) ? (list as readonly unknown[]) : [];
  });
}

/** Whether the container runs that is to be entered: the named one, else the first. */
function stateOf(pod: unknown, container: string | null): { readonly runs: boolean } {
  const statuses = statusesOf(pod);
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
