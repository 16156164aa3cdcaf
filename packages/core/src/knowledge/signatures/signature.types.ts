import type { Layer, Owner } from '../../model/layer.ts';

/** One possible cause behind a message, and the facts that tell it from the others. */
export interface SignatureCause {
  /** Cause id of the causes table where one fits, else null. */
  readonly cause: string | null;
  /** In an operator's words. */
  readonly what: string;
  /** The fact that would confirm it; empty where none is known. */
  readonly confirm: string;
  readonly refute: string;
}

/**
 * A message of a program that means something for the stack. It becomes the fact `said.<id>`.
 */
export interface SignatureRow {
  readonly id: string;
  readonly layer: Layer;
  readonly owner: Owner;
  /** `signature`: can be a cause. `carrier`: the reason stands inside or before it. `follow-on`: never a cause by itself. `info`: a fact to harvest. `benign`: harmless where the program goes on. */
  readonly role: 'signature' | 'carrier' | 'follow-on' | 'info' | 'benign';
  readonly severity: 'info' | 'warning' | 'error' | 'critical' | 'fatal';
  readonly symbol: string | null;
  readonly code: number | string | null;
  /** What the message means, one sentence. */
  readonly meaning: string;
  /**
   * JavaScript regular expressions in linear time, matched against one clean line (`Line.clean`), named groups for the variable parts.
   * A pattern that spans kernel lines is matched against up to three following lines joined by ` `.
   */
  readonly patterns: readonly RegExp[];
  /** Number of following lines that are joined to the line before matching; default 0. */
  readonly joins?: number;
  /**
   * Literal texts, lower case, of which a line must hold at least one (compared without regard to case) before the
   * patterns are tried. At least 5 characters each, as rare as possible, one for every alternative of every pattern.
   */
  readonly literals: readonly string[];
  readonly examples: readonly string[];
  readonly causes: readonly SignatureCause[];
  /** Steps in order, own words. */
  readonly fixOrder: readonly string[];
  /** Commands that decide, best first. */
  readonly commands: readonly string[];
  /** Addresses the text was read at. */
  readonly sources: readonly string[];
  /** False where the text was not re-read in a source: a finding on it is never `proved`. */
  readonly confirmed: boolean;
}
