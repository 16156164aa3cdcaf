import type { Judgement, JudgementRule } from '@culprit/core/compat/judgement';
import type { Question } from '@culprit/core/compat/question';
import type { Candidate } from '@culprit/core/compat/reverse';
import type { Verdict } from '@culprit/core/model/verdict';
import type { OccupancyAnswer } from '@culprit/core/occupancy/answer';
import type { Excerpt } from '@culprit/core/report/excerpts';
import type { Stack } from '@culprit/core/report/stack/stack-of';

/** Something to read: text that was typed or pasted, or a file that was dropped. */
export type Input = { readonly name: string; readonly text: string } | { readonly name: string; readonly file: Blob };

/** What a diagnosis says, with the text around the evidence. */
export interface Diagnosis {
  readonly verdict: Verdict;
  /** The verdict as HTML, everything of the input escaped. */
  readonly html: string;
  readonly excerpts: readonly Excerpt[];
  readonly stack: Stack;
}

/** A verdict to pass on, without names and addresses. */
export interface Shared {
  readonly markdown: string;
  /** The inputs that were held whole, redacted; null where they are too long for a link. */
  readonly inputs: readonly { readonly name: string; readonly text: string }[] | null;
}

/** What can be chosen in a question. */
export interface Choices {
  readonly toolkits: readonly string[];
  readonly wheels: readonly string[];
  readonly drivers: readonly string[];
  readonly gpus: readonly string[];
  readonly images: readonly string[];
}

export interface Link {
  readonly title: string;
  readonly url: string;
}

/** The answer to a question, and where its rules come from. */
export interface Judged {
  readonly judgement: Judgement;
  readonly sources: Readonly<Record<string, Link>>;
  /** Words of a typed question that were not understood. */
  readonly unread: readonly string[];
  /** What runs there, where only the host was given. */
  readonly runs: { readonly toolkits: readonly Candidate[]; readonly torch: readonly Candidate[] } | null;
}

export interface MatrixCell {
  readonly answer: Judgement['answer'];
  readonly rule: JudgementRule;
  readonly message: string;
  readonly needs: string | null;
}

/** Drivers against toolkits and wheels on one GPU. */
export interface MatrixTable {
  readonly rows: readonly string[];
  readonly columns: readonly string[];
  readonly cells: readonly (readonly MatrixCell[])[];
  readonly asOf: string;
}

/** A driver branch on the calendar. Months as `2028-06`. */
export interface BranchSpan {
  readonly branch: number;
  readonly kind: string;
  readonly cuda: string;
  readonly from: string | null;
  readonly to: string | null;
  readonly basis: 'vendor' | 'derived' | null;
  readonly lastKnown: string | null;
}

/** A launch to look at. Bytes; registers of one thread. */
export interface LaunchParts {
  /** GPU by any usual name, or a compute capability. */
  readonly gpu: string;
  readonly blockSize: number;
  readonly registers: number;
  readonly shared: number;
  readonly blocks: number;
}

/** Everything there is to say of a launch; the curves are pictures (SVG) of the core. */
export interface LaunchAnswer {
  readonly occupancy: OccupancyAnswer;
  readonly warpSize: number;
  readonly curves: string;
}

interface Read {
  readonly inputs: readonly Input[];
}

/** What the worker can be asked, by name: question and answer. One module of `core/asks/` answers each. */
export interface Asks {
  readonly diagnose: { readonly question: Read; readonly answer: Diagnosis };
  /** The stack without any verdict on it. */
  readonly stack: { readonly question: Record<string, never>; readonly answer: Stack };
  readonly launch: { readonly question: LaunchParts; readonly answer: LaunchAnswer | { readonly problem: string } };
  readonly choices: { readonly question: Record<string, never>; readonly answer: Choices };
  readonly judge: {
    readonly question: { readonly text: string } | { readonly parts: Question };
    readonly answer: Judged;
  };
  readonly matrix: {
    readonly question: { readonly gpu: string; readonly flavour?: 'open' | 'proprietary' };
    readonly answer: MatrixTable;
  };
  readonly calendar: {
    readonly question: Record<string, never>;
    readonly answer: { readonly branches: readonly BranchSpan[]; readonly asOf: string };
  };
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
