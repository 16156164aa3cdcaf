import type { TraceFinding } from '../../model.ts';
import type { TraceLimits } from '../../thresholds.rows.ts';
import { plainCallName } from '../../calls.ts';
import { against, timeText, waste } from '../detector.ts';
import type { SumsView } from './view.ts';
import { countOf, quotesOf, total } from './view.ts';

/**
 * As many waits of the CPU as launches, of kernels so short that waiting and launching cost more than they run: the GPU has
 * nothing queued. Waits for long kernels cost nothing. CUDA C++ Best Practices Guide, CPU timers and synchronisation.
 */
export function waitsOfSums(view: SumsView, limits: TraceLimits): readonly TraceFinding[] {
  const { waits, launches, kernelNs, kernelCount } = view;
  const [count, launched] = [countOf(waits), countOf(launches)];
  if (launched < 10 * limits['waits']! || kernelCount < 10 * limits['waits']!) return [];
  // A graph is one launch of many kernels: a wait for each graph is none for each kernel.
  const share = (100 * count) / Math.max(launched, kernelCount);
  const mean = kernelNs / kernelCount;
  const cost = total(waits) + total(launches);
  if (share < limits['sums-sync']! || mean > limits['short-kernel']! * 1000 || cost < 1.5 * kernelNs) return [];
  const [lead] = waits.toSorted((a, b) => b.count - a.count);
  return [
    waste({
      cause: 'sync-after-each-kernel',
      certainty: 'proved',
      message: `the CPU waits ${count.toLocaleString('en')} times for ${launched.toLocaleString('en')} launches (${plainCallName(lead!.name)}), of kernels of ${timeText(mean)}: waits and launches take ${timeText(cost)}, the kernels ${timeText(kernelNs)}`,
      measured: [
        against('waits', share, '>=', limits, 'sums-sync', '% of the launches'),
        against('mean kernel', mean / 1000, '<=', limits, 'short-kernel', 'µs'),
      ],
      saving: { upperBoundNs: Math.ceil(cost), how: 'all time of the waits and launches' },
      explains: ['launch-bound-needs-cuda-graphs'],
      quotes: quotesOf(view, [lead, launches[0], view.kernels[0]]),
    }),
  ];
}
