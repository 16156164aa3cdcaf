import type { Certainty } from '../model/layer.ts';
import type { Rule } from '../model/rule.ts';
import type { Verdict } from '../model/verdict.ts';
import { ask, contextOf } from '../diagnose/evaluate.ts';
import { diagnose, readFacts } from '../diagnose/diagnose.ts';
import { defaultKnowledge } from '../knowledge/knowledge.ts';
import { createDocument } from '../text/document.ts';

/** What a rule says of a pasted text, for tests: `silent` where the rule has nothing to do with it. */
export interface RuleAnswer {
  readonly kind: 'fault' | 'cleared' | 'unknown' | 'silent';
  readonly certainty?: Certainty;
  readonly message?: string;
  readonly missing: readonly string[];
  readonly lines: readonly number[];
}

/** Runs one rule over a pasted text, by the same road as `culprit diagnose`. */
export function outcomeOf(rule: Rule, text: string): RuleAnswer {
  const store = readFacts([createDocument(text)]);
  const answer = ask(rule, contextOf(store, defaultKnowledge));
  if (answer === null) return { kind: 'silent', missing: [], lines: [] };
  const { outcome } = answer;
  switch (outcome.kind) {
    case 'fault': {
      const open = outcome.missing !== undefined && outcome.missing.length > 0;
      const stated = outcome.certainty ?? (open ? 'likely' : 'proved');
      return {
        kind: 'fault',
        certainty: answer.told && stated === 'proved' ? 'likely' : stated,
        message: outcome.message,
        missing: (outcome.missing ?? []).map((each) => each.fact),
        lines: outcome.seen.map((each) => each.line),
      };
    }
    case 'cleared':
      return { kind: 'cleared', message: outcome.because, missing: [], lines: outcome.seen.map((each) => each.line) };
    case 'unknown':
      return { kind: 'unknown', missing: outcome.missing.map((each) => each.fact), lines: [] };
    case 'silent':
      return { kind: 'silent', missing: [], lines: [] };
  }
}

/** The verdict of a pasted text. */
export function verdictFor(text: string): Verdict {
  return diagnose([createDocument(text)]);
}
