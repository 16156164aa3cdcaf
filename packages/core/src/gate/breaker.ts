// The breaker stops enforcement for a whole fleet. The node does not count: another system, which sees all nodes, writes a
// file and says in it whether more nodes may be taken out.
//
// { "schema": "culprit/gate-breaker@1", "at": "2026-11-30T08:00:00Z", "enforced": 3, "most": 10 }
// { "schema": "culprit/gate-breaker@1", "at": "2026-11-30T08:00:00Z", "open": true, "because": "change freeze" }
import { momentOf, parseObject } from './policy.ts';

/** Whether enforcement is allowed, and why not. */
export interface Breaker {
  readonly open: boolean;
  readonly why: string | null;
}

const ahead = 5 * 60_000;

/**
 * Reads a breaker file. What is missing, unreadable or too old stops enforcement: nobody watches the fleet then.
 * @param text the file; null where it could not be read
 */
export function readBreaker(text: string | null, nowMs: number, maxAgeMinutes: number): Breaker {
  if (text === null) return stops('breaker file not readable');
  const parsed = parseObject(text, 'breaker');
  if (typeof parsed === 'string') return stops(parsed);
  if (parsed['schema'] !== 'culprit/gate-breaker@1') return stops('breaker: unknown schema');
  const at = typeof parsed['at'] === 'string' ? momentOf(parsed['at']) : null;
  if (at === null) return stops('breaker: no time');
  if (at - nowMs > ahead) return stops('breaker: its time is ahead');
  if (nowMs - at > maxAgeMinutes * 60_000) return stops('breaker file too old');
  const { open, because, enforced, most } = parsed;
  if (open !== undefined && typeof open !== 'boolean') return stops('breaker: open is not true or false');
  if (open === true) return stops(typeof because === 'string' ? `breaker open: ${because}` : 'breaker open');
  if (enforced === undefined && most === undefined)
    return open === false ? { open: false, why: null } : stops('breaker: it says nothing');
  if (!isCount(enforced) || !isCount(most)) return stops('breaker: no counts');
  return enforced >= most ? stops(`breaker: ${enforced} of at most ${most} out`) : { open: false, why: null };
}

function stops(why: string): Breaker {
  return { open: true, why };
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0;
}
