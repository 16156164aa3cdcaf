import type { Layer } from './layer.ts';

/** Where a line of a log came from, as far as its prefix tells. */
export interface Origin {
  /** Rank of a distributed job: `[rank3]:`, `[1,3]<stdout>:`, `3: `, `(RayWorker pid=…)` gives none. */
  readonly rank?: number;
  readonly host?: string;
  readonly pid?: number;
  /** Pod, container, unit or actor name that stands before the message. */
  readonly unit?: string;
  /** Time as printed, not interpreted. */
  readonly time?: string;
  /** Milliseconds since 1970 where the printed time is absolute; year-less times get a year only in order comparisons. */
  readonly at?: number;
}

/** What a line speaks about, as headings, prompts and commands around it tell. */
export type Scope = 'host' | 'container' | 'image' | 'other-host' | 'after-fix' | 'unknown';

/** One line (or, of a very long line, one slice) of a text. */
export interface Line {
  /** Place in `Document.lines`. */
  readonly index: number;
  /** Line number in the file, from 1. */
  readonly number: number;
  /** Column of the first character of `text` in the line, from 1; above 1 only for slices of a very long line. */
  readonly column: number;
  /** Verbatim, colour codes and carriage returns included. */
  readonly text: string;
  /** What a reader sees: no colour codes, no overwritten progress bars, no known log prefix. Parsers match this. */
  readonly clean: string;
  readonly origin: Origin;
  /** A remark or a sentence of the person who pasted, not output of a program: its facts are `told`. */
  readonly told: boolean;
  readonly scope: Scope;
  /** The command at a prompt whose output this line belongs to (without the prompt), else null. A prompt line carries its own command. */
  readonly command: string | null;
  /** True for the prompt line itself. */
  readonly prompt: boolean;
}

/** A text in lines, with what is known of where it came from. */
export interface Document {
  /** Name of the file, `-` for standard input, else null. */
  readonly file: string | null;
  /** What was observed: `text` for a paste, else the snapshot's source name such as `proc-driver-version`. */
  readonly source: string;
  readonly subject: string;
  readonly lines: readonly Line[];
  /** What of the input was not kept, in words; empty when all of it was read. */
  readonly left: readonly string[];
}

/** Verbatim proof of a fact. */
export interface Evidence {
  readonly subject: string;
  readonly file: string | null;
  readonly source: string;
  readonly line: number;
  readonly column: number;
  /** The whole line; of a line longer than 2 KiB, a slice of 2 KiB. */
  readonly text: string;
}

/** A layer that a statement is about, or null where it is about none. */
export type LayerOrNull = Layer | null;
