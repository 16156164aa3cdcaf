import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';

/** Coherent CPU-GPU links (NVLink-C2C), where pageable memory is read at the rate of the link. */
const coherent = /\bG[HB][23]00\b|\bGB10\b|grace/i;

export const pageableCopiesSlow: Rule = defineRule({
  id: 'application/pageable-copies-slow',
  summary: 'Copies of pageable memory reach a part of the rate that page-locked memory has',
  needs: ['profile.bandwidth'],
  uses: ['gpu.name'],
  citations: ['cuda-programming-guide'],
  check(facts, context) {
    const rates = context.all('profile.bandwidth').filter((fact) => fact.scope !== 'other-host');
    const pageable = rates
      .filter((fact) => fact.value.memory === 'pageable')
      .sort((a, b) => a.value.gbPerSecond - b.value.gbPerSecond)[0];
    const pinned = rates
      .filter((fact) => fact.value.memory === 'pinned')
      .sort((a, b) => b.value.gbPerSecond - a.value.gbPerSecond)[0];
    const seen = [...(pageable?.seen.slice(0, 1) ?? []), ...(pinned?.seen.slice(0, 1) ?? [])];
    const machine = context.all('gpu.name').find((fact) => coherent.test(fact.value));
    if (machine !== undefined) {
      return {
        kind: 'cleared',
        because: `${machine.value} reads pageable memory over a coherent link`,
        seen: [...seen, ...machine.seen.slice(0, 1)],
      };
    }
    if (pageable === undefined) return { kind: 'silent' };
    if (pinned === undefined) {
      return {
        kind: 'unknown',
        missing: [
          {
            fact: 'profile.bandwidth',
            ask: './bandwidthTest --memory=pinned --mode=quick; ./bandwidthTest --memory=pageable --mode=quick',
          },
        ],
      };
    }
    if (pageable.value.gbPerSecond >= pinned.value.gbPerSecond * 0.75) {
      return {
        kind: 'cleared',
        because: `pageable copies reach ${pageable.value.gbPerSecond} of ${pinned.value.gbPerSecond} GB/s`,
        seen,
      };
    }
    return {
      kind: 'fault',
      message: `pageable copies reach ${pageable.value.gbPerSecond} GB/s where page-locked memory reaches ${pinned.value.gbPerSecond} GB/s`,
      seen,
      remedies: [{ actor: 'developer', do: 'keep a pool of page-locked buffers for these copies, and reuse it' }],
      weight: 1,
    };
  },
});
