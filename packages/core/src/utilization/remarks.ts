import type { SeriesFinding } from './finding.ts';
import type { SeriesSet } from './series-set.ts';

/** A remark stands where something is wrong or unclear; of these GPUs of a finding. */
const mostGpus = 8;

/** Adds to a finding what stands beside the series of its GPUs: reasons for low clocks, memory errors, Xids. */
export function withRemarks(finding: SeriesFinding, set: SeriesSet): SeriesFinding {
  if (finding.kind === 'healthy') return finding;
  const found = new Map<string, SeriesFinding['places'][number][]>();
  const of = new Map<string, string[]>();
  for (const gpu of finding.gpus.slice(0, mostGpus))
    for (const { text, places } of set.beside.of(gpu, set)) {
      found.set(text, [...(found.get(text) ?? []), ...places]);
      of.set(text, [...(of.get(text) ?? []), gpu]);
    }
  if (found.size === 0) return finding;
  const words = [...found.keys()].map((text) =>
    // Where a finding speaks of several GPUs, it says which one is meant.
    finding.gpus.length > 1 ? `GPU ${of.get(text)!.join(', ')}: ${text}` : text,
  );
  return {
    ...finding,
    message: [finding.message, ...words].join('; '),
    places: [...finding.places, ...[...found.values()].flat()].slice(0, 12),
  };
}
