/** Why the tool stops. What is wrong with the user's system is never an error but a verdict. */
export type ErrorCode =
  | 'unknown-command'
  | 'unknown-flag'
  | 'unknown-format'
  | 'unknown-topic'
  | 'bad-value'
  | 'missing-argument'
  | 'bad-knowledge'
  | 'not-written'
  | 'not-probed'
  | 'no-input'
  | 'not-served'
  | 'internal';

/** An error that is printed once, at the edge: what happened, and what helps. */
export class CulpritError extends Error {
  readonly code: ErrorCode;
  readonly hint: string | null;
  /** Exit status: 2 for wrong usage, 4 where the tool itself failed. */
  readonly exit: 2 | 4;

  constructor(code: ErrorCode, message: string, hint: string | null, exit: 2 | 4) {
    super(message);
    this.name = 'CulpritError';
    this.code = code;
    this.hint = hint;
    this.exit = exit;
  }
}

/** The command line was written wrongly (exit status 2). */
export function usageError(code: ErrorCode, message: string, hint: string | null = null): CulpritError {
  return new CulpritError(code, message, hint, 2);
}

/** The tool could not do its work (exit status 4). */
export function toolError(code: ErrorCode, message: string, hint: string | null = null): CulpritError {
  return new CulpritError(code, message, hint, 4);
}
