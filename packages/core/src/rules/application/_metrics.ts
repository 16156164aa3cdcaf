import type { Fact } from '../../model/facts.ts';
import type { RuleContext } from '../../model/rule.ts';

/** Numbers of one kernel by name. */
export interface KernelNumbers {
  readonly kernel: string | null;
  readonly facts: ReadonlyMap<string, Fact<'profile.metric'>>;
}

/** The numbers of a profile, kernel by kernel, in the order of the input; what a repair brought is left out. */
export function kernelsOf(context: RuleContext): readonly KernelNumbers[] {
  const kernels = new Map<string | null, Map<string, Fact<'profile.metric'>>>();
  for (const fact of context.all('profile.metric')) {
    if (fact.scope === 'after-fix' || fact.scope === 'other-host') continue;
    const facts = kernels.get(fact.value.kernel) ?? new Map<string, Fact<'profile.metric'>>();
    kernels.set(fact.value.kernel, facts);
    if (!facts.has(fact.value.name)) facts.set(fact.value.name, fact);
  }
  return [...kernels].map(([kernel, facts]) => ({ kernel, facts }));
}

/** A number of a kernel, else of the lines that name no kernel. */
export function numberOf(kernel: KernelNumbers, name: string): number | undefined {
  return kernel.facts.get(name)?.value.value;
}

/** `kernel gather_kernel`, or `a kernel` where the profile does not name it. */
export function called(kernel: KernelNumbers): string {
  return kernel.kernel === null ? 'a kernel' : `kernel ${kernel.kernel.slice(0, 80)}`;
}
