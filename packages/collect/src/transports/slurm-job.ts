// A job of Slurm: what the controller knows of it, the end of its output where it can be read here, and its nodes.
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import type { Section } from './frame.ts';
import type { Ran } from './run.ts';
import type { Transport } from './transport.ts';
import { failureOf } from './failures.ts';
import { failed, sectionOf, withSections } from './frame.ts';
import { expand } from './names.ts';
import { run } from './run.ts';
import { slurmNode } from './slurm.ts';

const questionMs = 10_000;
/** Bytes at the end of a job's output that are read. */
const mostLog = 4 * 1024 * 1024;

/** True for `4711`, `4711_3` (of an array), `4711+1` (of a heterogeneous job). */
export function isSlurmJob(text: string): boolean {
  return /^[1-9]\d{0,9}(?:_\d{1,9})?(?:\+\d{1,4})?$/.test(text);
}

/** The job itself first, then each of its nodes. A job that cannot be asked for is one transport that says why. */
export async function slurmJob(id: string): Promise<readonly Transport[]> {
  const subject = `job ${id}`;
  const shown = await run({ argv: ['scontrol', '--oneliner', 'show', 'job', id], limitMs: questionMs });
  if (shown.exit === 0) {
    const running = /(?:^|\s)JobState=(?:RUNNING|COMPLETING|STAGE_OUT)/.test(shown.stdout);
    const nodes = nodesOf(/(?:^|\s)NodeList=(\S{1,4000})/g, shown.stdout);
    const sections = [sectionOf('scontrol-job', `scontrol show job ${id}`, shown), ...(await logsOf(shown.stdout))];
    return [fixed(subject, sections), ...nodes.map((node) => slurmNode(node, running ? id : null))];
  }
  if (shown.ended !== 'exit') return [without(subject, shown, 'scontrol')];
  // The controller forgets jobs minutes after their end; the accounting does not.
  const kept = await run({
    argv: ['sacct', '--jobs', id, '--parsable2', '--format=JobID,JobName,State,ExitCode,Start,End,NodeList'],
    limitMs: questionMs,
  });
  const list =
    kept.exit === 0 ? nodesOf(/\|([A-Za-z0-9_][^|\n]{0,4000})$/gm, kept.stdout.replace(/^JobID\|.*\n/, '')) : [];
  if (list.length === 0) return [without(subject, shown, 'scontrol')];
  const section = sectionOf('sacct', `sacct -j ${id} -P -o JobID,JobName,State,ExitCode,Start,End,NodeList`, kept);
  return [fixed(subject, [section]), ...list.map((node) => slurmNode(node))];
}

function nodesOf(pattern: RegExp, text: string): readonly string[] {
  const names = new Set<string>();
  for (const [, list] of text.matchAll(pattern)) {
    if (list === undefined || /^\(null\)|^None/.test(list)) continue;
    try {
      for (const name of expand(list)) names.add(name);
    } catch {
      // A list that is no list names nobody.
    }
  }
  return [...names].filter((name) => /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/.test(name));
}

/** Observations that were made already. */
export function fixed(
  subject: string,
  sections: readonly Section[],
  failure: string | null = null,
  stderr = '',
): Transport {
  return {
    subject,
    probe: () =>
      Promise.resolve({
        text: withSections('', sections),
        stderr,
        exit: 0,
        failure,
        ms: sections.reduce((sum, section) => sum + section.ms, 0),
      }),
  };
}

function without(subject: string, ran: Ran, program: string): Transport {
  const probed = failed(failureOf('slurm', program, ran, questionMs), ran.ms, ran.stderr);
  return { subject, probe: () => Promise.resolve(probed) };
}

/** The ends of the job's output files that can be read here. */
async function logsOf(shown: string): Promise<readonly Section[]> {
  const owner = /(?:^|\s)UserId=[^\s(]{1,64}\((\d{1,10})\)/.exec(shown)?.[1];
  if (owner === undefined) return [];
  const paths = new Set<string>();
  for (const key of ['StdOut', 'StdErr']) {
    const path = new RegExp(`(?:^|\\s)${key}=(/\\S{1,4000})`).exec(shown)?.[1];
    if (path !== undefined && path !== '/dev/null') paths.add(path);
  }
  const sections: Section[] = [];
  for (const path of paths) {
    const section = await endOf(path, Number(owner));
    if (section !== null) sections.push(section);
  }
  return sections;
}

/** A job says itself where its output goes: only a plain file that belongs to the job's user is read. */
async function endOf(path: string, owner: number): Promise<Section | null> {
  const command = `tail -c ${mostLog} ${path}`;
  const began = performance.now();
  const ms = (): number => Math.round(performance.now() - began);
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const found = await file.stat();
      if (!found.isFile() || found.uid !== owner) return null;
      const size = Math.min(found.size, mostLog);
      const { buffer, bytesRead } = await file.read(Buffer.alloc(size), 0, size, found.size - size);
      const text = buffer.subarray(0, bytesRead).toString('utf8');
      return { source: 'job-log', command, text, exit: 0, ms: ms(), truncated: found.size > size };
    } finally {
      await file.close();
    }
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    return {
      source: 'job-log',
      command,
      text: '',
      exit: code === 'EACCES' || code === 'EPERM' ? 'denied' : 'absent',
      ms: ms(),
    };
  }
}
