import type { Verdict } from '../model/verdict.ts';
import { hidden } from './visible.ts';

/** An answer as JSON: two spaces of indent, one line feed at the end. */
export function jsonReport(answer: unknown): string {
  return `${jsonText(answer, 2)}\n`;
}

/**
 * JSON that a terminal may show: C1 controls, direction and zero-width characters of strangers' texts are escaped too.
 * They can stand in strings only, where an escape means the same.
 */
export function jsonText(answer: unknown, indent = 0): string {
  return JSON.stringify(answer, null, indent).replaceAll(hidden, (each) =>
    each === '\n' ? each : `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** A verdict as JSON (`culprit/verdict@1`). */
export function verdictJson(verdict: Verdict): string {
  return jsonReport(inOrder(verdict));
}

/** A verdict with its keys in the order of the schema: the answer stands first. */
export function inOrder(verdict: Verdict): Verdict {
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
  return {
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
  };
}
