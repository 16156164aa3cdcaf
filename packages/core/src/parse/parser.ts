import type { Document, Line } from '../model/document.ts';
import type { FactId, FactValue } from '../model/facts.ts';

/** Takes the facts that a parser finds. */
export interface FactSink {
  /**
   * Adds a fact with the lines that prove it (at least one). It is `told` when all of its lines are remarks or prose,
   * or when `options.told` says so.
   */
  add<Id extends FactId>(
    id: Id,
    value: FactValue<Id>,
    lines: Line | readonly Line[],
    options?: { readonly told?: boolean },
  ): void;
  /** Names what was met and could not be read, with its line. */
  unread(what: string, line: Line): void;
}

/**
 * Reads one kind of source. It never throws, whatever it is fed; what it cannot read it names.
 */
export interface Parser {
  /** Source name as it stands in evidence: `nvidia-smi`, `proc-driver-version`, `pip-list`. */
  readonly id: string;
  /**
   * Literal texts, lower case, of which the document must hold one before `parse` is called; also what keeps lines of
   * a huge log. A parser without literals is called for every document that is held whole.
   */
  readonly literals: readonly string[];
  /** Lines of context that a huge log keeps around a literal of this parser. */
  readonly keep?: { readonly before: number; readonly after: number };
  /** Its lines tell of failures: of a huge log the first of every wording are kept. */
  readonly failures?: true;
  /**
   * @param document the whole text in lines
   * @param hits lines that hold one of the literals, in order
   */
  parse(document: Document, hits: readonly Line[], sink: FactSink): void;
}
