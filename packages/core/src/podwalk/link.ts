// A link between a pod and its GPU.
import type { Evidence } from '../model/document.ts';
import type { FactValues } from '../model/facts.ts';

export type LinkName = FactValues['k8s.link']['link'];

/** One link between a pod and its GPU. */
export interface Link {
  readonly link: LinkName;
  /** `waits`: not ready, but only since the next one is not; `unknown`: nothing was seen of it. */
  readonly state: FactValues['k8s.link']['state'];
  readonly message: string;
  /** The cause that a break of this kind has, where it is one of the known; see `knowledge/causes.rows.ts`. */
  readonly cause: string | null;
  readonly seen: readonly Evidence[];
}

/** A link before it has its name. */
export type Made = Omit<Link, 'link'>;

export function made(
  state: Link['state'],
  message: string,
  seen: readonly Evidence[],
  cause: string | null = null,
): Made {
  return { state, message, cause, seen };
}
