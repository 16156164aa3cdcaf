import { spawn } from 'node:child_process';
import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readFileSync,
  renameSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import type { Knowledge } from '@culprit/core/knowledge/knowledge';
import { diagnose } from '@culprit/core/diagnose/diagnose';
import type { Breaker } from '@culprit/core/gate/breaker';
import { readBreaker } from '@culprit/core/gate/breaker';
import type { Decision } from '@culprit/core/gate/decision';
import { decide, wantsSecondLook } from '@culprit/core/gate/decision';
import type { Policy } from '@culprit/core/gate/policy';
import { readPolicy, reportOnly } from '@culprit/core/gate/policy';
import type { Reading } from '@culprit/core/gate/reading';
import { readingOf } from '@culprit/core/gate/reading';
import type { GateState } from '@culprit/core/gate/state';
import { nextState, readState } from '@culprit/core/gate/state';
import { gateJson } from '@culprit/core/report/gate-json';
import { gateLine } from '@culprit/core/report/gate-line';
import { npdAnswer } from '@culprit/core/report/npd-report';
import { prometheusReport } from '@culprit/core/report/prometheus-report';
import { rules } from '@culprit/core/rules/rules';
import { createDocument } from '@culprit/core/text/document';
import { probeScript } from '../probe-script.ts';
import { version } from '../version.ts';
import type { Call, Run } from './command.ts';
import { budgetOf, deadlineVariable } from './gate-flags.ts';

const mostProbe = 4 << 20;
/** Time that judging and printing take, kept back when the probe is given its time; at least what it took before. */
const usualJudging = 150;
/** Least time in which a probe can be expected to show something. */
const leastLook = 100;

/** `culprit check --gate`: looks, decides, prints. @returns 1 only where something is enforced (`npd`: 2 unknown) */
export const runGate: Run = async (call) => {
  const started = Date.now();
  const notes: string[] = [];
  const flags = call.flags as Readonly<Record<string, string | undefined>>;
  if (call.positionals.length > 0) notes.push(`${call.positionals[0]!} is not read`);
  const budget = budgetOf(flags['budget']);
  if (budget === null) notes.push('--budget not understood');
  const limit = Number(process.env[deadlineVariable]) || started + (budget ?? 1) * 1000 - 100;
  const policy = policyOf(flags['policy'], notes);
  const knowledge = await call.knowledge();
  const first = await lookAt(flags['root'], limit - usualJudging, knowledge);
  if (first === null) throw new Error('the probe printed nothing in time');
  const { reading } = first;
  const boot = textOf('/proc/sys/kernel/random/boot_id')?.trim() ?? null;
  const state = flags['state'] === undefined ? null : stateOf(flags['state'], notes);
  const breaker: Breaker | null =
    flags['breaker'] === undefined ? null : readBreaker(textOf(flags['breaker']), Date.now(), policy.breakerMinutes);
  const weigh = (second: Reading | null): Decision =>
    decide({ policy, reading, second, state, breaker, boot, nowMs: Date.now(), notes });
  let decision = weigh(null);
  const until = limit - Math.max(usualJudging, first.judged);
  if (wantsSecondLook(decision) && Date.now() + policy.pauseMs + leastLook < until) {
    await new Promise((resolve) => setTimeout(resolve, policy.pauseMs));
    decision = weigh((await lookAt(flags['root'], until, knowledge))?.reading ?? null);
  }
  if (flags['state'] !== undefined) {
    const proved = reading.verdict.findings
      .filter((finding) => finding.certainty === 'proved')
      .map(({ rule, message }) => ({ rule, message }));
    const next: GateState = nextState(state, proved, new Date().toISOString(), boot);
    if (!replaced(flags['state'], `${JSON.stringify(next)}\n`)) decision = noted(decision, 'state not written');
  }
  return tell(call, decision, knowledge, started);
};

/** One look at the machine, and how long judging took; null where the probe gave nothing. */
async function lookAt(
  root: string | undefined,
  until: number,
  knowledge: Knowledge,
): Promise<{ readonly reading: Reading; readonly judged: number } | null> {
  const text = await probed(root, until - Date.now());
  if (!text.startsWith('@culprit-probe ')) return null;
  const began = Date.now();
  const reading = readingOf(text, diagnose([createDocument(text, { source: 'probe' })], knowledge));
  return { reading, judged: Date.now() - began };
}

/** Runs the probe; what it printed until its time was up, to the last whole line. */
function probed(root: string | undefined, limitMs: number): Promise<string> {
  return new Promise((resolve) => {
    const parts: Buffer[] = [];
    let bytes = 0;
    const seconds = Math.max(1, Math.ceil(limitMs / 1000));
    const child = spawn(
      '/bin/sh',
      ['-s', '--', '--gate', '--budget', String(seconds), ...(root === undefined ? [] : ['--root', root])],
      { stdio: ['pipe', 'pipe', 'ignore'] },
    );
    const end = (): void => {
      clearTimeout(timer);
      child.stdout.destroy();
      child.kill('SIGKILL');
      const text = Buffer.concat(parts).toString('utf8');
      resolve(text.slice(0, text.lastIndexOf('\n') + 1));
    };
    const timer = setTimeout(end, Math.max(20, limitMs));
    child.stdout.on('data', (part: Buffer) => {
      parts.push(part);
      bytes += part.length;
      // Nobody waits for what still holds the pipe once the probe has said that it is done.
      if (bytes > mostProbe || part.includes('\n@culprit-end ')) end();
    });
    child.on('error', end);
    child.stdout.on('end', end);
    child.stdin.on('error', () => {});
    child.stdin.end(probeScript);
  });
}

function policyOf(file: string | undefined, notes: string[]): Policy {
  if (file === undefined) return reportOnly;
  const text = textOf(file);
  if (text === null) {
    notes.push('policy not readable: report only');
    return reportOnly;
  }
  const read = readPolicy(
    text,
    rules.map((rule) => rule.id),
  );
  if (read.ok) {
    notes.push(...read.notes);
    return read.policy;
  }
  notes.push(`${read.why}: report only`);
  return reportOnly;
}

function stateOf(file: string, notes: string[]): GateState | null {
  const text = textOf(file);
  if (text === null) return null;
  const state = readState(text);
  if (state === null) notes.push('state not understood');
  return state;
}

/** A plain file of at most 1 MiB; null where it is none or cannot be read. */
function textOf(file: string): string | null {
  let fd: number | null = null;
  try {
    // Opening a pipe that nobody writes to would wait for ever.
    fd = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
    const state = fstatSync(fd);
    return state.isFile() && state.size <= 1 << 20 ? readFileSync(fd, 'utf8') : null;
  } catch {
    return null;
  } finally {
    if (fd !== null) closeSync(fd);
  }
}

/** Writes beside the file and takes its place: a reader sees the old or the new one, whole. */
function replaced(file: string, text: string): boolean {
  const beside = `${file}.${process.pid}.tmp`;
  try {
    writeFileSync(beside, text, { mode: 0o644 });
    renameSync(beside, file);
    return true;
  } catch {
    try {
      unlinkSync(beside);
    } catch {
      // it was never there
    }
    return false;
  }
}

function noted(decision: Decision, note: string): Decision {
  return { ...decision, notes: [...decision.notes, note] };
}

function tell(call: Call, decision: Decision, knowledge: Knowledge, started: number): number {
  const file = call.flags['output'] as string | undefined;
  const status = decision.outcome === 'enforced' ? 1 : 0;
  const report = (): string => {
    switch (call.format) {
      case 'prometheus':
        return prometheusReport({
          decision,
          version,
          knowledge: { asOf: knowledge.asOf, digest: knowledge.digest },
          at: Date.now() / 1000,
          took: (Date.now() - started) / 1000,
        });
      case 'json':
        return gateJson(decision, { asOf: knowledge.asOf, digest: knowledge.digest });
      case 'npd':
        return `${npdAnswer(decision).message}\n`;
      default:
        return `${gateLine(decision)}\n`;
    }
  };
  if (file === undefined || file === '-') call.output.data(report());
  else call.output.data(`${gateLine(replaced(file, report()) ? decision : noted(decision, 'output not written'))}\n`);
  return call.format === 'npd' ? npdAnswer(decision).status : status;
}
