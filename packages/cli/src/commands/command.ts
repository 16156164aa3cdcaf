import type { Knowledge } from '@culprit/core/knowledge/knowledge';
import type { Output } from '../output.ts';

/** A flag of the command line; help, the generated pages and the parser all read this. */
export interface Flag {
  /** Without dashes: `format`. */
  readonly name: string;
  readonly short?: string;
  /** Word for its value in help: `FILE`. Absent: the flag takes none. */
  readonly value?: string;
  readonly summary: string;
  /** May be given several times. */
  readonly multiple?: boolean;
  /** Takes its value and every word after it: `--against a b c`. Implies several values. */
  readonly rest?: boolean;
  readonly choices?: readonly string[];
}

export type FlagValue = string | boolean | readonly string[];

/** What a command is called with. */
export interface Call {
  readonly positionals: readonly string[];
  /** Values of the flags, by name; absent where not given. */
  readonly flags: Readonly<Record<string, FlagValue | undefined>>;
  /** One of the command's formats. */
  readonly format: string;
  readonly output: Output;
  /** The tables to judge by: the built-in ones, or those of `--knowledge DIR`. Read when asked for. */
  knowledge(): Promise<Knowledge>;
}

/** Gives the exit status. */
export type Run = (call: Call) => Promise<number>;

export interface Command {
  readonly name: string;
  /** One line, lower case, no full stop. */
  readonly summary: string;
  /** What follows the name: `[FILE…|-]`. */
  readonly arguments: string;
  /** Paragraphs of help. */
  readonly details: readonly string[];
  /** Flags beside the common ones. */
  readonly flags: readonly Flag[];
  /** Formats it can print; the first is the default. Empty: it prints its own. */
  readonly formats: readonly string[];
  readonly examples: readonly { readonly command: string; readonly does: string }[];
  /** What its exit statuses mean, beside 2 (usage) and 4 (the tool failed). */
  readonly exits: readonly { readonly status: number; readonly when: string }[];
  /** Loads the code of the command; heavy parts stay unloaded until then. */
  load(): Promise<Run>;
}
