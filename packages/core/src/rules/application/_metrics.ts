import type { Fact } from '../../model/facts.ts';
import type { Outcome, RuleContext } from '../../model/rule.ts';

/** Numbers of one kernel by name. */
export interface KernelNumbers {
  readonly kernel: string | null;
  readonly facts: ReadonlyMap<string, Fact<'profile.metric'>>;
}

/** Kernels with less of the time than this (%) are not worth a finding, unless none has more. */
const worthATime = 10;

/**
 * The numbers of a profile, kernel by kernel: those with the most time first where the profile tells it, and without
 * those that take next to none; else in the order of the input. What a repair brought is left out.
 */
export function kernelsOf(context: RuleContext): readonly KernelNumbers[] {
  const kernels = new Map<string | null, Map<string, Fact<'profile.metric'>>>();
  for (const fact of context.all('profile.metric')) {
    if (fact.scope === 'after-fix' || fact.scope === 'other-host') continue;
    const facts = kernels.get(fact.value.kernel) ?? new Map<string, Fact<'profile.metric'>>();
    kernels.set(fact.value.kernel, facts);
    if (!facts.has(fact.value.name)) facts.set(fact.value.name, fact);
  }
  const all = [...kernels].map(([kernel, facts]) => ({ kernel, facts }));
  const shareOf = (kernel: KernelNumbers): number => numberOf(kernel, 'time-share') ?? 100;
  const least = Math.min(worthATime, Math.max(...all.map(shareOf)));
  return all.filter((each) => shareOf(each) >= least).sort((a, b) => shareOf(b) - shareOf(a));
}

/**
 * Asks about each kernel and takes the worst answer: a proved fault, else any fault, else the first that is cleared.
 * @param judge gives null where the numbers of a kernel do not decide
 */
export function worstOf(context: RuleContext, judge: (kernel: KernelNumbers) => Outcome | null): Outcome | null {
  const outcomes = kernelsOf(context)
    .map(judge)
    .filter((outcome) => outcome !== null);
  const faults = outcomes.filter((outcome) => outcome.kind === 'fault');
  return (
    faults.find((fault) => (fault.certainty ?? 'proved') === 'proved') ??
    faults[0] ??
    outcomes.find((outcome) => outcome.kind === 'cleared') ??
    outcomes[0] ??
    null
  );
}

/** How near the busiest unit of the GPU came to its limit in this kernel, in percent; 0 where that was not measured. */
export function busiestOf(kernel: KernelNumbers): number {
  const shares = ['sm-throughput', 'memory-throughput', 'dram-throughput'].map((name) => numberOf(kernel, name) ?? 0);
  // Numbers over 100 are rates in bytes a second.
  return Math.max(...shares.filter((share) => share <= 105), 0);
}

/** From here on (%) a unit is at its limit, and what else is not perfect costs no time. */
export const atItsLimit = 75;

/** A number of a kernel, else of the lines that name no kernel. */
export function numberOf(kernel: KernelNumbers, name: string): number | undefined {
  return kernel.facts.get(name)?.value.value;
}

/** `kernel gather_kernel`, or `a kernel` where the profile does not name it. */
export function called(kernel: KernelNumbers): string {
  return kernel.kernel === null ? 'a kernel' : `kernel ${kernel.kernel.slice(0, 80)}`;
}

/** Wasted work that fills a unit: what is busy with it is not well used. */
function isWasteful(kernel: KernelNumbers): boolean {
  return (
    (numberOf(kernel, 'excessive-sectors-share') ?? 0) >= 20 ||
    (numberOf(kernel, 'sector-use-percent') ?? 100) <= 70 ||
    (numberOf(kernel, 'sectors-per-request') ?? 0) > 16
  );
}

/** True where every kernel whose use of the hardware was measured is at a limit of it. */
export function allAtALimit(context: RuleContext): boolean {
  return kernelsOf(context).every((kernel) => busiestOf(kernel) === 0 || limitOf(kernel) !== null);
}

/** The limit of the hardware that a kernel is at and uses well; null where it is at none, or wastes what it uses. */
export function limitOf(kernel: KernelNumbers): 'memory' | 'compute' | null {
  const share = (name: string): number => {
    const value = numberOf(kernel, name) ?? 0;
    // Numbers over 100 are rates in bytes a second.
    return value > 105 ? 0 : value;
  };
  const conflicts = (numberOf(kernel, 'bank-conflict-share') ?? 0) >= 30;
  const diverged = (numberOf(kernel, 'active-threads-per-warp') ?? 32) < 24;
  if (share('dram-throughput') >= atItsLimit && !isWasteful(kernel)) return 'memory';
  if (share('sm-throughput') >= 80 && !conflicts && !diverged) return 'compute';
  const caches =
    numberOf(kernel, 'dram-throughput') === undefined && share('l1-throughput') < share('memory-throughput');
  return caches && share('memory-throughput') >= 85 && !conflicts && !isWasteful(kernel) ? 'memory' : null;
}
