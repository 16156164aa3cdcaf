import type { Fact } from '../../model/facts.ts';
import type { Outcome, RuleContext } from '../../model/rule.ts';
import { own } from '../container-runtime/_container.ts';

/** Facts that name reasons why clocks are held down. */
export type ReasonFact = Fact<'gpu.clock-reasons'> | Fact<'gpu.throttle'>;

function activeOf(fact: ReasonFact): readonly string[] {
  return fact.id === 'gpu.throttle'
    ? (fact.value as readonly string[])
    : (fact as Fact<'gpu.clock-reasons'>).value.active;
}

/** Reports of clock reasons of this machine, the newer kind first. */
export function reasonFacts(context: RuleContext): readonly ReasonFact[] {
  return [...own(context, 'gpu.clock-reasons'), ...own(context, 'gpu.throttle')];
}

/** The first report in which a reason of one of these names is active. */
export function activeReason(context: RuleContext, names: RegExp): ReasonFact | undefined {
  return reasonFacts(context).find((fact) => activeOf(fact).some((name) => names.test(name)));
}

/** Clears a cause when a report says that its reason is not active. */
export function clearedReason(context: RuleContext, names: RegExp, because: string): Outcome {
  const named = own(context, 'gpu.clock-reasons').find((fact) => fact.value.inactive.some((name) => names.test(name)));
  const listed = named ?? own(context, 'gpu.throttle')[0];
  return listed === undefined ? { kind: 'silent' } : { kind: 'cleared', because, seen: listed.seen.slice(0, 2) };
}

/** ` of GPU 3`, where the report names it. */
export function ofGpu(fact: ReasonFact | Fact<'gpu.power'> | undefined): string {
  const value = fact?.value as { readonly gpu?: string | null } | undefined;
  return value?.gpu === undefined || value.gpu === null ? '' : ` of GPU ${value.gpu}`;
}
