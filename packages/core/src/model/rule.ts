import type { Evidence } from './document.ts';
import type { Fact, FactId } from './facts.ts';
import type { Actor, Certainty, Layer } from './layer.ts';
import type { Knowledge } from '../knowledge/knowledge.ts';

/** One step of the cure and who does it. */
export interface Remedy {
  readonly actor: Actor;
  readonly do: string;
  readonly command?: string;
}

/** A fact that would decide, and the one command that shows it. */
export interface Missing {
  readonly fact: string;
  readonly ask: string;
}

export type Outcome =
  | {
      readonly kind: 'fault';
      /** Left out: `proved` if nothing is `missing` and no evidence was only told, else `likely`. */
      readonly certainty?: Certainty;
      /** First line of the finding: lower case, no full stop, real values, no cure in it. */
      readonly message: string;
      readonly seen: readonly Evidence[];
      readonly remedies: readonly Remedy[];
      readonly missing?: readonly Missing[];
      /** Ids of rules or signatures (`said.x`) that are only consequences of this fault, beside those that the rule names. */
      readonly explains?: readonly string[];
      /** Order among findings of the same certainty, higher first; how well it fits or how usual it is. Default 0. */
      readonly weight?: number;
    }
  | {
      readonly kind: 'cleared';
      readonly because: string;
      readonly seen: readonly Evidence[];
      readonly layer?: Layer;
      readonly weight?: number;
      /** Rules whose findings, short of `proved`, this healthy reading explains away. `*` at the end matches any rest. */
      readonly explains?: readonly string[];
    }
  | { readonly kind: 'unknown'; readonly missing: readonly Missing[]; readonly layer?: Layer }
  /** The rule has nothing to say about this input. */
  | { readonly kind: 'silent' };

/** What a rule can ask for beside the facts it names. */
export interface RuleContext {
  readonly knowledge: Knowledge;
  /** Every fact of an id, in the order of the input. */
  all<Id extends FactId>(id: Id): readonly Fact<Id>[];
  /** The leading fact of an id: printed before told, the first seen first. */
  first<Id extends FactId>(id: Id): Fact<Id> | undefined;
  /** All recognised messages (`said.*`), in the order of the input. */
  readonly said: readonly Fact<`said.${string}`>[];
}

export type Facts<Needs extends FactId, Uses extends FactId> = { readonly [Id in Needs]: Fact<Id> } & {
  readonly [Id in Uses]?: Fact<Id>;
};

export interface Rule<Needs extends FactId = FactId, Uses extends FactId = FactId> {
  /** `<layer>/<cause>`; rules that recognise a healthy input are `ok/<cause>`. */
  readonly id: `${Layer | 'ok'}/${string}`;
  readonly summary: string;
  /** All of these must be known; else the rule is unknown (said only if one of its needs or `anyOf` was there). */
  readonly needs: readonly Needs[];
  /** At least one of these must be known; else the rule is not asked. */
  readonly anyOf?: readonly Uses[];
  /** Facts that decide when they are there. */
  readonly uses?: readonly Uses[];
  /** Ids of `knowledge/citations.ts`. */
  readonly citations: readonly string[];
  /** Ids of rules or signatures (`said.x`) that are only consequences when this rule finds its fault. `*` at the end matches any rest. */
  readonly explains?: readonly string[];
  check(facts: Facts<Needs, Uses>, context: RuleContext): Outcome;
}

/**
 * Makes a rule; exists so that `check` is typed by `needs`, `anyOf` and `uses`.
 */
export function defineRule<const Needs extends FactId = never, const Uses extends FactId = never>(
  rule: Rule<Needs, Uses>,
): Rule {
  return rule;
}
