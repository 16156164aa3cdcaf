/** A document that rows and rules rest on. */
export interface Citation {
  readonly id: string;
  readonly url: string;
  readonly title: string;
}

/** What every row of fact carries. */
export interface Cited {
  /** Ids of `citations.rows.ts`. */
  readonly sources: readonly string[];
  /**
   * True: the row was read in a primary source or agrees with one across tables.
   * False: carried over, derived or recalled; such a row never makes a `proved` finding.
   */
  readonly confirmed: boolean;
}

/** A version range of a library: `from` belongs to it, `below` does not; null is open. */
export interface VersionRange {
  readonly from: string | null;
  readonly below: string | null;
}
