import type { Evidence } from '../model/document.ts';
import type { Layer, Owner, Status } from '../model/layer.ts';
import type { Remedy } from '../model/rule.ts';

// What a comparison of two groups answers. JSON shape of `culprit/diff@1`.

/** How many subjects of a group something holds for, of those where it could be read. */
export interface Share {
  readonly with: number;
  readonly known: number;
  readonly unknown: number;
}

/** Both groups, in the order in which they were given. */
export type Shares = readonly [first: Share, second: Share];

export interface Group {
  /** What reports call it: the name of its only subject or its folder, else `failing` and `passing`, or `first` and `second`. */
  readonly label: string;
  readonly subjects: readonly string[];
  /** Verdict of each of its subjects by itself, as counts. */
  readonly statuses: Readonly<Partial<Record<Status, number>>>;
}

/** One fact, as a statement that holds for subjects or does not. */
export interface Statement {
  /** `driver.version`, `package[torch]`, `said.nvml-mismatch`. */
  readonly fact: string;
  /** What the fact is, in words: `the driver release`; of a message, what it means. */
  readonly title: string;
  readonly layer: Layer;
  /** The statement in words: `is 570.133.20`, `570 or newer`, `contains nouveau`, `is printed`. */
  readonly holds: string;
  /** What the others have instead, commonest first. */
  readonly otherwise: readonly string[];
  readonly shares: Shares;
  /** A line of a subject that it holds for, and one of a subject that it does not hold for. */
  readonly evidence: readonly Evidence[];
}

/** When something changed, as far as the input is dated. */
export interface Change {
  readonly what: string;
  /** Earliest and latest time, as printed. */
  readonly first: string;
  readonly last: string;
  /** Subjects of the first and the second group that show it. */
  readonly shares: Shares;
  readonly evidence: readonly Evidence[];
}

/** Facts that tell the groups apart. */
export interface Separator {
  /** `one` statement, `all` of several together, or `any` of several. */
  readonly how: 'one' | 'all' | 'any';
  /** The group that has it: 0 the first, 1 the second. */
  readonly group: 0 | 1;
  readonly statements: readonly Statement[];
  /** Of the whole. */
  readonly shares: Shares;
  /** Exact probability (Fisher, two-sided) of such a division if the fact had nothing to do with the groups. */
  readonly p: number;
  /** `p` times the number of statements that were tried, at most 1. */
  readonly adjusted: number;
  /** True where so many facts could divide groups of this size by chance. */
  readonly chance: boolean;
  /** Statements that go together with it in this input: they are one change, or cannot be told apart here. */
  readonly with: readonly Statement[];
  /** Rule whose finding rests on it; null: it separates, which does not prove a cause. */
  readonly rule: string | null;
  readonly changes: readonly Change[];
  /** For `any`: the subjects that each statement covers. */
  readonly covers: readonly (readonly string[])[];
}

/** A cause that rules find in subjects. */
export interface CommonCause {
  readonly rule: string;
  readonly layer: Layer;
  readonly owner: Owner;
  readonly message: string;
  readonly shares: Shares;
  /** It is found in every subject of one group that could be judged, and in none of the other. */
  readonly separates: boolean;
  readonly group: 0 | 1;
  /** As for separators; `adjusted` is `p` times the number of rules that found anything. Says nothing where the groups were made of verdicts. */
  readonly p: number;
  readonly adjusted: number;
  readonly chance: boolean;
  readonly restsOn: readonly string[];
  readonly remedies: readonly Remedy[];
  readonly evidence: readonly Evidence[];
}

/** What is the same in both groups. */
export interface Equal {
  readonly layer: Layer;
  readonly fact: string;
  readonly value: string;
  readonly known: number;
  readonly of: number;
}

/** A class of lines (numbers, names and addresses left out) that one group prints and the other never does. */
export interface LineClass {
  readonly group: 0 | 1;
  readonly shares: Shares;
  readonly text: string;
  readonly evidence: Evidence;
}

/** Bus bandwidth of one test and size in both groups, as medians. */
export interface BandwidthGap {
  readonly collective: string | null;
  readonly place: 'out-of-place' | 'in-place';
  readonly bytes: number;
  readonly first: number;
  readonly second: number;
  /** Lower over higher. */
  readonly ratio: number;
  /** No subject of the slower group reaches one of the faster, and the gap is more than noise. */
  readonly apart: boolean;
  readonly evidence: readonly Evidence[];
}

/** A measured bus bandwidth held against the table. */
export interface Expectation {
  readonly subject: string;
  readonly platform: string;
  readonly about: string;
  /** `told` by `--platform`, or seen in `facts`. */
  readonly by: 'told' | 'facts';
  readonly kind: 'floor' | 'target' | 'measured' | 'per-adapter';
  readonly collective: string;
  readonly bytes: number;
  readonly measured: number;
  readonly expected: number;
  /** Least that still passes. */
  readonly least: number;
  readonly below: boolean;
  /** False: the expectation was not read in a primary source. */
  readonly confirmed: boolean;
  readonly restsOn: readonly string[];
  readonly note: string | null;
  readonly evidence: readonly Evidence[];
}

/** Results that nccl-tests found to be wrong: data was corrupted on its way. */
export interface Corruption {
  readonly subject: string;
  readonly group: 0 | 1;
  readonly wrong: number;
  readonly bytes: number | null;
  readonly collective: string | null;
  readonly evidence: readonly Evidence[];
}

/** Few subjects of many that differ from all others in the same facts. */
export interface Outlier {
  readonly subjects: readonly string[];
  /** What they differ in; shares are of them, then of all others. */
  readonly statements: readonly Statement[];
}

/** JSON shape of `culprit/diff@1`. */
export interface Diff {
  readonly schema: 'culprit/diff@1';
  readonly answer: 'separated' | 'no-difference' | 'cannot-tell';
  readonly headline: string;
  /** Two groups; one where results are only held against the table. */
  readonly groups: readonly Group[];
  /** True where the groups were made of the subjects' own verdicts, since none were named. */
  readonly byVerdict: boolean;
  /** Where no groups were named and verdicts are alike: who differs from all others. The first group is the first of these. */
  readonly outliers: readonly Outlier[];
  readonly corruption: readonly Corruption[];
  readonly causes: readonly CommonCause[];
  /** The smallest set of facts that separates comes first. */
  readonly separators: readonly Separator[];
  /** What separates most of them, where nothing separates all. */
  readonly nearest: readonly Separator[];
  readonly lines: readonly LineClass[];
  readonly bandwidth: readonly BandwidthGap[];
  readonly expectations: readonly Expectation[];
  readonly equal: readonly Equal[];
  /** Facts that were read in one group only: nothing can be said of them. */
  readonly oneSided: readonly { readonly fact: string; readonly group: 0 | 1; readonly known: number }[];
  /** Facts that could be compared, and how many of them vary. */
  readonly compared: { readonly facts: number; readonly varying: number };
  readonly knowledge: { readonly asOf: string; readonly digest: string };
}
