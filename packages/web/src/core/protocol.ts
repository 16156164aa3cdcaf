import type { Verdict } from '@culprit/core/model/verdict';

/** Something to read: text that was typed or pasted, or a file that was dropped. */
export type Input = { readonly name: string; readonly text: string } | { readonly name: string; readonly file: Blob };

/** What a diagnosis says, with the text of the inputs that were held whole, to show the evidence in it. */
export interface Diagnosis {
  readonly verdict: Verdict;
  /** What was not read, in words. */
  readonly left: readonly string[];
}

/** What the worker can be asked, by name: question and answer. One module of `core/asks/` answers each. */
export interface Asks {
  readonly diagnose: { readonly question: { readonly inputs: readonly Input[] }; readonly answer: Diagnosis };
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
