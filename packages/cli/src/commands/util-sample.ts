import { hostname } from 'node:os';
import { join } from 'node:path';
import { endingEarly, probeAll, TargetError, transportsOf } from '@culprit/collect/transports';
import type { Document } from '@culprit/core/model/document';
import type { Snapshot } from '@culprit/core/model/snapshot';
import { documentOfProbe } from '@culprit/core/text/snapshot';
import { snapshotOfFramed } from '@culprit/core/text/framed';
import { framedOfSampled } from '@culprit/core/text/sampled';
import type { SeriesSet } from '@culprit/core/utilization/series-set';
import { toolError, usageError } from '../errors.ts';
import { sampleScript } from '../sample-script.ts';
import { flagsOf } from './check-targets.ts';
import type { Target } from './check-targets.ts';
import type { Call } from './command.ts';
import { readDocument } from './util-read.ts';

const longest = 6 * 3600;
/** What the programs need beside the time that is sampled: the first look, the last one, and the way there. */
const besideMs = 90_000;
const mostTargets = 64;
const named = ['docker', 'pod', 'node', 'ssh', 'slurm', 'job', 'pid'] as const;

/** Samples what the flags name, into the set. @returns what was observed, to be judged besides */
export async function sample(call: Call, set: SeriesSet): Promise<readonly Document[]> {
  const seconds = Math.round(timeOf(call, 'for', 30));
  const every = timeOf(call, 'every', 1);
  if (seconds < 1 || seconds > longest) throw usageError('bad-value', '--for takes 1s to 6h', null);
  if (every < 0.1 || every > seconds)
    throw usageError('bad-value', '--every takes 100ms up to the time of --for', null);
  const far = named.some((name) => call.flags[name] !== undefined);
  try {
    const transports = await transportsOf({ ...flagsOf(call), throughPods: true });
    if (transports.length > mostTargets) throw new TargetError(`more than ${mostTargets} targets at once`);
    const where = transports.length === 1 ? transports[0]!.subject : `${transports.length} targets`;
    const began = performance.now();
    const tell = (): void => {
      const now = Math.round((performance.now() - began) / 1000);
      call.output.progress(
        now <= seconds
          ? `sampling ${where}: ${now} of ${seconds} s (Ctrl-C ends it early)`
          : `sampling ${where}: waiting for the last answers`,
      );
    };
    tell();
    if (!process.stderr.isTTY) call.output.note(`culprit: sampling ${where} for ${seconds} s`);
    const timer = setInterval(tell, 1000);
    const { value: results, early } = await endingEarly(() =>
      probeAll(transports, sampleScript, ['--for', String(seconds), '--every-ms', String(Math.round(every * 1000))], {
        parallel: mostTargets,
        limitMs: seconds * 1000 + besideMs,
      }),
    ).finally(() => {
      clearInterval(timer);
      call.output.progress(null);
    });
    if (early)
      call.output.note(`culprit: ended early, after ${Math.round((performance.now() - began) / 1000)} s of ${seconds}`);
    const targets = results.map(({ transport, probed }): Target => {
      const name = far ? transport.subject : hostname();
      const snapshot = snapshotOfFramed(framedOfSampled(probed.text), name);
      const sampled = snapshot !== null && snapshot.observations.length > 0;
      return {
        name,
        snapshot: sampled ? snapshot : null,
        failure: early && sampled ? null : (probed.failure ?? (sampled ? null : 'the sampling printed nothing')),
      };
    });
    return await take(call, set, targets);
  } catch (error) {
    if (error instanceof TargetError) throw usageError('bad-value', error.message, error.hint);
    throw error;
  }
}

async function take(call: Call, set: SeriesSet, targets: readonly Target[]): Promise<readonly Document[]> {
  const file = call.flags['save'] as string | undefined;
  const seen = targets.filter((target) => target.snapshot !== null);
  if (seen.length === 0)
    throw toolError(
      'not-probed',
      targets.length === 1
        ? targets[0]!.failure!
        : `none of ${targets.length} targets was sampled: ${targets[0]!.failure!}`,
      null,
    );
  if (targets.length > 1) set.nameHosts();
  const documents: Document[] = [];
  for (const [at, target] of targets.entries()) {
    if (target.failure !== null) set.left.push(`${target.name}: ${target.failure}`);
    if (target.snapshot === null) continue;
    set.left.push(...unsampled(target.snapshot).map((why) => `${target.name}: ${why}`));
    const document = documentOfProbe(target.snapshot, null);
    documents.push(document);
    readDocument(set, document, targets.length === 1 ? null : target.name);
    if (file === undefined) continue;
    const { makeFolder, fileName } = await import('./check-many.ts');
    const { save } = await import('./check.ts');
    if (targets.length > 1) makeFolder(file);
    await save(call, targets.length === 1 ? file : join(file, fileName(target.name, at)), target, document);
  }
  return documents;
}

/** What could not be sampled, and why, where a reader would look for it. */
function unsampled({ observations }: Snapshot): readonly string[] {
  const of = (source: string): Snapshot['observations'] => observations.filter((each) => each.source === source);
  if (observations.some(({ source, exit }) => /^nvidia-smi-(?:dmon|query)$|^dcgmi/.test(source) && exit === 0))
    return [];
  const list = of('nvidia-smi-l')[0] ?? of('nvidia-smi')[0];
  if (list?.why === 'absent') return ['nvidia-smi is not installed there, or not in PATH: nothing was sampled'];
  if (list?.why === 'timeout')
    return ['nvidia-smi hangs: it did not come back within 10 s and was killed; nothing was sampled'];
  if (list?.why?.startsWith('skipped') === true)
    return ['of another root no program is run: sample on the node itself (--ssh), or in a pod of it (--pod)'];
  return list !== undefined && list.exit !== 0
    ? ['nvidia-smi reaches no GPU: nothing was sampled']
    : ['neither nvidia-smi dmon nor its query loop gave samples'];
}

/** A time of a flag in seconds. */
function timeOf(call: Call, name: string, usual: number): number {
  const text = call.flags[name];
  if (text === undefined) return usual;
  const match = /^(\d{1,6}(?:\.\d{1,3})?)(ms|s|m|h)?$/.exec(String(text));
  if (match === null) throw usageError('bad-value', `--${name} takes a time (30s, 5m), not ${String(text)}`, null);
  const unit = { ms: 0.001, s: 1, m: 60, h: 3600 }[match[2] ?? 's']!;
  return Number(match[1]) * unit;
}
