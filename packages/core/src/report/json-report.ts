import type { Verdict } from '../model/verdict.ts';

/** An answer as JSON: two spaces of indent, one line feed at the end. */
export function jsonReport(answer: unknown): string {
  return `${JSON.stringify(answer, null, 2)}\n`;
}

/** A verdict as JSON (`culprit/verdict@1`), its keys in the order of the schema: the answer stands first. */
export function verdictJson(verdict: Verdict): string {
  const { schema, status, headline, layer, cause, owner, certainty } = verdict;
  const findings = verdict.findings.map((each) => ({
    rule: each.rule,
    layer: each.layer,
    cause: each.cause,
    owner: each.owner,
    certainty: each.certainty,
    message: each.message,
    evidence: each.evidence,
    restsOn: each.restsOn,
    explains: each.explains,
    remedies: each.remedies,
  }));
  const { cleared, unknown, facts, knowledge } = verdict;
  return jsonReport({
    schema,
    status,
    headline,
    layer,
    cause,
    owner,
    certainty,
    findings,
    cleared,
    unknown,
    facts,
    knowledge,
  });
}
