import type { Certainty } from '../model/layer.ts';
import type { Rule } from '../model/rule.ts';
import type { Verdict } from '../model/verdict.ts';
import { ask, contextOf } from '../diagnose/evaluate.ts';
import { diagnose, readFacts } from '../diagnose/diagnose.ts';
import { defaultKnowledge } from '../knowledge/knowledge.ts';
import { createDocument } from '../text/document.ts';
import { FactStore } from '../diagnose/fact-store.ts';
import { findingsOf } from '../trace/findings/findings.ts';
import { scenesOf } from '../trace/findings/scene.ts';
import { KinetoReader } from '../trace/kineto/kineto-reader.ts';
import { defaultTraceLimits } from '../trace/thresholds.rows.ts';
import { putTraceFacts, QuotedFiles } from '../trace/trace-facts.ts';
import { putTimeLines } from '../trace/testing-time-lines.ts';

/** What a rule says of a pasted text, for tests: `silent` where the rule has nothing to do with it. */
export interface RuleAnswer {
  readonly kind: 'fault' | 'cleared' | 'unknown' | 'silent';
  readonly certainty?: Certainty;
  readonly message?: string;
  readonly missing: readonly string[];
  readonly lines: readonly number[];
}

/** What traces of the PyTorch profiler say, one for each rank; each begins a line with its brace. */
function traceFacts(text: string): FactStore {
  const traces = text.split(/\n(?=\{)/).map((part, rank) => {
    const reader = new KinetoReader(`rank${rank}.json`);
    reader.push(new TextEncoder().encode(part));
    return reader.end();
  });
  const store = new FactStore();
  const scenes = scenesOf(traces);
  const anyQuote = scenes.flatMap((scene) => scene.anyQuote).slice(0, 1);
  putTraceFacts(findingsOf(scenes, defaultTraceLimits), new Map(), anyQuote, new QuotedFiles(), {
    add: (document, id, value, lines) => store.sink(document, 'trace', 0).add(id, value as never, lines),
  });
  return store;
}

/** Runs one rule over a pasted text, by the same road as `culprit diagnose`; over traces, by that of `culprit trace`. */
export function outcomeOf(rule: Rule, text: string): RuleAnswer {
  const isTrace = text.startsWith('{') && text.includes('"traceEvents"');
  const store = isTrace ? traceFacts(text) : readFacts([createDocument(text)]);
  putTimeLines(text, store);
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
