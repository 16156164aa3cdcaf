import type { Fact } from '../../model/facts.ts';
import type { RuleContext } from '../../model/rule.ts';
import type { CounterKind } from '../../knowledge/port-counters.rows.ts';
import { kindOf } from '../../knowledge/port-counters.ts';
import { own } from '../container-runtime/_container.ts';

// Counters of ports, for the rules of the fabric. They count since the port was last reset: one reading says that
// something happened once, two say whether it happens now.

export type Growth = Fact<'net.counter-growth'>;
export type Single = Fact<'net.counter'>;

/** Counters of these kinds of which two readings are there. */
export function growthsOf(context: RuleContext, ...kinds: readonly CounterKind[]): readonly Growth[] {
  return own(context, 'net.counter-growth').filter((fact) => {
    const kind = kindOf(fact.value.counter);
    return kind !== null && kinds.includes(kind);
  });
}

/** Those that grew. */
export function grown(facts: readonly Growth[]): readonly Growth[] {
  return facts.filter((fact) => fact.value.to > fact.value.from);
}

/** Counters of these kinds that were read once and are not 0. */
export function singlesOf(context: RuleContext, ...kinds: readonly CounterKind[]): readonly Single[] {
  return own(context, 'net.counter').filter((fact) => {
    const kind = kindOf(fact.value.counter);
    return kind !== null && kinds.includes(kind) && fact.value.value > 0;
  });
}

export function grewBy(fact: Growth): number {
  return fact.value.to - fact.value.from;
}

/** Growth in an hour; null where the time between the readings is not known. */
export function perHour(fact: Growth): number | null {
  const { seconds } = fact.value;
  return seconds === null ? null : (grewBy(fact) * 3600) / seconds;
}

/** More than now and then: ten an hour, where the time is known; else a hundred in all. */
export function isMuch(fact: Growth): boolean {
  const rate = perHour(fact);
  return rate === null ? grewBy(fact) >= 100 : rate >= 10 && grewBy(fact) >= 10;
}

/** `mlx5_0 port 1`, `ens1f0np0`. */
export function portText(value: { readonly device: string; readonly port: number | null }): string {
  return value.port === null ? value.device : `${value.device} port ${value.port}`;
}

/** `symbol_error 12 → 8812 in 60 min`. */
export function growthText(fact: Growth): string {
  const { counter, from, to, seconds } = fact.value;
  return `${counter} ${from} → ${to}${seconds === null ? '' : ` in ${timeText(seconds)}`}`;
}

function timeText(seconds: number): string {
  if (seconds < 120) return `${Math.round(seconds)} s`;
  const minutes = seconds / 60;
  return minutes < 120 ? `${Math.round(minutes)} min` : `${Math.round(minutes / 60)} h`;
}

/** Facts of the port with the most of them first, in groups. */
export function byPort<Each extends { readonly value: { readonly device: string; readonly port: number | null } }>(
  facts: readonly Each[],
): readonly (readonly Each[])[] {
  const groups = new Map<string, Each[]>();
  for (const fact of facts) {
    const key = `${fact.value.device} ${fact.value.port ?? ''}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [fact]);
    else group.push(fact);
  }
  return [...groups.values()].sort((a, b) => b.length - a.length);
}
