import type { Owner } from '../model/layer.ts';

export type TopicKind =
  | 'rule'
  | 'cause'
  | 'status'
  | 'xid'
  | 'sxid'
  | 'message'
  | 'concept'
  | 'fact'
  | 'clause'
  | 'word'
  | 'table'
  | 'metric';

/** A paragraph, a list, or text that stands as it is. */
export type Block =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'list'; readonly title: string; readonly items: readonly string[]; readonly ordered: boolean }
  | { readonly kind: 'commands'; readonly title: string; readonly commands: readonly string[] }
  /** Markdown of a rule's page. */
  | { readonly kind: 'page'; readonly markdown: string };

/** Something that `culprit explain` explains. */
export interface Topic {
  readonly kind: TopicKind;
  /** What to type to get here: `xid 79`, `cuda 804`, `forward-compatibility`. */
  readonly id: string;
  readonly title: string;
  /** Short facts in a table: what, value. */
  readonly facts: readonly (readonly [string, string])[];
  readonly blocks: readonly Block[];
  readonly owner: Owner | null;
  /** Ids of related topics. */
  readonly see: readonly string[];
  readonly sources: readonly { readonly title: string; readonly url: string }[];
  /** False where the row was not read in a primary source. */
  readonly confirmed: boolean;
}

/** Who acts, as a sentence. */
export const actsWords: Readonly<Record<Owner, string>> = {
  operator: 'the operator of the node, cluster or image',
  developer: 'the developer of the program',
  vendor: 'the vendor',
  none: 'nobody: nothing is wrong',
};

/** A list, left out where it is empty. */
export function listOf(title: string, items: readonly string[], ordered = false): readonly Block[] {
  return items.length === 0 ? [] : [{ kind: 'list', title, items, ordered }];
}

export function textOf(...texts: readonly (string | null | undefined)[]): readonly Block[] {
  return texts.flatMap((text) => (text == null || text === '' ? [] : [{ kind: 'text' as const, text }]));
}

export function commandsOf(title: string, commands: readonly string[]): readonly Block[] {
  return commands.length === 0 ? [] : [{ kind: 'commands', title, commands }];
}
