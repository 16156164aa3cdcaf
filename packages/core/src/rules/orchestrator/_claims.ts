import type { Fact } from '../../model/facts.ts';
import type { Outcome, RuleContext } from '../../model/rule.ts';
import { byPrint, own, said, seen } from '../container-runtime/_container.ts';

// Claims of dynamic resource allocation: what waits, what is given out, and what nodes offer.

interface Claims {
  readonly refused: Fact;
  readonly waiting: readonly Fact<'k8s.resource-claim'>[];
  readonly given: readonly Fact<'k8s.resource-claim'>[];
  readonly slices: Fact<'k8s.resource-slices'> | undefined;
}

/** What is known of claims, where the scheduler says that it could not meet one. */
function claimsOf(context: RuleContext): Claims | undefined {
  const refused = said(context, 'k8s-dra-claim')[0];
  if (refused === undefined) return undefined;
  const claims = own(context, 'k8s.resource-claim');
  return {
    refused,
    waiting: claims.filter((fact) => /pending/.test(fact.value.state)),
    given: claims.filter((fact) => /allocated/.test(fact.value.state)),
    slices: own(context, 'k8s.resource-slices').at(-1),
  };
}

type Fault = Extract<Outcome, { kind: 'fault' }>;

/** Devices are offered, and other claims have them; null where that is not shown. */
export function claimsTaken(context: RuleContext): Omit<Fault, 'remedies'> | null {
  const claims = claimsOf(context);
  if (claims === undefined || (claims.slices?.value ?? 0) === 0) return null;
  const [given] = claims.given;
  const [waiting] = claims.waiting;
  if (given === undefined || waiting === undefined) return null;
  return {
    kind: 'fault',
    certainty: 'likely',
    message: `the claim ${waiting.value.name} waits: the devices that nodes offer are allocated to other claims, ${given.value.name} among them`,
    seen: seen(claims.refused, waiting, given, claims.slices),
    missing: [
      { fact: 'how many devices the slices offer', ask: 'kubectl get resourceslices -o yaml | grep -c "name: gpu-"' },
    ],
    weight: 3,
  };
}

/** No node offers a device at all: nothing published a slice. */
export function noSlices(context: RuleContext): Omit<Fault, 'remedies'> | null {
  const claims = claimsOf(context);
  if (claims?.slices === undefined || claims.slices.value > 0) return null;
  return {
    kind: 'fault',
    certainty: byPrint(claims.refused, claims.slices),
    message: 'a claim of devices waits, and no node has published any',
    seen: seen(claims.refused, claims.slices, claims.waiting[0]),
    weight: 1,
  };
}
