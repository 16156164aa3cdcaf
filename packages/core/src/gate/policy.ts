// What the person who runs a cluster allows the gate to do. JSON, published as `culprit/gate-policy@1`:
//
// { "schema": "culprit/gate-policy@1",
//   "rules": { "*": "warn", "driver/kmod-userspace-mismatch-after-upgrade": "enforce" },
//   "silences": [{ "rule": "fabric/*", "until": "2026-12-24", "because": "switch is being replaced" }],
//   "rollout": { "minUptimeMinutes": 10 } }

/** What the gate does with a fault: nothing, tell it, or tell it and fail. */
export type Action = 'off' | 'warn' | 'enforce';
export const actions: readonly Action[] = ['off', 'warn', 'enforce'];

/** A rule that is not to be enforced for a time. */
export interface Silence {
  /** Id of a rule; `*` at its end stands for any rest. */
  readonly rule: string;
  /** Day (to its end, UTC) or moment, as in the file. */
  readonly until: string;
  /** Milliseconds since 1970. */
  readonly untilMs: number;
  readonly because: string | null;
}

export interface Policy {
  /** Pattern → action, the most specific first. */
  readonly rules: readonly { readonly pattern: string; readonly action: Action }[];
  readonly silences: readonly Silence[];
  /** A machine that was started more recently is being set up. */
  readonly minUptimeMinutes: number;
  /** Between the two readings of one run. */
  readonly pauseMs: number;
  /** A state file of a previous run counts as first reading for so long. */
  readonly stateMinutes: number;
  /** A breaker file is trusted for so long after it was written. */
  readonly breakerMinutes: number;
}

/** Report-only: every fault is told, none is enforced. */
export const reportOnly: Policy = {
  rules: [{ pattern: '*', action: 'warn' }],
  silences: [],
  minUptimeMinutes: 10,
  pauseMs: 150,
  stateMinutes: 1440,
  breakerMinutes: 60,
};

export type PolicyRead =
  | { readonly ok: true; readonly policy: Policy; readonly notes: readonly string[] }
  | { readonly ok: false; readonly why: string };

const rulePattern = /^(?:\*|[a-z][a-z0-9-]{0,40}\/(?:\*|[a-z0-9][a-z0-9-]{0,120}\*?))$/;
const most = 1000;

/**
 * Reads a policy.
 * @param text the file
 * @param known ids of the rules there are: another id is a note, and so is a pattern that fits none
 * @returns why it is none: a policy that is not understood whole is not used at all
 */
export function readPolicy(text: string, known: readonly string[]): PolicyRead {
  const parsed = parseObject(text, 'policy');
  if (typeof parsed === 'string') return { ok: false, why: parsed };
  const problem = unknownKeys(parsed, [
    'schema',
    'rules',
    'silences',
    'rollout',
    'secondReading',
    'breaker',
    '$schema',
  ]);
  if (problem !== null) return { ok: false, why: problem };
  if (parsed['schema'] !== 'culprit/gate-policy@1')
    return { ok: false, why: 'policy: schema is not culprit/gate-policy@1' };
  const rules = readRules(parsed['rules'] ?? {});
  if (typeof rules === 'string') return { ok: false, why: rules };
  const silences = readSilences(parsed['silences'] ?? []);
  if (typeof silences === 'string') return { ok: false, why: silences };
  const minUptimeMinutes = numberIn(
    parsed['rollout'],
    'rollout',
    'minUptimeMinutes',
    reportOnly.minUptimeMinutes,
    1440,
  );
  const pauseMs = numberIn(parsed['secondReading'], 'secondReading', 'pauseMs', reportOnly.pauseMs, 10_000);
  const stateMinutes = numberIn(
    parsed['secondReading'],
    'secondReading',
    'stateMinutes',
    reportOnly.stateMinutes,
    43_200,
  );
  const breakerMinutes = numberIn(parsed['breaker'], 'breaker', 'maxAgeMinutes', reportOnly.breakerMinutes, 43_200);
  for (const each of [minUptimeMinutes, pauseMs, stateMinutes, breakerMinutes])
    if (typeof each === 'string') return { ok: false, why: each };
  for (const [key, allowed] of [
    ['rollout', ['minUptimeMinutes']],
    ['secondReading', ['pauseMs', 'stateMinutes']],
    ['breaker', ['maxAgeMinutes']],
  ] as const) {
    const odd = parsed[key] === undefined ? null : unknownKeys(parsed[key], allowed);
    if (odd !== null) return { ok: false, why: odd };
  }
  const notes = [...rules.map((each) => each.pattern), ...silences.map((each) => each.rule)]
    .filter((pattern) => !known.some((id) => matches(pattern, id)))
    .map((pattern) => `policy: no rule ${pattern}`);
  return {
    ok: true,
    policy: {
      rules,
      silences,
      minUptimeMinutes: minUptimeMinutes as number,
      pauseMs: pauseMs as number,
      stateMinutes: stateMinutes as number,
      breakerMinutes: breakerMinutes as number,
    },
    notes: [...new Set(notes)],
  };
}

/** What the policy does with a rule; what it does not name is told. */
export function actionOf(policy: Policy, rule: string): Action {
  return policy.rules.find((each) => matches(each.pattern, rule))?.action ?? 'warn';
}

/** True where a pattern names a rule. */
export function matches(pattern: string, rule: string): boolean {
  return pattern.endsWith('*') ? rule.startsWith(pattern.slice(0, -1)) : pattern === rule;
}

/** The silence that holds for a rule now; that which lasts longest. */
export function silenceOf(policy: Policy, rule: string, nowMs: number): Silence | null {
  const holding = policy.silences.filter((each) => matches(each.rule, rule) && each.untilMs > nowMs);
  return holding.sort((a, b) => b.untilMs - a.untilMs)[0] ?? null;
}

/** Silences of a rule that are over, unless another one holds. */
export function expiredSilences(policy: Policy, rule: string, nowMs: number): readonly Silence[] {
  if (silenceOf(policy, rule, nowMs) !== null) return [];
  return policy.silences.filter((each) => matches(each.rule, rule) && each.untilMs <= nowMs);
}

function readRules(value: unknown): Policy['rules'] | string {
  if (!isObject(value)) return 'policy: rules is no object';
  const entries = Object.entries(value);
  if (entries.length > most) return 'policy: too many rules';
  for (const [pattern, action] of entries) {
    if (!rulePattern.test(pattern)) return `policy: ${short(pattern)} is no rule id`;
    if (!actions.includes(action as Action)) return `policy: ${short(pattern)} is neither off, warn nor enforce`;
  }
  const exact = (pattern: string): number => (pattern.endsWith('*') ? 0 : 1);
  return entries
    .map(([pattern, action]) => ({ pattern, action: action as Action }))
    .sort((a, b) => exact(b.pattern) - exact(a.pattern) || b.pattern.length - a.pattern.length);
}

function readSilences(value: unknown): readonly Silence[] | string {
  if (!Array.isArray(value)) return 'policy: silences is no list';
  if (value.length > most) return 'policy: too many silences';
  const silences: Silence[] = [];
  for (const each of value as readonly unknown[]) {
    if (!isObject(each)) return 'policy: a silence is no object';
    const odd = unknownKeys(each, ['rule', 'until', 'because']);
    if (odd !== null) return odd;
    const { rule, until, because } = each;
    if (typeof rule !== 'string' || !rulePattern.test(rule)) return 'policy: a silence names no rule';
    const untilMs = typeof until === 'string' ? momentOf(until) : null;
    if (untilMs === null) return `policy: the silence of ${short(rule)} has no end (a date)`;
    if (because !== undefined && typeof because !== 'string') return 'policy: because is no text';
    silences.push({ rule, until: until as string, untilMs, because: because ?? null });
  }
  return silences;
}

const daily = /^\d{4}-\d\d-\d\d$/;
const precise = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?(?:Z|[+-]\d\d:\d\d)$/;

/** Milliseconds of a day's end or of a moment with its zone; null where it is neither. */
export function momentOf(text: string): number | null {
  const ms = daily.test(text)
    ? Date.parse(`${text}T23:59:59.999Z`)
    : precise.test(text)
      ? Date.parse(text)
      : Number.NaN;
  return Number.isNaN(ms) ? null : ms;
}

/** A JSON object, or why the text is none. */
export function parseObject(text: string, what: string): Record<string, unknown> | string {
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ''));
    return isObject(value) ? value : `${what}: no JSON object`;
  } catch {
    return `${what}: no JSON`;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function unknownKeys(value: unknown, known: readonly string[]): string | null {
  if (!isObject(value)) return `policy: ${known[0] ?? 'it'}: no object`;
  const odd = Object.keys(value).find((key) => !known.includes(key));
  return odd === undefined ? null : `policy: unknown key ${short(odd)}`;
}

function numberIn(value: unknown, where: string, key: string, usual: number, highest: number): number | string {
  if (value === undefined) return usual;
  if (!isObject(value)) return `policy: ${where} is no object`;
  const found = value[key];
  if (found === undefined) return usual;
  if (typeof found !== 'number' || !(found >= 0) || found > highest)
    return `policy: ${where}.${key} is no number from 0 to ${highest}`;
  return found;
}

function short(text: string): string {
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}
