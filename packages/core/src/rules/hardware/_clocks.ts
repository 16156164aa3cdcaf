import type { Fact } from '../../model/facts.ts';
import type { Outcome, RuleContext } from '../../model/rule.ts';
import { own } from '../container-runtime/_container.ts';

/** Facts that name reasons why clocks are held down. */
export type ReasonFact = Fact<'gpu.clock-reasons'> | Fact<'gpu.throttle'>;

function activeOf(fact: ReasonFact): readonly string[] {
  return fact.id === 'gpu.throttle' ? fact.value : fact.value.active;
}

/** Reports of clock reasons of this machine, the newer kind first. */
export function reasonFacts(context: RuleContext): readonly ReasonFact[] {
  return [...own(context, 'gpu.clock-reasons'), ...own(context, 'gpu.throttle')];
}

/** The first report in which a reason of one of these names is active. */
export function activeReason(context: RuleContext, names: RegExp): ReasonFact | undefined {
  return activeReasons(context, names)[0];
}

/** Every report in which a reason of one of these names is active, the newer kind first. */
export function activeReasons(context: RuleContext, names: RegExp): readonly ReasonFact[] {
  return reasonFacts(context).filter((fact) => activeOf(fact).some((name) => names.test(name)));
}

/** Clears a cause when a report says that its reason is not active. */
export function clearedReason(context: RuleContext, names: RegExp, because: string): Outcome {
  const named = own(context, 'gpu.clock-reasons').find((fact) => fact.value.inactive.some((name) => names.test(name)));
  const listed = named ?? own(context, 'gpu.throttle')[0];
  return listed === undefined ? { kind: 'silent' } : { kind: 'cleared', because, seen: listed.seen.slice(0, 2) };
}

/** What a fact calls its GPU; null where the report does not name it. */
function nameIn(fact: Fact): string | null {
  const { value } = fact as { readonly value: unknown };
  const gpu =
    typeof value === 'object' && value !== null && 'gpu' in value ? (value as { readonly gpu: unknown }).gpu : null;
  return typeof gpu === 'string' || typeof gpu === 'number' ? plainName(String(gpu)) : null;
}

/** Bus ids have domains of four or eight digits. */
function plainName(gpu: string): string {
  return gpu.toLowerCase().replace(/^0{4}(?=[\da-f]{4}:)/, '');
}

/**
 * Whether two facts speak of one GPU: the same name in both, or one line that gave both. Facts without a name belong
 * together only where a single GPU is in the picture.
 */
export function sameGpu(a: Fact, b: Fact, context: RuleContext): boolean {
  const [one, other] = [nameIn(a), nameIn(b)];
  if (one !== null && other !== null) {
    if (one === other) return true;
    // An index and a bus id may be one GPU where there is no second.
    if (one.includes(':') === other.includes(':')) return false;
  }
  if (a.seen.some((x) => b.seen.some((y) => x.file === y.file && x.line === y.line && x.column === y.column)))
    return true;
  return !severalGpus(context);
}

/** More than one GPU is named in what was read. */
function severalGpus(context: RuleContext): boolean {
  if (own(context, 'gpu.count').some((fact) => fact.value > 1)) return true;
  for (const id of ['gpu.temperature', 'gpu.power', 'gpu.clocks', 'gpu.pcie', 'gpu.clock-reasons'] as const) {
    const facts = own(context, id);
    if (new Set(facts.map(nameIn)).size > 1 || (facts.length > 1 && facts.every((fact) => nameIn(fact) === null)))
      return true;
  }
  return (
    own(context, 'gpu.state').length > 1 && new Set(own(context, 'gpu.state').map((fact) => fact.value.index)).size > 1
  );
}

/** The GPU of a fact as a sentence names it: `GPU 3`, `the GPU at 00000000:3B:00.0`, or nothing known: `a GPU`. */
export function gpuNamed(gpu: string | number | null | undefined): string {
  if (gpu === null || gpu === undefined || gpu === '') return 'a GPU';
  return String(gpu).includes(':') ? `the GPU at ${gpu}` : /^GPU-/i.test(String(gpu)) ? String(gpu) : `GPU ${gpu}`;
}

/** The GPU of a fact as the object of a sentence: `GPU 3`, `the GPU at …`, and `the GPU` where it has no name. */
export function theGpu(fact: ReasonFact | Fact<'gpu.power'> | undefined): string {
  const value = fact?.value as { readonly gpu?: string | null } | undefined;
  return value?.gpu === undefined || value.gpu === null ? 'the GPU' : gpuNamed(value.gpu);
}

/** ` of GPU 3`, where the report names it. */
export function ofGpu(fact: ReasonFact | Fact<'gpu.power'> | undefined): string {
  const value = fact?.value as { readonly gpu?: string | null } | undefined;
  return value?.gpu === undefined || value.gpu === null ? '' : ` of ${gpuNamed(value.gpu)}`;
}
