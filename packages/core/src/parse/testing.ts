import type { Document } from '../model/document.ts';
import type { Fact, FactId, FactValue } from '../model/facts.ts';
import { FactStore } from '../diagnose/fact-store.ts';
import { hitsOf, recogniserOf } from '../diagnose/recognise.ts';
import { createDocument } from '../text/document.ts';
import { parsers } from './parsers.ts';

// For tests: facts of a text, read by all parsers and without the signatures.

const noSignatures: readonly never[] = [];

/** Facts that the parsers find in a text. */
export function factsOf(text: string | Document): readonly Fact[] {
  const document = typeof text === 'string' ? createDocument(text) : text;
  const store = new FactStore();
  const recogniser = recogniserOf(noSignatures, parsers);
  const hits = hitsOf(recogniser, document);
  parsers.forEach((parser, at) => {
    const lines = hits.get(at);
    if (lines === undefined && parser.literals.length > 0) return;
    parser.parse(document, lines ?? [], store.sink(document, parser.id, 0));
  });
  return store.everything();
}

/** Values of one fact id that the parsers find, in the order of the text. */
export function valuesOf<Id extends FactId>(text: string | Document, id: Id): readonly FactValue<Id>[] {
  return factsOf(text)
    .filter((fact) => fact.id === id)
    .map((fact) => fact.value as FactValue<Id>);
}

/** Values by fact id, told ones marked `told:`. */
export function table(text: string | Document): Readonly<Record<string, readonly unknown[]>> {
  const out: Record<string, unknown[]> = {};
  for (const fact of factsOf(text)) (out[fact.told ? `told:${fact.id}` : fact.id] ??= []).push(fact.value);
  return out;
}
