/** Raw output of one source. */
export interface Observation {
  /** `proc-driver-version`, `nvidia-smi`, `ldconfig`, … or `text` for a paste. */
  readonly source: string;
  readonly command: string | null;
  /** Exit status; null when it did not run or did not end. */
  readonly exit: number | null;
  readonly ms: number | null;
  readonly truncated: boolean;
  /** Why there is no exit status: `absent`, `denied`, `timeout`, `unfinished`, `skipped:WORD`; left out where there is one. */
  readonly why?: string;
  readonly text: string;
}

/** All observations of one subject at one time. JSON shape of `culprit/snapshot@1`. */
export interface Snapshot {
  readonly schema: 'culprit/snapshot@1';
  readonly subject: string;
  readonly takenAt: string | null;
  readonly probe: string | null;
  readonly observations: readonly Observation[];
}
