import type { Fact, SaidId } from '../../model/facts.ts';
import type { RuleContext } from '../../model/rule.ts';
import { own, saidOf } from '../driver/_machine.ts';

/** A refused request for page-locked memory: the message, and the call that stands on it or just above it. */
export interface PinnedFailure {
  readonly fact: Fact<SaidId>;
  readonly call: Fact<SaidId> | undefined;
  /** `cudaHostRegister` and its like: memory of the program that is locked where it lies. */
  readonly registers: boolean;
  /** The failing call itself is shown, on the line of the message or as a frame of its traceback. */
  readonly shown: boolean;
}

const near = 4;

/** Requests for page-locked memory that failed, in the order of the input. */
export function pinnedFailures(context: RuleContext): readonly PinnedFailure[] {
  const calls = saidOf(context, 'pinned-call');
  const found: PinnedFailure[] = [];
  for (const fact of saidOf(context, 'host-register-failed', 'cuda-host-register-limits')) {
    const text = fact.seen[0]?.text ?? '';
    if (found.some((each) => each.fact.order === fact.order)) continue;
    found.push({
      fact,
      call: calls.find((call) => lineOf(call) === lineOf(fact)),
      registers: /Register|registration|registered|page table/i.test(text),
      shown: true,
    });
  }
  for (const fact of saidOf(context, 'cuda-oom-runtime')) {
    if (found.some((each) => lineOf(each.fact) === lineOf(fact))) continue;
    const call = calls.find((each) => !each.told && isNear(each, fact));
    if (call === undefined) continue;
    const text = call.seen[0]?.text ?? '';
    // A keyword argument of a loader is not the call that failed.
    if (/pin_memory ?= ?(?:True|False)/.test(text) && !/empty\(|zeros\(|\.to\(|tensor\(/.test(text)) continue;
    found.push({ fact, call, registers: /Register/.test(text), shown: isCall(call) });
  }
  return found.sort((a, b) => a.fact.order - b.fact.order);
}

/** Code or the name of a call, not a sentence that speaks of pinned memory. */
function isCall(call: Fact<SaidId>): boolean {
  return (
    call.value.captures['call'] !== undefined ||
    call.seen.some((line) =>
      /\.pin_memory\(|in (?:_?pin_memory\b|pin memory thread)|alloc_pinned|empty_pinned|host_register/.test(line.text),
    )
  );
}

/** The call stands on the failing line, shortly above it (a traceback), or, by its own name, just below (a stack). */
function isNear(call: Fact<SaidId>, failure: Fact<SaidId>): boolean {
  const named = call.value.captures['call'] !== undefined;
  return call.seen.some((line) => {
    const above = lineOf(failure) - line.line;
    return line.file === failure.seen[0]?.file && above <= near && above >= (named ? -2 : 0);
  });
}

export function lineOf(fact: Fact): number {
  return fact.seen[0]?.line ?? 0;
}

/** How many pieces of host memory are registered: the highest count, or the sum of the counts of several ranks. */
export function registeredCount(
  context: RuleContext,
): { readonly count: number; readonly facts: readonly Fact<SaidId>[] } | null {
  const counted: { count: number; rank: string | undefined; fact: Fact<SaidId> }[] = [];
  for (const fact of saidOf(context, 'pinned-segment-count')) {
    const { count, kilo } = fact.value.captures;
    const number = Number((count ?? '').replaceAll(/[,_]/g, '')) * (kilo === undefined ? 1 : 1000);
    if (!Number.isFinite(number) || number < 1000 || number >= 1e8) continue;
    const rank =
      fact.origin.rank?.toString() ??
      /\b(?:rank|process|worker|pid)[ #:=]{0,2}(\d{1,7})\b/i.exec(fact.seen[0]?.text ?? '')?.[1];
    counted.push({ count: number, rank, fact });
  }
  const highest = [...counted].sort((a, b) => b.count - a.count)[0];
  if (highest === undefined) return null;
  const byRank = new Map<string, (typeof counted)[number]>();
  for (const each of counted) {
    if (each.rank !== undefined && each.count > (byRank.get(each.rank)?.count ?? 0)) byRank.set(each.rank, each);
  }
  const ranks = [...byRank.values()];
  const sum = ranks.reduce((total, each) => total + each.count, 0);
  return ranks.length > 1 && sum > highest.count
    ? { count: sum, facts: ranks.map((each) => each.fact) }
    : { count: highest.count, facts: [highest.fact] };
}

/** Limit of mappings of a process, where it is printed. */
export function mapLimit(context: RuleContext): { readonly limit: number; readonly fact: Fact<SaidId> } | null {
  for (const fact of saidOf(context, 'max-map-count')) {
    const limit = Number(fact.value.captures['limit']);
    if (limit > 0) return { limit, fact };
  }
  return null;
}

/** Bytes as a person reads them. */
export function bytesText(bytes: number): string {
  const gib = bytes / 1024 ** 3;
  return gib >= 1 ? `${gib.toFixed(1)} GiB` : `${(bytes / 1024 ** 2).toFixed(0)} MiB`;
}

/** The largest rounding that the input shows. */
export function roundedUp(context: RuleContext): Fact<'host.pinned-size'> | undefined {
  return [...own(context, 'host.pinned-size')].sort(
    (a, b) => b.value.taken - b.value.asked - (a.value.taken - a.value.asked),
  )[0];
}
