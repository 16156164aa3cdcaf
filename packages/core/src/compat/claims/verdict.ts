import type { ClaimAnswer } from '../judgement.ts';

/** Answer to a claim, with the rule or reason behind it. */
export interface ClaimVerdict {
  readonly answer: ClaimAnswer;
  readonly because: string;
  readonly message: string;
  readonly restsOn: readonly string[];
  readonly needs?: string;
}

/** What is so: a statement that a claim can assert or deny. */
export interface Truth {
  readonly is: boolean | 'depends';
  readonly because: string;
  readonly message: string;
  readonly restsOn: readonly string[];
  readonly needs?: string;
}

/** The answer to a claim that asserts (or denies) a statement. */
export function answer(truth: Truth, denies: boolean): ClaimVerdict {
  const value: ClaimAnswer = truth.is === 'depends' ? 'depends' : truth.is !== denies ? 'true' : 'false';
  return {
    answer: value,
    because: truth.because,
    message: truth.message,
    restsOn: truth.restsOn,
    ...(truth.needs === undefined ? {} : { needs: truth.needs }),
  };
}

/**
 * A statement that holds for some only, against a claim about all or none: `every release supports it` and `it can not
 * be used at all` are both wrong.
 */
export function quantified(statement: Truth, text: string, denies: boolean): Truth {
  if (statement.is !== 'depends') return statement;
  if (denies)
    return /\b(?:can not|never|at all|ever|any|no|none|nothing|nobody)\b/.test(text)
      ? { ...statement, is: true }
      : statement;
  return /\b(?:every|(?<!at )all|any|each|always|both|everywhere)\b/.test(text)
    ? { ...statement, is: false }
    : statement;
}

/** Shorthand for a statement. */
export function truth(
  is: boolean | 'depends',
  because: string,
  message: string,
  restsOn: readonly string[],
  needs?: string,
): Truth {
  return { is, because, message, restsOn, ...(needs === undefined ? {} : { needs }) };
}

/** The answer when the parts are not understood. */
export const notUnderstood: ClaimVerdict = {
  answer: 'cannot-tell',
  because: 'claim',
  message: 'the statement could not be taken apart into parts that the tables decide',
  restsOn: [],
  needs: 'the driver, the CUDA version or build, and the GPU that the statement is about',
};
