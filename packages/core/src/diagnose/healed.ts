import type { Document } from '../model/document.ts';
import type { Fact } from '../model/facts.ts';
import type { RuleContext } from '../model/rule.ts';
import { failures } from '../rules/ok/_healthy.ts';
import { lineOf } from './catalogue.ts';
import { isFollower } from '../knowledge/followers.ts';
import type { Candidate } from './verdict.ts';

/** Layers whose failure is over when the program goes on; without its GPU a program may go on too, so no others. */
const endsWithProgress: ReadonlySet<string> = new Set(['application', 'nccl', 'network']);

/** Layers whose failure is over when the tool that failed answers. */
const endsWithAnswer: ReadonlySet<string> = new Set([
  'driver',
  'host-os',
  'container-runtime',
  'orchestrator',
  'image',
  'toolkit',
  'framework',
]);

/** Commands that repair for good; a module that is loaded again or a variable that is set may not last. */
const repairs =
  /\b(?:re-?install|install|upgrade|downgrade|autoinstall|reboot|shutdown -r|systemctl (?:re)?start|nvidia-ctk|nvidia-installer|docker (?:restart|compose up)|kubectl (?:apply|replace|patch|delete|rollout)|helm (?:upgrade|install)|scontrol (?:reboot|update))\b|\.run\b/;

/**
 * What in the same text shows that a failure is over: the program that failed goes on or is started again and ends
 * well, or the very command that failed works later. A fault of hardware is not over because a program runs.
 * @returns the sign of success; undefined where the failure stands
 */
export function healedBy(candidate: Candidate, context: RuleContext, documents: readonly Document[]): Fact | undefined {
  if (!candidate.symptom || candidate.status === 'performance') return undefined;
  const { layer, evidence } = candidate.finding;
  const lines = new Set(evidence.map(lineOf));
  const failed = symptoms(context).filter((fact) => fact.seen.some((each) => lines.has(lineOf(each))));
  if (failed.length === 0) return undefined;
  const end = Math.max(...failed.map((fact) => fact.last ?? fact.order));
  const after = (fact: Fact): boolean =>
    fact.order > end && !fact.told && fact.scope !== 'other-host' && fact.scope === failed[0]!.scope;
  const commands = new Set(failed.map((fact) => fact.command));
  if (endsWithProgress.has(layer) && commands.size === 1) {
    const [command] = commands;
    const went = context
      .all('works')
      .filter((fact) => after(fact) && fact.value.layer === 'application' && fact.command === command)
      .filter((fact) => sameSpeaker(fact, failed) || /to its end/.test(fact.value.what))
      .at(-1);
    if (went !== undefined && !laterFailure(context, went)) return went;
  }
  if (!endsWithAnswer.has(layer) && !endsWithProgress.has(layer)) return undefined;
  // The same command again, by the same means: `sudo` or another node would be another try.
  const answers: readonly Fact[] = [...context.all('works'), ...context.all('driver.answers')];
  const repeated = answers.find(
    (fact) => after(fact) && [...commands].some((command) => isSameTry(command, fact.command)),
  );
  return repeated !== undefined && repairedBetween(documents, end, repeated.order) && !laterFailure(context, repeated)
    ? repeated
    : undefined;
}

/** A lasting change stands between the two; told only where one text holds both. */
function repairedBetween(documents: readonly Document[], from: number, to: number): boolean {
  const [document] = documents;
  if (document === undefined || documents.length > 1) return false;
  return document.lines
    .slice(from, to)
    .some((line) => line.prompt && line.command !== null && repairs.test(line.command));
}

function symptoms(context: RuleContext): readonly Fact[] {
  return [...failures(context), ...context.all('gpu.xid')].filter(
    (fact) => !isFollower(fact.id, fact.value) && fact.scope !== 'other-host',
  );
}

function laterFailure(context: RuleContext, success: Fact): boolean {
  return symptoms(context).some((fact) => (fact.last ?? fact.order) > success.order);
}

/** Ranks, pods and actors that failed; a text that names none has one speaker. */
function sameSpeaker(fact: Fact, failed: readonly Fact[]): boolean {
  return failed.every(({ origin }) => origin.rank === fact.origin.rank && origin.unit === fact.origin.unit);
}

function isSameTry(failed: string | null, worked: string | null): boolean {
  if (failed === null || worked === null) return false;
  const [a, b] = [failed.trim().replace(/\s+/g, ' '), worked.trim().replace(/\s+/g, ' ')];
  return a === b || (/^nvidia-smi(?: -L)?$/.test(a) && /^nvidia-smi(?: -L)?$/.test(b));
}
