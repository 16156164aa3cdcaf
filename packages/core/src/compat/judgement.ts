/** Rules a judgement can rest on, in the order in which they are asked; `claim` is for sentences. */
export const judgementRules = [
  'gpu-driver-support',
  'module-flavour',
  'cpu-only',
  'image-requirement',
  'forward-compat',
  'backward',
  'minor-version',
  'minimum-driver',
  'binary-arch',
  'ptx-jit',
  'cudnn',
  'nccl',
  'claim',
] as const;
export type JudgementRule = (typeof judgementRules)[number];

export type RunAnswer = 'runs' | 'runs-if' | 'does-not-run' | 'cannot-tell';
export type ClaimAnswer = 'true' | 'false' | 'depends' | 'cannot-tell';

/** One condition with its truth. Null: what decides it is not known. */
export interface Clause {
  readonly rule: JudgementRule;
  readonly holds: boolean | null;
  readonly message: string;
  /** Citation ids. */
  readonly restsOn: readonly string[];
}

/** JSON shape of `culprit/judgement@1`. */
export interface Judgement {
  readonly schema: 'culprit/judgement@1';
  readonly id?: string;
  readonly answer: RunAnswer | ClaimAnswer;
  readonly rule: JudgementRule;
  /** For a claim: the rule or the reason behind the answer. */
  readonly because?: string;
  readonly message: string;
  /** What has to hold for a `runs-if`. */
  readonly conditions: readonly string[];
  readonly clauses: readonly Clause[];
  /** What the user would see; digits alone are a CUDA error code. */
  readonly errorSeen: string | null;
  /** What would make it run, or what has to be known. */
  readonly needs: string | null;
  /** What was not known. */
  readonly unknown: readonly string[];
  /** State of the tables. */
  readonly asOf: string;
}
