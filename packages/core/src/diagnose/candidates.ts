import type { SaidId } from '../model/facts.ts';
import type { RuleContext } from '../model/rule.ts';
import type { SignatureRow } from '../knowledge/signatures/signature.types.ts';
import type { Candidate } from './verdict.ts';

const mostCandidates = 6;

/**
 * Candidates for recognised messages that no rule spoke about: the causes of the signature table, each only `possible`,
 * with the command that tells them apart.
 * @param covered messages that a finding already rests on
 * @param suspected those of them that only `possible` findings rest on: causes that no rule knows are added
 * @param explained true for a message that a finding explains
 */
export function candidatesOf(
  context: RuleContext,
  covered: ReadonlySet<SaidId>,
  suspected: ReadonlySet<SaidId>,
  explained: (id: SaidId) => boolean,
): readonly Candidate[] {
  const made = new Map<string, Candidate>();
  for (const fact of context.said) {
    if ((covered.has(fact.id) && !suspected.has(fact.id)) || explained(fact.id)) continue;
    const row = context.knowledge.signatures.find((each) => `said.${each.id}` === fact.id);
    if (row === undefined || row.role !== 'signature' || row.severity === 'info') continue;
    for (const [place, candidate] of ofSignature(row, fact, context).entries()) {
      if (
        covered.has(fact.id) &&
        (candidate.finding.cause !== row.id || row.causes.every((each) => each.cause !== null))
      )
        continue;
      if (made.size >= mostCandidates) return [...made.values()];
      const key = candidate.finding.rule;
      if (!made.has(key)) made.set(key, { ...candidate, weight: covered.has(fact.id) ? -10 : -1 - place });
    }
  }
  return [...made.values()];
}

function ofSignature(row: SignatureRow, fact: RuleContext['said'][number], context: RuleContext): readonly Candidate[] {
  const shared = {
    order: fact.order,
    messages: [fact.id],
    symptom: row.severity !== 'warning',
    missing: row.commands.slice(0, 1).map((ask) => ({ fact: row.causes[0]?.confirm ?? row.meaning, ask })),
  };
  const known = row.causes.flatMap((each) => {
    const cause = context.knowledge.causes.find((candidate) => candidate.cause === each.cause);
    return cause === undefined || cause.layer === null ? [] : [{ cause, what: each.what }];
  });
  const finding = {
    certainty: 'possible' as const,
    evidence: fact.seen,
    restsOn: [],
    explains: [],
    remedies: remediesOf(row),
  };
  // Causes without an id of their own are one candidate, by the name of the message; it stands where the first of them does.
  const unnamed = row.causes.filter((each) => each.cause === null).map((each) => lower(each.what));
  const other: Candidate = {
    ...shared,
    weight: 0,
    status: 'fault',
    finding: {
      ...finding,
      rule: `${row.layer}/${row.id}`,
      layer: row.layer,
      cause: row.id,
      owner: row.owner,
      message: unnamed.length === 0 ? lower(row.meaning) : `${lower(row.meaning)}: ${unnamed.join(', or ')}`,
    },
  };
  if (known.length === 0) return [other];
  const named = known.map(({ cause, what }) => ({
    ...shared,
    weight: 0,
    status: cause.status,
    finding: {
      ...finding,
      rule: `${cause.layer}/${cause.cause}`,
      layer: cause.layer!,
      cause: cause.cause,
      owner: cause.owner,
      message: lower(what),
    },
  }));
  if (unnamed.length === 0) return named;
  return row.causes[0]?.cause === null ? [other, ...named] : [...named, other];
}

function remediesOf(row: SignatureRow): Candidate['finding']['remedies'] {
  const actor = row.owner === 'developer' ? 'developer' : row.owner === 'vendor' ? 'vendor' : 'node-admin';
  return row.fixOrder.slice(0, 4).map((step) => ({ actor, do: step }));
}

function lower(text: string): string {
  const trimmed = text.trim().replace(/\.$/, '');
  return /^[A-Z][a-z]/.test(trimmed) ? trimmed.charAt(0).toLowerCase() + trimmed.slice(1) : trimmed;
}
