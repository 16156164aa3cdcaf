import type { BinaryReport } from '@culprit/core/binary/report';
import type { Judgement, JudgementRule } from '@culprit/core/compat/judgement';
import type { Question } from '@culprit/core/compat/question';
import type { Candidate } from '@culprit/core/compat/reverse';
import type { ImageReport } from '@culprit/core/image/model';
import type { Verdict } from '@culprit/core/model/verdict';
import type { OccupancyAnswer } from '@culprit/core/occupancy/answer';
import type { Excerpt } from '@culprit/core/report/excerpts';
import type { Stack } from '@culprit/core/report/stack/stack-of';
import type { TimelineData } from '@culprit/core/report/timeline-data';
import type { SeriesData } from '@culprit/core/utilization/series-data';
import type { FigureAsks } from './figure-asks.ts';

/** A file that was dropped or chosen; of a folder, its name is the path in it. */
export interface DroppedFile {
  readonly name: string;
  readonly file: Blob;
}

/** Something to read: text that was typed or pasted, or a file. */
export type Input = { readonly name: string; readonly text: string } | DroppedFile;

/** On what an image or machine code is to run. */
export interface OnNode {
  readonly gpu: string | null;
  readonly driver: string | null;
}

/** What a file says that is no text of a log: machine code, a saved image, a profile. */
export interface Other {
  readonly kind: 'binary' | 'image' | 'trace';
  readonly name: string;
  /** Null where the file itself is judged on a node only, or could not be read. */
  readonly verdict: Verdict | null;
  /** Everything of the input escaped. */
  readonly html: string;
  /** As the command line writes it in JSON. */
  readonly report: BinaryReport | ImageReport | null;
}

/** What series of counters say, and their time lines; null where no GPU is in them. */
interface SeriesAnswer {
  readonly verdict: Verdict;
  readonly html: string;
  readonly data: SeriesData | null;
}

/** What profiles say: each table of kernels for itself, all traces as one job. */
export interface Profiles {
  readonly parts: readonly {
    readonly name: string;
    readonly verdict: Verdict;
    readonly html: string;
    /** Tables behind it, as HTML. */
    readonly numbers: string;
  }[];
  readonly timeline: TimelineData<Uint8Array<ArrayBuffer>> | null;
  /** Inputs that are no profiles, or cannot be read: what they are and what to do. */
  readonly failures: readonly string[];
  /** Memory that is handed over and not copied. */
  readonly transfer?: readonly ArrayBuffer[];
}

/** What a diagnosis says, with the text around the evidence. */
export interface Diagnosis {
  readonly verdict: Verdict;
  /** The verdict as HTML, everything of the input escaped. */
  readonly html: string;
  readonly excerpts: readonly Excerpt[];
  readonly stack: Stack;
  /** Inputs that are no text of a log; absent where there are none. */
  readonly others?: readonly Other[];
  /** The view that draws these inputs; absent where none does. */
  readonly draws?: 'util' | 'trace';
}

/** A verdict to pass on, without names and addresses. */
interface Shared {
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

interface MatrixCell {
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
export interface Asks extends FigureAsks {
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
  /** Machine code and images, on a node where one is named. */
  readonly inspect: { readonly question: Read & { readonly on: OnNode | null }; readonly answer: readonly Other[] };
  readonly util: { readonly question: Read; readonly answer: SeriesAnswer };
  readonly trace: { readonly question: Read; readonly answer: Profiles };
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
