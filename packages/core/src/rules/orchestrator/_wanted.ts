import type { Fact } from '../../model/facts.ts';
import type { RuleContext } from '../../model/rule.ts';
import { own, said } from '../container-runtime/_container.ts';

/** A resource that a pod asks for and does not get. */
export interface Wanted {
  readonly resource: string;
  /** How many, where its specification is there. */
  readonly count: number | null;
  /** The scheduler's words. */
  readonly fact: Fact;
}

/** What a pod waits for, by the scheduler's event and, for the number, its specification. */
export function wantedOf(context: RuleContext): Wanted | undefined {
  const fact = said(context, 'k8s-insufficient-gpu').find((each) => each.value.captures['resource'] !== undefined);
  if (fact === undefined) return undefined;
  const resource = fact.value.captures['resource']!.replace(/\.$/, '');
  const request = own(context, 'k8s.device-request').find(
    (each) => each.value.resource.startsWith('nvidia.com/') && each.value.resource === resource,
  );
  return { resource, count: request?.value.count ?? null, fact };
}
