import type { Document } from '../model/document.ts';
import type { Fact } from '../model/facts.ts';
import type { RuleContext } from '../model/rule.ts';
import { isSamePiece } from '../rules/application/_standing.ts';
import { failures } from '../rules/ok/_healthy.ts';
import { lineOf } from './catalogue.ts';
import { answersAfterRepair, asksElsewhere, isSameProgram, isSameTry, overByLaterReading } from './healed-later.ts';
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
  /\b(?:re-?install|install|upgrade|downgrade|autoinstall|reboot|shutdown -r|systemctl (?:(?:re)?start|enable --now)|nvidia-ctk|nvidia-installer|docker (?:restart|compose up)|kubectl (?:apply|replace|patch|delete|rollout)|helm (?:upgrade|install)|scontrol (?:reboot|update))\b|\.run\b/;

/**
 * What in the same text shows that a failure is over: the program that failed goes on or is started again and ends
 * well, or the very command that failed works later. A fault of hardware is not over because a program runs.
 * @returns the sign of success; undefined where the failure stands
 */
export function healedBy(candidate: Candidate, context: RuleContext, documents: readonly Document[]): Fact | undefined {
  const reread = overByLaterReading(candidate.finding, context, documents);
  if (reread !== undefined) return reread;
  if (!candidate.symptom || candidate.status === 'performance') return undefined;
  const { layer, evidence } = candidate.finding;
  const ended = overByReboot(candidate, context, documents) ?? overByLaterState(candidate, context);
  if (ended !== undefined) return ended;
  const lines = new Set(evidence.map(lineOf));
  // A run that goes round what is broken has mended nothing.
  if (context.all('program.cured-by').some((fact) => fact.seen.some((each) => lines.has(lineOf(each)))))
    return undefined;
  const failed = symptoms(context).filter((fact) => fact.seen.some((each) => lines.has(lineOf(each))));
  if (failed.length === 0) return undefined;
  const end = Math.max(...failed.map((fact) => fact.last ?? fact.order));
  const after = (fact: Fact): boolean =>
    fact.order > end && !fact.told && fact.scope !== 'other-host' && fact.scope === failed[0]!.scope;
  const commands = new Set(failed.map((fact) => fact.command));
  const onGpu = endsWithAnswer.has(layer) ? ranOnGpu(context, documents, end, after) : undefined;
  if (onGpu !== undefined && !laterFailure(context, onGpu)) return onGpu;
  const answered = answersAfterRepair(layer, failed, context, (until) => repairedBetween(documents, end, until));
  if (answered !== undefined && !laterFailure(context, answered)) return answered;
  if (endsWithProgress.has(layer) && commands.size === 1) {
    const [command] = commands;
    const went = context
      .all('works')
      .filter((fact) => after(fact) && fact.value.layer === 'application')
      .filter((fact) => fact.command === command || isSameProgram(command!, fact.command))
      .filter((fact) => sameSpeaker(fact, failed) || /to its end/.test(fact.value.what))
      .filter((fact) => layer !== 'application' || isSamePiece(context, end, fact.order))
      .filter((fact) => wasMadeAnew(candidate.finding.cause, documents, end, fact.order))
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

/** A file that was refused is not read by going on, but made anew or left out. */
const anew =
  /\b(?:re-?)?(?:build|built|export|generat|convert|compil)\w{0,4}\b|\bfall(?:ing|s)? ?back\b|\bretry|\bwithout it\b/i;

/** An engine that was refused is mended by one that was made anew. */
function wasMadeAnew(cause: string, documents: readonly Document[], from: number, to: number): boolean {
  const [document] = documents;
  if (!cause.startsWith('engine-') || document === undefined || documents.length > 1) return true;
  return document.lines
    .slice(from + 1, to + 1)
    .some((line) => !line.prompt && !line.told && anew.test(line.clean.slice(0, 300)));
}

/** A GPU is named after the failure, and the program ran to its end on it. */
function ranOnGpu(
  context: RuleContext,
  documents: readonly Document[],
  from: number,
  after: (fact: Fact) => boolean,
): Fact | undefined {
  const ended = context
    .all('works')
    .filter((fact) => after(fact) && /to its end/.test(fact.value.what))
    .at(-1);
  if (ended === undefined || documents.length !== 1) return undefined;
  const named = documents[0]!.lines
    .slice(from + 1, ended.order)
    .some((line) => !line.told && !line.prompt && line.command === ended.command && gpuName.test(line.clean));
  return named ? ended : undefined;
}

const gpuName = /\bNVIDIA (?:[A-Z]{1,2}\d{1,4}|GeForce|RTX|Tesla|TITAN|Quadro|Graphics Device)\b/;

/** Where a node starts again: the journal's mark, the first line of a kernel, somebody's word. */
const boot =
  /^-- (?:Boot [0-9a-f]{4,32}|Reboot) ?(?:--)?|^(?:kernel: )?Linux version \d|^(?:[\w.-]{1,64}: )?(?:the )?(?:system |server |node |machine |host )?(?:is )?(?:now )?(?:rebooting|rebooted)(?: now)?[\s.!]{0,6}$/;

/** A command that starts the node again. */
const restarts = /^(?:sudo )?(?:reboot|systemctl reboot|shutdown -r|init 6)\b/;

/** State that a start of the node ends; a fault of the hardware is over only when the GPU works afterwards. */
const endsWithReboot: ReadonlySet<string> = new Set([...endsWithAnswer, ...endsWithProgress, 'hardware', 'fabric']);

/** All of it was printed before the node last started, and after that a program works on it. */
function overByReboot(candidate: Candidate, context: RuleContext, documents: readonly Document[]): Fact | undefined {
  const [document] = documents;
  if (document === undefined || documents.length > 1 || !endsWithReboot.has(candidate.finding.layer)) return undefined;
  const lines = new Set(candidate.finding.evidence.map(lineOf));
  const quotes = (fact: Fact): boolean => fact.seen.some((each) => lines.has(lineOf(each)));
  const failed = symptoms(context).filter(quotes);
  // What the driver says of its releases stands for itself only where no message does.
  const facts: readonly Fact[] =
    failed.length > 0 ? failed : [...context.all('driver.module'), ...context.all('driver.library')].filter(quotes);
  if (facts.length === 0) return undefined;
  const last = Math.max(...facts.map((fact) => fact.last ?? fact.order));
  const start = document.lines.findLastIndex(
    (line) => !line.told && (line.prompt ? restarts.test(line.command ?? '') : boot.test(line.clean)),
  );
  if (start < 0 || last >= start) return undefined;
  return [...context.all('works'), ...context.all('driver.answers'), ...availability(context)]
    .filter((fact) => fact.order > start && !fact.told && fact.scope !== 'other-host' && !asksElsewhere(fact.command))
    .sort((a, b) => a.order - b.order)
    .at(-1);
}

function availability(context: RuleContext): readonly Fact[] {
  return context.all('torch.cuda-available').filter((fact) => fact.value);
}

/** A container that was killed once and ended well when it was started again. */
function overByLaterState(candidate: Candidate, context: RuleContext): Fact | undefined {
  const runs = podRuns(candidate, context);
  if (runs !== undefined) return runs;
  const { cause } = candidate.finding;
  if (cause !== 'container-memory-limit' && cause !== 'rank-ended-first') return undefined;
  const containers = context.all('k8s.container');
  const killed = containers.filter((fact) => fact.value.last && fact.value.state === 'terminated');
  const ended = containers.filter(({ value }) => !value.last && value.state === 'terminated' && value.exit === 0);
  if (killed.length === 0 || containers.some(({ value }) => !value.last && (value.exit ?? 0) !== 0)) return undefined;
  return killed.every(({ value }) =>
    ended.some((fact) => fact.value.name === value.name && fact.value.pod === value.pod),
  )
    ? ended[0]
    : undefined;
}

const running = /^(?:Running|Succeeded|Completed)$/;

/** An event kept pods from starting, and a list that was printed after it has each of them as running or ended well. */
function podRuns(candidate: Candidate, context: RuleContext): Fact | undefined {
  const lines = new Set(candidate.finding.evidence.map(lineOf));
  const events = context.all('k8s.event').filter((fact) => fact.seen.some((each) => lines.has(lineOf(each))));
  if (events.length === 0 || events.some(({ value }) => !/^(?:Failed\w{0,40}|ErrImage\w{0,20})$/.test(value.reason)))
    return undefined;
  const quoted = new Set(events.flatMap((fact) => fact.seen.map(lineOf)));
  if (![...lines].every((line) => quoted.has(line))) return undefined;
  const started = events.map(({ value, order }) => {
    const name = /^pod\/(\S{1,250})$/.exec(value.object ?? '')?.[1];
    if (name === undefined) return undefined;
    return context.all('k8s.pod').findLast((fact) => fact.value.name === name && fact.order > order);
  });
  return started.every((fact) => fact !== undefined && running.test(fact.value.phase)) ? started[0] : undefined;
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
