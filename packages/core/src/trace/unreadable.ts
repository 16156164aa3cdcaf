/** Why a file is no trace that can be read, for whoever prints it. */
export class TraceUnreadable extends Error {
  /** `foreign`: another kind of file; `empty`; `damaged`: nothing of it can be read. */
  readonly code: 'foreign' | 'empty' | 'damaged';
  /** What helps; null where nothing does. */
  readonly hint: string | null;

  constructor(code: TraceUnreadable['code'], message: string, hint: string | null) {
    super(message);
    this.name = 'TraceUnreadable';
    this.code = code;
    this.hint = hint;
  }
}
