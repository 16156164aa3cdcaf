import type { Document } from '@culprit/core/model/document';
import type { Verdict } from '@culprit/core/model/verdict';
import type { Knowledge } from '@culprit/core/knowledge/knowledge';
import { saveSnapshot } from '@culprit/collect';
import { documentOfProbe } from '@culprit/core/text/snapshot';
import { diagnose, readFacts } from '@culprit/core/diagnose/diagnose';
import { exitStatusOf } from '@culprit/core/report/exit-status';
import type { Redactor } from '@culprit/core/report/redact';
import type { VerdictFormat } from '@culprit/core/report/verdict-report';
import { reportVerdict } from '@culprit/core/report/verdict-report';
import { toolError, usageError } from '../errors.ts';
import { version } from '../version.ts';
import type { Target } from './check-targets.ts';
import { targetsOf } from './check-targets.ts';
import type { Call, Run } from './command.ts';
import { gateFlags } from './gate-flags.ts';

export const run: Run = async (call) => {
  const ofGate = gateFlags.find((flag) => call.flags[flag.name] !== undefined);
  if (ofGate !== undefined) throw usageError('bad-value', `--${ofGate.name} goes with --gate`, 'culprit check --gate');
  if (call.flags['redact'] === true && call.flags['no-redact'] === true)
    throw usageError('bad-value', '--redact and --no-redact cannot both be', null);
  if (call.flags['no-redact'] === true && call.flags['save'] === undefined)
    throw usageError('bad-value', '--no-redact goes with --save FILE', null);
  const targets = await targetsOf(call);
  if (targets.length > 1) return (await import('./check-many.ts')).checkMany(call, targets);
  const [target] = targets;
  if (target?.snapshot == null)
    throw toolError('not-probed', target?.failure ?? 'there is nothing to look at', wayOn(call));
  const document = documentOfProbe(target.snapshot, null);
  const file = call.flags['save'] as string | undefined;
  if (file !== undefined) await save(call, file, target, document);
  if (call.flags['inventory'] === true) return inventory(call, target, document);
  const knowledge = await call.knowledge();
  const verdict = diagnose([document], knowledge);
  const failure = target.failure === null ? [] : [`${target.name}: ${target.failure}`];
  return print(call, verdict, [...failure, ...document.left], document, knowledge);
};

/** What else reaches a target of that kind. */
function wayOn({ flags }: Call): string | null {
  const named = (...names: readonly string[]): boolean => names.some((name) => flags[name] !== undefined);
  if (named('pod', 'node')) return '--context NAME or --kubeconfig FILE names another cluster';
  if (named('docker')) return '--engine NAME names another engine: docker, podman, nerdctl, crictl';
  return named('slurm', 'job') ? '--ssh HOST looks at a node without Slurm' : null;
}

/** The cause of a machine that has no GPU and needs none: its sentence says everything. */
const noGpu = 'ok-no-gpu-here';

async function print(
  call: Call,
  verdict: Verdict,
  left: readonly string[],
  document: Document,
  knowledge: Knowledge,
): Promise<number> {
  let shown = verdict;
  let missed = left;
  if (call.flags['redact'] === true) {
    const redactor = await redactorFor([document]);
    shown = redactor.verdict(verdict);
    missed = redactor.value(left);
  }
  const status = exitStatusOf(verdict.status);
  if (call.format === 'text' && shown.cause === noGpu) {
    call.output.data(`${shown.headline}\n`);
    return status;
  }
  const options = { knowledge, version, color: call.output.color, columns: call.output.columns, left: missed };
  call.output.data(reportVerdict(shown, call.format as VerdictFormat, options));
  if (call.format !== 'text' && call.format !== 'markdown')
    for (const each of missed) call.output.note(`culprit: ${each}`);
  return status;
}

export async function redactorFor(documents: readonly Document[]): Promise<Redactor> {
  return (await import('@culprit/core/report/redact')).redactorOf(documents);
}

/** Keeps what was seen in a file, redacted unless that is not wanted. */
export async function save(call: Call, file: string, target: Target, document: Document): Promise<void> {
  const { snapshot } = target;
  if (snapshot === null) return;
  const redactor = call.flags['no-redact'] === true ? null : await redactorFor([document]);
  let kept = snapshot;
  if (redactor !== null) {
    kept = redactor.value(snapshot);
    // A name that stands in no text is not known to be one.
    if (kept.subject === snapshot.subject && !/^(?:text|image)$/.test(kept.subject))
      kept = { ...kept, subject: 'host' };
  }
  try {
    saveSnapshot(file, kept);
  } catch (error) {
    throw toolError('not-written', `${file} cannot be written: ${(error as Error).message}`);
  }
  const { maskedWords } = await import('@culprit/core/report/redact-words');
  const words = redactor === null ? null : maskedWords(redactor.masked());
  call.output.note(
    `culprit: wrote ${file}${redactor === null ? '; nothing in it is masked' : words === null ? '; nothing in it had to be masked' : `; masked: ${words}`}`,
  );
}

async function inventory(call: Call, target: Target, document: Document): Promise<number> {
  if (call.format !== 'text' && call.format !== 'json')
    throw usageError('unknown-format', `--inventory cannot be printed as ${call.format}`, 'formats: text, json');
  const { inventoryJson, inventoryOf, inventoryText } = await import('@culprit/core/report/inventory');
  let made = inventoryOf(readFacts([document], await call.knowledge()).everything(), target.snapshot?.takenAt ?? null);
  if (call.flags['redact'] === true) made = (await redactorFor([document])).value(made);
  call.output.data(call.format === 'json' ? inventoryJson(made) : inventoryText(made));
  return 0;
}
