import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { TargetFlags } from '@culprit/collect/transports';
import { readAll } from '@culprit/collect';
import { probeAll, TargetError, transportsOf, usualParallel } from '@culprit/collect/transports';
import type { Snapshot } from '@culprit/core/model/snapshot';
import { snapshotOfFramed } from '@culprit/core/text/framed';
import { toolError, usageError } from '../errors.ts';
import { probeArguments } from '../probe-arguments.ts';
import { probeScript } from '../probe-script.ts';
import type { Call } from './command.ts';

/** A root file system has one of them. */
const usualFolders = ['etc', 'usr', 'bin', 'lib', 'opt', 'proc'] as const;

/** What was seen of one target. */
export interface Target {
  readonly name: string;
  /** Null where it could not be looked at at all. */
  readonly snapshot: Snapshot | null;
  /** Why it, or a part of it, could not be looked at. */
  readonly failure: string | null;
}

const lists = ['docker', 'pod', 'node', 'ssh', 'slurm', 'job', 'pid'] as const;
const words = ['engine', 'context', 'kubeconfig', 'namespace', 'since'] as const;

/** Probes what the command line names, or reads what was probed elsewhere. */
export async function targetsOf(call: Call): Promise<readonly Target[]> {
  const [name, ...more] = call.positionals;
  if (name !== undefined && (name !== '-' || more.length > 0))
    throw usageError(
      'bad-value',
      `check takes its target by a flag, not ${more[0] ?? name}`,
      existsSync(name)
        ? `culprit diagnose ${name} reads a saved snapshot; --root ${name} looks at another root file system`
        : `--ssh ${name}, --node ${name}, --slurm ${name}, --pod NS/${name} or --docker ${name} says what it is`,
    );
  const { args, limitMs } = probeArguments(call.flags);
  const flags = flagsOf(call);
  const named = lists.some((each) => flags[each] !== undefined);
  if (name === '-') {
    if (named || args.length > 0) throw usageError('bad-value', 'with - nothing is probed here', 'culprit check -');
    const text = await readAll('-');
    const snapshot = snapshotOfFramed(text, 'text');
    if (snapshot !== null) return [{ name: 'standard input', snapshot, failure: null }];
    throw toolError(
      'not-probed',
      text.startsWith('#!/bin/sh') && text.includes('@culprit')
        ? 'standard input is the probe itself, not what it prints: a shell has to run it'
        : 'standard input holds nothing that a probe printed',
      'culprit probe | ssh NODE sh -s | culprit check -',
    );
  }
  const { root } = call.flags;
  if (named && root !== undefined)
    throw usageError('bad-value', '--root is of this machine', 'leave out the other targets');
  if (typeof root === 'string' && !usualFolders.some((each) => existsSync(join(root, each))))
    call.output.note(`culprit: neither ${usualFolders.join(' nor ')} is in ${root}: is it a root file system?`);
  const parallel = Number(call.flags['parallel'] ?? usualParallel);
  if (!Number.isInteger(parallel) || parallel < 1)
    throw usageError('bad-value', `--parallel takes a number, not ${String(call.flags['parallel'])}`);
  try {
    const transports = await transportsOf(flags);
    let done = 0;
    const results = await probeAll(transports, probeScript, args, {
      parallel,
      limitMs: limitMs + (named ? carried : grace),
      done: () => call.output.progress(`${++done} of ${transports.length} looked at`),
    });
    call.output.progress(null);
    return results.map(({ transport, probed }) => {
      const subject = named ? transport.subject : call.flags['root'] === undefined ? hostname() : 'image';
      const snapshot = snapshotOfFramed(probed.text, subject);
      return {
        name: subject,
        snapshot,
        failure: probed.failure ?? (snapshot === null ? 'the probe printed nothing' : null),
      };
    });
  } catch (error) {
    if (error instanceof TargetError) throw usageError('bad-value', error.message, error.hint);
    throw error;
  }
}

/** The probe keeps its own budget; so much later it is not waited for, and so much where it must be carried first. */
const grace = 2000;
const carried = 20_000;

/** What the flags name as targets. */
export function flagsOf(call: Call): TargetFlags {
  const flags: Record<string, unknown> = {};
  for (const each of lists) if (call.flags[each] !== undefined) flags[each] = call.flags[each];
  for (const each of words) if (call.flags[each] !== undefined) flags[each] = call.flags[each];
  if (call.flags['debug'] === true) flags['debug'] = true;
  if (call.flags['debug-image'] !== undefined) flags['debugImage'] = call.flags['debug-image'];
  return flags;
}
