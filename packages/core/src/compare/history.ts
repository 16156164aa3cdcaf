import type { Fact } from '../model/facts.ts';
import type { Change, Separator, Shares, Statement } from './diff.ts';
import type { Subject } from './subject.ts';
import { familyOf } from './shapes.ts';

const mostChanges = 4;

/** Dates of the changes that brought a separating fact about, as far as package histories show them. */
export function withChanges(separator: Separator, first: readonly Subject[], second: readonly Subject[]): Separator {
  const statements = [...separator.statements, ...separator.with];
  const groups = [first, second] as const;
  const found = new Map<
    string,
    { times: { text: string; at: number | null }[]; with: [Set<string>, Set<string>]; change: Change['evidence'] }
  >();
  groups.forEach((group, side) => {
    for (const subject of group)
      for (const fact of subject.changes) {
        const { name, from, to, time, at, action } = fact.value;
        if (time === null || !statements.some((each) => brought(each, name, to))) continue;
        const what = `${name} ${action === 'remove' ? 'removed' : from === null ? `${to ?? ''} (${action})` : `${from} → ${to ?? 'removed'}`}`;
        let entry = found.get(what);
        if (entry === undefined)
          found.set(what, (entry = { times: [], with: [new Set(), new Set()], change: fact.seen.slice(0, 1) }));
        entry.times.push({ text: time, at });
        entry.with[side]!.add(subject.name);
      }
  });
  const changes = [...found].map(([what, entry]): Change => {
    const times = [...entry.times].sort((a, b) => (a.at ?? 0) - (b.at ?? 0) || (a.text < b.text ? -1 : 1));
    const shares = groups.map((group, side) => {
      const known = group.filter((subject) => subject.changes.length > 0).length;
      return { with: entry.with[side]!.size, known, unknown: group.length - known };
    });
    return {
      what,
      first: times[0]!.text,
      last: times[times.length - 1]!.text,
      shares: shares as unknown as Shares,
      evidence: entry.change,
    };
  });
  const apart = (change: Change): number => Math.abs(change.shares[0].with - change.shares[1].with);
  changes.sort((a, b) => apart(b) - apart(a) || (a.what < b.what ? -1 : 1));
  const all = [...firstPrinted(separator, groups), ...changes];
  return all.length === 0 ? separator : { ...separator, changes: all.slice(0, mostChanges) };
}

/** When the lines of a separating message or error were first printed, where they are dated. */
function firstPrinted(
  separator: Separator,
  groups: readonly [readonly Subject[], readonly Subject[]],
): readonly Change[] {
  const [lead] = separator.statements;
  if (lead === undefined || separator.how !== 'one' || !/^(?:said\.|gpu\.s?xid\[|program\.)/.test(lead.fact)) return [];
  const times: { readonly text: string; readonly at: number; readonly evidence: Change['evidence'] }[] = [];
  const shares = groups.map((group) => {
    let having = 0;
    for (const subject of group) {
      const dated = subject.facts.find((fact) => isOf(fact, lead.fact) && fact.origin.time !== undefined);
      if (dated === undefined) continue;
      having++;
      const { time = '', at = Number.NaN } = dated.origin;
      times.push({ text: time, at, evidence: dated.seen.slice(0, 1) });
    }
    return { with: having, known: group.length, unknown: 0 };
  });
  // Seconds since boot of different machines have no common order.
  if (times.length === 0 || (times.length > 1 && times.some(({ at }) => Number.isNaN(at)))) return [];
  times.sort((a, b) => a.at - b.at || (a.text < b.text ? -1 : 1));
  return [
    {
      what: `${lead.fact} first printed`,
      first: times[0]!.text,
      last: times[times.length - 1]!.text,
      shares: shares as unknown as Shares,
      evidence: times[0]!.evidence,
    },
  ];
}

function isOf(fact: Fact, feature: string): boolean {
  if (fact.id === feature) return true;
  const code = /^gpu\.(s?xid)\[(\d{1,6})\]/.exec(feature);
  if (code === null || fact.id !== `gpu.${code[1]!}`) return false;
  const value = fact.value as { readonly xid?: number; readonly sxid?: number };
  return (value.xid ?? value.sxid) === Number(code[2]);
}

/** A change of the package that the statement is about, or of one of its family to the version it names. */
function brought(statement: Statement, name: string, to: string | null): boolean {
  if (statement.fact.startsWith(`package[${name}]`)) return true;
  if (familyOf(`package[${name}]`) !== familyOf(statement.fact)) return false;
  if (familyOf(statement.fact) === statement.fact) return false;
  const values = [statement.holds, ...statement.otherwise].flatMap((text) => text.split(' '));
  return to === null || values.some((value) => /^\d[\d.]{2,}$/.test(value) && to.includes(value));
}
