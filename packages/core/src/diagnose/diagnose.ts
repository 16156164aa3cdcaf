import type { Document } from '../model/document.ts';
import type { Verdict } from '../model/verdict.ts';
import type { Knowledge } from '../knowledge/knowledge.ts';
import { defaultKnowledge } from '../knowledge/knowledge.ts';
import { parsers } from '../parse/parsers.ts';
import { rules } from '../rules/rules.ts';
import { ask, contextOf } from './evaluate.ts';
import { FactStore } from './fact-store.ts';
import { hitsOf, matchSignature, recogniserOf } from './recognise.ts';
import { verdictOf } from './verdict.ts';

/** Reads the facts of documents with every signature and parser. */
export function readFacts(documents: readonly Document[], knowledge: Knowledge = defaultKnowledge): FactStore {
  const store = new FactStore();
  const recogniser = recogniserOf(knowledge.signatures, parsers);
  documents.forEach((document, ordinal) => {
    const hits = hitsOf(recogniser, document);
    knowledge.signatures.forEach((signature, at) => {
      const lines = hits.get(at);
      if (lines !== undefined) matchSignature(signature, document, lines, store.sink(document, 'message', ordinal));
    });
    parsers.forEach((parser, at) => {
      const lines = hits.get(knowledge.signatures.length + at);
      if (lines === undefined && parser.literals.length > 0) return;
      parser.parse(document, lines ?? [], store.sink(document, parser.id, ordinal));
    });
  });
  return store;
}

/**
 * Says which layer is to blame for what the documents show.
 * @param documents texts of one subject or one incident, in the order given
 * @param knowledge the tables to judge by
 */
export function diagnose(documents: readonly Document[], knowledge: Knowledge = defaultKnowledge): Verdict {
  const store = readFacts(documents, knowledge);
  const context = contextOf(store, knowledge);
  const answers = rules.map((rule) => ask(rule, context)).filter((answer) => answer !== null);
  return verdictOf(answers, context, store, documents);
}
