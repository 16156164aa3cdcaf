import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';

/** Less managed memory than this fits beside whatever else a GPU holds, MB. */
const fits = 1024;

export const managedMemoryOversubscribed: Rule = defineRule({
  id: 'application/managed-memory-oversubscribed',
  summary: 'More managed memory is fetched ahead than the GPU holds, and pushed out again',
  needs: ['profile.page-faults'],
  citations: ['cuda-programming-guide', 'nsight-systems-guide'],
  check({ 'profile.page-faults': faults }) {
    const { gpuFaults, migratedMb } = faults.value;
    if (gpuFaults !== 0 || migratedMb === null) return { kind: 'silent' };
    if (migratedMb < fits)
      return {
        kind: 'cleared',
        because: `${Math.round(migratedMb)} MB of managed memory move, without a page fault of the GPU`,
        seen: faults.seen,
      };
    // Sums do not tell what made the pages move.
    return {
      kind: 'unknown',
      missing: [
        {
          fact: 'whether managed memory was pushed out of the GPU, or fetched back on purpose',
          ask: 'nsys export -t sqlite run.nsys-rep && culprit trace run.sqlite',
        },
      ],
    };
  },
});
