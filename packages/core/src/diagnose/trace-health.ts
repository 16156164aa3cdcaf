import type { RuleContext } from '../model/rule.ts';

/** Health that traces show: something is well, and nothing was found to cost time. The most specific reading gives the cause. */
export function healthOfTrace(context: RuleContext): { readonly cause: string; readonly because: string } | null {
  const all = context.all('trace.finding').filter((fact) => fact.scope !== 'after-fix' && fact.scope !== 'other-host');
  // What is only possible proves nothing, and health is not shown beside it either.
  if (all.some(({ value }) => value.kind === 'waste')) return null;
  const well = all.filter(({ value }) => value.kind === 'healthy').toSorted((a, b) => a.value.place - b.value.place);
  const [first] = well;
  if (first === undefined) return null;
  return {
    cause: first.value.cause,
    because: well
      .slice(0, 3)
      .map(({ value }) => value.message)
      .join('; '),
  };
}
