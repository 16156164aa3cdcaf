import type { CounterKind, CounterRow } from './port-counters.rows.ts';
import { counterRows } from './port-counters.rows.ts';

const byName: ReadonlyMap<string, CounterRow> = new Map(
  counterRows.flatMap((row) => [row.name, ...row.others].map((name) => [name, row] as const)),
);

/** The kernel's name of a counter, with its priority where it has one; null for one that is not read. */
export function counterNamed(text: string): { readonly name: string; readonly kind: CounterKind } | null {
  const lower = text.toLowerCase();
  const row = byName.get(lower);
  if (row !== undefined) return { name: row.name, kind: row.kind };
  const priority = /^rx_prio(\d)_(pause|discards|pause_duration)$/.exec(lower);
  if (priority === null) return null;
  const kind = byName.get(`rx_prio_${priority[2]!}`)?.kind;
  return kind === undefined ? null : { name: lower, kind };
}

/** What a counter that was read tells. */
export function kindOf(name: string): CounterKind | null {
  return counterNamed(name)?.kind ?? null;
}
