import type { Verdict } from '@culprit/core/model/verdict';

/** Something to read: text that was typed or pasted, or a file that was dropped. */
export type Input = { readonly name: string; readonly text: string } | { readonly name: string; readonly file: Blob };

/** A line of the user's own text. */
export interface ShownLine {
  readonly number: number;
  readonly text: string;
  /** `lead`: the leading finding rests on it; `other`: another one does. */
  readonly mark: 'lead' | 'other' | null;
}

/** The parts of one input that are worth showing: what the evidence stands in. */
export interface Excerpt {
  readonly file: string | null;
  readonly lines: number;
  readonly parts: readonly (readonly ShownLine[])[];
}

/** What a diagnosis says, with the text around the evidence. */
export interface Diagnosis {
  readonly verdict: Verdict;
  /** The verdict as HTML, everything of the input escaped. */
  readonly html: string;
  readonly excerpts: readonly Excerpt[];
}

/** A verdict to pass on, without names and addresses. */
export interface Shared {
  readonly markdown: string;
  /** The inputs that were held whole, redacted; null where they are too long for a link. */
  readonly inputs: readonly { readonly name: string; readonly text: string }[] | null;
}

interface Read {
  readonly inputs: readonly Input[];
}

/** What the worker can be asked, by name: question and answer. One module of `core/asks/` answers each. */
export interface Asks {
  readonly diagnose: { readonly question: Read; readonly answer: Diagnosis };
  readonly share: { readonly question: Read; readonly answer: Shared };
}

export type Ask = keyof Asks;

export interface Request<Name extends Ask = Ask> {
  readonly id: number;
  readonly ask: Name;
  readonly question: Asks[Name]['question'];
}

export type Reply =
  | { readonly id: number; readonly answer: unknown }
  | { readonly id: number; readonly error: string }
  | { readonly id: number; readonly progress: string };

/** Answers one kind of question. @param progress is told in words how far it is */
export type Answerer<Name extends Ask> = (
  question: Asks[Name]['question'],
  progress: (words: string) => void,
) => Promise<Asks[Name]['answer']>;
