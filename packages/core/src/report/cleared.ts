import type { Cleared } from '../model/verdict.ts';
import { layerWords } from './words.ts';

/** What is cleared for one reason, with all layers that it clears: `hardware, driver`. */
export interface ClearedTogether extends Pick<Cleared, 'because' | 'evidence'> {
  readonly layers: string;
}

/** What is cleared, each sentence once. */
export function clearedTogether(cleared: readonly Cleared[]): readonly ClearedTogether[] {
  const groups = new Map<string, readonly Cleared[]>();
  for (const each of cleared) groups.set(each.because, [...(groups.get(each.because) ?? []), each]);
  return [...groups].map(([because, all]) => ({
    because,
    evidence: all[0]!.evidence,
    layers: [...new Set(all.map(({ layer }) => layerWords[layer]))].join(', '),
  }));
}
