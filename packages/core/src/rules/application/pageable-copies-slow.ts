import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';

/** Coherent CPU-GPU links (NVLink-C2C), where pageable memory is read at the rate of the link. */
const coherent = /\bG[HB][23]00\b|\bGB10\b|grace/i;

const slow = [{ actor: 'developer', do: 'keep a pool of page-locked buffers for these copies, and reuse it' }] as const;

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
    const link = context.all('gpu.pcie-link')[0];
    // One direction of a PCIe link carries about 1 GB/s a lane in generation 3, twice that in each later one.
    const lane = link === undefined ? 0 : 0.98 * 2 ** (link.value.generation - 3) * link.value.width;
    if (pinned === undefined && link !== undefined && lane > 0) {
      const text = `pageable copies reach ${pageable.value.gbPerSecond} GB/s on a PCIe ${link.value.generation} x${link.value.width} link of about ${Math.round(lane)} GB/s`;
      if (pageable.value.gbPerSecond >= lane * 0.6)
        return { kind: 'cleared', because: text, seen: [...seen, ...link.seen.slice(0, 1)] };
      return { kind: 'fault', message: text, seen: [...seen, ...link.seen.slice(0, 1)], remedies: slow, weight: 1 };
    }
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
      remedies: slow,
      weight: 1,
    };
  },
});
