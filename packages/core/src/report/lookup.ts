import type { Knowledge } from '../knowledge/knowledge.ts';
import type { Citation } from '../knowledge/row.types.ts';
import type { SignatureRow } from '../knowledge/signatures/signature.types.ts';
import type { Evidence } from '../model/document.ts';
import type { Rule } from '../model/rule.ts';
import type { Finding, Verdict } from '../model/verdict.ts';
import { rules } from '../rules/rules.ts';

/** What a report says beside the verdict itself: the rule in a sentence, and where it is published. */
export interface Lookup {
  /** The rule in a sentence; null where none is known. */
  sentence(finding: Finding): string | null;
  /** Documents that a finding rests on. */
  sources(finding: Finding): readonly Citation[];
  /** What a recognised message says, by the id of its fact; null for other facts and for notices. */
  meaning(fact: string): string | null;
  /** Where in an evidence line the recognised message stands. */
  messageIn(evidence: Evidence): { readonly start: number; readonly length: number };
}

const mostSources = 3;

/** @param verdict the verdict that is reported: its facts tell which message stands in which line */
export function lookupOf(knowledge: Knowledge, verdict: Verdict): Lookup {
  const ruleOf = new Map<string, Rule>(rules.map((rule) => [rule.id, rule]));
  const signatureAt = new Map<string, SignatureRow>();
  for (const fact of verdict.facts) {
    if (!fact.id.startsWith('said.')) continue;
    const row = knowledge.signatures.find((each) => `said.${each.id}` === fact.id);
    if (row !== undefined) for (const each of fact.seen) signatureAt.set(placeOf(each), row);
  }
  return {
    sentence: (finding) =>
      ruleOf.get(finding.rule)?.summary ??
      (knowledge.causes.find((row) => row.cause === finding.cause)?.meaning || null),
    sources: (finding) => {
      const cited = finding.restsOn.flatMap((id) => knowledge.citations.find((each) => each.id === id) ?? []);
      if (cited.length > 0) return cited.slice(0, mostSources);
      const row = finding.evidence.map((each) => signatureAt.get(placeOf(each))).find((each) => each !== undefined);
      return (row?.sources ?? []).slice(0, mostSources).map((url) => ({ id: url, url, title: '' }));
    },
    meaning: (fact) => {
      const row = knowledge.signatures.find((each) => `said.${each.id}` === fact);
      if (row === undefined || row.role === 'info' || row.role === 'benign') return null;
      const text = row.meaning.replace(/\.$/, '');
      return /^[A-Z](?:[a-z]| )/.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text;
    },
    messageIn: (evidence) => {
      for (const pattern of signatureAt.get(placeOf(evidence))?.patterns ?? []) {
        const found = pattern.exec(evidence.text);
        if (found !== null) return { start: found.index, length: found[0].length };
      }
      return { start: 0, length: 0 };
    },
  };
}

function placeOf(evidence: Evidence): string {
  return `${evidence.file ?? ''}\u0000${evidence.line}\u0000${evidence.column}`;
}
