import type { Document } from '../model/document.ts';
import type { Verdict } from '../model/verdict.ts';
import type { Knowledge } from '../knowledge/knowledge.ts';
import { defaultKnowledge } from '../knowledge/knowledge.ts';
import { imageRecords } from '../parse/image-records.ts';
import { parsers } from '../parse/parsers.ts';
import { rules } from '../rules/rules.ts';
import type { Answered } from './evaluate.ts';
import { ask, contextOf } from './evaluate.ts';
import { FactStore } from './fact-store.ts';
import { addPodLinks } from './pod-links.ts';
import { addSeries, addSeriesOfDocuments, speakOfSeries } from './series.ts';
import type { SeriesSet } from '../utilization/series-set.ts';
import { jobOf } from './ranks.ts';
import { hitsOf, matchSignature, noticedLines, recogniserOf } from './recognise.ts';
import { eachStream, streamsOf } from './streams.ts';
import { timelineOf } from './timeline.ts';
import { verdictOf } from './verdict.ts';

/** Parsers whose messages have several lines, which other processes of a job may cut up. */
const ofOneProcess: ReadonlySet<string> = new Set(['exception', 'crash']);

/**
 * Reads the facts of documents with every signature and parser.
 * @param series what was read of their series already, where it was
 */
export function readFacts(
  documents: readonly Document[],
  knowledge: Knowledge = defaultKnowledge,
  series: SeriesSet | null = null,
): FactStore {
  const store = new FactStore(timelineOf(documents));
  const recogniser = recogniserOf(knowledge.signatures, parsers);
  documents.forEach((document, ordinal) => {
    const hits = hitsOf(recogniser, document);
    const streams = streamsOf(document);
    // Records of an image hold texts that others wrote (instructions, values): no message of a program stands in them.
    if (document.source.startsWith('image-')) {
      const lines = hits.get(knowledge.signatures.length + parsers.indexOf(imageRecords));
      if (lines !== undefined) imageRecords.parse(document, lines, store.sink(document, document.source, ordinal));
      return;
    }
    const noticed = noticedLines(knowledge.signatures, document, hits);
    knowledge.signatures.forEach((signature, at) => {
      const found = hits.get(at);
      if (found === undefined) return;
      const lines =
        noticed.size === 0 || signature.role === 'benign' ? found : found.filter((line) => !noticed.has(line));
      if (streams === null || signature.joins === undefined)
        matchSignature(signature, document, lines, store.sink(document, 'message', ordinal));
      else
        eachStream(streams, lines, (stream, own) =>
          matchSignature(signature, stream.document, own, store.sink(document, 'message', ordinal, stream.whole)),
        );
    });
    parsers.forEach((parser, at) => {
      const lines = hits.get(knowledge.signatures.length + at);
      if (lines === undefined && parser.literals.length > 0) return;
      if (streams === null || !ofOneProcess.has(parser.id))
        parser.parse(document, lines ?? [], store.sink(document, parser.id, ordinal));
      else
        eachStream(streams, lines ?? [], (stream, own) =>
          parser.parse(stream.document, own, store.sink(document, parser.id, ordinal, stream.whole)),
        );
    });
  });
  addPodLinks(documents, store);
  if (series === null) addSeriesOfDocuments(documents, store);
  else addSeries(series, store, documents.length === 0);
  return store;
}

/** What was found on the way to a verdict. */
export interface Examination {
  readonly store: FactStore;
  readonly answers: readonly Answered[];
  readonly verdict: Verdict;
}

/** The verdict on documents, with the facts and the rules' answers that it was formed of. */
export function examine(
  documents: readonly Document[],
  knowledge: Knowledge = defaultKnowledge,
  series: SeriesSet | null = null,
): Examination {
  const store = readFacts(documents, knowledge, series);
  const job = jobOf(documents, store);
  const context = contextOf(store, knowledge, job);
  const answers = rules.map((rule) => ask(rule, context)).filter((answer) => answer !== null);
  return { store, answers, verdict: speakOfSeries(verdictOf(answers, context, store, documents, job), context) };
}

/**
 * The verdict on facts that were not read from lines by the parsers above, as of a profile.
 * @param documents what the evidence of the facts quotes
 */
export function verdictOfFacts(store: FactStore, documents: readonly Document[], knowledge: Knowledge): Verdict {
  const context = contextOf(store, knowledge);
  const answers = rules.map((rule) => ask(rule, context)).filter((answer) => answer !== null);
  return verdictOf(answers, context, store, documents);
}

/**
 * Says which layer is to blame for what the documents show.
 * @param documents texts of one subject or one incident, in the order given
 * @param knowledge the tables to judge by
 */
export function diagnose(documents: readonly Document[], knowledge: Knowledge = defaultKnowledge): Verdict {
  return examine(documents, knowledge).verdict;
}
