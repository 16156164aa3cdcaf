import type { Evidence } from '../model/document.ts';
import type { Fact, SaidId } from '../model/facts.ts';
import type { Certainty, Layer, Status } from '../model/layer.ts';
import { layers } from '../model/layer.ts';
import type { RuleContext } from '../model/rule.ts';
import { lineOf } from './catalogue.ts';
import type { FactStore } from './fact-store.ts';
import { EventTimes, mayFollow } from '../text/follows.ts';
import { fits, gpusIn, mayBeOneGpu } from '../knowledge/explained-by.ts';
import { isFollower } from '../knowledge/followers.ts';
import { placed } from './placed.ts';
import type { Job } from './ranks.ts';
import type { Candidate } from './verdict.ts';

/** Candidates in the order in which they are told, and which of them only follow from others. */
export interface Chain {
  readonly ordered: readonly Candidate[];
  readonly explained: ReadonlySet<Candidate>;
  /** The one that leads as a finding; undefined where nothing is more than possible. */
  readonly accused: Candidate | undefined;
}

const certaintyRank: Readonly<Record<Certainty, number>> = { proved: 2, likely: 1, possible: 0 };
const mostFindings = 12;

/**
 * Finds the root: what no other candidate explains, what does not only follow from the failure of another process, and
 * of those the surest, the gravest, the best fitting, the first.
 */
export function chainOf(all: readonly Candidate[], context: RuleContext, store: FactStore, job: Job | null): Chain {
  const followers = followersAmong(all, context, store);
  const found = all.map((each) => (followers.has(each) ? capped(each) : each));
  const following = new Set(found.filter((_, at) => followers.has(all[at]!)));
  const explained = new Set<Candidate>();
  const times = new EventTimes(found.length > 1 ? store.everything() : []);
  const near = (a: Candidate, b: Candidate): boolean =>
    mayFollow(times.of(a.finding.evidence), times.of(b.finding.evidence)) || ofOneGpu(a, b);
  for (const a of found)
    for (const b of found) if (a !== b && explains(a, b, following) && near(a, b)) explained.add(b);
  const roots = found.filter((each) => !following.has(each) && !explained.has(each) && isStated(each) && !isEnd(each));
  for (const each of found)
    if ((following.has(each) || isEnd(each)) && roots.some((root) => near(root, each))) explained.add(each);
  // Two that explain each other would both vanish: the first keeps the lead.
  const leading = found.filter((candidate) => !explained.has(candidate));
  const ordered = (
    leading.length > 0
      ? [...sorted(leading, following), ...sorted([...explained], following)]
      : sorted(found, following)
  ).slice(0, mostFindings);
  const accused =
    ordered.find((candidate) => isStated(candidate) && !explained.has(candidate)) ??
    (leading.length === 0 ? ordered.find(isStated) : undefined);
  const lead = accused ?? ordered[0];
  if (lead === undefined || job === null) return { ordered, explained, accused };
  const first = placed(lead, following.has(lead), explained, context, store, job, times);
  const swap = (candidate: Candidate): Candidate => (candidate === lead ? first : candidate);
  return {
    ordered: ordered.map(swap),
    explained: new Set([...explained].map(swap)),
    accused: accused === undefined ? undefined : first,
  };
}

/** Only that a process ended, not by what. */
function isEnd(candidate: Candidate): boolean {
  return candidate.finding.rule === 'application/rank-ended-first';
}

function isStated(candidate: Candidate): boolean {
  return candidate.finding.certainty !== 'possible';
}

/** The other end went away: why it did stands elsewhere. */
const gone = /(?:closed|reset) by (?:remote )?peer|broken pipe|remote process exited|communicator was aborted/i;

/** What only follows is never proved to be the cause; that the other end is gone is not even likely to be one. */
function capped(candidate: Candidate): Candidate {
  const { certainty, evidence } = candidate.finding;
  if (certainty === 'possible') return candidate;
  const possible = evidence.length > 0 && evidence.every((each) => gone.test(each.text));
  return {
    ...candidate,
    weight: possible ? candidate.weight - 10 : candidate.weight,
    finding: { ...candidate.finding, certainty: possible ? 'possible' : 'likely' },
  };
}

/** Candidates whose lines of failure all tell of another process's failure. */
function followersAmong(found: readonly Candidate[], context: RuleContext, store: FactStore): ReadonlySet<Candidate> {
  const lines = new Map<string, boolean>();
  const note = (fact: Fact, follows: boolean): void => {
    for (const each of fact.seen) {
      const key = lineOf(each);
      lines.set(key, (lines.get(key) ?? true) && follows);
    }
  };
  for (const fact of context.said) {
    const row = context.knowledge.signatures.find((each) => `said.${each.id}` === fact.id);
    if (row === undefined || row.severity === 'info' || row.role === 'info' || row.role === 'benign') continue;
    note(fact, isFollower(fact.id, fact.value));
  }
  for (const id of ['program.exception', 'job.end', 'job.collective'] as const)
    for (const fact of store.all(id)) note(fact, isFollower(id, fact.value));
  const following = new Set<Candidate>();
  for (const candidate of found) {
    // Which process ended first is what the followers follow from.
    if (isEnd(candidate)) continue;
    const told = candidate.finding.evidence.flatMap((each: Evidence) => lines.get(lineOf(each)) ?? []);
    if (told.length > 0 && told.every(Boolean)) following.add(candidate);
  }
  return following;
}

function explains(a: Candidate, b: Candidate, following: ReadonlySet<Candidate>): boolean {
  if (certaintyRank[a.finding.certainty] < certaintyRank[b.finding.certainty]) return false;
  if (a.finding.certainty === 'possible') return false;
  // What follows from a failure elsewhere explains no failure of its own.
  if (following.has(a) && !following.has(b)) return false;
  // The state of one GPU, or of one node, is no consequence of another's.
  if (ofOneMachine.has(b.finding.layer) && !mayBeOneGpu(textsOf(a), textsOf(b))) return false;
  const patterns = a.finding.explains;
  if (patterns.some((pattern) => fits(pattern, b.finding.rule))) return true;
  return b.messages.length > 0 && b.messages.every((id: SaidId) => patterns.some((pattern) => fits(pattern, id)));
}

/** Both name the same GPU: what became of it lasts until it is reset. */
function ofOneGpu(a: Candidate, b: Candidate): boolean {
  const named = new Set(textsOf(a).flatMap(gpusIn));
  return textsOf(b).some((text) => gpusIn(text).some((gpu) => named.has(gpu)));
}

/** Layers whose failures stay on one machine. */
const ofOneMachine: ReadonlySet<Layer> = new Set(['hardware', 'fabric', 'host-os', 'driver']);

function textsOf(candidate: Candidate): readonly string[] {
  return candidate.finding.evidence.map((each) => each.text);
}

function sorted(candidates: readonly Candidate[], following: ReadonlySet<Candidate>): readonly Candidate[] {
  const follows = (candidate: Candidate): number => (following.has(candidate) ? 1 : 0);
  return [...candidates].sort(
    (a, b) =>
      follows(a) - follows(b) ||
      certaintyRank[b.finding.certainty] - certaintyRank[a.finding.certainty] ||
      statusRank(b.status) - statusRank(a.status) ||
      b.weight - a.weight ||
      a.order - b.order ||
      layers.indexOf(a.finding.layer) - layers.indexOf(b.finding.layer) ||
      (a.finding.rule < b.finding.rule ? -1 : 1),
  );
}

/** A failure comes before slowness. */
function statusRank(status: Status): number {
  return status === 'performance' ? 0 : 1;
}
