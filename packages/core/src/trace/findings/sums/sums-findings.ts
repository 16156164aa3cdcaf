import type { Trace, TraceFinding } from '../../model.ts';
import type { TraceLimits } from '../../thresholds.rows.ts';
import { adviceOfSums } from './advice.ts';
import { waitsOfSums } from './calls.ts';
import { copiesOfSums, managedOfSums } from './copies.ts';
import { blocksOfSums, tensorOfSums } from './kernels.ts';
import { loadingOfSums, ncclOfSums, wellOfSums } from './ranges.ts';
import { ranksOfSums } from './ranks.ts';
import type { SumsOpen } from './silence.ts';
import { silenceOf } from './silence.ts';
import type { SumsView } from './view.ts';
import { viewOf } from './view.ts';

/** What sums without a time line say. */
export interface SumsReading {
  readonly findings: readonly TraceFinding[];
  /** Why they decide nothing, where they hold nothing that is judged. */
  readonly open: SumsOpen | null;
}

/** What looks at sums; add one here. */
const detectors: readonly ((view: SumsView, limits: TraceLimits) => readonly TraceFinding[])[] = [
  waitsOfSums,
  managedOfSums,
  copiesOfSums,
  loadingOfSums,
  ncclOfSums,
  ranksOfSums,
  blocksOfSums,
  tensorOfSums,
  adviceOfSums,
  wellOfSums,
];

/**
 * What the sums of a text prove, beside the rules that judge pasted summaries: only printed numbers decide, and what is well
 * is said only where nothing else was found.
 */
export function readingOfSums(trace: Trace, limits: TraceLimits): SumsReading {
  const view = viewOf(trace);
  if (view === null) return { findings: [], open: null };
  const all = detectors.flatMap((detector) => detector(view, limits));
  const explained = new Set(all.filter(({ kind }) => kind === 'waste').flatMap(({ explains }) => explains ?? []));
  const kept = all.filter(({ cause }) => !explained.has(cause));
  const wastes = kept.filter(({ kind }) => kind === 'waste');
  const found = wastes.length > 0 ? wastes : kept;
  return {
    findings: found.toSorted((a, b) => costOf(b) - costOf(a)),
    open: wastes.length > 0 ? null : silenceOf(view),
  };
}

function costOf({ costNs, saving }: TraceFinding): number {
  return costNs ?? saving?.upperBoundNs ?? 0;
}
