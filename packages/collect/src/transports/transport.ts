/** What one run of the probe gave. */
export interface Probed {
  /** What was observed, in the probe's framing; empty where nothing was. */
  readonly text: string;
  readonly stderr: string;
  /** Exit status of the probe or of the program that carried it; null where it did not end by itself. */
  readonly exit: number | null;
  /** One line: why this subject, or a part of it, could not be looked at; null where all went well. */
  readonly failure: string | null;
  readonly ms: number;
}

/** A way to one subject. */
export interface Transport {
  readonly subject: string;
  /** Runs the probe there with these arguments; stdout is probe text. Never throws: what failed is in `failure`. */
  probe(script: string, args: readonly string[], limitMs: number): Promise<Probed>;
}

/** A target that was written wrongly; nothing was run. */
export class TargetError extends Error {
  readonly code: 'bad-target';
  readonly hint: string | null;

  constructor(message: string, hint: string | null = null) {
    super(message);
    this.name = 'TargetError';
    this.code = 'bad-target';
    this.hint = hint;
  }
}
