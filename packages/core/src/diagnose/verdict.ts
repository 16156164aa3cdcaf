import type { Document, Evidence } from '../model/document.ts';
import type { Fact, FactId, SaidId } from '../model/facts.ts';
import type { Certainty, Layer, Owner, Status } from '../model/layer.ts';
import type { Missing, Outcome, RuleContext } from '../model/rule.ts';
import type { Cleared, Finding, Unknown, Verdict } from '../model/verdict.ts';
import { askAnything } from './ask-anything.ts';
import { commandsFor } from './evaluate.ts';
import type { Answered } from './evaluate.ts';
import type { FactStore } from './fact-store.ts';
import { candidatesOf, noticeOf } from './candidates.ts';
import { fits } from '../knowledge/explained-by.ts';
import { chainOf } from './chain.ts';
import { contradictionsOf } from './contradictions.ts';
import { healedBy } from './healed.ts';
import { healthOf, notJudged, unexplained } from './health.ts';
import type { Job } from './ranks.ts';

type Fault = Extract<Outcome, { kind: 'fault' }>;

/** A finding while the verdict is formed. */
export interface Candidate {
  readonly finding: Finding;
  readonly status: Status;
  readonly weight: number;
  readonly order: number;
  readonly missing: readonly Missing[];
  /** Recognised messages among its evidence. */
  readonly messages: readonly SaidId[];
  /** Rests on something that failed, not on a version table alone. */
  readonly symptom: boolean;
}

/** Reasons by which a machine slows a GPU down: that its program goes on is no answer. */
const heldDown = /^HW (?:Thermal Slowdown|Power Brake)/;

const mostUnknown = 8;
const mostCleared = 16;
const mostFacts = 300;

/**
 * Forms one verdict: which finding leads, what it explains, what is cleared, what stays unknown.
 */
export function verdictOf(
  answers: readonly Answered[],
  context: RuleContext,
  store: FactStore,
  documents: readonly Document[],
  job: Job | null = null,
): Verdict {
  const saidBy = new Map<Evidence, SaidId>();
  for (const fact of context.said) for (const each of fact.seen) saidBy.set(each, fact.id);
  const symptoms = new Set<Evidence>(
    [
      ...context.all('program.exception'),
      ...context.all('gpu.xid'),
      ...context.all('program.exit'),
      ...context.all('program.cured-by'),
      ...context.all('gpu.clock-reasons').filter(({ value }) => value.active.some((each) => heldDown.test(each))),
    ].flatMap((fact) => fact.seen),
  );

  const working = context.all('works').filter((fact) => fact.scope !== 'other-host' && fact.scope !== 'after-fix');
  const reassured = answers.flatMap((answer) =>
    answer.outcome.kind === 'cleared' && answer.rule.id.startsWith('ok/') ? (answer.outcome.explains ?? []) : [],
  );
  const found: Candidate[] = [];
  for (const answer of answers) {
    if (answer.outcome.kind !== 'fault') continue;
    const candidate = candidateOf(answer, answer.outcome, context, saidBy, symptoms);
    // A combination that a table forbids and that works has a reason, not a fault.
    if (!candidate.symptom && working.length > 0 && candidate.status === 'fault') continue;
    if (candidate.finding.certainty !== 'proved' && reassured.some((pattern) => fits(pattern, candidate.finding.rule)))
      continue;
    found.push(candidate);
  }
  const covered = new Set(found.flatMap((candidate) => candidate.messages));
  const stated = new Set(
    found.filter((candidate) => candidate.finding.certainty !== 'possible').flatMap((candidate) => candidate.messages),
  );
  const suspected = new Set([...covered].filter((id) => !stated.has(id)));
  const explainedMessages = found
    .filter((candidate) => candidate.finding.certainty !== 'possible')
    .flatMap((candidate) => candidate.finding.explains);
  found.push(
    ...candidatesOf(context, covered, suspected, (id) => explainedMessages.some((pattern) => fits(pattern, id)), found),
  );

  const healed = found.flatMap((candidate) => {
    const success = healedBy(candidate, context, documents);
    return success === undefined ? [] : [{ candidate, success }];
  });
  const standing = found.filter((candidate) => !healed.some((each) => each.candidate === candidate));
  const { ordered, explained, accused } = chainOf(standing, context, store, job);
  const knowledge = { asOf: context.knowledge.asOf, digest: context.knowledge.digest };
  const links = context.all('k8s.link');
  const facts = [...links, ...store.everything().filter((fact) => fact.id !== 'k8s.link')]
    .slice(0, mostFacts)
    .map((fact) => ({ id: fact.id, value: fact.value as unknown, seen: fact.seen }));
  const cleared = [...clearedOf(answers, working), ...healed.map(overOf)].slice(-mostCleared);
  // What a consequence leaves open does not matter once its cause is known.
  const open = accused === undefined ? ordered : ordered.filter((candidate) => !explained.has(candidate));
  const unknown = unknownOf(open, answers, context, accused !== undefined);
  const shared = { schema: 'culprit/verdict@1' as const, cleared, unknown, facts, knowledge };

  if (accused !== undefined) {
    const findings = [accused, ...ordered.filter((candidate) => candidate !== accused)].map(
      (candidate) => candidate.finding,
    );
    const lead = accused.finding;
    return {
      ...shared,
      status: accused.status,
      headline: lead.message,
      layer: lead.layer,
      cause: lead.cause,
      owner: lead.owner,
      certainty: lead.certainty,
      findings,
    };
  }
  const suspicions = ordered.map((candidate) => candidate.finding);
  const divided = working.length === 0 && contradictionsOf(context).length > 0;
  const over = healed.length > 0 && !ordered.some((each) => each.symptom && each.order > healed[0]!.success.order);
  const health = divided ? null : healthOf(answers, context, store, documents, ordered, working);
  if (health !== null || over) {
    const open = notJudged(context, store);
    const because = over || health === null ? overOf(healed[0]!).because : health.because;
    return {
      ...shared,
      status: 'ok',
      headline: [because, ...open.map((each) => each.words)].join('; '),
      unknown: [...open.map((each) => each.unknown), ...unknown].slice(0, mostUnknown),
      layer: null,
      cause: health?.cause ?? 'ok-nothing-wrong',
      owner: 'none',
      certainty: null,
      findings: [],
    };
  }
  const owners = new Set(suspicions.map((finding) => finding.owner));
  return {
    ...shared,
    unknown: unknown.length > 0 ? unknown : [nothingSaid(documents)],
    status: 'cannot-tell',
    headline: cannotTell(suspicions, unknown, documents, context),
    layer: null,
    // Suspicions may be named after a message; a cause is one that the table lists.
    cause: suspicions.map((each) => each.cause).find((cause) => isListed(cause, context)) ?? null,
    owner: owners.size === 1 ? ([...owners][0] as Owner) : 'none',
    certainty: null,
    findings: suspicions,
  };
}

function candidateOf(
  answer: Answered,
  outcome: Fault,
  context: RuleContext,
  saidBy: ReadonlyMap<Evidence, SaidId>,
  symptoms: ReadonlySet<Evidence>,
): Candidate {
  const { rule } = answer;
  const cause = causeOf(rule.id);
  const row = context.knowledge.causes.find((each) => each.cause === cause);
  const messages = [...new Set(outcome.seen.flatMap((each) => saidBy.get(each) ?? []))];
  const unconfirmed =
    messages.length > 0 &&
    messages.every((id) => context.knowledge.signatures.find((row) => `said.${row.id}` === id)?.confirmed === false);
  let certainty: Certainty =
    outcome.certainty ?? (outcome.missing !== undefined && outcome.missing.length > 0 ? 'likely' : 'proved');
  if (certainty === 'proved' && (answer.told || unconfirmed)) certainty = 'likely';
  // No accusation goes without proof, and none by what was said of other machines or in general.
  if (outcome.seen.every((each) => each.subject === 'other-host')) certainty = 'possible';
  const layer = rule.id.slice(0, rule.id.indexOf('/')) as Layer;
  return {
    finding: {
      rule: rule.id,
      layer,
      cause,
      owner: row?.owner ?? 'operator',
      certainty,
      message: outcome.message,
      evidence: distinct(outcome.seen).slice(0, 8),
      restsOn: rule.citations,
      explains: [...new Set([...(rule.explains ?? []), ...(outcome.explains ?? [])])],
      remedies: outcome.remedies,
    },
    status: row?.status ?? 'fault',
    weight: outcome.weight ?? 0,
    order: answer.order,
    missing: outcome.missing ?? [],
    messages,
    symptom: messages.length > 0 || outcome.seen.some((each) => symptoms.has(each)),
  };
}

/** A failure that the same text shows to be over. */
function overOf({ candidate, success }: { readonly candidate: Candidate; readonly success: Fact }): Cleared {
  const { layer, message, evidence } = candidate.finding;
  const what = whatWorked(success);
  return {
    layer,
    because: `a failure that is over: ${message}; later ${what}`,
    evidence: [...success.seen.slice(0, 1), ...evidence.slice(0, 2)],
  };
}

function isListed(cause: string | null, context: RuleContext): boolean {
  return context.knowledge.causes.some((each) => each.cause === cause);
}

function whatWorked(success: Fact): string {
  if (success.id === 'works') return (success as Fact<'works'>).value.what;
  if (success.id === 'k8s.container') return 'the container ended with exit code 0';
  if (success.id === 'health.sign') return (success as Fact<'health.sign'>).value.what;
  if (success.id === 'gpu.remapped-rows') return 'no remap of rows is pending';
  if (success.id === 'gpu.licence') return 'the vGPU is licensed';
  if (success.id === 'k8s.event') return 'the pod was placed and started';
  if (success.id === 'k8s.pod')
    return `pod ${(success as Fact<'k8s.pod'>).value.name} is ${(success as Fact<'k8s.pod'>).value.phase}`;
  return success.id === 'torch.cuda-available' ? 'CUDA is available' : 'the driver answers';
}

export function causeOf(rule: string): string {
  return rule.slice(rule.indexOf('/') + 1);
}

function distinct(evidence: readonly Evidence[]): readonly Evidence[] {
  const seen = new Set<string>();
  return evidence.filter((each) => {
    const key = `${each.file}\u0000${each.line}\u0000${each.column}`;
    if (seen.has(key) || each.text.trim() === '') return false;
    seen.add(key);
    return true;
  });
}

function clearedOf(answers: readonly Answered[], working: readonly Fact<'works'>[]): readonly Cleared[] {
  const cleared: Cleared[] = [];
  const said = new Set<string>();
  const add = (each: Cleared): void => {
    const key = `${each.layer}\u0000${each.because}`;
    if (said.has(key) || cleared.length >= mostCleared) return;
    said.add(key);
    cleared.push(each);
  };
  for (const answer of answers) {
    // What has nothing to show for it only says that a rule does not speak here.
    if (answer.outcome.kind !== 'cleared' || answer.outcome.seen.length === 0) continue;
    const of = answer.rule.id.slice(0, answer.rule.id.indexOf('/'));
    const layer = answer.outcome.layer ?? (of === 'ok' ? 'application' : (of as Layer));
    add({ layer, because: answer.outcome.because, evidence: distinct(answer.outcome.seen).slice(0, 3) });
  }
  for (const fact of working) {
    if (cleared.some((each) => each.because.endsWith(fact.value.what))) continue;
    add({ layer: fact.value.layer, because: fact.value.what, evidence: fact.seen.slice(0, 1) });
  }
  return cleared;
}

function unknownOf(
  ordered: readonly Candidate[],
  answers: readonly Answered[],
  context: RuleContext,
  decided: boolean,
): readonly Unknown[] {
  const unknown: Unknown[] = [];
  const asked = new Set<string>();
  const add = (each: Unknown): void => {
    if (asked.has(each.ask) || unknown.length >= mostUnknown) return;
    asked.add(each.ask);
    unknown.push(each);
  };
  unknown.push(...contradictionsOf(context));
  for (const candidate of ordered) {
    for (const each of candidate.missing) add({ layer: candidate.finding.layer, missing: [each.fact], ask: each.ask });
  }
  const stop = stopOf(context);
  if (!decided && stop?.value.link === 'container') {
    const [namespace, pod] = stop.value.pod.includes('/') ? stop.value.pod.split('/') : [null, stop.value.pod];
    const logs = `kubectl logs${namespace === null ? '' : ` -n ${namespace}`} ${pod ?? ''} --all-containers`;
    add({ layer: null, missing: ['what the container printed'], ask: `${logs} --previous || ${logs}` });
  }
  if (!decided) {
    for (const answer of answers) {
      if (
        answer.outcome.kind !== 'unknown' ||
        !answer.rule.needs.some((id) => isSaid(id) && context.first(id) !== undefined)
      )
        continue;
      const of = answer.rule.id.slice(0, answer.rule.id.indexOf('/'));
      for (const each of answer.outcome.missing) {
        add({
          layer: answer.outcome.layer ?? (of === 'ok' ? null : (of as Layer)),
          missing: [each.fact],
          ask: each.ask,
        });
      }
    }
  }
  for (const { value } of context.all('probe.missing')) {
    const said = unseenInWords(value.why);
    if (said !== null) add({ layer: null, missing: [`${value.source}: ${said}`], ask: value.command });
  }
  return unknown.slice(0, mostUnknown);
}

/** What was not seen because something stood in the way; null where it was left out on purpose. */
function unseenInWords(why: string): string | null {
  if (why === 'denied') return 'reading it is not permitted';
  if (why === 'timeout') return 'it did not come back in time';
  if (why === 'unfinished') return 'the probe was stopped in it';
  if (why === 'skipped:rollout') return 'it was not run while the driver is being changed';
  if (why === 'skipped:budget') return 'the time was up before it';
  return why === 'skipped:outside' ? 'it leads out of the root that was given' : null;
}

function isSaid(id: FactId): boolean {
  return id.startsWith('said.');
}

function nothingSaid(documents: readonly Document[]): Unknown {
  const empty = documents.every((document) => document.lines.every((line) => line.clean.trim() === ''));
  return {
    layer: null,
    missing: [empty ? 'any text' : 'a message or tool output that says something of the GPU stack'],
    ask: askAnything,
  };
}

/** Where the walk from a pod to its GPU stops. */
function stopOf(context: RuleContext): Fact<'k8s.link'> | undefined {
  return context.all('k8s.link').find((fact) => fact.value.state === 'broken' || fact.value.state === 'upgrading');
}

function isFactId(text: string): boolean {
  return /^[a-z0-9]{1,24}\.[a-z0-9.-]{1,60}$/.test(text) || (commandsFor[text] !== undefined && !text.includes(' '));
}

function cannotTell(
  suspicions: readonly Finding[],
  unknown: readonly Unknown[],
  documents: readonly Document[],
  context: RuleContext,
): string {
  const lines = documents.reduce((sum, document) => sum + document.lines.length, 0);
  // Of a huge input only lines that say something are kept; none of them is not the same as no input.
  const nothing = lines === 0 && documents.every((document) => document.left.length === 0);
  if (nothing && context.all('util.finding').length === 0) return 'cannot tell: the input is empty';
  const first = suspicions[0];
  const stop = stopOf(context);
  if (stop !== undefined && (first === undefined || stop.value.link !== 'container'))
    return `cannot tell: the way from pod ${stop.value.pod} to its GPU ends at the ${stop.value.link.replaceAll('-', ' ')}: ${stop.value.message}`;
  const [link] = context.all('k8s.link');
  if (link !== undefined && stop === undefined && first === undefined)
    return `cannot tell: every link from pod ${link.value.pod} to its GPU that was seen holds; what its program does is not known`;
  const divided = unknown.flatMap((each) => each.missing).find((each) => each.includes('(printed as '));
  if (first === undefined && divided !== undefined) return `cannot tell: the text contradicts itself, ${divided}`;
  const bare = first === undefined ? unexplained(context) : undefined;
  if (bare !== undefined) return `cannot tell: ${bare.words}, and nothing in this text says why`;
  const notice = noticeOf(context);
  if (first === undefined && notice !== null) return `cannot tell: ${notice}`;
  if (first === undefined) return 'cannot tell: nothing in this text is a known GPU failure or a sign of health';
  // The id of a fact, or what the message says already, tells a reader nothing more.
  const own = unknown.find(({ layer }) => layer === first.layer) ?? unknown[0];
  const missing = (own?.missing ?? []).filter((each) => !isFactId(each) && !first.message.includes(each));
  return `cannot tell yet: ${first.message}${missing.length === 0 ? '' : `; what would decide: ${missing.join(', ')}`}`;
}
