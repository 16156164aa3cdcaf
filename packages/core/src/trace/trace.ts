import type { Document } from '../model/document.ts';
import type { Verdict } from '../model/verdict.ts';
import { verdictOfFacts } from '../diagnose/diagnose.ts';
import { FactStore } from '../diagnose/fact-store.ts';
import type { Knowledge } from '../knowledge/knowledge.ts';
import { readNcu } from './ncu.ts';
import type { ProfiledKernel } from './ncu-kernels.ts';
import { kernelsOfProfile } from './ncu-kernels.ts';
import { putNcuFacts } from './ncu-facts.ts';

/** What a profile says: the verdict, and the kernels behind it. */
export interface TraceAnswer {
  readonly verdict: Verdict;
  readonly kernels: readonly ProfiledKernel[];
  /** What the evidence quotes. */
  readonly document: Document;
  /** What was not read, in words. */
  readonly left: readonly string[];
}

const ask = 'ncu --set full --csv --page raw ./app > profile.csv';

/**
 * Says where the time of the kernels of a profile goes, by the rules that also judge pasted profiles.
 * @param text CSV of Nsight Compute
 * @param file its name, for the evidence
 */
export function ncuVerdict(text: string, file: string | null, knowledge: Knowledge): TraceAnswer {
  const profile = readNcu(text, knowledge) ?? { launches: [], unread: 0, unreadable: [], left: [] };
  const kernels = kernelsOfProfile(profile);
  const store = new FactStore();
  const times = profile.launches.flatMap((launch) => launch.metrics.get('duration-ns')?.value ?? []);
  const document = putNcuFacts(kernels, times, file, store);
  const left = [
    ...profile.left,
    ...profile.unreadable
      .slice(0, 3)
      .map(({ what, place }) => `line ${place.line}: ${what}, which can be read in two ways`),
  ];
  const verdict = verdictOfFacts(store, [document], knowledge);
  return { verdict: spoken(verdict, kernels, profile.unreadable.length > 0), kernels, document, left };
}

/** A verdict that cannot tell, in the words of a profile. */
function spoken(verdict: Verdict, kernels: readonly ProfiledKernel[], unreadable: boolean): Verdict {
  if (verdict.status !== 'cannot-tell' || verdict.findings.length > 0) return verdict;
  const unknown = (missing: string): Verdict['unknown'] => [{ layer: null, missing: [missing], ask }];
  if (kernels.length === 0)
    return {
      ...verdict,
      cause: 'trace-has-no-gpu-work',
      headline: 'cannot tell: the profile lists no kernel',
      unknown: unknown('a profile in which kernels ran'),
    };
  const numbers = kernels[0]!.numbers;
  const measured = ['sm-throughput', 'memory-throughput', 'dram-throughput'].some((name) => numbers.has(name));
  if (!measured)
    return {
      ...verdict,
      cause: unreadable ? 'trace-unreadable' : null,
      headline: unreadable
        ? 'cannot tell: the numbers of the profile can be read in two ways'
        : 'cannot tell: nothing wrong is seen, and the profile does not say how near the kernels come to a limit',
      unknown: unreadable
        ? [
            {
              layer: null,
              missing: ['numbers with one meaning'],
              ask: 'LC_ALL=C ncu --print-units base --csv --page raw ./app',
            },
          ]
        : unknown('throughput of SMs and memory'),
    };
  const stall = kernels[0]!.stalls[0];
  return {
    ...verdict,
    headline: `cannot tell: no known waste is seen, and neither the SMs nor the memory are at their limit${stall === undefined ? '' : `; warps wait most for ${stall.reason.replaceAll('_', ' ')}`}`,
    unknown: stall === undefined ? unknown('what the warps wait for') : verdict.unknown,
  };
}
