import type { Fact } from '../../model/facts.ts';
import type { Outcome, Remedy, RuleContext } from '../../model/rule.ts';
import { own } from '../container-runtime/_container.ts';

/** The link at which the walk from a pod to its GPU stops, where a break of its kind has this cause. */
export function stoppedAt(context: RuleContext, cause: string): Fact<'k8s.link'> | undefined {
  return own(context, 'k8s.link').find(
    (fact) => fact.value.cause === cause && (fact.value.state === 'broken' || fact.value.state === 'upgrading'),
  );
}

/** What the API shows of a link is proof; the walk stops there, so that this leads. */
export function atLink(link: Fact<'k8s.link'>, remedies: readonly Remedy[]): Outcome {
  return { kind: 'fault', certainty: 'proved', message: link.value.message, seen: link.seen, remedies, weight: 5 };
}
