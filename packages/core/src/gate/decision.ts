// What the gate does with a verdict: only what is allowed, proved, seen by two, outside a roll-out and still there counts.
import type { Finding } from '../model/verdict.ts';
import type { Breaker } from './breaker.ts';
import type { Policy } from './policy.ts';
import { actionOf, expiredSilences, silenceOf } from './policy.ts';
import type { Reading } from './reading.ts';
import { sourcesOf } from './reading.ts';
import type { GateState } from './state.ts';
import { counts } from './state.ts';

/** Why a fault that the policy enforces is only told. */
export type Hold = 'not-proved' | 'one-source' | 'not-the-node' | 'rollout' | 'silenced' | 'breaker' | 'seen-once';

export interface GateItem {
  readonly finding: Finding;
  readonly action: 'warn' | 'enforce';
  /** Empty where it is enforced, or where the policy only tells it. */
  readonly held: readonly { readonly hold: Hold; readonly why: string }[];
}

/** `enforced` alone makes the gate fail. */
export type Outcome = 'enforced' | 'held' | 'warn' | 'ok' | 'unknown';

export interface Decision {
  readonly outcome: Outcome;
  /** Answer of the verdict where nothing is to be told. */
  readonly headline: string;
  /** Enforced first, then held, then told. */
  readonly items: readonly GateItem[];
  readonly notes: readonly string[];
  /** The probe came to its end. */
  readonly complete: boolean;
}

export interface GateInput {
  readonly policy: Policy;
  readonly reading: Reading;
  /** A second look, a moment later; null where none was taken. */
  readonly second: Reading | null;
  readonly state: GateState | null;
  /** Null where no breaker is used. */
  readonly breaker: Breaker | null;
  readonly boot: string | null;
  readonly nowMs: number;
  /** What went wrong on the way, in words. */
  readonly notes: readonly string[];
}

/** Decides. Pure: the same readings, files and time give the same decision. */
export function decide(input: GateInput): Decision {
  const { policy, reading, nowMs } = input;
  const { verdict } = reading;
  const expired: string[] = [];
  const items: GateItem[] = [];
  for (const finding of standing(verdict.findings)) {
    const action = actionOf(policy, finding.rule);
    if (action === 'off') continue;
    // What may be is told only where nothing better is known.
    if (finding.certainty === 'possible') continue;
    for (const each of expiredSilences(policy, finding.rule, nowMs))
      expired.push(`silence ended ${each.until.slice(0, 10)}`);
    items.push({ finding, action, held: action === 'enforce' ? holdsOf(finding, input) : [] });
  }
  const rank = (item: GateItem): number => (item.action === 'warn' ? 2 : item.held.length > 0 ? 1 : 0);
  items.sort((a, b) => rank(a) - rank(b));
  const first = items[0];
  const outcome: Outcome =
    first === undefined
      ? verdict.status === 'cannot-tell' || !reading.complete
        ? 'unknown'
        : 'ok'
      : (['enforced', 'held', 'warn'] as const)[rank(first)]!;
  const accused = verdict.certainty !== null && first === undefined;
  return {
    outcome,
    headline: accused ? 'nothing that the policy tells' : verdict.headline,
    items,
    notes: [...new Set([...input.notes, ...expired, ...(reading.complete ? [] : ['probe cut short'])])],
    complete: reading.complete,
  };
}

/** True where a second look could still change something: a fault waits for nothing else. */
export function wantsSecondLook(decision: Decision): boolean {
  return decision.items.some((item) => item.held.length === 1 && item.held[0]!.hold === 'seen-once');
}

/** Consequences of a surer finding are not told again. */
function standing(findings: readonly Finding[]): readonly Finding[] {
  return findings.filter(
    (finding, at) =>
      !findings
        .slice(0, at)
        .some(
          (before) =>
            before.certainty !== 'possible' &&
            before.explains.some((pattern) =>
              pattern.endsWith('*') ? finding.rule.startsWith(pattern.slice(0, -1)) : pattern === finding.rule,
            ),
        ),
  );
}

function holdsOf(finding: Finding, input: GateInput): GateItem['held'] {
  const { policy, reading, nowMs } = input;
  const held: { hold: Hold; why: string }[] = [];
  const add = (hold: Hold, why: string): void => void held.push({ hold, why });
  if (finding.certainty !== 'proved') add('not-proved', finding.certainty);
  if (finding.owner === 'developer' || finding.owner === 'none') add('not-the-node', `acts: ${finding.owner}`);
  const sources = sourcesOf(finding.evidence, reading);
  if (sources.length < 2) add('one-source', `one source: ${sources[0] ?? 'none'}`);
  const change = reading.changes[0] ?? input.second?.changes[0];
  if (change !== undefined) add('rollout', change);
  else if (reading.uptimeSeconds === null) {
    if (policy.minUptimeMinutes > 0) add('rollout', 'uptime unknown');
  } else if (reading.uptimeSeconds < policy.minUptimeMinutes * 60)
    add('rollout', `up ${Math.floor(reading.uptimeSeconds / 60)} min`);
  const silence = silenceOf(policy, finding.rule, nowMs);
  if (silence !== null) add('silenced', `silenced until ${silence.until.slice(0, 10)}`);
  if (input.breaker?.open === true) add('breaker', input.breaker.why ?? 'breaker open');
  if (!seenTwice(finding, input)) add('seen-once', 'seen once');
  return held;
}

function seenTwice(finding: Finding, input: GateInput): boolean {
  const { second, state, policy, boot, nowMs } = input;
  const same = (each: { readonly rule: string; readonly message: string }): boolean =>
    each.rule === finding.rule && each.message === finding.message;
  // A second look that does not show it again outweighs what an earlier run saw.
  if (second !== null && second.complete)
    return second.verdict.findings.some((each) => same(each) && each.certainty === 'proved');
  if (second !== null && second.verdict.findings.some((each) => same(each) && each.certainty === 'proved')) return true;
  return state !== null && counts(state, boot, nowMs, policy.stateMinutes) && state.seen.some(same);
}
