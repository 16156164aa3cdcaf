// What a run of the gate leaves for the next one, so that a fault can be seen twice. `culprit/gate-state@1`.
import { momentOf, parseObject } from './policy.ts';

/** A fault that a run saw proved. */
export interface Seen {
  readonly rule: string;
  /** The finding's own words, values included: another value is another fault. */
  readonly message: string;
  /** When it was first seen without a gap. */
  readonly since: string;
}

export interface GateState {
  readonly schema: 'culprit/gate-state@1';
  readonly at: string;
  /** Of this boot of the machine; null where it is not known. */
  readonly boot: string | null;
  readonly seen: readonly Seen[];
}

const mostSeen = 200;

/** Reads a state; null where there is none that can be understood. */
export function readState(text: string): GateState | null {
  const parsed = parseObject(text, 'state');
  if (typeof parsed === 'string' || parsed['schema'] !== 'culprit/gate-state@1') return null;
  const { at, boot, seen } = parsed;
  if (typeof at !== 'string' || momentOf(at) === null) return null;
  if (boot !== null && typeof boot !== 'string') return null;
  if (!Array.isArray(seen)) return null;
  const kept: Seen[] = [];
  for (const each of (seen as readonly unknown[]).slice(0, mostSeen)) {
    if (typeof each !== 'object' || each === null) return null;
    const { rule, message, since } = each as Record<string, unknown>;
    if (typeof rule !== 'string' || typeof message !== 'string' || typeof since !== 'string') return null;
    kept.push({ rule, message, since });
  }
  return { schema: 'culprit/gate-state@1', at, boot, seen: kept };
}

/** True where a state is of this boot and young enough to count as a reading. */
export function counts(state: GateState, boot: string | null, nowMs: number, maxMinutes: number): boolean {
  const at = momentOf(state.at);
  if (at === null || at > nowMs) return false;
  return nowMs - at <= maxMinutes * 60_000 && boot !== null && state.boot === boot;
}

/** The state after a run. */
export function nextState(
  previous: GateState | null,
  proved: readonly { readonly rule: string; readonly message: string }[],
  at: string,
  boot: string | null,
): GateState {
  const seen = proved.slice(0, mostSeen).map(({ rule, message }) => {
    const before = previous?.seen.find((each) => each.rule === rule && each.message === message);
    return { rule, message, since: previous?.boot === boot && before !== undefined ? before.since : at };
  });
  return { schema: 'culprit/gate-state@1', at, boot, seen };
}
