import type { Evidence } from './document.ts';
import type { Certainty, Layer, Owner, Status } from './layer.ts';
import type { Remedy } from './rule.ts';

/** A fault with its proof. JSON shape of `culprit/verdict@1`. */
export interface Finding {
  readonly rule: string;
  readonly layer: Layer;
  readonly cause: string;
  readonly owner: Owner;
  readonly certainty: Certainty;
  readonly message: string;
  readonly evidence: readonly Evidence[];
  readonly restsOn: readonly string[];
  readonly explains: readonly string[];
  readonly remedies: readonly Remedy[];
}

export interface Cleared {
  readonly layer: Layer;
  readonly because: string;
  readonly evidence: readonly Evidence[];
}

export interface Unknown {
  readonly layer: Layer | null;
  readonly missing: readonly string[];
  readonly ask: string;
}

export interface Verdict {
  readonly schema: 'culprit/verdict@1';
  readonly status: Status;
  readonly headline: string;
  readonly layer: Layer | null;
  readonly cause: string | null;
  readonly owner: Owner;
  readonly certainty: Certainty | null;
  readonly findings: readonly Finding[];
  readonly cleared: readonly Cleared[];
  readonly unknown: readonly Unknown[];
  readonly facts: readonly { readonly id: string; readonly value: unknown; readonly seen: readonly Evidence[] }[];
  readonly knowledge: { readonly asOf: string; readonly digest: string };
}
