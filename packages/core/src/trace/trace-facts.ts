import type { Document, Line } from '../model/document.ts';
import type { FactId, FactValues } from '../model/facts.ts';
import type { Trace, TraceFinding, TraceQuote } from './model.ts';
import type { NumberOfTrace } from './numbers.ts';

/** Takes the facts of traces; each file is a document that the evidence quotes. */
export interface TraceSink {
  add(document: Document, id: FactId, value: unknown, lines: readonly Line[]): void;
}

type Place = TraceFinding['quotes'][number];

/** Makes documents of the lines that traces quote. */
export class QuotedFiles {
  #files = new Map<string | null, { readonly document: Document; readonly lines: Map<string, Line> }>();

  /** The line of a quote, and the document it stands in. */
  line({ file, quote }: Place): { readonly document: Document; readonly line: Line } {
    let known = this.#files.get(file);
    if (known === undefined) {
      known = { document: { file, source: 'trace', subject: 'text', lines: [], left: [] }, lines: new Map() };
      this.#files.set(file, known);
    }
    const key = `${quote.line}\u0000${quote.text}`;
    let line = known.lines.get(key);
    if (line === undefined) {
      line = lineOf(quote);
      known.lines.set(key, line);
      (known.document.lines as Line[]).push(line);
    }
    return { document: known.document, line };
  }

  get documents(): readonly Document[] {
    return [...this.#files.values()].map(({ document }) => document);
  }
}

function lineOf({ line, text }: TraceQuote): Line {
  const cut = text.slice(0, 2048);
  return {
    index: line - 1,
    number: line,
    column: 1,
    text: cut,
    clean: cut,
    origin: {},
    told: false,
    scope: 'unknown',
    command: null,
    prompt: false,
  };
}

/** Puts the findings of traces, in their order, and their numbers into a store. */
export function putTraceFacts(
  findings: readonly TraceFinding[],
  numbers: ReadonlyMap<string, NumberOfTrace>,
  anyQuote: readonly Place[],
  quoted: QuotedFiles,
  sink: TraceSink,
): void {
  const put = (id: FactId, value: unknown, places: readonly Place[]): void => {
    const own = (places.length > 0 ? places : anyQuote).slice(0, 6).map((place) => quoted.line(place));
    if (own[0] === undefined) return;
    sink.add(
      own[0].document,
      id,
      value,
      own.map(({ line }) => line),
    );
  };
  findings.forEach(({ cause, kind, certainty, message, measured, saving, missing, quotes }, place) => {
    const value = { cause, kind, certainty, message, measured, saving, place, missing: missing ?? null };
    put('trace.finding', value satisfies FactValues['trace.finding'], quotes);
  });
  for (const [name, value] of numbers) put(`trace.${name}`, value, anyQuote);
}

/** Quotes for what rests on a whole trace. */
export function quoteOfTrace(trace: Trace): readonly Place[] {
  const [first] = trace.quotes.values();
  if (first !== undefined) return [{ file: trace.file, quote: first }];
  const { kernels, calls, copies, copyBytes, faults, advice, ranges, notes } = trace.sums ?? {};
  const sums =
    kernels?.[0] ??
    calls?.[0] ??
    copies?.[0] ??
    copyBytes?.[0] ??
    faults ??
    advice?.[0] ??
    notes?.find(({ kind }) => kind !== 'made') ??
    ranges?.[0] ??
    notes?.[0];
  return sums == null ? [] : [{ file: trace.file, quote: sums.quote }];
}
