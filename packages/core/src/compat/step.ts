import type { Clause, JudgementRule } from './judgement.ts';

/** What a step says when its truth is not known: the answer it leads to and what has to be found out. */
export interface Open {
  /** `runs-if`: it hangs on something inside the program or the set-up. `cannot-tell`: a deciding fact is missing. */
  readonly as: 'runs-if' | 'cannot-tell';
  /** Rule that names the outcome; default the step's own. */
  readonly rule?: JudgementRule;
  readonly needs: string;
  /** Name of the missing thing for `unknown`; left out for conditions inside the program. */
  readonly missing?: string;
}

/** One question put to the tables, in the order of the rules. */
export interface Step {
  readonly rule: JudgementRule;
  readonly holds: boolean | null;
  readonly message: string;
  readonly restsOn: readonly string[];
  /** False: shown only; another step decides (12.4 is above 12.2, but minor version compatibility may do). */
  readonly decides: boolean;
  /** When it fails: what the user sees and what would help. */
  readonly error?: string;
  readonly needs?: string;
  readonly open?: Open;
}

/** A deciding step that holds. */
export function holds(rule: JudgementRule, message: string, restsOn: readonly string[]): Step {
  return { rule, holds: true, message, restsOn, decides: true };
}

/** A deciding step that fails. */
export function fails(
  rule: JudgementRule,
  message: string,
  restsOn: readonly string[],
  error: string | null,
  needs: string,
): Step {
  return { rule, holds: false, message, restsOn, decides: true, needs, ...(error === null ? {} : { error }) };
}

/** A deciding step whose truth is not known. */
export function isOpen(rule: JudgementRule, message: string, restsOn: readonly string[], open: Open): Step {
  return { rule, holds: null, message, restsOn, decides: true, open };
}

/** A step that is only shown. */
export function shown(rule: JudgementRule, truth: boolean | null, message: string, restsOn: readonly string[]): Step {
  return { rule, holds: truth, message, restsOn, decides: false };
}

/** The public part of a step. */
export function toClause(step: Step): Clause {
  return { rule: step.rule, holds: step.holds, message: step.message, restsOn: step.restsOn };
}
