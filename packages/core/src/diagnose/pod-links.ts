import type { Document } from '../model/document.ts';
import { walkPod } from '../podwalk/walk.ts';
import type { FactStore } from './fact-store.ts';

const mostEvidence = 4;

/**
 * Adds what lies between a pod and its GPU, where the texts show more of a cluster than the pod alone. The newest
 * warnings about the pod stand beside the link that it stops at.
 */
export function addPodLinks(documents: readonly Document[], store: FactStore): void {
  if (store.all('k8s.pod').length === 0) return;
  const named = nameIn(documents);
  const walk = (named === undefined ? null : walkPod(documents, named)) ?? walkPod(documents);
  if (walk === null || walk.alone) return;
  const pod = walk.namespace === null ? walk.pod : `${walk.namespace}/${walk.pod}`;
  for (const [at, { link, state, message, cause, seen }] of walk.links.entries()) {
    const events = link === walk.stopsAt?.link ? walk.events.slice(-2) : [];
    const added = events.filter((event) => !seen.some((each) => each.line === event.line && each.file === event.file));
    const proof = [...seen.slice(0, mostEvidence), ...added];
    const order = (walk.place[0]?.line ?? 0) + at / 100;
    store.conclude('k8s.link', { pod, link, state, message, cause }, proof.length > 0 ? proof : walk.place, order);
  }
}

/** The pod that was asked for, as the subject of what was seen of it. */
function nameIn(
  documents: readonly Document[],
): { readonly namespace: string | null; readonly pod: string } | undefined {
  if (documents.length !== 1) return undefined;
  const match = /^pod (?:([\w.-]{1,253})\/)?([\w.-]{1,253})(?:\/[\w.-]{1,253})?$/.exec(documents[0]!.subject);
  return match === null ? undefined : { namespace: match[1] ?? null, pod: match[2]! };
}
