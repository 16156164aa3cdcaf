// A node of a cluster: what the API server knows of it; with `--debug` the probe on it, in a pod that is removed again.
import { randomBytes } from 'node:crypto';
import type { Cluster } from './kubectl.ts';
import type { Probed, Transport } from './transport.ts';
import { failureOf } from './failures.ts';
import { failed, probedOf, withSections } from './frame.ts';
import { inNamespace, itemsOf, parsed, textAt, valueAt } from './kubectl.ts';
import { imageName, kubernetesName } from './names.ts';
import { nodeFacts } from './pod-walk.ts';
import { run, undoing } from './run.ts';

export interface DebugFlags {
  /** Start a pod on the node and run the probe in it. */
  readonly debug: boolean;
  /** Image with a POSIX shell. */
  readonly image: string | null;
}

const usualImage = 'busybox:stable';
/** `kubectl debug` shows the node's root file system there. */
const hostRoot = '/host';
/** By this variable the pod of one run is known again, whatever became of what kubectl printed. */
const mark = 'CULPRIT_PROBE';

export function nodeTransport(cluster: Cluster, text: string, flags: DebugFlags): Transport {
  const node = kubernetesName(text, 'node');
  const image = imageName(flags.image ?? usualImage);
  return {
    subject: `node ${node}`,
    async probe(script, args, limitMs) {
      const began = performance.now();
      const asked = await nodeFacts(cluster, node, limitMs);
      const known = asked[0]!;
      const ms = (): number => Math.round(performance.now() - began);
      if (known.value === null && !/^forbidden/.test(known.failure ?? ''))
        return failed(known.failure ?? 'no answer', ms());
      const sections = asked
        .filter((each) => each.failure === null || each.section.exit === 'denied')
        .map((each) => each.section);
      const unread = asked.flatMap((each) => each.failure ?? []).join('\n');
      if (!flags.debug) {
        const nothing = known.value === null ? known.failure : null;
        return { text: withSections('', sections), stderr: unread, exit: 0, failure: nothing, ms: ms() };
      }
      const probed = await inPod(cluster, node, image, script, args, Math.max(1000, limitMs - ms()));
      return {
        ...probed,
        text: withSections(probed.text, sections),
        stderr: [probed.stderr, unread].filter((each) => each !== '').join('\n'),
        ms: ms(),
      };
    },
  };
}

async function inPod(
  cluster: Cluster,
  node: string,
  image: string,
  script: string,
  args: readonly string[],
  limitMs: number,
): Promise<Probed> {
  const token = randomBytes(12).toString('hex');
  let why: string | null = null;
  let left: string | null = null;
  let ended = false;
  const probed = await undoing(
    async () => {
      const ran = await run({
        argv: [
          'kubectl',
          ...cluster.options,
          ...inNamespace(cluster.namespace),
          'debug',
          `node/${node}`,
          '--stdin',
          '--quiet',
          `--image=${image}`,
          `--env=${mark}=${token}`,
          '--',
          'sh',
          '-s',
          '--',
          '--root',
          hostRoot,
          ...args,
        ],
        input: script,
        limitMs,
      });
      ended = ran.ended === 'exit';
      const made = probedOf(ran, (each) => failureOf('kubectl', 'kubectl', each, limitMs));
      return { ...made, text: made.text.replaceAll(token, '(mark)') };
    },
    async () => {
      ({ why, left } = await remove(cluster, node, token, ended ? 1 : 3));
    },
  );
  const failure = [probed.failure === null ? null : withReason(probed.failure, why), left].filter(
    (each) => each !== null,
  );
  return { ...probed, failure: failure.length === 0 ? null : failure.join('; ') };
}

function withReason(failure: string, why: string | null): string {
  return why === null ? failure : `${failure} (the pod on the node waits: ${why})`;
}

/**
 * Removes the pods of one run.
 * @param rounds how often they are looked for
 * @returns what such a pod waited for, and what could not be removed
 */
async function remove(
  cluster: Cluster,
  node: string,
  token: string,
  rounds: number,
): Promise<{ why: string | null; left: string | null }> {
  const namespace = inNamespace(cluster.namespace);
  const where = cluster.namespace === null ? '' : ` in ${cluster.namespace}`;
  const lost = (reason: string): string =>
    `the pod of kubectl debug could not be removed${where} (${reason}); remove node-debugger-${node}-… by hand`;
  // A request that was under way when its kubectl was stopped may still make the pod: look a second time.
  let why: string | null = null;
  let removed = 0;
  for (let round = 0; round < rounds; round++) {
    const ran = await run({
      argv: [
        'kubectl',
        ...cluster.options,
        '--request-timeout=5s',
        ...namespace,
        'get',
        'pods',
        `--field-selector=spec.nodeName=${node}`,
        '--output=json',
      ],
      limitMs: 6000,
      cleanup: true,
    });
    const value = parsed(ran);
    if (value === null) {
      // Nothing was made where even the program is missing or the cluster does not answer.
      if (ran.ended === 'missing') return { why, left: null };
      return { why, left: lost(failureOf('kubectl', 'kubectl', ran, 6000)) };
    }
    const mine = itemsOf(value).filter((item) =>
      JSON.stringify(valueAt(item, 'spec', 'containers') ?? '').includes(token),
    );
    for (const item of mine) {
      why ??= waitsFor(item);
      const name = textAt(item, 'metadata', 'name') ?? '';
      const deleted = await run({
        argv: [
          'kubectl',
          ...cluster.options,
          '--request-timeout=5s',
          ...namespace,
          'delete',
          'pod',
          name,
          '--now',
          '--wait=false',
          '--ignore-not-found',
        ],
        limitMs: 6000,
        cleanup: true,
      });
      if (deleted.exit !== 0) return { why, left: lost(failureOf('kubectl', 'kubectl', deleted, 6000)) };
      removed++;
    }
    if (removed > 0 || round + 1 === rounds) break;
    await new Promise((resolve) => {
      setTimeout(resolve, 300);
    });
  }
  return { why, left: null };
}

function waitsFor(pod: unknown): string | null {
  const list = valueAt(pod, 'status', 'containerStatuses');
  const waiting = Array.isArray(list) ? valueAt((list as readonly unknown[])[0], 'state', 'waiting') : undefined;
  const reason = textAt(waiting, 'reason');
  const message = textAt(waiting, 'message');
  return reason === null ? null : `${reason}${message === null ? '' : `, ${message.slice(0, 200)}`}`;
}
