import type { Evidence } from '../model/document.ts';
import type { CommonCause, Share, Shares } from './diff.ts';
import { adjustedOf, chanceFrom, probabilityOf, rounded } from './ranking.ts';
import type { Candidate } from './statements.ts';
import type { Subject } from './subject.ts';

const mostCauses = 12;

/** What rules find in the subjects of each group, what separates the groups first. */
export function causesOf(first: readonly Subject[], second: readonly Subject[]): readonly CommonCause[] {
  const rules = new Set([...first, ...second].flatMap((subject) => subject.faults.map((finding) => finding.rule)));
  const causes = [...rules].sort().map((rule): CommonCause => {
    const shares: Shares = [shareOf(rule, first), shareOf(rule, second)];
    const rate = (share: Share): number => (share.known === 0 ? 0 : share.with / share.known);
    const group = rate(shares[0]) >= rate(shares[1]) ? 0 : 1;
    const own = shares[group];
    const other = shares[1 - group]!;
    const findings = [first, second][group]!.flatMap((subject) => subject.faults.filter((each) => each.rule === rule));
    const lead = findings[0]!;
    const p = probabilityOf(shares);
    const adjusted = adjustedOf(p, rules.size);
    return {
      rule,
      layer: lead.layer,
      owner: lead.owner,
      message: lead.message,
      shares,
      separates: own.with > 0 && own.with === own.known && other.with === 0 && other.known > 0,
      group,
      p: rounded(p),
      adjusted: rounded(adjusted),
      chance: adjusted >= chanceFrom,
      restsOn: lead.restsOn,
      remedies: lead.remedies,
      evidence: lead.evidence,
    };
  });
  const apart = ({ shares: [a, b] }: CommonCause): number =>
    Math.abs(a.with / Math.max(1, a.known) - b.with / Math.max(1, b.known));
  return causes
    .sort((a, b) => Number(b.separates) - Number(a.separates) || apart(b) - apart(a) || (a.rule < b.rule ? -1 : 1))
    .slice(0, mostCauses);
}

/** A rule that lacked a fact, and one that was asked of an empty input, do not clear the subject. */
function shareOf(rule: string, subjects: readonly Subject[]): Share {
  let having = 0;
  let unknown = 0;
  for (const subject of subjects) {
    if (subject.faults.some((finding) => finding.rule === rule)) having++;
    else if (subject.empty || subject.unsure.has(rule)) unknown++;
  }
  return { with: having, known: subjects.length - unknown, unknown };
}

/** Tells the rule whose finding quotes the lines of a statement. */
export function ruleFinder(subjects: readonly Subject[]): (candidate: Candidate, group: 0 | 1) => string | null {
  const places = subjects.map(
    (subject) =>
      new Map(
        subject.faults.flatMap((finding) => finding.evidence.map((each) => [placeOf(each), finding.rule] as const)),
      ),
  );
  return (candidate) => {
    for (let at = 0; at < candidate.truth.length; at++) {
      const own = places[at]!;
      const cell = candidate.column.cells[at];
      if (own.size === 0 || cell === null || cell === undefined) continue;
      for (const seen of cell.values()) {
        for (const line of seen?.lines ?? []) {
          const rule = own.get(placeOf(line));
          if (rule !== undefined) return rule;
        }
      }
    }
    return null;
  };
}

function placeOf(evidence: Evidence): string {
  return `${evidence.file ?? ''}\u0000${evidence.line}\u0000${evidence.column}`;
}
